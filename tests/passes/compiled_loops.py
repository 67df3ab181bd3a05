"""Small kernels by source, with their symbolic values and trip counts."""

from __future__ import annotations

from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.control.trip_counts import TripCount, TripCounts
from kcc.passes.facts import Facts
from kcc.passes.symbolic.ranges import Known
from kcc.passes.table import Setting, analyse

HEAD = "__kernel void k(__global int *a, __global const float *x, int n, uint m, float f) {\n"


def unit_of(body: str, level: OptLevel = OptLevel.O1) -> CompiledUnit:
    """A kernel with the arguments of :data:`HEAD`; the body begins in line 2."""
    source = body if "__kernel" in body else f"{HEAD}{body}\n}}\n"
    return compile_source(SourceText("k.cl", source, "."), BuildOptions(opt_level=level))


def facts_of(
    body: str, known: Known | None = None, level: OptLevel = OptLevel.O1, **setting: object
) -> Facts:
    """All facts about such a kernel."""
    unit = unit_of(body, level)
    given = Setting(known or Known(), **setting)  # type: ignore[arg-type]
    return analyse(unit.kernels[0], unit.module, setting=given)


def launch(n: int = 100, m: int = 7, f: float = 1.5, items: int = 64, group: int = 32) -> Known:
    """A launch in one dimension."""
    return Known((items,), (group,), {2: n, 3: m, 4: f})


def trips(
    body: str, known: Known | None = None, level: OptLevel = OptLevel.O1, **setting: object
) -> list[TripCount]:
    """The trip counts of such a kernel's loops."""
    return list(facts_of(body, known, level, **setting)[TripCounts].trips)
