"""The numbers of an access pattern, from the addresses of warps. Import this lazily: it needs
numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.frontend.types import AddressSpace
from kcc.passes.access.warp_addresses import OBJECT_DISTANCE, Shifts, WarpRows
from kcc.passes.graph.loops import Loop
from kcc.passes.memory.access_facts import AccessKind, AccessPattern, MemoryShape, Spread
from kcc.passes.memory.warp_cost import Ints, Mask, bank_passes, pieces_touched
from kcc.passes.symbolic.expr import Expr, SymbolKind
from kcc.passes.symbolic.reasons import reason_for
from kcc.passes.symbolic.text import text

if TYPE_CHECKING:
    from kcc.passes.access.patterns import Iterations, Split
    from kcc.passes.access.warp_addresses import Warps

WORD_BYTES = 4
"""What private memory of the lanes of a warp is interleaved by (CUDA C++ Programming Guide, "Local
Memory")."""

MAX_PRODUCTS = 1 << 16
"""Rows times shifts that are counted at a time."""

MAX_COUNTED = 1 << 20
"""Rows times shifts that are counted at all."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lanes of a warp lie to each other; see :class:`AccessPattern`."""

    kind: AccessKind
    stride: int | None = None
    run_lanes: int | None = None
    run_stride: int | None = None


@dataclass(frozen=True, slots=True)
class Costs:
    """By row and shift: what one execution costs. What does not count for the address space is
    None."""

    sectors: Ints | None
    lines: Ints | None
    passes: Ints | None
    degree: Ints | None


@dataclass(frozen=True, slots=True)
class Place:
    """An access in its launch: ``address`` is relative to the object it is in."""

    address: Expr
    size: int
    space: AddressSpace
    shape: MemoryShape
    loops: tuple[Loop, ...]


def costs(rows: Ints, active: Mask | None, shifts: Ints, place: Place) -> Costs:
    """The costs of rows moved by each of some shifts: arrays of shape (rows, shifts)."""
    n, lanes = rows.shape
    size, shape = place.size, place.shape
    step = max(MAX_PRODUCTS // len(shifts), 1)
    columns: list[list[Ints]] = [[], []]
    for start in range(0, n, step):
        part = rows[start : start + step]
        moved = (part[:, None, :] + shifts[None, :, None]).reshape(-1, lanes)
        mask = None
        if active is not None:
            mask = np.repeat(active[start : start + step], len(shifts), axis=0)
        if place.space is AddressSpace.LOCAL:
            found = bank_passes(moved, size, mask, banks=shape.banks, bank_bytes=shape.bank_bytes)
        else:
            found = (
                pieces_touched(moved, size, shape.sector_bytes, mask),
                pieces_touched(moved, size, shape.line_bytes, mask),
            )
        for column, values in zip(columns, found, strict=True):
            column.append(values.reshape(-1, len(shifts)))
    first, second = (np.concatenate(column) for column in columns)
    if place.space is AddressSpace.LOCAL:
        return Costs(None, None, first, second)
    return Costs(first, second, None, None)


def spread(values: Ints, rows: Ints, shifts: Shifts) -> Spread:
    """A number over all executions: ``values`` by row and shift, ``rows`` the rows' weights."""
    least, greatest = int(values.min()), int(values.max())
    if least == greatest:
        return Spread(float(least), least, greatest)
    if shifts.weights is None:
        return Spread(None, least, greatest)
    often = np.array(shifts.weights, np.float64)
    weights = rows[:, None].astype(np.float64) * often[None, :]
    return Spread(float((values * weights).sum() / weights.sum()), least, greatest)


def layout_of(rows: Ints, size: int) -> Layout:
    """How lanes lie to each other in all of some rows."""
    if rows.shape[1] == 1:
        return Layout(AccessKind.UNIFORM, 0)
    steps = np.diff(rows, axis=1)
    inside = steps[:, 0]
    if (steps == inside[:, None]).all():
        stride = _common(inside)
        kind = AccessKind.STRIDED
        if stride == 0:
            kind = AccessKind.UNIFORM
        elif stride == size:
            kind = AccessKind.CONTIGUOUS
        return Layout(kind, stride)
    return _runs(rows, steps)


def _runs(rows: Ints, steps: Ints) -> Layout:
    """Runs of one length, the longest that fits all rows, that have a distance in common."""
    lanes = rows.shape[1]
    length = lanes // 2
    while length >= 2:
        if lanes % length == 0:
            borders: Ints = np.arange(length - 1, lanes - 1, length, dtype=np.int64)
            own = np.delete(steps, borders, axis=1)
            if (own == own[:, :1]).all():
                stride = _common(own[:, 0])
                jumps = rows[:, length::length] - rows[:, :-length:length]
                return Layout(AccessKind.ROW_CHUNK, stride, length, _common(jumps.reshape(-1)))
        length //= 2
    return Layout(AccessKind.UNKNOWN)


def _common(values: NDArray[np.int64]) -> int | None:
    """The distance that all have; None for one between two objects, whose places are made up."""
    first = int(values[0])
    return first if abs(first) < OBJECT_DISTANCE // 2 and (values == first).all() else None


def measured(
    pattern: AccessPattern, place: Place, warps: Warps, split: Split, iterations: Iterations,
    relocate: Callable[[Ints], Ints] | None = None,
) -> AccessPattern:  # fmt: skip
    """The pattern with everything that its addresses say, moved by ``relocate`` if that is
    given."""
    period = place.shape.period
    rows = warps.rows(split.core, iterations.mask, split.linear, period=period, relocate=relocate)
    if rows is None:
        reason = "an address cannot be computed for every lane"
        return replace(pattern, kind=AccessKind.UNKNOWN, reason=reason)
    if not len(rows.addresses):
        return replace(pattern, reason="no work-item of this launch comes here")
    layout = layout_of(rows.addresses, place.size)
    found = replace(
        pattern,
        kind=layout.kind,
        stride_bytes=layout.stride,
        run_lanes=layout.run_lanes,
        run_stride_bytes=layout.run_stride,
        full_warps=warps.full_only,
        sampled=rows.sampled,
        reason="the distance between lanes differs" if layout.kind is AccessKind.UNKNOWN else "",
    )
    if place.space is AddressSpace.PRIVATE:
        return _with_private_costs(found, place, rows, warps.known.warp)
    shifts = shifts_of(warps, split, iterations, period)
    if len(rows.addresses) * len(shifts.values) > MAX_COUNTED:
        return replace(found, reason="too many different warps to count")
    fixed = warps.moving([split.core]) - set(split.linear)
    doubtful = {(SymbolKind.COUNTER, loop) for loop in iterations.doubtful}
    counted = _counted(found, place, rows, shifts, certain=not fixed & doubtful)
    return replace(counted, reason=counted.reason or _why_not(counted, warps, split, iterations))


def _with_private_costs(
    pattern: AccessPattern, place: Place, rows: WarpRows, warp: int
) -> AccessPattern:
    """Private memory lies word by word: the same word of all lanes of a warp side by side (CUDA C++
    Programming Guide, "Local Memory"). A shift of all lanes by whole words changes nothing."""
    n, width = rows.addresses.shape
    lanes = np.arange(width, dtype=np.int64) * WORD_BYTES
    sectors, lines = np.zeros((n, 1), np.int64), np.zeros((n, 1), np.int64)
    for word in range(max(-(-place.size // WORD_BYTES), 1)):
        placed = (rows.addresses // WORD_BYTES + word) * (warp * WORD_BYTES) + lanes
        for found, granule in (
            (sectors, place.shape.sector_bytes),
            (lines, place.shape.line_bytes),
        ):
            found[:, 0] += pieces_touched(placed, WORD_BYTES, granule, rows.active)
    once = Shifts(np.zeros(1, np.int64), (1,))
    unclear = rows.sampled or rows.missing
    return replace(
        pattern,
        sectors=spread(sectors, rows.weights, once),
        lines=spread(lines, rows.weights, once),
        exact=not unclear,
        sampled=unclear,
    )


def _why_not(pattern: AccessPattern, warps: Warps, split: Split, iterations: Iterations) -> str:
    """What keeps a pattern from being exact."""
    if pattern.exact:
        return ""
    if pattern.sampled:
        return "too many thread blocks and iterations differ: some of them were looked at"
    values = warps.values
    if split.loose:
        term = split.loose[0][0]
        unclear = reason_for(values, term) or f"depends on {text(values, term, 60)}"
        return f"where the warp begins {unclear}"
    if iterations.doubtful:
        return "how many iterations there are is not known"
    return "how many thread blocks and iterations there are is not known"


def shifts_of(warps: Warps, split: Split, iterations: Iterations, period: int) -> Shifts:
    """The shifts that the terms outside the core make; of loops whose iterations are not known for
    sure, those of any iteration."""
    free = period
    for _, coefficient in split.loose:
        free = np.gcd(free, coefficient)
    certain = dict(split.linear)
    for key, coefficient in split.linear.items():
        if key[0] is SymbolKind.COUNTER and key[1] in iterations.doubtful:
            free = np.gcd(free, coefficient)
            del certain[key]
    return warps.shifts(certain, int(free), period)


def _counted(
    pattern: AccessPattern, place: Place, rows: WarpRows, shifts: Shifts, *, certain: bool
) -> AccessPattern:
    """The pattern with its costs."""
    if not certain:
        shifts = replace(shifts, weights=None)
    cost = costs(rows.addresses, rows.active, shifts.values, place)
    spreads = [
        None if column is None else spread(column, rows.weights, shifts)
        for column in (cost.sectors, cost.lines, cost.passes)
    ]
    known = all(each is None or each.mean is not None for each in spreads)
    unclear = rows.sampled or rows.missing
    return replace(
        pattern,
        sectors=spreads[0],
        lines=spreads[1],
        bank_passes=spreads[2],
        bank_degree=None if cost.degree is None else int(cost.degree.max()),
        exact=known and not unclear,
        sampled=unclear,
    )
