"""The body of one function in LLVM's text: lines to blocks of instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.frontend.ir.instructions import AnyInstruction, DebugLocation, Terminator
from kcc.frontend.ir.model import Argument, Block
from kcc.frontend.ir.reader.context import Context, Readers
from kcc.frontend.ir.reader.disjoint import with_disjoint
from kcc.frontend.ir.reader.instructions import read_instruction
from kcc.frontend.ir.reader.tokens import MALFORMED, Unreadable, plain_name, tokenize, unknown

_LABEL = re.compile(r'([-\w.$]+|"[^"]*"):')
_RESULT = re.compile(r'(%(?:[-\w.$]+|"[^"]*")) = ')

Body = tuple[tuple[Block, ...], tuple[AnyInstruction, ...]]


def read_body(
    lines: Sequence[str], name: str, arguments: Sequence[Argument], readers: Readers
) -> Body:
    """The blocks and the instructions that the lines between a function's braces stand for."""
    labels, bodies = _split(lines, sum(1 for a in arguments if a.name.isdecimal()))
    context = Context(readers, arguments, labels, _numbered(bodies))
    blocks = list[list[AnyInstruction]]()
    for context.block, texts in enumerate(bodies):
        blocks.append([])
        for text in texts:
            try:
                instruction = _read_line(context, text)
            except Unreadable as error:
                raise _diagnosed(error, text, name, context.location) from None
            except MALFORMED as error:
                reason = unknown(f"not understood: {error}")
                raise _diagnosed(reason, text, name, context.location) from error
            blocks[-1].append(instruction)
            context.index += 1
    flagged = with_disjoint([i for block in blocks for i in block])
    if flagged:
        blocks = [[flagged.get(i.index, i) for i in block] for block in blocks]
    return _linked(labels, blocks), tuple(i for block in blocks for i in block)


def _split(lines: Sequence[str], unnamed_arguments: int) -> tuple[list[str], list[list[str]]]:
    """Labels, and for each the lines of its instructions, one line each.

    An entry block without a label has the number after those of the unnamed arguments.
    """
    labels, bodies = list[str](), list[list[str]]()
    iterator = iter(lines)
    for line in iterator:
        line = line.strip()
        if not line or line[0] in ";#" or "@llvm.dbg." in line:
            continue
        if match := _LABEL.match(line):
            labels.append(plain_name(f"%{match[1]}"))
            bodies.append([])
            continue
        if not labels:
            labels.append(str(unnamed_arguments))
            bodies.append([])
        if line.endswith("["):
            line = _joined(line, iterator)
        bodies[-1].append(line)
    return labels, bodies


def _joined(line: str, following: Iterator[str]) -> str:
    """A switch, which LLVM prints one case a line, as one line."""
    parts = [line]
    for more in following:
        parts.append(more.strip())
        if parts[-1].startswith("]"):
            break
    return " ".join(parts)


def _numbered(bodies: Sequence[Sequence[str]]) -> dict[str, int]:
    """Which instruction defines which local value."""
    indices, count = dict[str, int](), 0
    for texts in bodies:
        for text in texts:
            if text[0] == "%" and (match := _RESULT.match(text)):
                indices[match[1]] = count
            count += 1
    return indices


def _read_line(context: Context, text: str) -> AnyInstruction:
    text, attached, attachments = text.partition(", !dbg !")
    tokens = tokenize(text)
    if attached:
        reference, *others = attachments.split(", ")
        context.location = context.readers.metadata.location(f"!{reference}")
        _take_attachments(context, others)
    else:
        context.location = None
        _take_attachments(context, _loose_attachments(tokens))
    result = ""
    if len(tokens) > 1 and tokens[-2] == "=":
        result = tokens.pop()
        tokens.pop()
    context.name = plain_name(result) if result else ""
    instruction = read_instruction(context, tokens)
    if tokens:
        raise unknown(f"'{tokens[-1]}' is not understood")
    context.define(instruction, result)
    return instruction


def _loose_attachments(tokens: list[str]) -> list[str]:
    """Take attachments (``, !tbaa !5``) off the end, which is the front of the list.

    LLVM prints ``!dbg`` first: so they stand alone only where there is none.
    """
    found, taken = list[str](), 0
    while len(tokens) > taken + 2 and tokens[taken + 2] == ",":
        if not tokens[taken + 1][0] == tokens[taken][0] == "!":
            break
        found.append(f"{tokens[taken + 1]} {tokens[taken]}")
        taken += 3
    del tokens[:taken]
    return found


def _take_attachments(context: Context, attachments: Sequence[str]) -> None:
    context.loop, context.nontemporal = None, False
    for attachment in attachments:
        kind, _, reference = attachment.partition(" ")
        if kind == "!llvm.loop":
            context.loop = context.readers.metadata.loop(reference)
        elif kind == "!nontemporal":
            context.nontemporal = True


def _diagnosed(
    error: Unreadable, text: str, function: str, location: DebugLocation | None
) -> DiagnosticError:
    span = Span(location.file, location.line, location.column) if location else None
    message = f"{error.reason}, in '{text}' of function '{function}'"
    return DiagnosticError([Diagnostic(error.code, message, span)])


def _end(label: str, block: Sequence[AnyInstruction]) -> Terminator:
    if not block or not isinstance(block[-1], Terminator):
        raise DiagnosticError([Diagnostic("K550", f"block '{label}' has no terminator")])
    return block[-1]


def _linked(labels: Sequence[str], blocks: Sequence[Sequence[AnyInstruction]]) -> tuple[Block, ...]:
    """The blocks with their edges."""
    ends = [_end(label, block) for label, block in zip(labels, blocks, strict=True)]
    successors = [tuple(dict.fromkeys(end.targets)) for end in ends]
    predecessors: list[list[int]] = [[] for _ in blocks]
    for index, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(index)
    return tuple(
        Block(i, labels[i], tuple(blocks[i]), ends[i], successors[i], tuple(predecessors[i]))
        for i in range(len(blocks))
    )
