"""PTX text in tokens (PTX ISA, "Lexical elements"): one regular expression, one pass."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import field
from typing import NamedTuple

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.records import dataclass

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"", re.DOTALL)
_TOKEN = re.compile(
    r"(?P<string>\"[^\"\n]*\")"
    r"|(?P<loc>\.loc[ \t][^\n]*)"
    r"|(?P<name>[%$A-Za-z_][\w$]*(?:(?:\.|::)[\w$]+)*)"
    r"|(?P<directive>\.[A-Za-z_][\w$]*(?:::[\w$]+)*)"
    r"|(?P<number>0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?"
    r"|\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+U?)"
    r"|(?P<mark>[{}()\[\]<>,;:@!|=+\-*/%&^~?])"
    r"|(?P<space>\s+)"
    r"|(?P<wrong>.)",
    re.DOTALL,
)

_ASSEMBLY = {"// begin inline asm": ".begin_asm", "// end inline asm": ".end_asm"}
"""Comments of LLVM's: between them its lines are those of the text of the assembly."""


class Token(NamedTuple):
    """``kind`` is string, loc, name, directive, number, mark or end."""

    kind: str
    text: str
    at: int


@dataclass(slots=True)
class Places:
    """From offsets in a text to lines and columns, both from 1."""

    file: str
    text: str
    _starts: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        self._starts = [0, *(m.end() for m in re.finditer("\n", self.text))]

    def span(self, at: int) -> Span:
        line = bisect_right(self._starts, at)
        return Span(self.file, line, at - self._starts[line - 1] + 1)


def tokens_of(places: Places) -> list[Token]:
    """All tokens and one of kind ``end``; raises :class:`DiagnosticError` (K430) for a character
    that begins none."""
    text = _COMMENT.sub(_blank, places.text)
    found = list[Token]()
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "wrong"
        if kind == "space":
            continue
        if kind == "wrong":
            raise syntax_error(places, match.start(), f"{match[0]!r} has no place in PTX")
        found.append(Token(kind, match[0], match.start()))
    found.append(Token("end", "the end of the file", len(text)))
    return found


def _blank(match: re.Match[str]) -> str:
    text = match[0]
    if text in _ASSEMBLY:
        return _ASSEMBLY[text].ljust(len(text))
    return text if text[0] == '"' else re.sub(r"[^\n]", " ", text)


def syntax_error(places: Places, at: int, message: str) -> DiagnosticError:
    """What is no PTX, at an offset."""
    return DiagnosticError([Diagnostic("K430", message, places.span(at))])
