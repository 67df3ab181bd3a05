"""Finding the file an ``#include`` names: the text between its delimiters, then the search path."""

from __future__ import annotations

import os
from collections.abc import Sequence

from kcc.base.records import dataclass
from kcc.frontend.preprocessor.lexer import STRING, Token


@dataclass(frozen=True, slots=True)
class Header:
    """What an ``#include`` asks for; a quoted one is first looked for beside the includer."""

    name: str
    quoted: bool

    def __str__(self) -> str:
        return f'"{self.name}"' if self.quoted else f"<{self.name}>"


def parse_header(tokens: Sequence[Token]) -> tuple[Header, Sequence[Token]] | None:
    """The header named by a directive's tokens and what follows it; None when malformed."""
    if not tokens:
        return None
    first = tokens[0]
    if first.type == STRING and first.value.startswith('"'):
        header = Header(first.value[1:-1], quoted=True)
        return (header, tokens[1:]) if header.name else None
    if first.value != "<":
        return None
    close = next((i for i, token in enumerate(tokens) if token.value == ">"), 0)
    if not close:
        return None
    name = "".join((" " if t.before else "") + t.value for t in tokens[1:close]).strip()
    return (Header(name, quoted=False), tokens[close + 1 :]) if name else None


def search_folders(header: Header, folder: str, include_dirs: Sequence[str]) -> list[str]:
    """Where the header is looked for, in order; ``folder`` is the including file's."""
    return [*([folder] if header.quoted else []), *include_dirs]


def find_header(header: Header, folders: Sequence[str]) -> str | None:
    """The path of the first match; None when there is none."""
    if os.path.isabs(header.name):  # noqa: PTH117 - as written
        folders = [""]
    for folder in folders:
        path = os.path.normpath(os.path.join(folder, header.name))  # noqa: PTH118 - as written
        if os.path.exists(path):  # noqa: PTH110 - Path.exists raises on a NUL byte
            return path
    return None
