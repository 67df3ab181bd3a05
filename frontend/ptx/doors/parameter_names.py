"""Kernel parameters by the names of the CUDA source: NVRTC's PTX numbers them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcc.frontend.clang.host_code import masked
from kcc.frontend.ptx.reading.module import source_name

_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(([^()]*)\)")
_PARAMETER = re.compile(r"\.param\b[^,]*?([\w$]+_param_\d+)\b")
_LAST_WORD = re.compile(r"([A-Za-z_]\w*)\s*\)?\s*(?:\[[^\]]*\]\s*)*$")
_CLOSING = {"(": ")", "<": ">", "[": "]", "{": "}"}


def with_source_names(ptx: str, source: str) -> str:
    """The PTX with the names of the source for those kernels of which the source has a definition
    with as many parameters, and no two such with other names."""
    plain, before = masked(source), ptx
    for symbol, listed in _ENTRY.findall(ptx):
        numbered = _PARAMETER.findall(listed)
        names = set(_definitions(plain, source_name(symbol), len(numbered)))
        if len(names) != 1:
            continue
        for old, new in zip(numbered, names.pop(), strict=True):
            if not re.search(rf"(?<![\w$.%]){new}(?![\w$])", before):
                ptx = re.sub(rf"(?<![\w$]){re.escape(old)}(?![\w$])", new, ptx)
    return ptx


def _definitions(plain: str, kernel: str, count: int) -> Iterator[tuple[str, ...]]:
    """The names of parameters wherever the source has a kernel of this name with so many."""
    for match in re.finditer(rf"\b{re.escape(kernel)}\s*\(", plain):
        parts = list(_parts(plain, match.end()))
        words = [_LAST_WORD.search(part.partition("=")[0].rstrip()) for part in parts]
        names = tuple(word[1] for word in words if word)
        typed = all(len(part.split()) > 1 or "*" in part for part in parts)
        if typed and len(names) == len(parts) == count == len(set(names)):
            yield names


def _parts(plain: str, start: int) -> Iterator[str]:
    """What commas part up to the parenthesis that closes."""
    depth, begin = list[str](), start
    for at in range(start, len(plain)):
        letter = plain[at]
        if depth and letter == depth[-1]:
            depth.pop()
        elif letter in _CLOSING:
            depth.append(_CLOSING[letter])
        elif not depth and letter in ",)":
            if plain[begin:at].strip():
                yield plain[begin:at]
            begin = at + 1
            if letter == ")":
                return
