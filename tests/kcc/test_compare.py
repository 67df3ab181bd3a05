"""`kcc compare` on documents written by hand."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kcc.cli import main

TIMES = {"sum": 100.0, "scan": 50.0}


def entry(kernel: str, time_us: float | None, tile: str = "8") -> dict[str, Any]:
    return {
        "configuration": {"kernel": kernel, "source": "x.cl", "macros": {"TILE": tile},
                          "global_size": [1024], "local_size": [64]},
        "gpu": "v100", "time_us": time_us, "range_us": None, "cycles": None,
        "reason": "" if time_us else "no thread block fits",
    }  # fmt: skip


def write(path: Path, *entries: dict[str, Any], **more: Any) -> str:
    document = {"schema": "kcc/estimate/1", "kcc_version": "0", "model": "pipeline",
                "estimates": list(entries), **more}  # fmt: skip
    path.write_text(json.dumps(document))
    return str(path)


def compared(
    tmp_path: Path, before: list[dict[str, Any]], after: list[dict[str, Any]], *options: str
) -> tuple[int, dict[str, Any]]:
    target = tmp_path / "c.json"
    paths = write(tmp_path / "a.json", *before), write(tmp_path / "b.json", *after)
    code = main(["compare", *paths, "--json", str(target), *options])
    document = json.loads(target.read_text())
    schema = json.loads((files("kcc") / "schemas" / "comparison-1.json").read_text())
    jsonschema.validate(document, schema)
    return code, document


@pytest.mark.parametrize(
    ("after", "verdict", "code"),
    [
        (entry("sum", 100.0), "same", 0),
        (entry("sum", 90.0), "faster", 0),
        (entry("sum", 104.0), "slower", 0),
        (entry("sum", 106.0), "slower", 1),
        (entry("sum", None), "no time any more", 1),
    ],
)
def test_what_becomes_of_one(
    tmp_path: Path, after: dict[str, Any], verdict: str, code: int
) -> None:
    found, document = compared(tmp_path, [entry("sum", 100.0)], [after], "--fail-above", "5%")
    assert found == code
    (change,) = document["changes"]
    assert change["verdict"] == verdict
    assert change["failed"] is bool(code)


def test_without_a_limit_nothing_fails(tmp_path: Path) -> None:
    code, document = compared(tmp_path, [entry("sum", 1.0)], [entry("sum", 9.0)])
    assert code == 0
    assert document["changes"][0]["ratio"] == 9


def test_a_configuration_that_is_missing_fails(tmp_path: Path) -> None:
    before = [entry("sum", 100.0), entry("sum", 100.0, "16")]
    code, document = compared(tmp_path, before, before[:1], "--fail-above", "5%")
    assert code == 1
    assert [c["verdict"] for c in document["changes"]] == ["same", "missing"]
    code, document = compared(tmp_path, before[:1], before, "--fail-above", "5%")
    assert code == 0
    assert [c["verdict"] for c in document["changes"]] == ["same", "new"]


def test_what_never_had_a_time_does_not_fail(tmp_path: Path) -> None:
    before = [entry("sum", None)]
    assert compared(tmp_path, before, before, "--fail-above", "0")[0] == 0
    assert compared(tmp_path, before, [], "--fail-above", "0")[0] == 0
    code, document = compared(tmp_path, before, [entry("sum", 5.0)], "--fail-above", "0")
    assert (code, document["changes"][0]["verdict"]) == (0, "has a time now")


def test_one_kernel_with_another_name(tmp_path: Path) -> None:
    before = [entry("sum", 100.0), entry("scan", 50.0)]
    after = [entry("sum_v2", 101.0), entry("scan", 50.0)]
    code, document = compared(tmp_path, before, after, "--fail-above", "5%")
    assert code == 0
    assert document["changes"][0]["renamed"] == "sum_v2"
    assert document["changes"][0]["ratio"] == 1.01


def test_several_kernels_with_other_names_are_told(tmp_path: Path) -> None:
    before = [entry("sum", 100.0), entry("scan", 50.0)]
    after = [entry("b", 50.0), entry("a", 100.0)]
    assert compared(tmp_path, before, after, "--fail-above", "5%")[0] == 1
    names = ["--rename", "sum=a", "--rename", "scan=b"]
    assert compared(tmp_path, before, after, "--fail-above", "5%", *names)[0] == 0


def test_documents_that_were_not_made_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = entry("sum", 100.0), entry("sum", 100.0)
    old["configuration"]["arguments"] = {"n": 1024, "alpha": 1.5}
    new["configuration"]["arguments"] = {"n": 4096, "alpha": 1.5}
    first = write(tmp_path / "a.json", old, settings={"--warm": "given"})
    second = write(
        tmp_path / "b.json", new, model="interval", settings={"--set": "sm_count=1"}
    )  # fmt: skip
    assert main(["compare", first, second, "--fail-above", "5%"]) == 0
    warnings = [line for line in capsys.readouterr().out.splitlines() if "warning" in line]
    assert warnings == [
        "warning: the model is pipeline in the first, interval in the second",
        "warning: option --warm is given in the first, not given in the second",
        "warning: option --set is not given in the first, sm_count=1 in the second",
        "warning: sum: argument n is 1024 in the first, 4096 in the second",
    ]
    assert main(["compare", first, first]) == 0
    assert "warning" not in capsys.readouterr().out


def test_documents_that_have_nothing_in_common(tmp_path: Path) -> None:
    other = [entry("sum", 100.0) | {"gpu": "a100"}]
    _, document = compared(tmp_path, [entry("sum", 100.0)], other)
    (said,) = document["differences"]
    assert said.startswith("no configuration stands in both")


def test_code_of_different_compilers_is_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = write(tmp_path / "a.json", entry("sum", 100.0))
    after = write(tmp_path / "b.json", entry("sum", 90.0) | {"code": "ptxas 12.9 (sm_70)"})
    assert main(["compare", before, after]) == 1
    told = capsys.readouterr().err
    assert (
        "error[K892]: times of code by kcc in one document, by ptxas 12.9 (sm_70) in the other"
        in told
    )
    assert main(["compare", before, after, "--any-code"]) == 0


def test_text_begins_with_what_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = [entry("sum", 100.0), entry("scan", 50.0)]
    after = [entry("sum", 150.0), entry("scan", 90.0, "16")]
    paths = write(tmp_path / "a.json", *before), write(tmp_path / "b.json", *after)
    assert main(["compare", *paths, "--fail-above", "10%"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("sum ")
    assert "+50.0 %" in lines[0]
    assert lines[0].endswith("in all 1 slower, 1 missing, 1 new; 2 beyond 10 %.")
    assert "+50.0 %" in lines[2]
    assert "FAILED" in lines[2]
    assert lines[-1] == "1 slower, 1 missing, 1 new; 2 beyond 10 %"


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"schema": "kcc/estimate/1"}', '{"schema": "kcc/estimate/1", "estimates": 1}',
     '{"schema": "kcc/estimate/1", "model": "pipeline", "estimates": [{"gpu": 1}]}',
     '{"schema": "kcc/analysis/1"}', "[" * 100_000,
     json.dumps({"schema": "kcc/estimate/1", "model": "pipeline",
                 "estimates": [entry("sum", 1.0) | {"range_us": "x"}]}),
     json.dumps({"schema": "kcc/estimate/1", "model": "pipeline",
                 "estimates": [entry("sum", 1.0) | {"cpi": 10**400}]})],
)  # fmt: skip
def test_what_is_no_document(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text(content)
    good = write(tmp_path / "a.json", entry("sum", 1.0))
    assert main(["compare", good, str(tmp_path / "x.json")]) == 1
    assert "K891" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--fail-above=x", "--fail-above=-5%", "--rename=a"])
def test_bad_usage(tmp_path: Path, option: str) -> None:
    good = write(tmp_path / "a.json", entry("sum", 1.0))
    assert main(["compare", good, good, option]) == 2
