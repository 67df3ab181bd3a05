"""A whole module in LLVM's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TypeVar

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import NO_ATTRIBUTES, DebugLocation
from kcc.frontend.ir.model import (
    Argument,
    Declaration,
    Function,
    Global,
    Linkage,
    MetadataLeaf,
    Module,
)
from kcc.frontend.ir.reader.attributes import AttributeReader
from kcc.frontend.ir.reader.constants import ConstantReader
from kcc.frontend.ir.reader.context import Readers
from kcc.frontend.ir.reader.functions import read_body
from kcc.frontend.ir.reader.instructions import read_convention
from kcc.frontend.ir.reader.metadata import MetadataReader
from kcc.frontend.ir.reader.tokens import (
    MALFORMED,
    Unreadable,
    accept,
    expect,
    plain_name,
    tokenize,
    unknown,
)
from kcc.frontend.ir.reader.types import TypeReader
from kcc.frontend.ir.types import VOID, IrType, align_bytes

_T = TypeVar("_T")

_STRING = re.compile(r'"([^"]*)"')

_INTERNAL = frozenset({"internal", "private"})
_EXTERNAL = frozenset(
    {"external", "weak", "weak_odr", "linkonce", "linkonce_odr", "common", "appending"}
    | {"extern_weak", "available_externally"}
)
_NO_BODY = frozenset({"external", "extern_weak"})
_NO_MEANING = frozenset(
    {"dso_local", "dso_preemptable", "default", "hidden", "protected", "unnamed_addr"}
    | {"local_unnamed_addr", "externally_initialized"}
)
"""Words of a global's or function's header that change nothing for an analysis."""


@dataclass(slots=True)
class _Lines:
    """The lines of a module by what they begin."""

    types: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    globals: list[str] = field(default_factory=list[str])
    declarations: list[str] = field(default_factory=list[str])
    functions: list[tuple[str, Sequence[str]]] = field(
        default_factory=list[tuple[str, Sequence[str]]]
    )
    groups: list[str] = field(default_factory=list[str])
    nodes: dict[str, str] = field(default_factory=dict[str, str])
    triple: str = ""
    data_layout: str = ""


def read_module(text: str) -> Module:
    """The module that ``text``, as LLVM prints it, stands for.

    Raises :class:`DiagnosticError` with a code from K550 to K552 for what the reader does not
    know.
    """
    lines = _sorted_lines(text)
    types = TypeReader(lines.types)
    constants = ConstantReader(types)
    attributes = AttributeReader(types)
    readers = Readers(types, constants, attributes, MetadataReader(lines.nodes, types, constants))
    for line in lines.groups:
        _guarded(_group, line, readers)
    globals_ = [_guarded(_global, line, readers) for line in lines.globals]
    declarations = [_guarded(_declaration, line, readers) for line in lines.declarations]
    functions = [_function(header, body, readers) for header, body in lines.functions]
    return Module(
        globals={g.name: g for g in globals_},
        functions={f.name: f for f in functions},
        declarations={d.name: d for d in declarations},
        triple=lines.triple,
        data_layout=lines.data_layout,
    )


def _sorted_lines(text: str) -> _Lines:
    found, rows = _Lines(), text.split("\n")
    index = 0
    while index < len(rows):
        row = rows[index]
        index += 1
        match row.partition(" ")[0]:
            case "define":
                end = _closing(rows, index, row)
                found.functions.append((row, rows[index:end]))
                index = end + 1
            case "declare":
                found.declarations.append(row)
            case "attributes":
                found.groups.append(row)
            case "target":
                _take_target(found, row)
            case "source_filename" | "":
                pass
            case word if word[0] in "@!%;$":
                _take_named(found, row)
            case _:
                raise _refused(unknown("a line of no known kind"), row)
    return found


def _closing(rows: list[str], start: int, header: str) -> int:
    try:
        return rows.index("}", start)
    except ValueError:
        raise _refused(unknown("a function without end"), header) from None


def _take_target(found: _Lines, row: str) -> None:
    match = _STRING.search(row)
    if match and row.startswith("target triple"):
        found.triple = match[1]
    elif match:
        found.data_layout = match[1]


def _take_named(found: _Lines, row: str) -> None:
    """A global, a numbered metadata node or a type; comments, comdats and named metadata go."""
    name, _, content = row.partition(" = ")
    if row[0] == "@":
        found.globals.append(row)
    elif row[0] == "!" and name[1:].isdecimal():
        found.nodes[name] = content
    elif row[0] == "%":
        found.types[name] = tokenize(content.removeprefix("type "))


def _guarded(read: Callable[[list[str], Readers], _T], row: str, readers: Readers) -> _T:
    """Read a line that stands for one thing, as a whole."""
    tokens = tokenize(row)
    try:
        result = read(tokens, readers)
        if tokens:
            raise unknown(f"'{tokens[-1]}' is not understood")
    except Unreadable as error:
        raise _refused(error, row) from None
    except MALFORMED as error:
        raise _refused(unknown(f"not understood: {error}"), row) from error
    return result


def _group(tokens: list[str], readers: Readers) -> None:
    expect(tokens, "attributes")
    readers.attributes.add_group(tokens)


def _refused(error: Unreadable, row: str) -> DiagnosticError:
    return DiagnosticError([Diagnostic(error.code, f"{error.reason}, in '{row}'")])


def _linkage(tokens: list[str]) -> tuple[Linkage, bool]:
    """Linkage, and whether it says that the body is elsewhere; words without meaning go too."""
    linkage, elsewhere = Linkage.EXTERNAL, False
    while True:
        word = tokens[-1]
        if word in _INTERNAL:
            linkage = Linkage.INTERNAL
        elif word in _NO_BODY:
            elsewhere = True
        elif word not in _EXTERNAL and word not in _NO_MEANING:
            return linkage, elsewhere
        tokens.pop()


_ZEROS = frozenset({"0", "false", "null", "zeroinitializer", "0xH0000", "0.000000e+00"})
"""What LLVM writes for an initialiser that a variable of CUDA has where its source gives none."""


def _global(tokens: list[str], readers: Readers) -> Global:
    external = "externally_initialized" in tokens
    name = plain_name(tokens.pop())
    expect(tokens, "=")
    linkage, elsewhere = _linkage(tokens)
    space = 0
    if accept(tokens, "addrspace"):
        expect(tokens, "(")
        space = int(tokens.pop())
        expect(tokens, ")")
        _linkage(tokens)
    kind = tokens.pop()
    if kind not in ("global", "constant"):
        raise unknown(f"a global of kind '{kind}'")
    type_ = readers.types.read(tokens)
    initialiser = None if elsewhere else readers.constants.read(type_, tokens)
    alignment = _global_tail(tokens, type_)
    return Global(
        name, type_, space, kind == "constant", initialiser, alignment, linkage,
        written_by_host=external and str(initialiser) in _ZEROS,
    )  # fmt: skip


def _global_tail(tokens: list[str], type_: IrType) -> int:
    """Take what follows a global's initialiser; its alignment in bytes."""
    alignment = align_bytes(type_)
    while accept(tokens, ","):
        match tokens.pop():
            case "align":
                alignment = int(tokens.pop())
            case "section" | "partition":
                tokens.pop()
            case "comdat":
                while accept(tokens, "(") or (tokens and tokens[-1] != ","):
                    tokens.pop()
            case word if word[0] == "!":
                tokens.pop()
            case word:
                raise unknown(f"'{word}' on a global")
    return alignment


def _signature(
    tokens: list[str], readers: Readers
) -> tuple[Declaration, Linkage, tuple[Argument, ...]]:
    """``[linkage] [convention] type @name(parameters) attributes``."""
    while tokens[-1][0] == "!":
        del tokens[-2:]
    linkage, _ = _linkage(tokens)
    convention = read_convention(tokens)
    while not readers.types.starts(tokens[-1]):
        readers.attributes.word(tokens)
    result = readers.types.read(tokens)
    name = plain_name(tokens.pop())
    arguments, variadic = _parameters(tokens, readers)
    attributes = readers.attributes.function(tokens) - _NO_MEANING
    types = tuple(a.type for a in arguments)
    passed = tuple(a.attributes for a in arguments)
    declared = Declaration(name, convention, result, types, passed, variadic, attributes)
    return declared, linkage, arguments


def _parameters(tokens: list[str], readers: Readers) -> tuple[tuple[Argument, ...], bool]:
    expect(tokens, "(")
    arguments, variadic = list[Argument](), False
    while not accept(tokens, ")"):
        if accept(tokens, "..."):
            variadic = True
            continue
        index = len(arguments)
        if accept(tokens, "metadata"):
            arguments.append(Argument(index, str(index), VOID, NO_ATTRIBUTES))
        else:
            arguments.append(_parameter(index, tokens, readers))
        accept(tokens, ",")
    return tuple(arguments), variadic


def _parameter(index: int, tokens: list[str], readers: Readers) -> Argument:
    type_ = readers.types.read(tokens)
    attributes = readers.attributes.parameter(tokens)
    name = plain_name(tokens.pop()) if tokens[-1][0] == "%" else str(index)
    return Argument(index, name, type_, attributes)


def _declaration(tokens: list[str], readers: Readers) -> Declaration:
    expect(tokens, "declare")
    declared, _, _ = _signature(tokens, readers)
    return declared


@dataclass(frozen=True, slots=True)
class _Header:
    """A function's definition up to its brace."""

    declared: Declaration
    linkage: Linkage
    arguments: tuple[Argument, ...]
    metadata: dict[str, tuple[MetadataLeaf, ...]]
    location: DebugLocation | None


def _header(tokens: list[str], readers: Readers) -> _Header:
    expect(tokens, "define")
    declared, linkage, arguments = _signature(tokens, readers)
    metadata, location = dict[str, tuple[MetadataLeaf, ...]](), None
    while not accept(tokens, "{"):
        kind, reference = tokens.pop(), tokens.pop()
        if kind[0] != "!":
            raise unknown(f"'{kind}' is not understood")
        if kind == "!dbg":
            location = readers.metadata.subprogram(reference)
        elif (leaves := readers.metadata.tuple(reference)) is not None:
            metadata[kind[1:]] = leaves
    return _Header(declared, linkage, arguments, metadata, location)


def _function(row: str, body: Sequence[str], readers: Readers) -> Function:
    header = _guarded(_header, row, readers)
    declared = header.declared
    blocks, instructions = read_body(body, declared.name, header.arguments, readers)
    location = header.location
    return Function(
        name=declared.name,
        convention=declared.convention,
        result=declared.result,
        arguments=header.arguments,
        attributes=declared.attributes,
        linkage=header.linkage,
        blocks=blocks,
        instructions=instructions,
        metadata=header.metadata,
        location=location,
        source_name=location.function if location and location.function else declared.name,
    )
