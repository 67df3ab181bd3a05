"""Which registers an instruction of SASS reads and writes, from its operands."""

from __future__ import annotations

import re
from functools import lru_cache

from kcc.frontend.machine_code.sass_opcodes import (
    PREDICATE_ONLY,
    SPACE_OF,
    WITHOUT_RESULT,
    access_bytes,
    base,
    result_words,
)

_REGISTER = re.compile(r"(?<![\w.])(U?R)(\d+|Z)\b(\.64|\.U32|\.X\d+)?")
_PREDICATE = re.compile(r"(?<![\w.])(U?P\d)\b")
_WIDE_SOURCES = frozenset({"DADD", "DMUL", "DFMA", "DMNMX", "DSETP", "DSET"})
_CONTROL = frozenset({"BRA", "EXIT", "BAR", "BSYNC", "BSSY", "WARPSYNC", "RET", "CALL", "BRX",
                      "JMP", "SYNC", "SSY", "PBK", "BRK", "NOP", "MEMBAR", "DEPBAR",
                      "CCTL"})  # fmt: skip


def registers_of(opcode: str, operands: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What an instruction makes and what it uses, ``RZ`` and ``PT`` left out."""
    parts = _split(operands)
    results = _result_count(opcode, parts)
    words, made = result_words(opcode), list[str]()
    for part in parts[:results]:
        made += _registers(part, words)
    name, used = base(opcode), list[str]()
    for place, part in enumerate(parts[results:], results):
        used += _registers(part, _source_words(opcode, name, part, place))
    return tuple(dict.fromkeys(made)), tuple(dict.fromkeys(used))


@lru_cache(maxsize=1 << 14)
def source_registers(opcode: str, operands: str) -> tuple[tuple[str, ...], ...]:
    """The registers of each lane that an instruction uses, operand by operand."""
    parts, name = _split(operands), base(opcode)
    results = _result_count(opcode, parts)
    return tuple(
        tuple(
            each
            for each in _registers(part, _source_words(opcode, name, part, place))
            if each.startswith("R")
        )
        for place, part in enumerate(parts[results:], results)
    )


def _split(operands: str) -> list[str]:
    return [part.strip() for part in operands.split(",")] if operands else []


def _result_count(opcode: str, parts: list[str]) -> int:
    """How many operands in front are results: predicates, and one register among them."""
    name = base(opcode)
    if name in WITHOUT_RESULT or name in _CONTROL:
        return 0
    registers_left, found = (0 if name in PREDICATE_ONLY else 1), 0
    for part in parts:
        is_register, is_predicate = _kinds(part)
        if is_register and registers_left:
            registers_left -= 1
        elif not is_predicate or (name in PREDICATE_ONLY and found == 2):
            break
        found += 1
    return found


def _source_words(opcode: str, name: str, part: str, place: int) -> int:
    if "[" in part:
        return 2 if ".E" in opcode and name not in ("LDS", "STS") else 1
    if name in WITHOUT_RESULT and name in SPACE_OF:
        return max(1, access_bytes(opcode) // 4)
    if name in _WIDE_SOURCES or (name in ("F2F", "F2I") and opcode.endswith("F64")):
        return 2
    return 2 if name == "IMAD" and ".WIDE" in opcode and place == 3 else 1


@lru_cache(maxsize=1 << 14)
def _kinds(part: str) -> tuple[bool, bool]:
    """Whether an operand is a register, and whether a predicate."""
    is_register = re.fullmatch(r"U?R(\d+|Z)(\.CC|\.reuse|\.64)*", part) is not None
    return is_register, re.fullmatch(r"U?P([0-9]|T)", part) is not None


@lru_cache(maxsize=1 << 14)
def _registers(part: str, words: int) -> tuple[str, ...]:
    found = list[str]()
    for kind, number, width in _REGISTER.findall(part):
        if number == "Z":
            continue
        count = 2 if width == ".64" else words
        if kind == "UR" and "[" in part and width != ".64":
            count = 1
        found += [f"{kind}{int(number) + i}" for i in range(count)]
    return (*found, *_PREDICATE.findall(part))
