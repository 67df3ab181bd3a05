"""clang's messages as diagnostics of kcc."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kcc.base.diagnostics import Diagnostic, Note, Span
from kcc.frontend.clang.invoke import Message

_NOT_FOUND = re.compile(r"'([^']+)' file not found")


def as_span(message: Message) -> Span:
    """Where clang points."""
    return Span(message.file, message.line, message.column)


def missing_header(message: Message) -> str | None:
    """The header that an ``#include`` did not find."""
    match = _NOT_FOUND.search(message.text) if message.is_error else None
    return match[1] if match else None


def as_diagnostics(messages: Sequence[Message]) -> list[Diagnostic]:
    """The errors with the notes after them: K101 for a header that is not found, else K240."""
    found = list[tuple[Message, list[Note]]]()
    for message in messages:
        if message.is_error:
            found.append((message, []))
        elif message.severity == "note" and found:
            found[-1][1].append(Note(message.text, as_span(message)))
    return [
        Diagnostic("K101" if missing_header(m) else "K240", m.text, as_span(m), tuple(notes[:4]))
        for m, notes in found
        if "too many errors" not in m.text
    ]
