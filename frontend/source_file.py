"""Sources in memory: reading a file safely, and finding line and column of an offset.

:func:`read_source` is the only place of the front end that opens a file. A :class:`SourceFile` is
a text as the lexer sees it: backslash-newline splices are removed, and every offset can still be
resolved to the line and column of the text as it was written.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from bisect import bisect_right
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.records import dataclass
from kcc.frontend.options import SourceText

if TYPE_CHECKING:
    from kcc.frontend.preprocessor.lexer import Token

MAX_SOURCE_BYTES = 16 * 1024 * 1024
"""The largest source taken; real ones are smaller by three orders of magnitude."""

_SPLICE = re.compile(r"\\[ \t]*\n")
"""Translation phase 2 (C99 5.1.1.2); blanks before the line end are forgiven, as clang does."""

_COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
"""Comments, and the literals in which none begins. What a comment says in another encoding is of
no consequence."""

_LINE_END = re.compile(r"\r\n?")


def read_source(path: str | os.PathLike[str], *, name: str | None = None) -> SourceText:
    """The source at ``path``, called ``name`` (default: the path) in messages.

    Raises :class:`DiagnosticError`: K001 when it cannot be read or is no regular file, K002 when
    it is not UTF-8, K004 past :data:`MAX_SOURCE_BYTES`.
    """
    shown = os.fspath(path) if name is None else name
    return SourceText(shown, decode_source(_read_bytes(Path(path), shown), shown), _folder(path))


def decode_source(data: bytes, name: str) -> str:
    """Text of a source given as bytes: UTF-8 with or without a byte order mark; lines end in a
    single line feed afterwards. Bytes of comments and literals may be anything. Raises
    :class:`DiagnosticError` (K002, K004).
    """
    if len(data) > MAX_SOURCE_BYTES:
        raise _too_large(name)
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("latin-1")
        if not _COMMENTS.sub(" ", text).isascii():
            raise _not_utf8(name, data, error.start) from None
    return _LINE_END.sub("\n", text) if "\r" in text else text


def _folder(path: str | os.PathLike[str]) -> str:
    return os.path.dirname(os.fspath(path)) or "."  # noqa: PTH120 - keeps "./" as it was written


def _read_bytes(path: Path, shown: str) -> bytes:
    try:
        with open(path, "rb", opener=_open_without_waiting) as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                what = "a folder" if stat.S_ISDIR(mode) else "no regular file"
                raise DiagnosticError([Diagnostic("K001", f"cannot read '{shown}': it is {what}")])
            return file.read(MAX_SOURCE_BYTES + 1)
    except IsADirectoryError:
        message = f"cannot read '{shown}': it is a folder"
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        message = f"cannot read '{shown}': {reason}"
    raise DiagnosticError([Diagnostic("K001", message)])


def _open_without_waiting(path: str, flags: int) -> int:
    """A named pipe must not block: what is no regular file is refused after opening."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _too_large(name: str) -> DiagnosticError:
    limit = MAX_SOURCE_BYTES // (1024 * 1024)
    return DiagnosticError([Diagnostic("K004", f"'{name}' is larger than {limit} MiB")])


def _not_utf8(name: str, data: bytes, offset: int) -> DiagnosticError:
    line = data.count(b"\n", 0, offset) + 1
    start = data.rfind(b"\n", 0, offset) + 1
    column = len(data[start:offset].decode("utf-8")) + 1
    return DiagnosticError(
        [
            Diagnostic(
                "K002",
                f"byte 0x{data[offset]:02x} is not valid UTF-8",
                Span(name, line, column),
                hint="save the file as UTF-8",
            )
        ]
    )


@dataclass(slots=True, eq=False)
class SourceFile:
    """A text under the lexer: ``text`` without splices, ``lines`` as written."""

    name: str
    folder: str
    written: str
    included_from: Token | None = None
    """The ``#include`` that brought it in; None for the main source and the options."""
    depth: int = 0
    """How many ``#include`` stand between the main source and this text."""
    line_shift: int = 0
    """What ``#line`` has asked to add to the numbers that ``__LINE__`` gives."""
    text: str = field(init=False)
    _starts: list[int] = field(init=False, default_factory=list[int])
    _splices: list[tuple[int, int]] = field(init=False, default_factory=list[tuple[int, int]])

    def __post_init__(self) -> None:
        if "\r" in self.written:
            self.written = _LINE_END.sub("\n", self.written)
        self.text = self.written
        if "\\" in self.written and _SPLICE.search(self.written):
            self._remove_splices()

    def _remove_splices(self) -> None:
        pieces: list[str] = []
        position = removed = 0
        for match in _SPLICE.finditer(self.written):
            pieces.append(self.written[position : match.start()])
            position = match.end()
            removed += position - match.start()
            self._splices.append((position - removed, removed))
        pieces.append(self.written[position:])
        self.text = "".join(pieces)

    @property
    def lines(self) -> list[str]:
        """The text as written, line by line, without line ends."""
        return self.written.split("\n")

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of an offset into :attr:`text`."""
        if self._splices:
            index = bisect_right(self._splices, (offset, len(self.written)))
            offset += self._splices[index - 1][1] if index else 0
        if not self._starts:
            self._starts = [0, *(m.end() for m in re.finditer("\n", self.written))]
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
