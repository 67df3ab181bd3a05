"""A folder of PTX as Triton's cache has it: one source with every kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc import cli
from kcc.commands.sources import read_source
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions

TEXT = """.version 8.4
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 global_smem[];
.visible .entry add_kernel(.param .u64 p) {
.reg .b64 %p; .reg .b32 %s; ld.param.u64 %p, [p];
.loc 1 LINE 3
mov.u32 %s, global_smem; ld.shared.u32 %s, [%s]; st.global.u32 [%p], %s; ret; }
.file 1 "kernels.py"
.section .debug_abbrev
{
.b8 1 // code
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, name in enumerate(("AAA", "BBB")):
        own = tmp_path / name
        own.mkdir()
        (own / "add_kernel.ptx").write_text(TEXT.replace("LINE", str(7 + number)))
    (tmp_path / "BBB" / "add_kernel.json").write_text('{"shared": 4096}')
    return tmp_path


def test_every_specialisation_is_a_kernel(folder: Path) -> None:
    unit = compile_source(read_source(str(folder)), BuildOptions())
    assert [k.name for k in unit.kernels] == ["add_kernel", "add_kernel_2"]
    assert "[4096 x i8]" in unit.ir
    assert "line: 7" in unit.ir
    assert "line: 8" in unit.ir


def test_commands_take_the_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["analyze", str(folder), "--kernel", "add_kernel_2"]) == 0
    assert "add_kernel_2" in capsys.readouterr().out


def test_a_folder_without_ptx_is_a_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["analyze", str(tmp_path)]) == 1
    assert "it is a folder" in capsys.readouterr().err
