"""Codes of circumstances that nothing else brings about: other programs' answers, limits."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions
from kcc.frontend.ptx.doors import nvrtc, python_kernel
from kcc.frontend.source_file import SourceText
from tests.kcc.command_line import Run
from tests.kcc.diagnostics.examples import KERNEL, PTX, SCRIPT

ANSWERS = """\
import sys
from pathlib import Path

if sys.argv[1:]:
    Path(sys.argv[1]).write_text({answer!r})
else:
    sys.stdin.readline()
    print({answer!r}, flush=True)
"""


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {"k.cl": KERNEL, "run.py": SCRIPT}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


def answering(folder: Path, answer: Mapping[str, object]) -> Path:
    """A process that answers as a compiler's does."""
    runner = folder / "runner.py"
    runner.write_text(ANSWERS.format(answer=json.dumps(answer)))
    return runner


def test_nvrtc_refuses_k436(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    log = 'k.cu(2): error: identifier "x" is undefined\n'
    monkeypatch.setattr(nvrtc, "RUNNER", answering(tmp_path, {"log": log}))
    monkeypatch.setattr(nvrtc, "find_nvrtc", lambda: Path("libnvrtc.so"), raising=False)
    source = SourceText("k.cu", "__global__ void k() {\n  x = 1; }\n", str(tmp_path))
    with pytest.raises(DiagnosticError) as caught:
        nvrtc.compile_cuda(source, BuildOptions())
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("K436", 'identifier "x" is undefined')


def test_what_a_compiler_was_told_is_a_note_k437(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    answer: dict[str, Any] = {
        "ptx": PTX.replace("LINE", ""), "names": ["p"], "shared": 0, "compiler": "Triton 3.9",
        "specialised": ["n is a multiple of 16"], "constant": {}, "symbol": "k",
    }  # fmt: skip
    monkeypatch.setattr(python_kernel, "RUNNER", answering(tmp_path, answer))
    monkeypatch.setattr(python_kernel, "_process", None)
    file = tmp_path / "kernels.py"
    file.write_text("def k():\n    pass\n")
    unit = compile_source(SourceText(f"{file}:k", "", str(tmp_path)), BuildOptions())
    assert "K437" in [each.code for each in unit.warnings]
    assert "n is a multiple of 16" in unit.warnings[-1].message


def test_a_search_without_its_library_k897(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "kernel_tuner", None)
    monkeypatch.setitem(sys.modules, "kernel_tuner.interface", None)
    Path("k.py").write_text("import kernel_tuner\n")
    ended = run("tune", "k.py", "--gpu", "v100")
    assert ended.code == 1
    assert "K897" in ended.err


def test_pixels_without_their_library_k013(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    gpus = ("--gpu", "v100", "--sweep", "sm_count=40,80", "--png", "x.png")
    ended = run("explore", "run.py", *gpus)
    assert (ended.code, "error[K013]" in ended.err) == (1, True), ended.err


def test_a_kernel_too_large_for_a_trace_k768(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("kcc.base.trace.writer.MAX_JSON_BYTES", 400)
    ended = run("trace", "run.py", "-o", "t.kct")
    assert (ended.code, "error[K768]" in ended.err) == (1, True)
    assert not Path("t.kct").exists()


def test_a_launch_of_too_many_cycles_k872(run: Run, monkeypatch: pytest.MonkeyPatch):
    from kcc.sim.cycle import core_native
    from kcc.sim.cycle.launch import TOO_LONG

    def too_long(*_: object) -> int:
        return TOO_LONG

    monkeypatch.setattr(core_native, "simulate", too_long)
    ended = run("simulate", "run.py", "--gpu", "v100")
    assert (ended.code, "error[K872]" in ended.err) == (1, True)


PRINTING = PTX.replace(
    ".visible", ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.visible"
).replace(
    "LINE", "{ .param .b64 f; .param .b64 a; .param .b32 r;\n    call.uni (r), vprintf, (f, a); }"
)


def test_printf_k433(run: Run):
    Path("k.ptx").write_text(PRINTING)
    ended = run("analyze", "k.ptx", "--brief")
    assert (ended.code, "warning[K433]" in ended.err) == (0, True), ended.err
