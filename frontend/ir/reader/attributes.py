"""Attributes in LLVM's text: of parameters, of functions and calls, and their groups."""

from __future__ import annotations

from kcc.frontend.ir.instructions import NO_ATTRIBUTES, ParameterAttributes
from kcc.frontend.ir.reader.constants import VALUE_WORDS
from kcc.frontend.ir.reader.tokens import accept, expect
from kcc.frontend.ir.reader.types import TypeReader


class AttributeReader:
    """Reads attributes; ``groups`` maps ``#0`` to what ``attributes #0 = { ... }`` lists."""

    def __init__(self, types: TypeReader) -> None:
        self._types = types
        self.groups: dict[str, frozenset[str]] = {}
        self._parameters: dict[tuple[str, ...], ParameterAttributes] = {}

    def add_group(self, tokens: list[str]) -> None:
        """Take in ``#0 = { ... }``."""
        name, words = tokens.pop(), list[str]()
        expect(tokens, "=")
        expect(tokens, "{")
        while not accept(tokens, "}"):
            words.append(self.word(tokens))
        self.groups[name] = frozenset(words)

    def parameter(self, tokens: list[str]) -> ParameterAttributes:
        """The attributes between a parameter's type and its value (or name, or end)."""
        if not tokens or not _begins(tokens[-1]):
            return NO_ATTRIBUTES
        words, byval, alignment = list[str](), None, None
        while tokens and _begins(token := tokens[-1]):
            if token == "byval":
                byval = self._types.read(tokens[:-2])
            word = self.word(tokens)
            if word.startswith("align "):
                alignment = int(word[6:])
            words.append(word)
        key = tuple(words)
        found = self._parameters.get(key)
        if found is None:
            found = ParameterAttributes(frozenset(words), byval, alignment)
            self._parameters[key] = found
        return found

    def function(self, tokens: list[str]) -> frozenset[str]:
        """The attributes after a parameter list, groups resolved, up to what is none."""
        attributes = frozenset[str]()
        while tokens and (tokens[-1][0].isalpha() or tokens[-1][0] in '#"'):
            if tokens[-1][0] == "#":
                attributes |= self.groups.get(tokens.pop(), frozenset())
            else:
                attributes |= {self.word(tokens)}
        return attributes

    def word(self, tokens: list[str]) -> str:
        """One attribute with its arguments: ``align 4``, ``memory(none)``, ``"a"="b"``."""
        word = tokens.pop()
        following = tokens[-1] if tokens else ""
        if following == "=":
            tokens.pop()
            return f"{word}={tokens.pop()}"
        if word in ("align", "section", "gc", "partition") and following != "(":
            return f"{word} {tokens.pop()}"
        return word + _parenthesised(tokens) if following == "(" else word


def _begins(token: str) -> bool:
    """Whether an attribute can begin with the token (and no value can)."""
    return (token[0].isalpha() or token[0] == '"') and token not in VALUE_WORDS


def _parenthesised(tokens: list[str]) -> str:
    """A balanced list of arguments, spaced as LLVM does."""
    text, depth = "", 0
    while True:
        token = tokens.pop()
        depth += {"(": 1, ")": -1}.get(token, 0)
        text += " " + token if text[-1:] not in ("(", "") and token not in "(),:" else token
        if depth == 0:
            return text
