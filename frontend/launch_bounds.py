"""CUDA's and HIP's ``__launch_bounds__`` as metadata of kernels."""

from __future__ import annotations

import re
from collections.abc import Mapping

METADATA = "kcc_launch_bounds"
"""Of a kernel: the threads of its largest thread block, then the second bound where it has one:
thread blocks of an SM in CUDA, warps of a SIMD in HIP (CUDA C++ Programming Guide, "Launch Bounds";
HIP documentation, "__launch_bounds__")."""

_KERNEL = re.compile(rf"^define [^\n]*?@([\w.$]+)\([^\n]*!{METADATA} !(\d+)", re.MULTILINE)


def launch_bounds_in(text: str) -> Mapping[str, tuple[int, int]]:
    """The bounds of a module's kernels by symbol, the second 0 where there is none."""
    found = dict[str, tuple[int, int]]()
    for match in _KERNEL.finditer(text):
        node = re.search(rf"^!{match[2]} = !\{{(.*)\}}$", text, re.MULTILINE)
        values = [int(v) for v in re.findall(r"i\d+ (-?\d+)", node[1])] if node else []
        if values and values[0] > 0:
            found[match[1]] = values[0], max(values[1], 0) if len(values) > 1 else 0
    return found
