"""Reading traces: forms of real SASS, and whatever a file may hold."""

from __future__ import annotations

import gzip
import lzma
import random
import sys
from pathlib import Path

import pytest

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.gpu import load_gpu
from kcc.cli import main
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.accelsim.files import read_list
from kcc.sim.accelsim.opcodes import ACCESSES, PIPES, bytes_of, is_known, pipe_of
from kcc.sim.accelsim.reader import SassKernel, batches_of, read_kernel
from kcc.sim.cycle.sources import simulate_list
from kcc.sim.machine.costs import Unit
from tests.sim.cycle.sass import GLOBAL, Warp, write

HEAD = """-kernel name = k
-kernel id = 1
-grid dim = (1,1,1)
-block dim = (32,1,1)
-shmem = 0
-nregs = 16
-accelsim tracer version = 5
-enable lineinfo = {lines}
#traces format
#BEGIN_TB
thread block = 0,0,0
warp = 0
insts = {count}
"""


def kernel(folder: Path, *lines: str, lineinfo: int = 0) -> SassKernel:
    """A kernel of one warp, read once."""
    path = folder / "kernel-1.traceg"
    text = HEAD.format(lines=lineinfo, count=len(lines)) + "\n".join([*lines, "#END_TB", ""])
    path.write_text(text, encoding="utf-8")
    return read_kernel(path, 0)


def addresses(kernel: SassKernel) -> list[list[int]]:
    return [row for batch in batches_of(kernel) for row in batch.addresses.tolist()]


def test_the_three_forms_of_addresses(tmp_path: Path) -> None:
    lanes = [64 + 4 * n for n in range(4)]
    found = addresses(
        kernel(
            tmp_path,
            "0000 000000f0 1 R1 LDG.E 1 R2 4 0 0x40 0x44 0x48 0x4c 0",
            "0010 000000f0 1 R1 LDG.E 1 R2 4 1 0x40 4 0",
            "0020 000000f0 1 R1 LDG.E 1 R2 4 2 0x40 4 4 4 0",
            "0030 00000a05 1 R1 LDG.E 1 R2 4 2 0x100 -4 12 -100 0",
        )
    )
    assert [row[4:8] for row in found[:3]] == [lanes] * 3
    assert [found[3][lane] for lane in (0, 2, 9, 11)] == [256, 252, 264, 164]


def test_real_forms(tmp_path: Path) -> None:
    """Uniform registers, predicates, the zero register, several destinations, CRLF, spaces."""
    found = kernel(
        tmp_path,
        "0008 ffffffff 1 R4 IMAD.MOV.U32 2 RZ R255 0 0\r",
        "0010  ffffffff 0 ISETP.GE.AND 2 R4 UR4 0 0",
        "0018 ffffffff 2 R8 R9 HMMA.16816.F32 4 R12 R16 R18 R8 0 0",
        "0020 0000ffff 1 R2 LDG.E.128.CONSTANT.SYS 1 R4 16 1 0x7f0000000000 16 0",
        "0028 00000000 1 R2 LDG.E.64 1 R4 8 0",
        "0030 ffffffff 0 EXIT 0 0 0",
    )
    assert found.instructions[0].read == ()
    assert found.instructions[1].read == ("R4", "UR4")
    assert found.instructions[2].written == ("R8", "R9")
    assert [bytes_of(i.opcode) for i in found.instructions if i.has_addresses] == [16]
    rows = list(batches_of(found))
    assert sum(len(b) for b in rows) == 5
    assert not found.unknown


def test_lines_of_the_source(tmp_path: Path) -> None:
    found = kernel(
        tmp_path, "7 0000 ffffffff 1 R1 MOV 0 0 0", "8 0010 ffffffff 1 R1 MOV 0 0 0",
        "8 0020 ffffffff 0 EXIT 0 0 0", lineinfo=1,
    )  # fmt: skip
    assert [i.line for i in found.instructions] == [7, 8, 8]


def test_stacks_count_from_their_lowest_address(tmp_path: Path) -> None:
    found = kernel(
        tmp_path,
        "0000 00000003 0 STL 1 R1 4 1 0xfff8 0 0",
        "0010 00000003 1 R1 LDL 0 4 1 0xfffc 0 0",
    )
    assert found.stack == (0xFFF8, 0xFFFD)
    assert [row[:2] for row in addresses(found)] == [[0, 0], [4, 4]]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("xyz ffffffff 0 MOV 0 0 0", "hexadecimal"),
        ("0000 1ffffffff 0 MOV 0 0 0", "hexadecimal"),
        ("0000 ffffffff", "ends too early"),
        ("0000 ffffffff 0 MOV", "ends too early"),
        ("0000 ffffffff 99 R1 MOV 0 0 0", "more registers"),
        ("0000 ffffffff 0 MOV -1 0 0", "decimal"),
        ("0000 ffffffff 1 R1 LDG 0 4 3 0x0 0", "lists"),
        ("0000 ffffffff 1 R1 LDG 0 4 2 0x40 1 1", "each active lane"),
        ("0000 00000005 1 R1 LDG 0 4 1 0x40 4 0", "not contiguous"),
        ("0000 00000003 1 R1 LDG 0 4 2 0x40 -65 0", "hexadecimal"),
        ("0000 00000003 1 R1 LDG 0 4 1 0xffffffffffffffff 4 0", "hexadecimal"),
    ],
)
def test_bad_instructions(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        kernel(tmp_path, "0000 ffffffff 0 NOP 0 0 0", line)
    (found,) = caught.value.diagnostics
    assert found.code == "K873"
    assert message in found.message
    assert found.span
    assert found.span.line == 15


def _hurt(data: bytes, source: random.Random) -> bytes:
    """Cut off, overwritten, with parts repeated or left out."""
    place = source.randrange(len(data))
    length = source.randrange(1, 60)
    match source.randrange(5):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + source.randbytes(length) + data[place + length :]
        case 2:
            return data[:place] + data[place + length :]
        case 3:
            return data[:place] + data[place - length :]
        case _:
            words = data.split(b" ")
            word = source.choice([b"-1", b"99999999999999999999", b"x", b"0x", b"", b"\n", b"1"])
            words[source.randrange(len(words))] = word
            return b" ".join(words)


def test_hurt_files_are_diagnosed(tmp_path: Path) -> None:
    """Whatever a file holds: a result, or a diagnostic."""
    warp = Warp().op("LDG.E.64", 1, (2,), [GLOBAL + 8 * n for n in range(32)]).op("BAR.SYNC")
    warp.op("STL", None, (1,), [64] * 32).op("FADD", 3, (1,)).op("EXIT")
    path = write(tmp_path, [[warp, warp]] * 2)
    file = tmp_path / "kernel-1.traceg"
    whole = file.read_bytes()
    gpu, source, refused = load_gpu("accelsim-sm7-qv100", ["sm_count=2"]), random.Random(1), 0
    for _ in range(300):
        file.write_bytes(_hurt(whole, source))
        try:
            list(simulate_list(str(path), gpu))
        except DiagnosticError:
            refused += 1
    assert 150 < refused < 300


def test_hurt_xz(tmp_path: Path) -> None:
    file = tmp_path / "kernel-1.traceg.xz"
    packed = lzma.compress(HEAD.format(lines=0, count=0).encode() * 50)
    for end in range(0, len(packed), 7):
        file.write_bytes(packed[:end])
        with pytest.raises(DiagnosticError):
            read_kernel(file, 0)


def test_tables() -> None:
    assert not set(PIPES) & set(ACCESSES)
    for opcode in ("LDG.E.64", "IMAD.WIDE.U32", "BAR.SYNC.DEFER_BLOCKING", "HMMA.884.F32.F32",
                   "UIADD3.X", "VIADD", "SHFL.DOWN", "RED.E.ADD.STRONG.GPU"):  # fmt: skip
        assert is_known(opcode)
    assert pipe_of("BAR.SYNC") == (Unit.CONTROL, InstructionClass.BARRIER)
    sizes = {"LDG.E": 4, "LDG.E.U8.SYS": 1, "LDG.E.S16": 2, "LDG.E.128": 16, "STS.64": 8,
             "LDSM.16.M88.4": 16, "ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU": 4}  # fmt: skip
    assert {opcode: bytes_of(opcode) for opcode in sizes} == sizes


@pytest.mark.parametrize("version", ["2", "3", "4", "6"])
def test_versions(version: str, tmp_path: Path) -> None:
    """Before version 3 an instruction begins with its thread block and warp."""
    path, places = tmp_path / "kernel-1.traceg", "0 0 0 0 " if version == "2" else ""
    head = HEAD.format(lines=0, count=2).replace("version = 5", f"version = {version}")
    load, end = "0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x40 4 0", "0010 ffffffff 0 EXIT 0 0 0"
    path.write_text(f"{head}{places}{load}\n{places}{end}\n#END_TB\n", encoding="utf-8")
    if version == "6":
        with pytest.raises(DiagnosticError) as caught:
            read_kernel(path, 0)
        assert "versions 1 to 5" in caught.value.diagnostics[0].message
        return
    found = read_kernel(path, 0)
    assert [i.opcode for i in found.instructions] == ["LDG.E", "EXIT"]
    assert addresses(found) == [[64 + 4 * n for n in range(32)]]
    assert found.unended == (0, 0, 0)


def test_lines_before_the_header(tmp_path: Path) -> None:
    kernel(tmp_path, "0000 ffffffff 0 EXIT 0 0 0")
    path = tmp_path / "kernel-1.traceg"
    path.write_text("# recorded by nobody\n" + path.read_text("utf-8"), encoding="utf-8")
    assert read_kernel(path, 0).instructions[0].opcode == "EXIT"


def test_warps_without_an_end_are_named(tmp_path: Path) -> None:
    """The second warp of the second block leaves half of its lanes."""
    whole = Warp().op("FADD", 3, (1,)).op("EXIT")
    half = Warp().op("FADD", 3, (1,)).op("EXIT", mask=0xFFFF)
    path = write(tmp_path, [[whole, whole], [whole, half]])
    assert read_kernel(tmp_path / "kernel-1.traceg", 0).unended == (1, 1, 1)
    said = list[Diagnostic]()
    list(simulate_list(str(path), load_gpu("accelsim-sm7-qv100", ["sm_count=2"]), warn=said.append))
    assert [d.code for d in said] == ["K880"]
    assert "1 warps have lanes that come to no EXIT, first warp 1 of" in said[0].message


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [("1,0,0", "0,0,0", "comes twice"), ("1,0,0", "2,0,0", "no such thread block"),
     ("1,0,0", "x", "no decimal number")],
)  # fmt: skip
def test_thread_blocks_that_cannot_be(
    before: str, after: str, message: str, tmp_path: Path
) -> None:
    write(tmp_path, [[Warp().op("EXIT")]] * 2)
    path = tmp_path / "kernel-1.traceg"
    path.write_text(path.read_text("utf-8").replace(before, after), encoding="utf-8")
    with pytest.raises(DiagnosticError) as caught:
        read_kernel(path, 0)
    assert message in caught.value.diagnostics[0].message
    assert caught.value.diagnostics[0].span
    assert caught.value.diagnostics[0].span.line == 18


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".zst"])
def test_packed_files(suffix: str, tmp_path: Path) -> None:
    """The list still has the name from before."""
    path = write(tmp_path, [[Warp().op("FADD", 3, (1,)).op("EXIT")]] * 2)
    file = tmp_path / "kernel-1.traceg"
    plain = file.read_bytes()
    match suffix:
        case ".gz":
            packed = gzip.compress(plain)
        case ".xz":
            packed = lzma.compress(plain)
        case ".zst":
            packed = pytest.importorskip("zstandard").compress(plain)
        case _:
            packed = plain
    file.unlink()
    file.with_name(file.name + suffix).write_bytes(packed)
    (timing,) = simulate_list(str(path), load_gpu("accelsim-sm7-qv100", ["sm_count=2"]))
    assert timing.instructions == 4
    if suffix:
        file.with_name(file.name + suffix).write_bytes(packed[: len(packed) // 2])
        with pytest.raises(DiagnosticError):
            list(simulate_list(str(path), load_gpu("accelsim-sm7-qv100", ["sm_count=2"])))


def test_zstandard_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = tmp_path / "kernel-1.traceg.zst"
    path.write_bytes(b"")
    with pytest.raises(DiagnosticError) as caught:
        read_kernel(path, 0)
    (found,) = caught.value.diagnostics
    assert found.code == "K897"
    assert found.hint
    assert "zstd" in found.hint


def test_lists(tmp_path: Path) -> None:
    """Copies and comments are silent, other commands are named."""
    path = write(tmp_path, [[Warp().op("EXIT")]])
    path.write_text(
        "# by hand\nMemcpyHtoD,0x7f0000000000,64\nMemset,0x7f0000000000,64\nMemset,0x7f00,4\n"
        "kernel-1.traceg\nMemcpyDtoH,0x7f0000000000,64\nncclCommInitAll,2\n",
        encoding="utf-8",
    )
    said = list[Diagnostic]()
    assert read_list(path, said.append) == [tmp_path / "kernel-1.traceg"]
    (one,) = said
    assert one.code == "K878"
    assert one.message.endswith("Memset (2), ncclCommInitAll (1)")
    path.write_text("kernel-1.trace\n", encoding="utf-8")
    with pytest.raises(DiagnosticError) as caught:
        read_list(path)
    assert "post-processing" in caught.value.diagnostics[0].message


def test_a_folder_stands_for_its_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, [[Warp().op("EXIT")]])
    monkeypatch.chdir(tmp_path)  # the head names the folder, and is wrapped
    assert main(["simulate", ".", "--gpu", "accelsim-sm7-qv100"]) == 0
    assert "kernelslist.g on accelsim-sm7-qv100" in capsys.readouterr().out


def test_code_for_a_newer_gpu(tmp_path: Path) -> None:
    path = write(tmp_path, [[Warp().op("EXIT")]])
    file = tmp_path / "kernel-1.traceg"
    file.write_text("-binary version = 86\n" + file.read_text("utf-8"), encoding="utf-8")
    for gpu, expected in (("accelsim-sm7-qv100", ["K879"]), ("accelsim-sm86-rtx3070", [])):
        said = list[Diagnostic]()
        list(simulate_list(str(path), load_gpu(gpu, []), warn=said.append))
        assert [d.code for d in said] == expected
