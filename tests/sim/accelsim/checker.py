"""Checks a list of kernels by the rules of Accel-Sim's format, version 5, alone: nothing of kcc is
used here. What is wrong raises AssertionError."""

from __future__ import annotations

import lzma
import re
from dataclasses import dataclass, field
from pathlib import Path

HEADER = (
    "kernel name", "kernel id", "grid dim", "block dim", "shmem", "nregs", "binary version",
    "cuda stream id", "shmem base_addr", "local mem base_addr", "nvbit version",
    "accelsim tracer version", "enable lineinfo",
)  # fmt: skip

VERSIONS = {35, 60, 61, 70, 75, 80, 86}

NAMES = (
    "MOV S2R IADD3 LOP3 SHF ISETP SEL LEA IMNMX IABS POPC FLO BREV FSETP IMAD XMAD FADD FMUL FFMA"
    " FMNMX HADD2 HMUL2 HFMA2 DADD DMUL DFMA DSETP MUFU I2F F2I F2F FRND BRA BRX EXIT CALL BAR"
    " MEMBAR TEX LDG STG LD ST LDS STS LDL STL LDC ATOM ATOMG ATOMS RED"
)
"""Accel-Sim stops at an opcode that its tables lack; these are in all of those for 60 to 86, but
for XMAD, which those for 60 and 61 have."""

STEMS = frozenset(NAMES.split())

MEMORY = re.compile(r"(LDG?|STG?|LD[SLC]|ST[SL]|ATOM[GS]?|RED)(\.|$)")


@dataclass
class Kernel:
    """What is in a file: instructions as (mask, destination, opcode, sources, addresses)."""

    header: dict[str, str]
    blocks: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    warps: dict[tuple[int, int], list[tuple[int, str, str, list[str], list[int]]]] = field(
        default_factory=dict[tuple[int, int], list[tuple[int, str, str, list[str], list[int]]]]
    )


def check_list(folder: Path) -> list[Kernel]:
    """All kernels of a folder's list."""
    found, copies = list[Kernel](), 0
    for line in (folder / "kernelslist.g").read_text(encoding="ascii").splitlines():
        if line.startswith("MemcpyHtoD"):
            assert re.fullmatch(r"MemcpyHtoD,0x[0-9a-f]+,[1-9]\d*", line)
            copies += 1
            continue
        assert re.fullmatch(r"kernel\S*\.(traceg|traceg\.xz)", line)
        found.append(check_kernel(folder / line))
    assert found
    assert copies
    return found


def check_kernel(path: Path) -> Kernel:
    """One file."""
    data = path.read_bytes()
    text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode("ascii")
    assert text.endswith("\n")
    head, _, body = text.partition("\n#traces format")
    kernel = Kernel(_header(head))
    _body(kernel, body.split("\n", 1)[1])
    _complete(kernel)
    return kernel


def _header(text: str) -> dict[str, str]:
    found = dict[str, str]()
    for line in text.splitlines():
        if line:
            match = re.fullmatch(r"-([a-z_ ]+) = (.+)", line)
            assert match, line
            found[match[1]] = match[2]
    assert tuple(found) == HEADER
    assert int(found["binary version"]) in VERSIONS
    assert found["accelsim tracer version"] == "5"
    assert int(found["shmem base_addr"], 16) > 0
    assert int(found["local mem base_addr"], 16) > 0
    assert found["enable lineinfo"] in ("0", "1")
    assert int(found["nregs"]) <= 255
    return found


def _three(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.strip("()").split(","))


def _body(kernel: Kernel, text: str) -> None:
    block, warp, left, inside = -1, -1, 0, False
    counters = dict[str, str]()
    for line in text.splitlines():
        if not line:
            continue
        if line == "#BEGIN_TB":
            assert not inside
            inside, block = True, block + 1
        elif line == "#END_TB":
            assert inside
            assert left == 0
            inside = False
        elif line.startswith("thread block = "):
            kernel.blocks.append(_three(line.removeprefix("thread block = ")))
        elif line.startswith("warp = "):
            assert left == 0
            warp = int(line.removeprefix("warp = "))
            assert (block, warp) not in kernel.warps
            kernel.warps[block, warp] = []
        elif line.startswith("insts = "):
            left = int(line.removeprefix("insts = "))
            assert left > 0
        else:
            assert inside
            assert left > 0
            left -= 1
            words = line.split(" ")
            if kernel.header["enable lineinfo"] == "1":
                assert int(words.pop(0)) >= 0
            kernel.warps[block, warp].append(_instruction(words, counters))
    assert not inside


def _instruction(
    words: list[str], counters: dict[str, str]
) -> tuple[int, str, str, list[str], list[int]]:
    counter, mask = words[0], int(words[1], 16)
    assert int(counter, 16) % 16 == 0
    assert 0 < mask < 1 << 32
    written = int(words[2])
    assert written <= 1
    to = words[3] if written else ""
    opcode, read = words[3 + written], int(words[4 + written])
    assert read <= 4
    of, rest = words[5 + written : 5 + written + read], words[5 + written + read :]
    for register in ([to] if to else []) + of:
        assert re.fullmatch(r"R\d+", register)
        assert int(register[1:]) < 255
    assert opcode.split(".")[0] in STEMS
    same = " ".join(words[2 : 5 + written + read])
    assert counters.setdefault(counter, same) == same  # a counter is one instruction
    width, addresses = int(rest[0]), list[int]()
    assert (width > 0) == bool(MEMORY.match(opcode))
    if width:
        addresses, rest = _addresses(rest[1:], mask)
        _aligned(opcode, width)
    assert rest[-1] == "0"
    assert len(rest) == (1 if width else 2)
    return mask, to, opcode, of, addresses


def _aligned(opcode: str, width: int) -> None:
    """The real width is in the opcode."""
    bits = next((p.strip("U") for p in opcode.split(".") if re.fullmatch(r"U?\d+", p)), "32")
    assert int(bits) // 8 == width or "ATOM" in opcode or "RED" in opcode


def _addresses(words: list[str], mask: int) -> tuple[list[int], list[str]]:
    lanes = [lane for lane in range(32) if mask >> lane & 1]
    match words[0]:
        case "0":
            found = [int(word, 16) for word in words[1 : 1 + len(lanes)]]
            rest = words[1 + len(lanes) :]
        case "1":
            assert lanes == list(range(lanes[0], lanes[0] + len(lanes)))
            base, step = int(words[1], 16), int(words[2])
            assert -(1 << 31) <= step < 1 << 31
            found, rest = [base + step * n for n in range(len(lanes))], words[3:]
        case mode:
            assert mode == "2"
            found = [int(words[1], 16)]
            for word in words[2 : 1 + len(lanes)]:
                found.append(found[-1] + int(word))
            rest = words[1 + len(lanes) :]
    assert len(found) == len(lanes)
    assert min(found) >= 0
    return found, rest


def _complete(kernel: Kernel) -> None:
    """All blocks and warps are there, and each thread ends once, after all that it does."""
    x, y, z = _three(kernel.header["grid dim"])
    wanted = [(a, b, c) for c in range(z) for b in range(y) for a in range(x)]
    assert kernel.blocks == wanted
    a, b, c = _three(kernel.header["block dim"])
    threads = a * b * c
    warps = -(-threads // 32)
    assert set(kernel.warps) == {(n, w) for n in range(len(wanted)) for w in range(warps)}
    for (_, warp), instructions in kernel.warps.items():
        alive = (1 << min(32, threads - 32 * warp)) - 1
        for mask, _, opcode, _, _ in instructions:
            assert mask & ~alive == 0
            if opcode == "EXIT":
                alive &= ~mask
        assert alive == 0
