"""A .cu file for NVRTC, which knows no host: its headers and functions of the host taken out.

As for clang, what the compiler says is wrong decides: a declaration of the host with an error goes,
with its lines kept; errors in device code are the user's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from kcc.base.records import dataclass
from kcc.frontend.clang import host_code
from kcc.frontend.clang.host_code import Editable, Item, masked
from kcc.frontend.clang.host_headers import C_HEADERS, CPP_HEADERS, KNOWN
from kcc.frontend.clang.templates import function_templates, substituted

_PRELUDE = Path(__file__).with_name("headers") / "kcc-nvrtc.h"
_RANDOM = Path(host_code.__file__).parent / "headers" / "kcc-cuda-random.h"
_TRANSFORMS = """#pragma once
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;
"""
"""What cuFFT's header gives device code."""
_HOST_ONLY = (
    "exception.h helper_cuda.h helper_cuda_drvapi.h helper_functions.h helper_gl.h helper_image.h "
    "helper_multiprocess.h helper_string.h helper_timer.h multithreading.h nvrtc_helper.h "
    "rendercheck_gl.h"
)
"""Of the toolkit's samples: nothing in them is for device code."""
_NO_FILE = re.compile(r"(?:could not|cannot) open source file \"([^\"]+)\"")
_NAMES = "__nv_name_map"
"""Where NVRTC puts errors of instantiations that it is asked for."""
_NOT_TEMPLATE = re.compile(r"Input name expression was: \"(.*?)\"")
_C_NAMES = frozenset(f"{name}.h" for name in C_HEADERS.split())
_CPP_NAMES = frozenset(CPP_HEADERS.split())
_OF_TOOLKIT = "/nvidia/cuda_"
"""In the paths of the toolkit's own headers, which NVRTC reads as they are."""
_PARTS = {"algorithm": ("__algorithm/min.h", "__algorithm/max.h", "__utility/swap.h")}
"""What libcu++ has of a header that it does not have whole."""
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Error:
    """What NVRTC says of a place; lines and columns from 1."""

    file: str
    line: int
    column: int
    text: str


@dataclass(slots=True)
class Cut:
    """A source on its way through NVRTC. ``folders`` are those that includes are looked for in."""

    name: str
    text: str
    folders: Sequence[str]
    asked: Sequence[str] = ()
    templates: list[str] = field(default_factory=list[str])
    """Instantiations that the source names and ``asked``."""
    files: dict[str, Editable] = field(default_factory=dict[str, Editable])
    """The source and the user's headers, by the names that NVRTC knows them by."""
    paths: dict[str, str] = field(default_factory=dict[str, str])
    """Where those headers are."""
    stubs: dict[str, str] = field(default_factory=dict[str, str])
    """What stands for headers of the host."""

    def __post_init__(self) -> None:
        plain = masked(self.text)
        found = substituted(plain, function_templates(plain))
        self.templates = list(dict.fromkeys([*self.asked, *found]))
        self.stubs = dict.fromkeys(_HOST_ONLY.split(), "")
        names = {n for n in KNOWN if not self._found(n)} | _C_NAMES | _CPP_NAMES
        self.stubs |= {name: self._stand_in(name) for name in names}
        self.stubs["kcc-nvrtc.h"] = _PRELUDE.read_text(encoding="utf-8")
        self.files[self.name] = Editable(self.text)
        self._collect(self.text, "")

    def _stand_in(self, name: str) -> str:
        if name.startswith("curand"):
            return "#define __KCC_D static inline __device__\n" + _RANDOM.read_text("utf-8")
        if name.startswith("cufft"):
            return _TRANSFORMS
        if name not in _C_NAMES | _CPP_NAMES:
            return ""
        parts = _PARTS.get(name, (name,))
        wanted = [f"cuda/std/{part}" for part in parts if self._found(f"cuda/std/{part}")]
        lines = ['#include "kcc-nvrtc.h"', *(f"#include <{each}>" for each in wanted)]
        return "\n".join([*lines, ""])

    def _found(self, name: str, *nearer: str) -> str | None:
        paths = (Path(folder, name) for folder in (*nearer, *self.folders))
        return next((str(path) for path in paths if path.is_file()), None)

    def _collect(self, text: str, folder: str) -> None:
        """The user's headers that a text includes, and what those include."""
        for name in _INCLUDE.findall(text):
            path = self._found(name, *([folder] if folder else []))
            if name in self.stubs or name in self.paths or path is None or _OF_TOOLKIT in path:
                continue
            known = next((n for n, p in self.paths.items() if p == path), None)
            if known is not None:  # twice by other names: once for #pragma once
                self.stubs[name] = f'#include "{known}"\n'
                continue
            inner = Path(path).read_text(encoding="utf-8", errors="replace")
            self.paths[name], self.files[name] = path, Editable(inner)
            self._collect(inner, str(Path(path).parent))

    @property
    def main(self) -> str:
        """The source as it is now."""
        return self.files[self.name].text

    @property
    def headers(self) -> dict[str, str]:
        """The headers by the names that includes have."""
        own = {name: f.text for name, f in self.files.items() if name != self.name}
        return {**self.stubs, **own}

    def repair(self, errors: Sequence[Error], log: str) -> bool:
        """Take out what the errors are about where it is the host's, and instantiations that
        cannot be and that nobody asked for; whether anything went."""
        before = self._state()
        for error in errors:
            missing = _NO_FILE.search(error.text)
            if missing is not None:
                self.stubs.setdefault(missing[1], "")
            elif error.file in self.files:
                _take_out(self.files[error.file], error)
            elif _OF_TOOLKIT in error.file:
                self._take_out_header(error.file.rpartition("/include/")[2])
        is_else_right = all(error.file == _NAMES for error in errors)
        wrong = {_packed(m[1]) for m in _NOT_TEMPLATE.finditer(log) if is_else_right}
        self.templates = [t for t in self.templates if t in self.asked or _packed(t) not in wrong]
        return self._state() != before

    def _take_out_header(self, name: str) -> None:
        """A header of the toolkit that is none for device code; Thrust as a whole."""
        names = (n for f in self.files.values() for n in _INCLUDE.findall(f.text))
        is_thrust = name.startswith("thrust/")
        wrong = [n for n in names if n.startswith("thrust/")] if is_thrust else [name]
        for each in wrong:
            self.stubs.setdefault(each, "")

    def _state(self) -> tuple[object, ...]:
        texts = tuple(f.text for f in self.files.values())
        return texts, len(self.stubs), len(self.templates)


def _take_out(editable: Editable, error: Error) -> None:
    item = editable.item_at(error.line, error.column)
    if item is None or (item.is_device and item.body is None and not _is_record(item)):
        return
    if item.body is None and editable.hide_member(item, error.line, error.column):
        return
    if item.is_device:
        return
    where, before = editable.offset(error.line, error.column), editable.text
    if item.body and item.body[0] <= where <= item.body[1]:
        editable.hide_body(item)
    if editable.text == before:
        editable.hide(item)


def _packed(text: str) -> str:
    return re.sub(r"\s", "", text)


def _is_record(item: Item) -> bool:
    return re.search(r"\b(?:struct|class|union)\b", item.head) is not None
