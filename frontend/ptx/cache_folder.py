"""A folder of PTX files as one source: Triton's cache, which is also what torch.compile leaves.

Each specialisation of a kernel lies in a folder of its own, ``NAME.ptx`` with what Triton knows of
it in ``NAME.json``: from there comes the size of shared memory. Kernels of one name get a number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.frontend.options import SourceText
from kcc.frontend.source_file import MAX_SOURCE_BYTES, read_source

_HEAD = re.compile(r"^\s*\.(?:version|target|address_size)\b[^\n]*$", re.MULTILINE)
_SECTION = re.compile(r"^\s*\.section\s+\.debug\w*\s*\{.*?^\s*\}", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"\.entry\s+([\w$]+)")
_FILE = re.compile(r"^(\s*\.file\s+)(\d+)", re.MULTILINE)
_LOC = re.compile(r"^(\s*\.loc\s+)(\d+)", re.MULTILINE)
_AROUND = re.compile(r"(inlined_at\s+)(\d+)")
_SHARED = re.compile(r"\.extern (\.shared [^\n]*?)\b([\w$]+)\[\];")
_FILES_EACH = 1000
"""Numbers of ``.file`` that each module has for itself."""


def has_ptx(folder: str) -> bool:
    """Whether a path is a folder with PTX below it."""
    return Path(folder).is_dir() and next(_files(Path(folder)), None) is not None


def read_folder(folder: str) -> SourceText:
    """The PTX below a folder as one text. Raises :class:`DiagnosticError`: K004 where it is too
    much, and what reading a file raises."""
    parts, names = list[str](), dict[str, int]()
    for number, path in enumerate(_files(Path(folder))):
        text = read_source(path).text
        for entry in dict.fromkeys(_ENTRY.findall(text)):
            names[entry] = names.get(entry, 0) + 1
            if names[entry] > 1:
                own = re.compile(rf"(?<![\w$]){re.escape(entry)}(?![\w$])")
                text = own.sub(f"{entry}_{names[entry]}", text)
        head = "" if number else "\n".join(m[0] for m in _HEAD.finditer(text)) + "\n"
        parts.append(head + _module(text, number, _shared_bytes(path)))
    whole = "\n".join(parts)
    if len(whole) > MAX_SOURCE_BYTES:
        limit = MAX_SOURCE_BYTES >> 20
        raise DiagnosticError([Diagnostic("K004", f"'{folder}' is larger than {limit} MiB")])
    return SourceText(f"{folder}/*.ptx", whole, folder)


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted(p for p in folder.rglob("*.ptx") if p.is_file())


def _module(text: str, number: int, shared: int) -> str:
    """A module with names of its own for its shared memory and its source files."""
    text = _SECTION.sub("", _HEAD.sub("", text))
    first = number * _FILES_EACH
    for rule in (_FILE, _LOC, _AROUND):
        text = rule.sub(lambda m: f"{m[1]}{int(m[2]) + first}", text)
    for name in dict.fromkeys(m[2] for m in _SHARED.finditer(text)):
        text = re.sub(rf"\b{re.escape(name)}\b", f"{name}_{number}", text)
    if shared:
        text = _SHARED.sub(rf"\1\2[{shared}];", text)
    return text


def _shared_bytes(path: Path) -> int:
    """Triton's size of shared memory; 0 where nobody says it."""
    try:
        found: Any = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0
    size: Any = cast("dict[str, Any]", found).get("shared") if isinstance(found, dict) else None
    return size if isinstance(size, int) and size > 0 else 0
