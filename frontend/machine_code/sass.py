"""Reads what nvdisasm prints (``-g -c -hex``): SASS with lines and encodings.

The text is one instruction a line, which a pattern a line takes apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from kcc.base.records import dataclass
from kcc.frontend.machine_code.control_bits import maxwell_control, volta_control
from kcc.frontend.machine_code.model import MachineInstruction, Pipe, Space
from kcc.frontend.machine_code.numbering import UNKNOWN_LINE
from kcc.frontend.machine_code.registers import registers_of
from kcc.frontend.machine_code.sass_opcodes import (
    JUMPS,
    SPACE_OF,
    STORES,
    WITHOUT_RESULT,
    access_bytes,
    base,
    pipe_of,
)

_SECTION = re.compile(r"^\s*\.section\s+([^\s,]+)")
_LABEL = re.compile(r"^(\.L[\w.]*|[\w$.]+):\s*$")
_LINE = re.compile(r'//## File "[^"]*", line (\d+)(?P<inlined> inlined)?')
_INSTRUCTION = re.compile(
    r"\s*/\*(?P<address>[0-9a-f]{4,})\*/\s+(?P<open>\{?)\s*(?:@(?P<predicate>!?U?P[T0-9]+)\s+)?"
    r"(?P<opcode>[A-Z][A-Z0-9_.a-z]*)(?P<operands>[^;}]*)(?:[;}]\s*;?)?\s*$"
)
"""Without the encoding, which stands behind it in the line: a pattern of both takes four times as
long."""

_WORD = re.compile(r"/\* 0x(?P<word>[0-9a-f]{16}) \*/\s*$")
_TARGET = re.compile(r"`\((\.L[\w.]*|[\w$.]+)\)")


@dataclass(slots=True)
class Listing:
    """The instructions of one kernel, and the places that labels stand before."""

    symbol: str
    instructions: list[MachineInstruction] = field(default_factory=list[MachineInstruction])
    labels: dict[str, int] = field(default_factory=dict[str, int])


def read_sass(
    text: str, numbers: Mapping[str, Mapping[int, int]] | None = None
) -> dict[str, Listing]:
    """The listings of a cubin's kernels, by symbol. The number of an instruction is its line, that
    of the innermost function; where ``numbers`` are given by symbol, what they say of that line,
    0 for nothing."""
    reader = _Reader(numbers)
    lines = text.splitlines()
    for line, after in zip_longest(lines, lines[1:], fillvalue=""):
        reader.take(line, after)
    return reader.finished()


class _Reader:
    def __init__(self, numbers: Mapping[str, Mapping[int, int]] | None) -> None:
        self.numbers = numbers
        self.found = dict[str, Listing]()
        self.listing: Listing | None = None
        self.number, self.fresh = 0, True
        self.word: int | None = None
        """The control word of the instructions that follow (Maxwell, Pascal)."""
        self.place, self.paired = 0, False
        self.owed = False
        """Whether the line that follows has been read: the rest of an encoding."""

    def take(self, line: str, after: str) -> None:
        """Read a line; ``after`` is the next one."""
        section = _SECTION.match(line) if ".section" in line else None
        if section is not None:
            name = section[1]
            self.listing = None
            if name.startswith(".text."):
                symbol = name.removeprefix(".text.")
                self.listing = self.found.setdefault(symbol, Listing(symbol))
                self.number, self.word, self.owed = 0, None, False
        elif self.listing is not None:
            self._inside(self.listing, line.lstrip(), line, after)

    def _inside(self, listing: Listing, text: str, line: str, after: str) -> None:
        if text.startswith("/* 0x"):
            if self.owed:
                self.owed = False
            elif (word := _WORD.match(text)) is not None:
                self.word, self.place = int(word["word"], 16), 0
        elif text.startswith("/*"):
            head, _, _ = text.partition("/* 0x")
            instruction = _INSTRUCTION.match(head)
            if instruction is not None:
                self.fresh = True
                encoded = _WORD.match(text, len(head)) is not None
                rest = _WORD.match(after.lstrip())
                self._instruction(listing, instruction, encoded, rest)
        elif (place := _LINE.match(text)) is not None:
            if self.fresh:
                self.number = self._number(listing.symbol, int(place[1]))
            self.fresh = False
        elif (label := _LABEL.match(line)) is not None:
            listing.labels[label[1]] = len(listing.instructions)

    def _number(self, symbol: str, line: int) -> int:
        if self.numbers is not None:
            return self.numbers.get(symbol, {}).get(line, 0)
        return 0 if line == UNKNOWN_LINE else line

    def _instruction(
        self, listing: Listing, match: re.Match[str], encoded: bool, rest: re.Match[str] | None
    ) -> None:
        """``rest`` of the encoding on the line that follows: all of it where the line has none;
        since Volta the upper half, before it a pair's, or the control of three instructions."""
        address, predicate = int(match["address"], 16), match["predicate"] or ""
        guard = predicate.lstrip("!")
        what = _what(match["opcode"], match["operands"].strip())
        control = None
        if self.word is not None and self.place < 3:
            control = maxwell_control(self.word, self.place)
            self.place += 1
        self.owed = not encoded
        if control is None and encoded and rest is not None and address % 16 == 0:
            control = volta_control(int(rest["word"], 16))
            self.owed = True
        listing.instructions.append(
            MachineInstruction(
                address=address,
                opcode=what.opcode,
                operands=what.operands,
                predicate=predicate,
                number=self.number,
                pipe=what.pipe,
                made=what.made,
                used=what.used if guard in ("", "PT", "UPT") else (*what.used, guard),
                space=what.space,
                is_load=what.is_load,
                is_store=what.is_store,
                bytes=what.bytes,
                target=what.target,
                control=control,
                is_paired=self.paired,
            )
        )
        self.paired = bool(match["open"])

    def finished(self) -> dict[str, Listing]:
        return {symbol: _trimmed(listing) for symbol, listing in self.found.items()}


class _What(NamedTuple):
    """What an opcode and its operands say, as :class:`MachineInstruction` has it."""

    opcode: str
    operands: str
    pipe: Pipe
    made: tuple[str, ...]
    used: tuple[str, ...]
    space: Space | None
    is_load: bool
    is_store: bool
    bytes: int
    target: str


@lru_cache(maxsize=1 << 14)
def _what(opcode: str, operands: str) -> _What:
    name = base(opcode)
    made, used = registers_of(opcode, operands)
    target = _TARGET.search(operands) if name in JUMPS else None
    return _What(
        opcode, operands, pipe_of(opcode), made, used, SPACE_OF.get(name),
        name in SPACE_OF and name not in WITHOUT_RESULT and name != "ULDC", name in STORES,
        access_bytes(opcode) if name in SPACE_OF else 0, target[1] if target is not None else "",
    )  # fmt: skip


def _trimmed(listing: Listing) -> Listing:
    """Without what only fills the end: NOPs and the jump to itself that catches runaways."""
    kept = len(listing.instructions)
    while kept and _is_filling(listing, kept - 1):
        kept -= 1
    return Listing(listing.symbol, listing.instructions[:kept], listing.labels)


def _is_filling(listing: Listing, place: int) -> bool:
    last = listing.instructions[place]
    loops = last.opcode == "BRA" and listing.labels.get(last.target) == place
    return not last.predicate and (last.opcode == "NOP" or loops)
