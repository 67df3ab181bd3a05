"""PTX that came in, for ptxas as it is: what nvcc, NVRTC or Triton wrote, with its own lines as
the places of its instructions, so that machine code says which of them it came from.

Optimised and written once more by LLVM it would be other code: registers, loops and the order of
loads are then LLVM's and not those of the compiler that was asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from kcc.frontend.ir.instructions import AnyInstruction, Call
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.machine_code.numbering import places_of
from kcc.frontend.ptx.reading.tokens import Places, tokens_of

_DEBUGGING = re.compile(
    r"^[ \t]*(?:\.loc|\.file)[ \t][^\n]*|^[ \t]*// (?:begin|end) inline asm[ \t]*$", re.MULTILINE
)
_SECTION = re.compile(r"^[ \t]*\.section[^{]*\{.*?^[ \t]*\}", re.MULTILINE | re.DOTALL)
_DEBUG = re.compile(r"^([ \t]*\.target[^\n]*), debug", re.MULTILINE)

_DISCRIMINATED = re.compile(
    r"^!(\d+) = !DILexicalBlockFile\([^\n]*\bdiscriminator: (\d+)\)", re.MULTILINE
)
_PLACE = re.compile(r"^(!\d+) = (?:distinct )?!DILocation\([^\n]*?\bscope: (!\d+)", re.MULTILINE)

_NEW, _STATEMENT, _LABEL = frozenset[str](), frozenset(";"), frozenset(":")
_DIRECTIVE = frozenset(";{")
"""What ends what was begun: a directive's values, or the body that follows it."""

_MOVES = frozenset({Opcode.LOAD, Opcode.STORE, Opcode.ATOMICRMW, Opcode.CMPXCHG})
"""Of the instructions of the IR that one of PTX becomes, these, and copies, stand for it where
there are any: both ways of a copy of which a part may be left out. Else calls do, or what is like
the last one."""


def plain_ptx(text: str) -> str:
    """PTX without what says where it came from, line by line."""
    text = _SECTION.sub(lambda match: "\n" * match[0].count("\n"), text)
    return _DEBUG.sub(r"\1", _DEBUGGING.sub("", text))


def located_ptx(plain: str) -> str:
    """The same with the line of each instruction as its place."""
    places, written, parts = Places("", plain), 0, list[str]()
    tokens = tokens_of(places)
    ends = _NEW
    for token, after in pairwise(tokens):
        if ends is not _NEW:
            if ends is _DIRECTIVE and token.text == "=":
                ends = _STATEMENT
            ends = _NEW if token.text in ends else ends
        elif token.kind == "directive":
            ends = _DIRECTIVE
        elif after.text == ":":
            ends = _LABEL
        elif token.text not in ("{", "}"):
            parts += [plain[written : token.at], f"\n.loc 1 {places.span(token.at).line} 1\n"]
            written, ends = token.at, _STATEMENT
    return "".join([*parts, plain[written:], '\n.file 1 "ptx"\n'])


def origins(unit: CompiledUnit) -> Mapping[str, Mapping[int, tuple[int, ...]]]:
    """By symbol, the instructions of the IR that stand for each line of the PTX: several where LLVM
    unrolled a loop of it or made two ways of one. Reading PTX leaves its lines as discriminators of
    places (:mod:`kcc.frontend.ptx.reading.module`)."""
    lines = {f"!{m[1]}": int(m[2]) for m in _DISCRIMINATED.finditer(unit.ir)}
    of_place = {m[1]: lines.get(m[2], 0) for m in _PLACE.finditer(unit.ir)}
    found = dict[str, Mapping[int, tuple[int, ...]]]()
    for symbol, places in places_of(unit.ir).items():
        of_line = dict[int, list[int]]()
        for index, place in enumerate(places):
            if line := of_place.get(place, 0):
                of_line.setdefault(line, []).append(index)
        own = unit.module.functions[symbol].instructions
        found[symbol] = {
            line: tuple(_standing([own[i] for i in indices])) for line, indices in of_line.items()
        }
    return found


def _standing(rows: Sequence[AnyInstruction]) -> Iterator[int]:
    moves = [row.opcode in _MOVES or _is_copy(row) for row in rows]
    if any(moves):
        return (row.index for row, moved in zip(rows, moves, strict=True) if moved)
    is_called = any(row.opcode is Opcode.CALL for row in rows)
    wanted = Opcode.CALL if is_called else rows[-1].opcode
    return (row.index for row in rows if row.opcode is wanted)


def _is_copy(row: AnyInstruction) -> bool:
    """Whether it copies between memories, past registers."""
    return isinstance(row, Call) and row.callee.startswith("llvm.memcpy.")
