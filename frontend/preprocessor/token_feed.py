"""Preprocessing tokens to the list the parser reads.

Numbers, words and signs get the parser's token types. Pragmas and ``__attribute__`` are taken out
and kept under the index of the token they stand before, so that they may stand anywhere without
being part of the grammar; the parser picks up those that belong to what it is building.
"""

from __future__ import annotations

from dataclasses import field

from kcc.base.diagnostics import DiagnosticError, DiagnosticSink
from kcc.base.records import dataclass
from kcc.frontend.keywords import ATTRIBUTE, KEYWORDS, PUNCTUATORS
from kcc.frontend.preprocessor.lexer import (
    CHARACTER,
    IDENTIFIER,
    NO_SPACE,
    NUMBER,
    PRAGMA,
    PUNCTUATOR,
    STRAY,
    STRING,
    PragmaToken,
    Token,
    report_at,
)
from kcc.frontend.preprocessor.literals import classify_character, classify_number, classify_string

MAX_BRACKETS = 256
"""How deep brackets nest; clang's default, and each level costs the parser some stack."""


@dataclass(frozen=True, slots=True)
class RawAttribute:
    """One attribute as written: its name and the tokens of its arguments, split at commas."""

    name: Token
    arguments: tuple[tuple[Token, ...], ...]


@dataclass(slots=True)
class TokenFeed:
    """What the parser reads. ``attributes`` and ``pragmas`` are keyed by the index in ``tokens``
    of the token they stand before. ``constants``: C type of every number and character.
    """

    tokens: list[Token] = field(default_factory=list[Token])
    attributes: dict[int, list[RawAttribute]] = field(default_factory=dict[int, list[RawAttribute]])
    pragmas: dict[int, list[PragmaToken]] = field(default_factory=dict[int, list[PragmaToken]])
    constants: dict[str, str] = field(default_factory=dict[str, str])


_CLASSIFY = {
    NUMBER: classify_number,
    CHARACTER: classify_character,
    STRING: classify_string,
}


def feed(raw: list[Token], sink: DiagnosticSink) -> TokenFeed:
    """Classify tokens; faults go to ``sink`` and a stand-in token goes on.

    Raises :class:`DiagnosticError` (K006) when brackets nest deeper than :data:`MAX_BRACKETS`.
    """
    feeder = _Feeder(raw, sink)
    feeder.run()
    _check_brackets(feeder.result.tokens, sink)
    return feeder.result


class _Feeder:
    def __init__(self, raw: list[Token], sink: DiagnosticSink) -> None:
        self._raw = raw
        self._sink = sink
        self._index = 0
        self._kinds: dict[str, str] = {}
        """Token type of every literal met, by its text."""
        self.result = TokenFeed()

    def run(self) -> None:
        raw, end, tokens = self._raw, len(self._raw), self.result.tokens
        while self._index < end:
            token = raw[self._index]
            self._index += 1
            kind = token.type
            if kind == IDENTIFIER:
                token.type = KEYWORDS.get(token.value, IDENTIFIER)
                if token.type == ATTRIBUTE:
                    self._take_attributes(token)
                    continue
            elif kind == PRAGMA:
                assert isinstance(token, PragmaToken)
                self.result.pragmas.setdefault(len(tokens), []).append(token)
                continue
            elif kind == STRAY:
                self._skip_stray(token)
                continue
            elif not self._classify(token):
                continue
            tokens.append(token)

    def _classify(self, token: Token) -> bool:
        """Give a literal or sign the parser's type; False when it has none."""
        if token.type == PUNCTUATOR:
            token.type = PUNCTUATORS.get(token.value, STRAY)
            if token.type == STRAY:
                self._report_stray(token)
            return token.type != STRAY
        kind = self._kinds.get(token.value)
        if kind is None:
            literal = _CLASSIFY[token.type](token.value)
            if literal.fault:
                self._report("K203" if token.type == NUMBER else "K202", literal.fault, token)
            elif literal.remark:
                self._report("K204", literal.remark, token)
            self.result.constants[token.value] = literal.type
            self._kinds[token.value] = kind = literal.kind
        token.type = kind
        return True

    def _report(self, code: str, message: str, token: Token, hint: str | None = None) -> None:
        report_at(self._sink, token, code, message, hint=hint)

    def _skip_stray(self, token: Token) -> None:
        """Report a stray token; a lone quote swallows the rest of its line."""
        raw = self._raw
        if token.value not in ("'", '"'):
            self._report_stray(token)
            while self._index < len(raw) and raw[self._index].type == STRAY:
                if raw[self._index].before != NO_SPACE:
                    break
                self._index += 1
            return
        what = "string" if token.value == '"' else "character constant"
        self._report("K202", f"this {what} has no closing {token.value} on its line", token)
        line = token.file.place(token.offset)[0]
        while self._index < len(raw):
            following = raw[self._index]
            if (
                following.file is not token.file
                or following.file.place(following.offset)[0] != line
            ):
                break
            self._index += 1

    def _report_stray(self, token: Token) -> None:
        shown = token.value if token.value.isprintable() else f"U+{ord(token.value[0]):04X}"
        hint = None
        if token.value == "#":
            hint = "a directive must be the first thing on its line"
        elif token.value == "\\":
            hint = "a backslash continues a line only when it is the last character of it"
        self._report("K201", f"'{shown}' does not belong here", token, hint)

    def _take_attributes(self, keyword: Token) -> None:
        """Read ``((name(arguments), ...))`` after the keyword."""
        raw, start = self._raw, self._index
        close = _closing(raw, start)
        inner = _closing(raw, start + 1)
        self._index = start if close is None else close + 1
        if close is None or inner is None or inner + 1 != close:
            self._report("K220", "an attribute is written __attribute__((name))", keyword)
            return
        place = self.result.attributes.setdefault(len(self.result.tokens), [])
        for part in _split(raw[start + 2 : inner]):
            if part:
                attribute = self._attribute(part)
                if attribute is not None:
                    place.append(attribute)

    def _attribute(self, part: list[Token]) -> RawAttribute | None:
        name, rest = part[0], part[1:]
        closed = len(rest) >= 2 and rest[0].value == "(" and _closing(rest, 0) == len(rest) - 1
        if name.type != IDENTIFIER or (rest and not closed):
            message = "an attribute is a name, or a name with arguments in parentheses"
            self._report("K220", message, name)
            return None
        arguments = _split(rest[1:-1]) if rest[2:] else []
        return RawAttribute(name, tuple(self._argument(tokens) for tokens in arguments))

    def _argument(self, tokens: list[Token]) -> tuple[Token, ...]:
        for token in tokens:
            if token.type == IDENTIFIER:
                token.type = KEYWORDS.get(token.value, IDENTIFIER)
        return tuple(t for t in tokens if t.type not in _LITERALS or self._classify(t))


def _closing(tokens: list[Token], index: int) -> int | None:
    """The index of the ``)`` that matches the ``(`` at ``index``; None when there is none."""
    if index >= len(tokens) or tokens[index].value != "(":
        return None
    depth = 0
    for position in range(index, len(tokens)):
        value = tokens[position].value
        if value == "(":
            depth += 1
        elif value == ")":
            depth -= 1
            if not depth:
                return position
        elif value in (";", "{", "}"):
            return None
    return None


def _split(tokens: list[Token]) -> list[list[Token]]:
    """Pieces between commas outside of parentheses."""
    pieces: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.value == "," and not depth:
            pieces.append([])
            continue
        depth += (token.value == "(") - (token.value == ")")
        pieces[-1].append(token)
    return pieces


def _check_brackets(tokens: list[Token], sink: DiagnosticSink) -> None:
    depth = 0
    for token in tokens:
        kind = token.type
        if kind in _OPENING:
            depth += 1
            if depth > MAX_BRACKETS:
                raise too_deep(token, sink, MAX_BRACKETS)
        elif kind in _CLOSING and depth:
            depth -= 1


def too_deep(token: Token, sink: DiagnosticSink, limit: int) -> DiagnosticError:
    """Report K006; the exception to raise."""
    message = f"the source is nested too deeply: more than {limit} levels here"
    report_at(sink, token, "K006", message)
    return DiagnosticError(sink.diagnostics)


_LITERALS = frozenset({NUMBER, CHARACTER, STRING, PUNCTUATOR})
_OPENING = frozenset({"LPAREN", "LBRACKET", "LBRACE"})
_CLOSING = frozenset({"RPAREN", "RBRACKET", "RBRACE"})
