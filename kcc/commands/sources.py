"""Reads sources from files and standard input, and finds their lines again for messages."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.commands.outputs import STANDARD
from kcc.frontend.options import SourceText

STANDARD_INPUT_NAME = "<stdin>"


def read_source(path: str) -> SourceText:
    """The source ``path``, or what stands on standard input for ``-``.

    Raises :class:`DiagnosticError`: K001 (cannot be read), K002 (not UTF-8), K003 (empty), K004
    (too large), K012 (another language, by its name), K775 (a capture).
    """
    from kcc.capture.log import is_capture
    from kcc.frontend import is_python_kernel, source_file
    from kcc.frontend.ptx.cache_folder import has_ptx, read_folder

    language = OTHER_LANGUAGES.get(Path(path).suffix)
    if language is not None and Path(path).is_file():
        message = f"kcc reads OpenCL C, CUDA, PTX and LLVM IR, and this is {language}"
        raise _bad("K012", message, Span(path, 0))
    if is_capture(path):
        hint = f"the estimates of its launches: kcc estimate {path} --gpu NAME"
        raise _bad("K775", f"'{path}' is a capture, not a source", hint=hint)
    if path == STANDARD:
        data = sys.stdin.buffer.read(source_file.MAX_SOURCE_BYTES + 1)
        text = source_file.decode_source(data, STANDARD_INPUT_NAME)
        source = SourceText(STANDARD_INPUT_NAME, text, ".")
    elif is_python_kernel(path):
        file = path.rpartition(":")[0]
        found = source_file.read_source(file)
        source = SourceText(path, found.text, found.folder)
    elif not Path(path).exists() and (near := _similar_file(Path(path))):
        message = f"cannot read '{path}': there is no such file"
        raise _bad("K001", message, hint=f"did you mean '{near}'?")
    elif has_ptx(path):
        source = read_folder(path)
    elif path.endswith(".bc"):
        source = _read_bitcode(path)
    else:
        source = source_file.read_source(path)
    if not source.text.strip():
        raise _bad("K003", "the source is empty", Span(source.name, 0))
    return source


OTHER_LANGUAGES = {
    ".spv": "SPIR-V",
}
"""By the suffix of a file's name."""


class SourceLines(Mapping[str, Sequence[str]]):
    """The lines of each file a message may point into: those added, else read when asked for."""

    def __init__(self) -> None:
        self._lines: dict[str, Sequence[str]] = {}

    def add(self, name: str, text: str) -> None:
        self._lines[name] = text.split("\n")

    def __getitem__(self, name: str) -> Sequence[str]:
        from kcc.frontend import source_file

        if name not in self._lines:
            try:
                self.add(name, source_file.read_source(name).text)
            except DiagnosticError:
                raise KeyError(name) from None
        return self._lines[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


def _read_bitcode(path: str) -> SourceText:
    """A module in bitcode as the text of the same module."""
    from kcc.frontend.clang.llvm_ir import text_of_bitcode

    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise _bad("K001", f"cannot read '{path}': {error.strerror}") from None
    return SourceText(path, text_of_bitcode(data, path), str(Path(path).parent))


def _similar_file(path: Path) -> Path | None:
    from difflib import get_close_matches

    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        return None
    near = get_close_matches(path.name, names, n=1)
    return path.parent / near[0] if near else None


def _bad(
    code: str, message: str, span: Span | None = None, hint: str | None = None
) -> DiagnosticError:
    return DiagnosticError([Diagnostic(code, message, span, hint=hint)])
