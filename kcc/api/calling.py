"""Keywords of Python as words of the command line, and failures as exceptions.

Options have one meaning and one reader: that of the command. So a keyword that the API has and a
word that stands in ``options`` are read by the same parser.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from os import PathLike, fspath
from typing import TypeAlias

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.cli import build_parser
from kcc.commands.errors import UsageError
from kcc.commands.sources import SourceLines

File: TypeAlias = str | PathLike[str]
Size: TypeAlias = int | str | Sequence[int | str]
"""An extent of a launch: a number or an expression, or one for each dimension."""
Values: TypeAlias = Mapping[str, object]
Names: TypeAlias = str | Iterable[str]


class Words:
    """Words of a command line, option by option."""

    def __init__(self, command: str, *files: File) -> None:
        self.words = [command, *(str(fspath(file)) for file in files)]
        self.trailing: list[str] = []

    def option(self, name: str, value: object | None) -> None:
        """An option with a value; none where the value is None."""
        if value is not None:
            self.words += [name, str(value)]

    def each(self, name: str, values: Names | None) -> None:
        """An option that may be repeated."""
        for value in [values] if isinstance(values, str) else values or ():
            self.words += [name, str(value)]

    def sizes(self, name: str, value: Size | None) -> None:
        """An extent in each dimension."""
        if value is not None:
            is_one = isinstance(value, int | str)
            self.option(name, str(value) if is_one else ",".join(map(str, value)))

    def values(self, name: str, values: Values | None, joined: bool = False) -> None:
        """NAME=VALUE for each; ``joined`` as -DNAME=VALUE."""
        for key, value in (values or {}).items():
            text = f"{key}={int(value) if isinstance(value, bool) else value}"
            self.words += [f"{name}{text}"] if joined else [name, text]

    def flag(self, name: str, *, on: bool) -> None:
        """An option without a value."""
        self.words += [name] if on else []

    def script(self, arguments: Sequence[str]) -> None:
        """What the script's own command line has."""
        self.trailing = [str(each) for each in arguments]

    def parsed(self, options: Sequence[str] = ()) -> argparse.Namespace:
        """As the command reads them; raises :class:`UsageError`."""
        trailing = ["--", *self.trailing] if self.trailing else []
        try:
            return build_parser().parse_args([*self.words, *options, *trailing])
        except SystemExit as end:  # --help and --version say what they say
            raise ValueError("--help and --version are for the command line") from end


class Called:
    """A call under way: lines of sources for messages, and what the command says besides."""

    def __init__(self) -> None:
        self.sources = SourceLines()
        self.said = io.StringIO()

    @property
    def messages(self) -> str:
        """Warnings, as the command prints them on standard error, and what a script printed."""
        return self.said.getvalue()


@contextmanager
def called() -> Generator[Called]:
    """Run a command's inside: bad usage and a script's failing exit become
    :class:`DiagnosticError`."""
    call = Called()
    try:
        with redirect_stderr(call.said):
            yield call
    except UsageError as error:
        raise DiagnosticError(error.diagnostics) from error
    except SystemExit as end:
        message = f"the script ended with exit code {end.code}"
        raise DiagnosticError([Diagnostic("K731", message)]) from end
