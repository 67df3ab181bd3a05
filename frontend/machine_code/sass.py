"""Reads what nvdisasm prints (``-g -c -hex``): SASS with lines and encodings.

The text is one instruction a line, which a pattern a line takes apart.
"""

from __future__ import annotations

import re
from dataclasses import field, replace

from kcc.base.records import dataclass
from kcc.frontend.machine_code.control_bits import maxwell_control, volta_control
from kcc.frontend.machine_code.model import MachineInstruction
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
_LINE = re.compile(r'^\s*//## File "[^"]*", line (\d+)(?P<inlined> inlined)?')
_INSTRUCTION = re.compile(
    r"^\s*/\*(?P<address>[0-9a-f]{4,})\*/\s+(?P<open>\{?)\s*(?:@(?P<predicate>!?U?P[T0-9]+)\s+)?"
    r"(?P<opcode>[A-Z][A-Z0-9_.a-z]*)(?P<operands>[^;}]*?)\s*(?P<close>[;}]?)\s*"
    r"(?:;?\s*/\* 0x(?P<word>[0-9a-f]{16}) \*/)?\s*$"
)
_WORD = re.compile(r"^\s*/\* 0x([0-9a-f]{16}) \*/\s*$")
_TARGET = re.compile(r"`\((\.L[\w.]*|[\w$.]+)\)")


@dataclass(slots=True)
class Listing:
    """The instructions of one kernel, and the places that labels stand before."""

    symbol: str
    instructions: list[MachineInstruction] = field(default_factory=list[MachineInstruction])
    labels: dict[str, int] = field(default_factory=dict[str, int])


def read_sass(text: str) -> dict[str, Listing]:
    """The listings of a cubin's kernels, by symbol. Lines are those of the innermost function."""
    reader = _Reader()
    for line in text.splitlines():
        reader.take(line)
    return reader.finished()


class _Reader:
    def __init__(self) -> None:
        self.found = dict[str, Listing]()
        self.listing: Listing | None = None
        self.number, self.fresh = 0, True
        self.word: int | None = None
        """The control word of the instructions that follow (Maxwell, Pascal)."""
        self.place, self.paired = 0, False
        self.owed = False
        """Whether the encoding of the instruction above is still to come."""

    def take(self, line: str) -> None:
        section = _SECTION.match(line)
        if section is not None:
            name = section[1]
            self.listing = None
            if name.startswith(".text."):
                symbol = name.removeprefix(".text.")
                self.listing = self.found.setdefault(symbol, Listing(symbol))
                self.number, self.word, self.owed = 0, None, False
        elif self.listing is not None:
            self._inside(self.listing, line)

    def _inside(self, listing: Listing, line: str) -> None:
        place = _LINE.match(line)
        if place is not None:
            if self.fresh:
                number = int(place[1])
                self.number = 0 if number == UNKNOWN_LINE else number
            self.fresh = False
            return
        instruction = _INSTRUCTION.match(line)
        if instruction is not None:
            self.fresh = True
            self._instruction(listing, instruction)
        elif (word := _WORD.match(line)) is not None:
            self._encoding(listing, int(word[1], 16))
        elif (label := _LABEL.match(line)) is not None:
            listing.labels[label[1]] = len(listing.instructions)

    def _instruction(self, listing: Listing, match: re.Match[str]) -> None:
        opcode, operands = match["opcode"], match["operands"].strip()
        name = base(opcode)
        made, used = registers_of(opcode, operands)
        predicate = match["predicate"] or ""
        guard = predicate.lstrip("!")
        target = _TARGET.search(operands)
        is_store = name in STORES
        control = None
        if self.word is not None and self.place < 3:
            control = maxwell_control(self.word, self.place)
            self.place += 1
        listing.instructions.append(
            MachineInstruction(
                address=int(match["address"], 16),
                opcode=opcode,
                operands=operands,
                predicate=predicate,
                number=self.number,
                pipe=pipe_of(opcode),
                made=made,
                used=used if guard in ("", "PT", "UPT") else (*used, guard),
                space=SPACE_OF.get(name),
                is_load=name in SPACE_OF and name not in WITHOUT_RESULT and name != "ULDC",
                is_store=is_store,
                bytes=access_bytes(opcode) if name in SPACE_OF else 0,
                target=target[1] if target is not None and name in JUMPS else "",
                control=control,
                is_paired=self.paired,
            )
        )
        self.paired = bool(match["open"])
        self.owed = match["word"] is None

    def _encoding(self, listing: Listing, word: int) -> None:
        """A word on a line of its own: since Volta the upper half of the instruction above, before
        it the control of three instructions that follow, or what a pair has no room for."""
        last = listing.instructions[-1] if listing.instructions else None
        if self.owed:
            self.owed = False
        elif last is not None and last.control is None and _is_long(last):
            listing.instructions[-1] = replace(last, control=volta_control(word))
        else:
            self.word, self.place = word, 0

    def finished(self) -> dict[str, Listing]:
        return {symbol: _trimmed(listing) for symbol, listing in self.found.items()}


def _is_long(last: MachineInstruction) -> bool:
    """Whether an instruction without control bits has 128 bits: one of 64 has them from the word
    before it."""
    return last.address % 16 == 0


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
