"""The processor that compiled code is for: the host's own, or a level of x86-64 that it has.

``$KCC_TARGET_CPU`` chooses a level, so that what one processor computes can be compared with what
another would. The environment is read here, since all processes that share compiled code must
compile alike.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

import llvmlite.binding as llvm

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass

VARIABLE = "KCC_TARGET_CPU"

_V2 = ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")
_V4 = (*_V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")
LEVELS = {"x86-64": (), "x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4}
"""What each level has beyond the one without a number, in LLVM's names (System V ABI for AMD64,
version 1.0, section 3.1.1)."""


@dataclass(frozen=True, slots=True)
class HostCpu:
    """A processor by LLVM's name, with the extensions that code for it may use."""

    name: str
    features: dict[str, bool]

    def has(self, feature: str) -> bool:
        return self.features.get(feature, False)

    def without_avx512(self) -> HostCpu:
        """The same processor, of which code uses vectors of 256 bits at most."""
        wide = ("avx512", "avx10", "evex512")
        features = {name: on and not name.startswith(wide) for name, on in self.features.items()}
        name = "x86-64-v3" if self.name == "x86-64-v4" else self.name
        return HostCpu(name, features | {"avx512f": False})

    def flattened(self) -> str:
        """LLVM's feature string, in one order."""
        return ",".join(f"{'+' if on else '-'}{name}" for name, on in sorted(self.features.items()))


_narrow = ContextVar("narrow", default=False)


@contextmanager
def without_avx512() -> Generator[None]:
    """What is written and compiled inside uses vectors of 256 bits at most."""
    token = _narrow.set(True)
    try:
        yield
    finally:
        _narrow.reset(token)


def host_cpu() -> HostCpu:
    """What code is compiled for now."""
    return _cpu(narrow=_narrow.get())


@cache
def _cpu(*, narrow: bool) -> HostCpu:
    """The chosen processor. Raises DiagnosticError, K737, if ``$KCC_TARGET_CPU`` names no
    level, or one that the host lacks."""
    chosen = chosen_cpu(os.environ.get(VARIABLE, ""), own_cpu())
    return chosen.without_avx512() if narrow else chosen


def own_cpu() -> HostCpu:
    """The host's, without half-precision arithmetic: LLVM 22 makes a saturating conversion to 16
    bits of its conversion, which gives the least integer for a NaN instead of zero."""
    features = dict[str, bool](llvm.get_host_cpu_features())
    features["avx512fp16"] = False
    return HostCpu(llvm.get_host_cpu_name(), features)


def levels_of(own: HostCpu) -> list[str]:
    """The levels that a processor has; none if it is not an x86-64."""
    if not own.has("sse2"):
        return []
    return [name for name, features in LEVELS.items() if all(own.has(f) for f in features)]


def chosen_cpu(level: str, own: HostCpu) -> HostCpu:
    """The processor itself for an empty level, else what has that level's extensions alone."""
    if not level:
        return own
    there = levels_of(own)
    if level not in there:
        message = f"{VARIABLE}: '{level}' is not a level of x86-64 that this processor has"
        hint = f"it has {', '.join(there)}" if there else "it is not an x86-64; unset the variable"
        raise DiagnosticError([Diagnostic("K737", message, hint=hint)])
    return HostCpu(level, dict.fromkeys(LEVELS[level], True))
