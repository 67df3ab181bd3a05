"""The files of Accel-Sim's traces: lists of kernels, and kernel files as they are or compressed by
xz, gzip or Zstandard."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, cast

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span

COPIES = "Memcpy"
"""What commands of a list begin with that the tracer itself writes."""

_LIBRARIES: dict[str, Callable[[IO[bytes]], Any]] = {".xz": lzma.open, ".gz": gzip.open}

PACKED = (*_LIBRARIES, ".zst")
"""What names of compressed files end in."""

Warn = Callable[[Diagnostic], None]


def no_warning(_: Diagnostic) -> None:
    """Says nothing."""


def read_list(path: Path, warn: Warn = no_warning) -> list[Path]:
    """The kernel files of a list. Copies and lines that begin with '#' are passed over in silence,
    other commands with K878. Raises K001 and K873."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise cannot_read(path, error) from error
    found, skipped = list[Path](), dict[str, int]()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith(("#", COPIES)):
            continue
        if text.startswith("kernel") and "\0" not in text:
            found.append(_kernel_file(path, number, text))
            continue
        command, comma, _ = text.partition(",")
        if not comma or not command.isidentifier():
            raise wrong(path, number, "neither a command nor the name of a kernel's file")
        skipped[command] = skipped.get(command, 0) + 1
    if skipped:
        names = ", ".join(f"{name} ({count:,})" for name, count in sorted(skipped.items()))
        warn(Diagnostic("K878", f"{path}: commands that are passed over: {names}"))
    return found


def _kernel_file(path: Path, number: int, name: str) -> Path:
    """A file of a list, or what it became when it was compressed."""
    if name.endswith((".trace", *(f".trace{end}" for end in PACKED))):
        message = (
            f"{name} is as the tracer wrote it; Accel-Sim's post-processing makes .traceg of it"
        )
        raise wrong(path, number, message)
    file = path.parent / name
    if not file.exists():
        beside = (file.with_name(file.name + end) for end in PACKED)
        return next((each for each in beside if each.is_file()), file)
    return file


@contextmanager
def opened(path: Path) -> Generator[IO[bytes]]:
    """A kernel's file, which may be compressed. Raises K001, and K897 for one of Zstandard where
    its library is not there."""
    broken: tuple[type[Exception], ...] = (
        OSError, lzma.LZMAError, zlib.error, EOFError, ValueError,
    )  # fmt: skip
    unpack: Callable[[IO[bytes]], Any] = nullcontext
    if path.suffix == ".zst":
        library = _zstandard(path)
        broken, unpack = (*broken, library.ZstdError), library.ZstdDecompressor().stream_reader
    elif path.suffix in _LIBRARIES:
        unpack = _LIBRARIES[path.suffix]
    try:
        with path.open("rb") as packed, unpack(packed) as file:
            yield file if path.suffix != ".zst" else cast("IO[bytes]", BufferedReader(file))
    except broken as error:
        raise cannot_read(path, error) from error


def _zstandard(path: Path) -> Any:
    try:
        return import_module("zstandard")
    except ImportError as error:
        message = f"'{path}' is compressed by Zstandard, whose library is not there"
        hint = "kcc's extra `zstd` has it: pip install zstandard"
        raise DiagnosticError([Diagnostic("K897", message, hint=hint)]) from error


def cannot_read(path: Path, error: Exception) -> DiagnosticError:
    """K001."""
    message = f"cannot read '{path}': {getattr(error, 'strerror', None) or error}"
    return DiagnosticError([Diagnostic("K001", message)])


def wrong(path: Path, line: int, message: str) -> DiagnosticError:
    """K873."""
    return DiagnosticError([Diagnostic("K873", message, Span(str(path), line))])
