"""What an access does over a whole launch: its executions, footprint and reuse. Import this lazily:
it needs numpy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kcc.passes.access.activity import Activity
from kcc.passes.access.distinct import unique_values
from kcc.passes.access.measure import MAX_COUNTED, Place, costs
from kcc.passes.access.warp_addresses import WarpRows, Warps
from kcc.passes.graph.loops import Loop
from kcc.passes.memory.access_facts import Executions, Footprint, LoopReuse, Reuse
from kcc.passes.memory.warp_cost import Ints, pieces_touched
from kcc.passes.symbolic.affine import Key, affine
from kcc.passes.symbolic.expr import Node, Number, SymbolKind
from kcc.passes.symbolic.reasons import needs_a_run, reason_for
from kcc.passes.unknown import Unknown

if TYPE_CHECKING:
    from kcc.passes.access.patterns import Split

_GLOBAL, _GROUP, _LOCAL = SymbolKind.GLOBAL_ID, SymbolKind.GROUP_ID, SymbolKind.LOCAL_ID


def executions(place: Place, warps: Warps, split: Split, active: Activity) -> Executions | None:
    """All executions; None if it would take too long to look at all work-items that the condition
    tells apart. ``split`` keeps what the condition depends on in its core."""
    if active.never:
        return Executions(0, 0, 0, 0, 0)
    if split.loose:
        return None
    period = place.shape.period
    mask = None if isinstance(active.condition, Number) else active.condition
    rows = warps.rows(split.core, mask, split.linear, whole=False, every_lane=False, period=period)
    if rows is None or rows.sampled or rows.missing:
        return None
    shifts = warps.shifts(split.linear, period, period)
    if shifts.weights is None or len(rows.weights) * len(shifts.values) > MAX_COUNTED:
        return None
    if not len(rows.weights):
        return Executions(0, 0, 0, 0, 0)
    fixed = warps.moving([split.core] if mask is None else [split.core, mask])
    often = _repeated(warps, fixed | set(split.linear), place.loops)
    if often is None:
        return None
    cost = costs(rows.addresses, rows.active, shifts.values, place)

    def total(values: Ints | None) -> int:
        if values is None:
            return 0
        by_shift = (values * rows.weights[:, None]).sum(axis=0)
        assert shifts.weights is not None
        return often * sum(int(v) * w for v, w in zip(by_shift, shifts.weights, strict=True))

    lanes = rows.active
    width = np.full(len(rows.weights), rows.addresses.shape[1], np.int64)
    counted = width if lanes is None else np.count_nonzero(lanes, axis=1).astype(np.int64)
    moves = often * sum(shifts.weights)
    return Executions(
        count=int(rows.weights.sum()) * moves,
        lanes=int((rows.weights * counted).sum()) * moves,
        sectors=total(cost.sectors),
        lines=total(cost.lines),
        bank_passes=total(cost.passes),
    )


def _repeated(warps: Warps, told_apart: set[Key], loops: tuple[Loop, ...]) -> int | None:
    """For how many thread blocks and iterations the addresses are the same."""
    often = 1
    keys: list[Key] = [(_GROUP, dimension) for dimension in range(3)]
    keys += [(SymbolKind.COUNTER, loop.id) for loop in loops]
    for key in keys:
        if key not in told_apart:
            extent = warps.extent(key)
            if extent is None:
                return None
            often *= extent
    return often


# footprint


def footprint(place: Place, warps: Warps, active: Activity | None) -> Footprint:
    """What a launch touches: from all addresses if they are not too many, else from the form of
    the address."""
    values = warps.values
    if active is not None and active.never:
        return Footprint(0, 0, exact=True)
    if needs_a_run(values, place.address):
        return Footprint(None, None, exact=False, reason=reason_for(values, place.address))
    if warps.unknown(place.address) and not _is_local(warps, place.address):
        return Footprint(None, None, exact=False, reason="depends on the launch and its arguments")
    mask = None if active is None else active.condition
    if isinstance(mask, Number):
        mask = None
    if active is None or not warps.unknown(active.condition):
        rows = warps.rows(place.address, mask, whole=False, every_lane=False)
        if rows is not None and not rows.sampled and not rows.missing:
            reason = "" if active is not None else "guards that memory decides are left out"
            return _touched(rows, place, reason)
    guarded = active is None or mask is not None
    found = _spanned(place, warps)
    if isinstance(found, Unknown):
        low, high = values.algebra.interval(place.address)
        if high - low >= 1 << 40:
            return Footprint(None, None, exact=False, reason=found.reason)
        return Footprint(high - low + place.size, None, exact=False, reason=found.reason)
    if guarded:
        return replace(found, exact=False, reason="guards are left out")
    return found


def _is_local(warps: Warps, node: Node) -> bool:
    return all(kind in (_LOCAL, SymbolKind.LANE) for kind, _ in warps.needs(node))


def _touched(rows: WarpRows, place: Place, reason: str) -> Footprint:
    """Distinct bytes and lines among addresses; exact if there is no ``reason`` why not."""
    addresses = rows.addresses if rows.active is None else rows.addresses[rows.active]
    starts: Ints = unique_values(addresses)
    if not len(starts):
        return Footprint(0, 0, exact=not reason, reason=reason)
    gaps = np.append(np.diff(starts), place.size)
    lines = pieces_touched(starts[None, :], place.size, place.shape.line_bytes, None)
    size = int(np.minimum(gaps, place.size).sum())
    return Footprint(size, int(lines[0]), exact=not reason, reason=reason)


def _spanned(place: Place, warps: Warps) -> Footprint | Unknown:
    """Distinct bytes of an affine address, its variables taken one after another by ascending
    coefficient: each either lays pieces side by side, or fills gaps."""
    form = affine(warps.values.algebra, place.address)
    if form is None or form.symbolic or not isinstance(form.rest, Number):
        return Unknown("the address is no sum of ids and counters times numbers")
    extents = _extents(form.coefficients, warps)
    if extents is None:
        return Unknown("how many thread blocks and iterations there are is not known")
    low = form.rest.value + sum(c * (n - 1) for c, n in extents if c < 0)
    span, touched = place.size, place.size
    for step, count in sorted((abs(c), n) for c, n in extents if c and n > 1):
        reach = step * (count - 1) + span
        if step >= span:
            touched *= count
        elif touched == span:
            touched = reach
        else:
            return Footprint(
                min(touched * count, reach), None, exact=False, reason="pieces overlap"
            )
        span = reach
    if touched == span:
        line = place.shape.line_bytes
        return Footprint(touched, (low + span - 1) // line - low // line + 1, exact=True)
    return Footprint(touched, None, exact=True)


def _extents(coefficients: Mapping[Key, int], warps: Warps) -> list[tuple[int, int]] | None:
    """Coefficient and number of values of each independent variable."""
    parts = dict[Key, int]()

    def add(key: Key, coefficient: int) -> None:
        parts[key] = parts.get(key, 0) + coefficient

    for (kind, index), coefficient in coefficients.items():
        assert isinstance(index, int)
        if kind is _GLOBAL:
            add((_LOCAL, index), coefficient)
            add((_GROUP, index), coefficient * warps.local[index])
        elif kind is SymbolKind.LANE:
            return None
        else:
            add((kind, index), coefficient)
    found = list[tuple[int, int]]()
    for key, coefficient in parts.items():
        kind, index = key
        assert isinstance(index, int)
        extent = warps.local[index] if kind is _LOCAL else warps.extent(key)
        if extent is None:
            return None
        found.append((coefficient, extent))
    return found


# reuse


def warps_per_line(place: Place, warps: Warps, split: Split) -> float | None:
    """How many warps of a thread block come to the same line, in the mean over its lines."""
    if split.loose:
        return None
    found = warps.first_block(split.core)
    if found is None:
        return None
    line = place.shape.line_bytes
    own = int(pieces_touched(found, place.size, line, None).sum())
    together = int(pieces_touched(found.reshape(1, -1), place.size, line, None)[0])
    return own / together


def loop_reuse(place: Place, warps: Warps, split: Split) -> tuple[LoopReuse, ...]:
    """Reuse between the iterations of each loop around an access, innermost first."""
    found = list[LoopReuse]()
    for loop in place.loops:
        key: Key = (SymbolKind.COUNTER, loop.id)
        stride = split.linear.get(key, 0)
        parts = [split.core, *(node for node, _ in split.loose)]
        moves = key in warps.moving(parts) or any(warps.values.varies(p, loop.id) for p in parts)
        if moves and key not in split.linear:
            found.append(LoopReuse(loop.id, Reuse.UNKNOWN, None, None))
        elif stride == 0:
            found.append(LoopReuse(loop.id, Reuse.SAME, 0, warps.extent(key)))
        elif abs(stride) < place.shape.line_bytes:
            iterations = math.ceil(place.shape.line_bytes / abs(stride))
            found.append(LoopReuse(loop.id, Reuse.LINE, stride, iterations))
        else:
            found.append(LoopReuse(loop.id, Reuse.NONE, stride, 1))
    return tuple(found)
