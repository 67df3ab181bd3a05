"""Reads Accel-Sim's traces, version 5: a list of kernels, each a text file of SASS instructions.

The first reading of a kernel's file collects its distinct instructions (opcode and registers);
the second hands on what warps did, in batches, so that memory is bounded.
"""

from __future__ import annotations

import lzma
import re
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np

from kcc.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.passes.instruction_classes import InstructionClass
from kcc.sim.cycle.layout import OP_COLUMNS, Cause, Kind, Op
from kcc.sim.cycle.machine import Machine
from kcc.sim.cycle.program import Program, set_issue, set_memory
from kcc.sim.machine_costs import Unit
from kcc.trace.decode import TraceBatch
from kcc.trace.launches import CHUNKS, TraceLaunch
from kcc.trace.tables import (
    Segment,
    TracedAccessTable,
    TracedBlockTable,
    TracedInstruction,
    TraceTables,
)

WIDTH = 32
ROWS = 1 << 14
ZERO_REGISTER = "R255"

_C = InstructionClass

UNITS: dict[str, tuple[Unit, InstructionClass]] = {
    **dict.fromkeys(
        ("FFMA", "FADD", "FMUL", "FMNMX", "FSETP", "FSET", "FSEL", "FCHK", "FSWZADD", "FFMA32I",
         "FADD32I", "FMUL32I", "HADD2", "HMUL2", "HFMA2", "HSETP2", "HSET2", "HADD2_32I",
         "HMUL2_32I", "HFMA2_32I", "HMNMX2"),
        (Unit.FMA, _C.FP32),
    ),
    **dict.fromkeys(
        ("MOV", "MOV32I", "S2R", "S2UR", "CS2R", "SEL", "PRMT", "SHFL", "VOTE", "VOTEU", "R2P",
         "P2R", "R2UR", "NOP", "UMOV", "USEL", "PLOP3", "PSETP", "B2R", "R2B", "GETLMEMBASE",
         "MATCH", "QSPC", "UPRMT", "ULDC", "PMTRIG", "DEPBAR", "LEPC", "CCTL", "CCTLL", "CCTLT",
         "WARPSYNC", "YIELD", "NANOSLEEP"),
        (Unit.ALU, _C.MOVE),
    ),
    **dict.fromkeys(
        ("IADD3", "IADD", "IADD32I", "IMNMX", "IABS", "ISETP", "ISET", "LEA", "LOP", "LOP3",
         "LOP32I", "SHF", "SHL", "SHR", "FLO", "POPC", "BREV", "BMSK", "SGXT", "ICMP", "ISCADD",
         "ISCADD32I", "BFE", "BFI", "VABSDIFF", "VABSDIFF4", "IDP", "UIADD3", "ULOP3", "USHF",
         "ULEA", "UISETP", "UIMAD", "USGXT", "UPOPC", "UFLO", "UBMSK", "UBREV", "UPLOP3"),
        (Unit.ALU, _C.INT),
    ),
    **dict.fromkeys(("IMAD", "IMUL", "XMAD", "IMUL32I", "IMAD32I"), (Unit.ALU, _C.INT_MUL)),
    **dict.fromkeys(
        ("DFMA", "DADD", "DMUL", "DSETP", "DSET", "DMNMX"), (Unit.FP64, _C.FP64)
    ),
    **dict.fromkeys(
        ("MUFU", "I2F", "F2I", "F2F", "I2I", "FRND", "RRO", "I2FP", "F2FP"),
        (Unit.SFU, _C.SPECIAL),
    ),
    **dict.fromkeys(
        ("BRA", "BRX", "JMP", "JMX", "CALL", "RET", "SSY", "SYNC", "BSSY", "BSYNC", "BREAK",
         "PBK", "BRK", "PCNT", "CONT", "EXIT", "RTT", "KILL", "BPT", "RPCMOV", "BMOV", "JCAL",
         "PRET", "LONGJMP", "WARPSYNC.ALL"),
        (Unit.CONTROL, _C.BRANCH),
    ),
    **dict.fromkeys(("BAR",), (Unit.CONTROL, _C.BARRIER)),
    **dict.fromkeys(("MEMBAR", "ERRBAR"), (Unit.CONTROL, _C.FENCE)),
    **dict.fromkeys(
        ("TEX", "TLD", "TLD4", "TXQ", "TMML", "TXD", "TEXS", "TLDS", "TLD4S", "SULD", "SUST"),
        (Unit.MEMORY, _C.IMAGE),
    ),
    **dict.fromkeys(("HMMA", "IMMA", "BMMA", "DMMA"), (Unit.FMA, _C.FP32)),
}  # fmt: skip
"""By the part of the opcode before its first dot. Integer multiplication runs on the integer pipes,
as in Accel-Sim."""

MEMORY: dict[str, tuple[Kind, str, str]] = {
    "LDG": (Kind.GLOBAL_LOAD, "load", "global"), "LD": (Kind.GLOBAL_LOAD, "load", "generic"),
    "LDL": (Kind.GLOBAL_LOAD, "load", "global"), "STG": (Kind.GLOBAL_STORE, "store", "global"),
    "ST": (Kind.GLOBAL_STORE, "store", "generic"), "STL": (Kind.GLOBAL_STORE, "store", "global"),
    "LDS": (Kind.LOCAL_LOAD, "load", "local"), "LDSM": (Kind.LOCAL_LOAD, "load", "local"),
    "STS": (Kind.LOCAL_STORE, "store", "local"), "LDC": (Kind.CONSTANT_LOAD, "load", "constant"),
    "ATOM": (Kind.GLOBAL_ATOMIC, "atomic", "global"),
    "ATOMG": (Kind.GLOBAL_ATOMIC, "atomic", "global"),
    "RED": (Kind.GLOBAL_ATOMIC, "atomic", "global"),
    "ATOMS": (Kind.LOCAL_ATOMIC, "atomic", "local"),
    "LDGSTS": (Kind.GLOBAL_LOAD, "load", "global"),
}  # fmt: skip
"""Memory instructions; LDL and STL have the addresses of global memory in traces."""

Key = tuple[str, tuple[str, ...], tuple[str, ...]]
"""An instruction: opcode, registers written and read."""


@dataclass(slots=True)
class SassKernel:
    """A kernel of a list: header, and after the first reading its distinct instructions.

    ``unknown`` are opcodes that are in no table, with how often they were executed: they run as
    integer operations, or as global loads where they have addresses."""

    path: Path
    number: int
    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    local_bytes: int
    registers: int
    has_lines: bool
    keys: dict[tuple[Key, bool], int] = field(default_factory=dict[tuple[Key, bool], int])
    unknown: Counter[str] = field(default_factory=Counter[str])


def read_list(path: Path) -> list[Path]:
    """The kernel files of a kernelslist.g. Raises K001 and K873."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        message = f"cannot read '{path}': {error.strerror}"
        raise DiagnosticError([Diagnostic("K001", message)]) from error
    found = list[Path]()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("Memcpy"):
            continue
        if not text.startswith("kernel"):
            raise _wrong(path, number, "neither a copy nor the name of a kernel's file")
        found.append(path.parent / text)
    return found


def read_kernel(path: Path, number: int) -> SassKernel:
    """The first reading of a kernel's file."""
    header = dict[str, str]()
    at = 0
    with _opened(path) as file:
        for at, line in enumerate(file, 1):
            if line.startswith("#"):
                break
            if line.startswith("-"):
                name, _, value = line[1:].partition("=")
                header[name.strip()] = value.strip()
            elif line.strip():
                raise _wrong(path, at, "this is no line of a header")
        kernel = _kernel(path, number, header)
        start = at + 1
        for at, line in enumerate(file, start):
            if line[:1].isalnum() and not line.startswith(("thread block", "warp", "insts")):
                words = line.split()
                _, key, has_addresses, _ = _parse(kernel, words, at)
                kernel.keys.setdefault((key, has_addresses), len(kernel.keys))
                stem = key[0].partition(".")[0]
                if stem not in UNITS and stem not in MEMORY:
                    kernel.unknown[key[0]] += 1
    return kernel


def _kernel(path: Path, number: int, header: dict[str, str]) -> SassKernel:
    if header.get("accelsim tracer version") != "5":
        raise _wrong(path, 1, "not a trace of version 5")
    try:
        grid, block = _three(header["grid dim"]), _three(header["block dim"])
        return SassKernel(
            path, number, header["kernel name"], grid, block, int(header["shmem"]),
            int(header["nregs"]), header.get("enable lineinfo") == "1",
        )  # fmt: skip
    except (KeyError, ValueError) as error:
        raise _wrong(path, 1, f"the header is not complete: {error}") from None


def _three(text: str) -> tuple[int, int, int]:
    x, y, z = (int(part) for part in text.strip("()").split(","))
    if min(x, y, z) < 1:
        raise ValueError("a dimension is not positive")
    return x, y, z


def tables_of_sass(kernel: SassKernel) -> TraceTables:
    """Tables with a segment for each distinct instruction."""
    instructions, segments = list[TracedInstruction](), list[Segment]()
    accesses = list[TracedAccessTable]()
    for number, ((opcode, _, _), has_addresses) in enumerate(kernel.keys):
        access = -1
        if has_addresses:
            access = len(accesses)
            _, operation, space = memory_of(opcode)
            accesses.append(TracedAccessTable(number, operation, space, bytes_of(opcode), "", -1))
        instructions.append(
            TracedInstruction(
                0, number, opcode, "", (("move", 1),), "void", 0, (), (), access, -1, 0, 0
            )
        )
        first = access if access >= 0 else len(accesses)
        segments.append(Segment(0, number, number + 1, 1, first, len(accesses), -1))
    block = TracedBlockTable("entry", 0, 0, len(segments), len(segments), 0, (), None)
    return TraceTables(
        kernel.name, str(kernel.path), "O2", WIDTH, (), (), (), (block,), tuple(segments),
        tuple(instructions), tuple(accesses), (), kernel.local_bytes, 0,
    )  # fmt: skip


def launch_of_sass(kernel: SassKernel) -> TraceLaunch:
    """The launch that the header describes."""
    sizes = tuple(g * b for g, b in zip(kernel.grid, kernel.block, strict=True))
    return TraceLaunch(
        kernel.number,
        0,
        sizes,
        kernel.block,
        (),
        kernel.local_bytes,
        (),
        (),
        CHUNKS,
        True,  # noqa: FBT003 -- the dataclass of tables
    )


def program_of_sass(kernel: SassKernel, machine: Machine) -> Program:
    """The operations: one machine instruction each. Like Accel-Sim's scoreboard, it waits for the
    register written as for those read."""
    names = sorted({r for (_, to, of), _ in kernel.keys for r in (*to, *of)} - {ZERO_REGISTER})
    registers = {name: place for place, name in enumerate(names)}
    ops = np.zeros((len(kernel.keys), OP_COLUMNS), np.int64)
    sources = list[int]()
    for row, ((opcode, written, read), has_addresses) in zip(ops, kernel.keys, strict=True):
        row[Op.COUNTED], row[Op.CAUSE], row[Op.RESULT] = 1, Cause.ARITHMETIC, -1
        stem = opcode.partition(".")[0]
        if has_addresses:
            set_memory(row, memory_of(opcode)[0], machine)
        elif stem in MEMORY:
            set_memory(row, memory_of(opcode)[0], machine)
            row[Op.HAS_ACCESS] = 0
        else:
            unit, kind = UNITS.get(stem, (Unit.ALU, _C.INT))
            set_issue(row, unit, 1, 1, machine, kind)
        row[Op.FIRST_SOURCE] = len(sources)
        sources += [registers[r] for r in dict.fromkeys((*read, *written)) if r in registers]
        row[Op.END_SOURCE] = len(sources)
        if written and written[0] in registers:
            row[Op.RESULT] = registers[written[0]]
    segments = np.array([(n, n + 1, 0) for n in range(len(ops))], np.int64)
    return Program(
        ops, np.array(sources or [0], np.int64), np.zeros(max(len(sources), 1), np.int64),
        segments.reshape(-1, 3), max(len(names), 1), ((-1, 0),) * len(ops),
    )  # fmt: skip


def memory_of(opcode: str) -> tuple[Kind, str, str]:
    """What a memory instruction does; what is not known loads."""
    return MEMORY.get(opcode.partition(".")[0], MEMORY["LDG"])


def bytes_of(opcode: str) -> int:
    """What one lane moves: the first suffix of digits or U and digits says how many bits."""
    for part in opcode.split(".")[1:]:
        found = re.fullmatch(r"U?(\d+)", part)
        if found:
            return max(int(found[1]) // 8, 1)
    return 4


def batches_of_sass(kernel: SassKernel) -> Iterator[TraceBatch]:
    """The second reading: what each warp did, thread blocks in the order of the file."""
    place = {key: number for number, key in enumerate(kernel.keys)}
    access_of = dict[int, int]()
    for number, (_, has_addresses) in enumerate(kernel.keys):
        if has_addresses:
            access_of[number] = len(access_of)
    rows = _Rows()
    block, warp, left = -1, 0, 0
    warps = -(-kernel.block[0] * kernel.block[1] * kernel.block[2] // WIDTH)
    with _opened(kernel.path) as file:
        for at, line in enumerate(file, 1):
            if line.startswith(("#", "-")):
                if line.startswith("#BEGIN_TB"):
                    block += 1
                    if rows.count >= ROWS:
                        yield rows.batch()
                        rows = _Rows()
                continue
            if line.startswith(("warp", "insts", "thread block")):
                name, _, value = line.partition("=")
                if name.strip() == "warp":
                    warp = int(value)
                elif name.strip() == "insts":
                    left = int(value)
                if warp >= warps:
                    raise _wrong(kernel.path, at, f"a thread block has {warps} warps")
                continue
            words = line.split()
            if not words:
                continue
            left -= 1
            if left < 0 or block < 0:
                raise _wrong(kernel.path, at, "more instructions than announced")
            mask, key, has_addresses, addresses = _parse(kernel, words, at)
            if mask == 0:
                continue
            number = place[key, has_addresses]
            rows.add(block, warp, number, mask, access_of.get(number, -1), addresses)
    if block + 1 != kernel.grid[0] * kernel.grid[1] * kernel.grid[2]:
        raise _wrong(kernel.path, 1, f"the grid has another number of blocks than {block + 1}")
    yield rows.batch()


class _Rows:
    """Rows of a batch to be."""

    def __init__(self) -> None:
        self.columns = list[tuple[int, int, int, int]]()
        self.starts, self.access = [0], list[int]()
        self.addresses = list[list[int]]()

    @property
    def count(self) -> int:
        return len(self.columns)

    def add(
        self, block: int, warp: int, number: int, mask: int, access: int, addresses: list[int]
    ) -> None:
        self.columns.append((block, warp, number, mask))
        if access >= 0:
            lanes = [0] * WIDTH
            at = 0
            for lane in range(WIDTH):
                if mask >> lane & 1:
                    lanes[lane] = addresses[at]
                    at += 1
            self.access.append(access)
            self.addresses.append(lanes)
        self.starts.append(len(self.access))

    def batch(self) -> TraceBatch:
        columns = np.array(self.columns, np.int64).reshape(-1, 4)
        n = len(columns)
        return TraceBatch(
            columns[:, 0].copy(), columns[:, 1].astype(np.int32), columns[:, 2].astype(np.int32),
            np.zeros(n, np.int32), np.zeros(n, np.bool_), columns[:, 3].astype(np.uint64),
            np.array(self.starts, np.int64), np.array(self.access, np.int32),
            np.array(self.addresses, np.int64).reshape(-1, WIDTH),
        )  # fmt: skip


def _parse(kernel: SassKernel, words: list[str], at: int) -> tuple[int, Key, bool, list[int]]:
    """Lane mask, instruction, whether it has addresses, addresses of the active lanes."""
    try:
        place = 2 if kernel.has_lines else 1
        mask = int(words[place], 16)
        written = int(words[place + 1])
        place += 2
        to = tuple(words[place : place + written])
        place += written
        opcode, read = words[place], int(words[place + 1])
        of = tuple(words[place + 2 : place + 2 + read])
        place += 2 + read
        if int(words[place]) == 0:
            return mask, (opcode, to, of), False, []
        lanes = mask.bit_count()
        mode, start = int(words[place + 1]), place + 2
        if mode == 0:
            addresses = [int(word, 16) for word in words[start : start + lanes]]
        elif mode == 1:
            base, step = int(words[start], 16), int(words[start + 1])
            addresses = [base + step * n for n in range(lanes)]
        else:
            addresses = [int(words[start], 16)]
            for word in words[start + 1 : start + lanes]:
                addresses.append(addresses[-1] + int(word))
        if len(addresses) != lanes or mode not in (0, 1, 2):
            raise ValueError("an address for each active lane is wanted")
    except (IndexError, ValueError) as error:
        raise _wrong(kernel.path, at, f"this is no instruction: {error}") from None
    return mask, (opcode, to, of), True, addresses


@contextmanager
def _opened(path: Path) -> Generator[IO[str]]:
    try:
        if path.suffix == ".xz":
            with lzma.open(path, "rt", encoding="utf-8", errors="replace") as file:
                yield file
        else:
            with path.open(encoding="utf-8", errors="replace") as file:
                yield file
    except (OSError, lzma.LZMAError, EOFError) as error:
        message = f"cannot read '{path}': {getattr(error, 'strerror', None) or error}"
        raise DiagnosticError([Diagnostic("K001", message)]) from error


def _wrong(path: Path, line: int, message: str) -> DiagnosticError:
    return DiagnosticError([Diagnostic("K873", message, Span(str(path), line))])
