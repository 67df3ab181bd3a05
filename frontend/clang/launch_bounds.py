"""CUDA's ``__launch_bounds__``, which clang writes for its own targets only: as an annotation of
the kernel, made metadata of it here."""

from __future__ import annotations

import re

from kcc.frontend.launch_bounds import METADATA

_ANNOTATIONS = re.compile(r"^@llvm\.global\.annotations = .*\n", re.MULTILINE)
_PART = re.compile(
    r"^@([\w.$]+) = private unnamed_addr [^\n]*section \"llvm\.metadata\".*\n", re.MULTILINE
)
_ENTRY = re.compile(
    r"\{ ptr addrspace\(1\) (?:addrspacecast \()?(?:ptr )?@(\"[^\"]+\"|[\w.$]+)"
    r"(?: to ptr addrspace\(1\)\))?, ptr addrspace\(1\) @([\w.$]+), ptr addrspace\(1\) @[\w.$]+, "
    r"i32 \d+, ptr addrspace\(1\) @([\w.$]+) \}"
)
_NUMBER = re.compile(r"(?<=[{,] )i\d+ (-?\d+)")


def with_launch_bounds(text: str) -> str:
    """The module with the bounds of kernels as metadata, and without annotations."""
    table = _ANNOTATIONS.search(text)
    if table is None:
        return text
    parts = {match[1]: match[0] for match in _PART.finditer(text)}
    bounds = {
        symbol: _NUMBER.findall(parts.get(numbers, ""))[:2]
        for symbol, name, numbers in _ENTRY.findall(table[0])
        if '"kcc.launch_bounds' in parts.get(name, "")
    }
    text = _PART.sub("", _ANNOTATIONS.sub("", text))
    number = 1 + max((int(m) for m in re.findall(r"^!(\d+) = ", text, re.MULTILINE)), default=-1)
    for symbol, values in bounds.items():
        head = re.compile(rf"^(define [^\n]*@{re.escape(symbol)}\([^\n]*?)( \{{)$", re.MULTILINE)
        text = head.sub(rf"\1 !{METADATA} !{number}\2", text)
        text += f"\n!{number} = !{{{', '.join(f'i32 {value}' for value in values)}}}\n"
        number += 1
    return text
