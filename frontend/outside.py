"""Messages about files that a source includes from outside the folders that were given.

A source from somebody else may include any file of the machine: what stands in it is no matter of
messages.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from kcc.base.diagnostics import Diagnostic, Span
from kcc.frontend.options import BuildOptions, SourceText

HINT = "name its folder with -I FOLDER to see what is wrong there"


def hide_outside(
    diagnostics: Iterable[Diagnostic], source: SourceText, options: BuildOptions
) -> tuple[Diagnostic, ...]:
    """The same, without text of files that lie neither in the source's folder nor in one of -I or
    -include, nor below one of them."""
    given = [source.folder, *options.include_dirs, *map(os.path.dirname, options.forced_includes)]
    folders = [os.path.realpath(folder or ".") for folder in given]

    def outside(span: Span | None) -> bool:
        if span is None or span.file in ("", source.name) or span.file[0] == "<":
            return False
        path = os.path.realpath(span.file)
        return os.path.isfile(path) and not any(  # noqa: PTH113 - as the folders above
            os.path.commonpath([folder, path]) == folder for folder in folders
        )

    def hidden(found: Diagnostic) -> Diagnostic:
        notes = tuple(note for note in found.notes if not outside(note.span))
        if not outside(found.span):
            return replace(found, notes=notes)
        assert found.span is not None
        message = f"line {found.span.line} is wrong" if found.span.line else "is wrong"
        message += ", in a file that lies outside of the folders given"
        return Diagnostic(found.code, message, Span(found.span.file, 0), notes, HINT)

    return tuple(dict.fromkeys(map(hidden, diagnostics)))
