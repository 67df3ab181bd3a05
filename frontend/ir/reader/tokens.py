"""Tokens of LLVM's text, names and strings, and the exception of every K55x message.

Parsers take their tokens from the end of a reversed list: ``tokens.pop()`` is the next one,
``tokens[-1]`` looks ahead.
"""

from __future__ import annotations

import re

TOKEN = re.compile(
    r'[%@!$](?:[-\w.$]+|"[^"]*")?'
    r"|ptr addrspace\(\d+\)"
    r"|<\d+ x \w+(?: addrspace\(\d+\))?>"
    r"|\[\d+ x \w+(?: addrspace\(\d+\))?\]"
    r'|c"[^"]*"'
    r'|"[^"]*"'
    r"|-?\w[\w.]*(?:[+-]\d+)?"
    r"|\.\.\."
    r"|#[-\w]+"
    r"|;.*"
    r"|[^\s]"
)
"""A type that most operands have is one token (``<4 x float>``, ``ptr addrspace(1)``)."""

_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2}|\\)")


class Unreadable(Exception):
    """Something the reader does not know; the caller knows where it stands."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


MALFORMED = (IndexError, KeyError, ValueError, RecursionError)
"""What parsers run into where the text is not what LLVM prints."""


def unknown(reason: str) -> Unreadable:
    """A construct that no rule of the reader covers."""
    return Unreadable("K550", reason)


def tokenize(text: str) -> list[str]:
    """The tokens of one line, last first, comments dropped."""
    tokens = TOKEN.findall(text)
    if ";" in text:
        tokens = [t for t in tokens if t[0] != ";"]
    tokens.reverse()
    return tokens


def expect(tokens: list[str], token: str) -> None:
    """Take the next token, which has to be ``token``."""
    found = tokens.pop()
    if found != token:
        raise unknown(f"'{token}' expected before '{found}'")


def accept(tokens: list[str], token: str) -> bool:
    """Take the next token if it is ``token``."""
    if tokens and tokens[-1] == token:
        tokens.pop()
        return True
    return False


def unescaped(quoted: str) -> bytes:
    """The bytes that LLVM's string, given without its quotes, stands for."""
    raw = quoted.encode()
    if b"\\" not in raw:
        return raw
    return _ESCAPE.sub(lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1], 16)]), raw)


def plain_string(quoted: str) -> str:
    """A string token (``"..."``) as text."""
    return unescaped(quoted[1:-1]).decode("utf-8", "surrogateescape")


def plain_name(token: str) -> str:
    """A name token (``%x``, ``@"a b"``) without sigil and quotes."""
    return plain_string(token[1:]) if token[1:2] == '"' else token[1:]
