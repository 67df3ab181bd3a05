"""How large a module becomes when every call is replaced by the function's body.

Everything is inlined (GPUs have no use for calls), and a tower of functions that each call the
next one twice doubles at every floor: that is refused before LLVM tries.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass

LARGEST_INSTRUCTIONS = 250_000
"""Of a kernel with everything inlined. The largest in five public suites of 169 sources has about
5,000."""

_FUNCTION = re.compile(r"^define [^@\n]*@([\w.$]+)\(.*?^\}", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"^ .*?\bcall [^@\n]*@([\w.$]+)\(", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Body:
    instructions: int
    calls: Counter[str] = field(default_factory=Counter[str])


def check_size(text: str) -> None:
    """Raise :class:`DiagnosticError` (K502) when a function would grow beyond all measure."""
    bodies = {
        match[1]: _Body(match[0].count("\n"), Counter(_CALL.findall(match[0])))
        for match in _FUNCTION.finditer(text)
    }
    sizes = dict[str, int]()
    for name in bodies:
        size = _size(name, bodies, sizes)
        if size > LARGEST_INSTRUCTIONS:
            message = (
                f"with every call inlined, '{name}' has some {size:,} instructions; "
                f"at most {LARGEST_INSTRUCTIONS:,} are handled"
            )
            raise DiagnosticError([Diagnostic("K502", message)])


def _size(name: str, bodies: dict[str, _Body], sizes: dict[str, int]) -> int:
    """Instructions with everything inlined; a call on the way to itself counts for nothing."""
    if name not in sizes:
        body = bodies[name]
        sizes[name] = 0
        below = sum(
            times * _size(callee, bodies, sizes)
            for callee, times in body.calls.items()
            if callee in bodies
        )
        sizes[name] = body.instructions + below
    return sizes[name]
