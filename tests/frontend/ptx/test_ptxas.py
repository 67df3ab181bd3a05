"""Reading what ptxas says, and what is said where it cannot be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend.ptx.ptxas import PtxasCount, count_registers, libdevice_beside, parse_report

REPORT = """ptxas info    : 12 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_70'
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem, 376 bytes cmem[0]
ptxas info    : Compiling entry function 'second' for 'sm_70'
ptxas info    : Function properties for second
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers, 376 bytes cmem[0]
ptxas info    : Compile time = 3.1 ms
"""


def test_the_report():
    assert parse_report(REPORT) == {
        "first": PtxasCount(40, 0, 0, 2048, 0, 1),
        "second": PtxasCount(255, 8, 16, 0, 4, 0),
    }


def test_there_is_no_ptxas(tmp_path: Path):
    with pytest.raises(DiagnosticError, match="cannot be run") as caught:
        count_registers("", "sm_70", tmp_path / "ptxas")
    assert caught.value.diagnostics[0].code == "K810"


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_ptxas_fails(tmp_path: Path):
    ptxas = script(tmp_path / "ptxas", "echo 'ptxas fatal : no such target' >&2; exit 1")
    with pytest.raises(DiagnosticError, match="ptxas fails: ptxas fatal : no such target"):
        count_registers("", "sm_70", ptxas)


def test_ptxas_is_asked_for_the_target(tmp_path: Path):
    told = tmp_path / "told"
    ptxas = script(tmp_path / "ptxas", f"echo $* > {told}; cat <<'E' >&2\n{REPORT}E")
    assert count_registers("x", "sm_80", ptxas, max_registers=64)["first"].registers == 40
    assert "-arch=sm_80 --maxrregcount=64" in told.read_text(encoding="utf-8")


def test_libdevice_stands_beside_it(tmp_path: Path):
    (tmp_path / "bin").mkdir()
    ptxas = script(tmp_path / "bin" / "ptxas", "")
    assert libdevice_beside(ptxas) is None
    library = tmp_path / "nvvm" / "libdevice" / "libdevice.10.bc"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"")
    assert libdevice_beside(ptxas) == library
