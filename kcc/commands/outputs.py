"""What a command writes: files all or nothing, one product at most on standard output.

Files are first written in full beside their targets, then all are renamed: a failure before that
leaves every target as it was.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.commands.errors import usage_error

STANDARD = "-"
"""The name of standard output (and of standard input) on the command line."""


@dataclass(frozen=True, slots=True)
class Output:
    """A product: ``target`` is a file, or :data:`STANDARD`; a picture has ``pixels`` for text, what
    can be longer than memory ``pieces`` behind it."""

    target: str
    text: str
    pixels: bytes | None = None
    pieces: Iterable[str] = ()

    @property
    def data(self) -> Iterator[bytes]:
        """What the file holds, piece by piece."""
        if self.pixels is not None:
            yield self.pixels
            return
        for piece in chain([self.text], self.pieces):
            yield piece.encode("utf-8", "replace")


def check_targets(targets: Sequence[str], source: str) -> None:
    """Refuse what can only go wrong: two products in one place, or one over the source."""
    for index, target in enumerate(targets):
        if target in targets[:index]:
            place = "standard output" if target == STANDARD else f"'{target}'"
            raise usage_error(f"two outputs go to {place}")
        if STANDARD not in (target, source) and _same_file(target, source):
            raise usage_error(f"the output '{target}' would overwrite the source")


def write_outputs(outputs: Sequence[Output]) -> None:
    """Write all of them or none; raises :class:`DiagnosticError` (K008) when a file cannot be."""
    staged: list[_Staged] = []
    streams = [output for output in outputs if _is_stream(output.target)]
    try:
        for output in (o for o in outputs if o not in streams):
            staged.append(_stage(output))  # noqa: PERF401 - each is removed if a later one fails
        for file in staged:
            _rename(file)
    finally:
        for file in staged:
            file.temporary.unlink(missing_ok=True)
    for output in streams:
        _write_stream(output)


def write_standard(text: str) -> None:
    """Write to standard output; characters its encoding lacks become question marks.

    Raises :class:`DiagnosticError` (K008) where it takes no more, BrokenPipeError where its reader
    has gone.
    """
    encoding = sys.stdout.encoding or "utf-8"
    with _to_standard():
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def flush_standard() -> None:
    """What was written to standard output has reached it; raises like :func:`write_standard`."""
    with _to_standard():
        sys.stdout.flush()


def abandon_standard() -> None:
    """Let the interpreter's last flush of standard output go nowhere: it takes no more."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass


@contextmanager
def _to_standard() -> Generator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_standard()
        raise cannot_write("standard output", error) from error


@dataclass(frozen=True, slots=True)
class _Staged:
    """A product in full in ``temporary``, beside ``target``, which the user calls ``name``."""

    temporary: Path
    target: Path
    name: str


def _is_stream(target: str) -> bool:
    """Standard output, a device or a pipe: nothing that could be renamed over."""
    path = Path(target)
    return target == STANDARD or (path.exists() and not path.is_file() and not path.is_dir())


def _write_stream(output: Output) -> None:
    if output.target == STANDARD:
        for piece in chain([output.text], output.pieces):
            write_standard(piece)
        return
    try:
        with Path(output.target).open("wb") as file:
            file.writelines(output.data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _cannot_write(output.target, error) from error


def _stage(output: Output) -> _Staged:
    try:
        target = Path(output.target).resolve()  # a link stays a link
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666
        temporary = target.with_name(f".{target.name[:200]}.{os.urandom(4).hex()}.tmp")
        _write_new(temporary, output.data, mode)
    except OSError as error:
        raise _cannot_write(output.target, error) from error
    return _Staged(temporary, target, output.target)


def _rename(file: _Staged) -> None:
    try:
        file.temporary.replace(file.target)
    except OSError as error:
        raise _cannot_write(file.name, error) from error


def _write_new(path: Path, data: Iterable[bytes], mode: int) -> None:
    """Create ``path``, which must not exist, and remove it again if it cannot be filled."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(data)
    except BaseException:  # an interrupt while it is written, too
        path.unlink(missing_ok=True)
        raise


def _cannot_write(name: str, error: OSError) -> DiagnosticError:
    return cannot_write(f"'{name}'", error)


def cannot_write(what: str, error: OSError) -> DiagnosticError:
    """K008: ``what`` (as it stands in the message) cannot be written."""
    return DiagnosticError([Diagnostic("K008", f"cannot write {what}: {reason_of(error)}")])


def reason_of(error: OSError) -> str:
    """What the system says of a failure."""
    return error.strerror or str(error)


def _same_file(first: str, second: str) -> bool:
    try:
        return Path(first).samefile(second)
    except OSError:
        return False
