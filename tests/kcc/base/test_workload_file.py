"""kernel.toml: what is read, that ours are all sound, and where each complaint points."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.base.arguments import Buffer, expressions, format_argument
from kcc.base.diagnostics import DiagnosticError, Span
from kcc.base.expressions import evaluate
from kcc.base.launch import resolve_launch, whole_number
from kcc.base.workload_file import SIZES, find_workload_file, load_workload_file

ROOT = Path(__file__).resolve().parents[3]
OURS = sorted((ROOT / "kernels").glob("*/kernel.toml"))

WHOLE = """\
[source]
file = "lud.cl"
defines = { BLOCK_SIZE = 16, SCALE = 0.5, TYPE = "float4", HEX = "0x10u" }
includes = ["include"]
options = ["-cl-mad-enable"]

[sizes]
tiny = { n = 64, ratio = 1.5 }
large = { n = 2048, ratio = 2 }

[launch.lud_diagonal]
global = "roundup(n, BLOCK_SIZE)"
local = "BLOCK_SIZE"

[args.lud_diagonal]
m = "float[n*n]=uniform(1, 2)"
matrix_dim = "n"

[provenance]
algorithm = "LU decomposition"
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "kernel.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def complaints(folder: Path, text: str | bytes) -> list[tuple[str, int, int]]:
    """Code, line and column of each error."""
    path = write(folder, text)
    with pytest.raises(DiagnosticError) as caught:
        load_workload_file(path)
    spans = [diagnostic.span or Span("", 0) for diagnostic in caught.value.diagnostics]
    assert {span.file for span in spans} == {str(path)}
    codes = [diagnostic.code for diagnostic in caught.value.diagnostics]
    return [(code, span.line, span.column) for code, span in zip(codes, spans, strict=True)]


def test_everything_is_read(tmp_path: Path):
    workload = load_workload_file(write(tmp_path, WHOLE))
    assert workload.source == tmp_path / "lud.cl"
    assert workload.defines == {
        "BLOCK_SIZE": "16",
        "SCALE": "0.5",
        "TYPE": "float4",
        "HEX": "0x10u",
    }
    assert workload.includes == (tmp_path / "include",)
    assert workload.options == ("-cl-mad-enable",)
    numbers = {"BLOCK_SIZE": 16, "SCALE": 0.5, "HEX": 16}
    assert workload.names() == numbers
    assert workload.names("tiny") == numbers | {"n": 64, "ratio": 1.5}
    assert workload.provenance == {"algorithm": "LU decomposition"}
    launch = resolve_launch(workload.launches["lud_diagonal"], workload.names("large"))
    assert (launch.global_size, launch.local_size) == ((2048,), (16,))
    shown = [(a.name, format_argument(a.value), a.at) for a in workload.arguments["lud_diagonal"]]
    path = str(tmp_path / "kernel.toml")
    assert shown == [
        ("m", "float[n * n]=uniform(1, 2)", Span(path, 16, 6)),
        ("matrix_dim", "n", Span(path, 17, 15)),
    ]


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.parent.name)
def test_ours_are_sound(path: Path):
    workload = load_workload_file(path)
    assert find_workload_file(workload.source) == path
    assert set(workload.sizes) == set(SIZES)
    assert set(workload.provenance) >= {"algorithm", "reference", "ours"}
    assert set(workload.arguments) == set(workload.launches)
    for size in SIZES:
        names = workload.names(size)
        for kernel, asked in workload.launches.items():
            launch = resolve_launch(asked, names)
            assert launch.groups is not None
            assert not launch.assumed
            for argument in workload.arguments[kernel]:
                for expression in expressions(argument.value):
                    evaluate(expression, names)
                if isinstance(argument.value, Buffer):
                    assert whole_number(argument.value.count, names, "a count") > 0


def test_ours_are_found():
    assert len(OURS) >= 12


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('file = "lud.cl"', "", [("K037", 1, 2)]),
        ('file = "lud.cl"', "file = 3", [("K037", 2, 8)]),
        ('"lud.cl"', '"../lud.cl"', [("K037", 2, 9)]),
        ('"lud.cl"', '"/etc/lud.cl"', [("K037", 2, 9)]),
        ("options", "option", [("K037", 5, 10)]),
        ('["-cl-mad-enable"]', '"-cl-mad-enable"', [("K037", 5, 12)]),
        ('["-cl-mad-enable"]', "[1]", [("K037", 5, 11)]),
        ("SCALE = 0.5", "SCALE = true", [("K037", 3, 11)]),
        ("SCALE = 0.5", "SCALE = inf", [("K037", 3, 11)]),
        ("SCALE = 0.5", '"A B" = 1', [("K037", 3, 11)]),
        ("SCALE = 0.5", 'A = "1\\n2"', [("K037", 3, 11)]),
        ("tiny", "medium", [("K037", 8, 10)]),
        ("ratio = 1.5", "ratio = 'x'", [("K037", 8, 8)]),
        ("ratio = 1.5", "ratio = [1]", [("K037", 8, 8)]),
        ("tiny = { n = 64, ratio = 1.5 }", "tiny = 3", [("K037", 8, 8)]),
        ("[sizes]", "[size]", [("K037", 7, 2)]),
        ("global =", "globl =", [("K037", 11, 2), ("K037", 12, 10)]),
        ('local = "BLOCK_SIZE"', "local = 16", [("K037", 13, 9)]),
        ("[args.lud_diagonal]", "[args.lud]", [("K037", 15, 2)]),
        ("roundup(n, BLOCK_SIZE)", "roundup(n BLOCK_SIZE)", [("K020", 12, 21)]),
        ("roundup(n, BLOCK_SIZE)", "n, n, n, n", [("K031", 12, 20)]),
        ("uniform(1, 2)", "uniform(1)", [("K021", 16, 17)]),
        ('matrix_dim = "n"', 'matrix_dim = "n +"', [("K020", 17, 18)]),
        ('matrix_dim = "n"', "matrix_dim = 'n +'", [("K020", 17, 18)]),
        ('matrix_dim = "n"', 'matrix_dim = "n\\t+"', [("K020", 17, 0)]),
        ('matrix_dim = "n"', "matrix_dim = 5", [("K037", 17, 14)]),
        ('algorithm = "LU decomposition"', "algorithm = 1", [("K037", 20, 13)]),
        ("[provenance]", "[provenance", [("K036", 19, 12)]),
        ("[sizes]", "[source]", [("K036", 7, 8)]),
    ],
)
def test_complaints_point_at_their_place(
    old: str, new: str, found: list[tuple[str, int, int]], tmp_path: Path
):
    assert old in WHOLE
    assert complaints(tmp_path, WHOLE.replace(old, new, 1)) == found


def test_several_complaints_come_at_once(tmp_path: Path):
    text = WHOLE.replace("uniform", "unifrom").replace("roundup", "rundup").replace("tiny", "teeny")
    assert [code for code, _, _ in complaints(tmp_path, text)] == ["K037", "K021", "K026"]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"[source]\nfile = '\xff'\n", ("K036", 2, 0)),
        (b"a = " + b"[" * 100_000, ("K036", 0, 0)),
        (b"# " + b"x" * 1_000_001, ("K004", 0, 0)),
        (b"", ("K037", 0, 0)),
        (b"source = 3", ("K037", 1, 10)),
    ],
)
def test_files_that_are_no_workload(content: bytes, found: tuple[str, int, int], tmp_path: Path):
    assert complaints(tmp_path, content)[0] == found


def test_a_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(DiagnosticError, match="K001"):
        load_workload_file(tmp_path / "kernel.toml")
    assert find_workload_file(tmp_path / "lud.cl") is None


def test_a_file_for_another_source_is_left_alone(tmp_path: Path):
    path = write(tmp_path, WHOLE)
    assert find_workload_file(tmp_path / "lud.cl") == path
    assert find_workload_file(tmp_path / "other.cl") is None
    write(tmp_path, "[source")
    with pytest.raises(DiagnosticError, match="K036"):
        find_workload_file(tmp_path / "lud.cl")


@given(st.data())
def test_a_damaged_file_gives_a_workload_or_diagnostics(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
):
    start = data.draw(st.integers(0, len(WHOLE)))
    end = data.draw(st.integers(start, min(start + 12, len(WHOLE))))
    damage = data.draw(st.one_of(st.text(max_size=3), st.sampled_from(["3", "{}", "[[x]]", '"""'])))
    folder = tmp_path_factory.mktemp("damaged")
    path = write(folder, WHOLE[:start] + damage + WHOLE[end:])
    with contextlib.suppress(DiagnosticError):
        assert load_workload_file(path).path == path
    shutil.rmtree(folder)
