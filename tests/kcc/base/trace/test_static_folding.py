"""What `kcc trace FILE.cl` says where a compiler folds functions of constants."""

from pathlib import Path

import pytest

from kcc.base.trace.reader import open_trace
from kcc.cli import main

TEXT = """kernel void k(global float *a) {
    for (int i = 1; i <= native_log2(BOUND); i++) {
        int power = (int)native_powr(2.0f, (float)i);
        if (get_local_id(0) % power == 0) a[get_global_id(0) + 64 * i] = i;
    }
}
"""
LAUNCH = ["--global", "64", "--local", "32", "--gpu", "a100"]


@pytest.mark.parametrize(
    ("bound", "told", "calls"),
    [
        ("16.0f", "as a run, but for functions of constants", False),
        ("b", "identical to a run", True),
    ],
)
def test_functions_of_constants_are_folded_as_for_estimates(
    bound: str, told: str, calls: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "k.cl", tmp_path / "k.kct"
    text = TEXT.replace("BOUND", bound)
    if calls:
        text = text.replace("float *a)", "float *a, float b)")
    source.write_text(text, encoding="utf-8")
    given = ["--arg", "b=16"] if calls else []
    asked = ["trace", str(source), *LAUNCH, "--arg", "a=float[4096]", *given, "-o", str(target)]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert f"nothing is assumed: {told}" in said
    assert " 8 accesses" in said  # two warps, four iterations
    with open_trace(str(target)) as file:
        (launch,) = file.launches
        assert ("native_log2" in launch.tables.ir) == calls
