"""How far the accesses to an array reach: where memory decides the place, as far as the numbers in
its address go (an index of eight bits, `hash & 1023`), and no farther than a variable of the module
is large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kcc.frontend.ir.types import size_bytes
from kcc.passes.access.patterns import AccessStudy
from kcc.passes.memory.arrays import Array
from kcc.passes.memory.memory_accesses import MemoryAccess

LARGEST_ARRAY = 1 << 32
"""Bytes that an array has less than: what reaches farther says nothing."""


def reach_of(study: AccessStudy, access: MemoryAccess) -> tuple[int, int] | None:
    """The first byte after the beginning of its array that an access can come to, and the end; None
    where its numbers say nothing of that."""
    if not isinstance(access.element_bytes, int):
        return None
    low, high = study.algebra.interval(study.address(access))
    end = high + access.element_bytes
    return None if end - low >= LARGEST_ARRAY else (low, end)


def array_sizes(
    study: AccessStudy, accesses: Sequence[MemoryAccess], names: frozenset[str]
) -> Mapping[str, int]:
    """The bytes of those arrays, out of ``names``, to which no access reaches farther than is
    known."""
    variables = study.values.module.globals
    found = dict[str, int]()
    for name in names:
        own = [a for a in accesses if isinstance(a.array, Array) and a.array.name == name]
        symbols = {a.array.symbol for a in own if isinstance(a.array, Array)}
        if len(symbols) == 1 and (symbol := str(*symbols)) in variables:
            found[name] = size_bytes(variables[symbol].type)
            continue
        reached = [reach_of(study, each) for each in own]
        ends = [each for each in reached if each is not None]
        if ends and len(ends) == len(reached):
            found[name] = max(end for _, end in ends) - min(low for low, _ in ends)
    return {name: size for name, size in found.items() if size > 0}
