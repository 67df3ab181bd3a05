"""Numbers in place of source lines: a module whose instruction ``n`` stands in line ``n``.

Compilers keep lines through optimisation and print them beside machine code, so that each machine
instruction says which instruction of the canonical IR it came from, unrolled copies included.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Self

from kcc.base.records import dataclass
from kcc.frontend.ir.model import Module

UNKNOWN_LINE = (1 << 24) - 1
"""Stands for line 0 in PTX, which ptxas takes for the line before."""

_HEADER = re.compile(r"^define [^\n]*?@(\"[^\"]+\"|[\w.$]+)\(")
_DEFINED = re.compile(r"(?: !dbg !\d+)?(?= !\w+ !\d+|\s*\{$)")
_LOCATION = re.compile(r", !dbg (!\d+)")
_NODE = re.compile(r"^!(\d+) = (?:distinct )?(.*)$")
_NAMED = re.compile(r"^!llvm\.(?:dbg\.cu|ident|module\.flags) ")
_REFERENCE = re.compile(r"!(\d+)\b")
_RECORD = re.compile(r"^\s+(?:#dbg_|(?:tail )?call void @llvm\.dbg\.)")

_UNIT = """\
!llvm.dbg.cu = !{{!{0}}}
!llvm.module.flags = !{{!{1}, !{2}}}
!{0} = distinct !DICompileUnit(language: DW_LANG_C99, file: !{3}, isOptimized: true, \
runtimeVersion: 0, emissionKind: LineTablesOnly)
!{1} = !{{i32 2, !"Debug Info Version", i32 3}}
!{2} = !{{i32 7, !"Dwarf Version", i32 2}}
!{3} = !DIFile(filename: "ir", directory: "/")
!{4} = !DISubroutineType(types: !{{null}})
"""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Which numbers the instructions of a function have: the ``index``-th has
    ``first[symbol] + index``; numbers begin with 1 and do not repeat within a module."""

    first: dict[str, int]
    count: dict[str, int]

    @classmethod
    def of(cls, module: Module) -> Self:
        """Those of a module's functions, in its order."""
        first, count, at = dict[str, int](), dict[str, int](), 1
        for function in module.functions.values():
            first[function.name], count[function.name] = at, len(function.instructions)
            at += len(function.instructions)
        return cls(first, count)

    def index(self, symbol: str, number: int) -> int | None:
        """The instruction of a function with this number; None for one of another function, and
        for 0, which says that the compiler does not know."""
        index = number - self.first[symbol]
        return index if number and 0 <= index < self.count[symbol] else None


def numbered(ir: str, module: Module) -> str:
    """The text of a module with numbers as lines; ``module`` is the same as read.

    :raises ValueError: when text and module do not have the same instructions.
    """
    numbers = Numbers.of(module)
    lines, nodes = list[str](), list[str]()
    highest = max((int(m) for m in re.findall(r"^!(\d+) = ", ir, re.MULTILINE)), default=-1)
    places = _Places(highest + 1)
    for line in ir.split("\n"):
        header = _HEADER.match(line)
        if header is not None:
            symbol = header[1].strip('"')
            if symbol not in numbers.first:
                raise ValueError(f"no function '{symbol}' was read")
            scope = places.enter(symbol, numbers.first[symbol])
            lines.append(_DEFINED.sub(f" !dbg !{scope}", line, count=1))
        elif line == "}":
            places.leave(numbers)
            lines.append(line)
        elif not _RECORD.match(line) and not _NAMED.match(line):
            (nodes if _NODE.match(line) else lines).append(places.located(line))
    unit = _UNIT.format(*range(places.next, places.next + 5))
    return "\n".join([*lines, *_without_places(nodes), *places.nodes(places.next), unit])


def places_of(ir: str) -> Mapping[str, Sequence[str]]:
    """By function of a module's text, the node that says where each of its instructions is from,
    such as ``!12``, "" for none."""
    found, own, is_open = dict[str, list[str]](), list[str](), False
    for line in ir.split("\n"):
        header = _HEADER.match(line)
        if header is not None:
            own = found[header[1].strip('"')] = []
        elif line.startswith("  ") and line.strip() and not _RECORD.match(line):
            is_open = _goes_on(line, is_open=is_open)
            if not is_open:
                place = _LOCATION.search(line)
                own.append(place[1] if place else "")
    return found


def _goes_on(line: str, *, is_open: bool) -> bool:
    """Whether an instruction ends in a line that follows: what ends in ``[`` goes on up to ``]``;
    ``is_open``: so did the line before."""
    begins = line.rstrip().endswith("[")
    return begins or (is_open and "]" not in line.partition(";")[0])


class _Places:
    """Hands out nodes for the instructions of one function after another."""

    def __init__(self, node: int) -> None:
        self.next = node
        self.symbol, self.scope, self.line, self.open = "", 0, 0, False
        self.scopes, self.locations = list[tuple[int, str]](), list[tuple[int, int, int]]()

    def enter(self, symbol: str, first: int) -> int:
        self.symbol, self.line, self.scope = symbol, first, self.next
        self.scopes.append((self.scope, symbol))
        self.next += 1
        return self.scope

    def leave(self, numbers: Numbers) -> None:
        expected = numbers.first[self.symbol] + numbers.count[self.symbol]
        if self.line != expected:
            raise ValueError(f"'{self.symbol}' was read with {expected - self.line} more")
        self.symbol = ""

    def located(self, line: str) -> str:
        """A line of text; an instruction gets its place."""
        if line.startswith("@"):
            return _LOCATION.sub("", line)
        if not self.symbol or not line.startswith("  ") or not line.strip():
            return line
        plain = _LOCATION.sub("", line)
        self.open = _goes_on(plain, is_open=self.open)
        if self.open:
            return plain
        self.locations.append((self.next, self.line, self.scope))
        self.next, self.line = self.next + 1, self.line + 1
        head, separator, attached = _split(plain)
        return f"{head}, !dbg !{self.next - 1}{separator}{attached}"

    def nodes(self, unit: int) -> list[str]:
        """The text of all nodes; that of the unit has number ``unit``."""
        found = [
            f'!{node} = distinct !DISubprogram(name: "{symbol}", file: !{unit + 3}, line: 1, '
            f"type: !{unit + 4}, unit: !{unit}, spFlags: DISPFlagDefinition)"
            for node, symbol in self.scopes
        ]
        found += [f"!{n} = !DILocation(line: {i}, scope: !{s})" for n, i, s in self.locations]
        return found


def _split(line: str) -> tuple[str, str, str]:
    """An instruction, and the metadata attached to it."""
    match = re.search(r", !\w+ !", line)
    return (line, "", "") if match is None else (line[: match.start()], "", line[match.start() :])


def _without_places(nodes: list[str]) -> list[str]:
    """Metadata without that of debugging, which other nodes (of loops) refer to."""
    gone = {m[1] for node in nodes if (m := _NODE.match(node)) and m[2].startswith("!DI")}
    kept = list[str]()
    for node in nodes:
        match = _NODE.match(node)
        if match is None or match[1] in gone:
            continue
        head, _, body = node.partition(" = ")
        tuple_ = re.search(r"!\{(.*)\}$", body)
        if tuple_ is not None and any(m in gone for m in _REFERENCE.findall(tuple_[1])):
            parts = [p for p in tuple_[1].split(", ") if p.removeprefix("!") not in gone]
            body = f"{body[: tuple_.start()]}!{{{', '.join(parts)}}}"
        kept.append(f"{head} = {body}")
    return kept
