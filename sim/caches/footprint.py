"""Which accesses miss which cache, from the addresses of the thread blocks that run together.

An address is one that is computed for the first thread block, plus a coefficient for each number of
a thread block and for each iteration. The sectors that all accesses to an array touch in a window
(a few iterations, the thread blocks resident on one SM for L1, those of all SMs for L2) are
enumerated: what is touched twice in the window hits, if the window's footprint fits the cache.
What a window's thread blocks leave in caches serves the next ones if both together fit.

Reuse distance theory (Wang et al., section III-B.3) asks how much is touched between two uses; here
the answer is the footprint of the window that holds both.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from kcc.base.records import dataclass
from kcc.passes.access.distinct import unique_values
from kcc.passes.facts import Facts
from kcc.passes.graph.loops import Loops
from kcc.sim.caches.overflow import missing_share
from kcc.sim.caches.row_traversals import traversed_bytes
from kcc.sim.caches.streams import LINE, SECTOR, Ints, Stream
from kcc.sim.flow.launch_flow import Flow

INNER_WINDOW = 8
"""Iterations of the innermost loop in a window: enough for elements of 4 bytes to fill a sector."""
OUTER_WINDOW = 2
MOST_ADDRESSES = 1 << 18
UNKNOWN_L1_MISSES = 0.7
"""Share of the sectors of an access through an index that memory holds which miss L1."""
UNKNOWN_L2_MISSES = 0.5
"""The same of DRAM, at most: by how much of the data L2 can hold."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """Per execution of an access: sectors, lines, sectors that miss L1, and those that go to DRAM.
    ``passes`` are those of the load/store port: through the banks of shared memory, or, for global
    memory, of an L1 that looks up one line after another. ``bank_passes`` are those of global
    memory through the banks of an L1 that is one with shared memory."""

    sectors: float
    lines: float
    l2_sectors: float
    dram_sectors: float
    passes: float
    known: bool
    bank_passes: float = 1.0
    misaligned: float = 0.0
    """Of shared memory: the share of executions whose lanes touch more sectors than their bytes
    fill, since they do not begin with one."""
    pending: float = 0.0
    """Of the sectors that miss L1, those that L2 is still waiting for, since another SM has asked
    DRAM for them just before: the thread blocks of a launch go through the same data together, and
    who is behind only a little catches up with the first."""


@dataclass(frozen=True, slots=True)
class CacheShape:
    """What the analysis asks of a GPU and a launch. ``l1_bytes`` is 0 where loads pass L1 by."""

    l1_bytes: int
    l2_bytes: int
    sms: int
    resident: int
    banks: int
    grid: tuple[int, int, int]
    fetch_sectors: int = 1
    """That L1 asks L2 for at least, aligned: 2 are the 64 bytes of AMD's GCN and CDNA."""
    dies: int = 1
    """Each with its part of L2, of which it shares nothing (reuse analysis only)."""


def traffic_of(
    streams: Sequence[Stream], flow: Flow, facts: Facts, shape: CacheShape
) -> dict[int, Traffic]:
    """What each access asks of the caches and of memory, by access."""
    found = dict[int, Traffic]()
    by_array = dict[str, list[Stream]]()
    for stream in streams:
        if not stream.is_local:
            way = "loads" if stream.is_load else "stores"
            by_array.setdefault(f"{stream.array} {way}", []).append(stream)
        else:
            found[stream.access] = shared_traffic(stream)
    blocks = math.prod(shape.grid)
    wave = min(blocks, shape.sms * shape.resident)
    own = _spread(min(shape.resident, max(1, blocks // shape.sms)), shape, shape.sms, 0)
    resident = together(shape)
    after = _spread(min(2 * wave, blocks), shape, 1, 0)
    sizes = {a: _array_bytes(s, flow, shape) for a, s in by_array.items()}
    everything, kept = sum(sizes.values()), kept_bytes(streams, flow, shape)
    sm = {a: _window(s, flow, facts, own) for a, s in by_array.items()}
    gpu = {a: _window(s, flow, facts, resident) for a, s in by_array.items()}
    sm_bytes = sum(w.unique * SECTOR for w in sm.values())
    lives = {a: _life(s, flow) for a, s in by_array.items()}
    wave_bytes = sum(min(w.unique * SECTOR * lives[a], sizes[a]) for a, w in gpu.items())
    for array, members in by_array.items():
        miss1 = _miss(sm[array], sm_bytes, shape.l1_bytes)
        window = gpu[array]
        fresh = window.unique
        if wave_bytes * 2 <= shape.l2_bytes and wave < blocks:
            both = _window(members, flow, facts, after)
            fresh = max(both.unique - window.unique, 0.0) * wave / max(len(after) - wave, 1)
        asked = window.requests
        dram = fresh / asked if asked else 0.0
        total = sum(s.executions * s.sectors for s in members)
        compulsory = min(sizes[array] / SECTOR / total, 1.0) if total else 0.0
        dram = compulsory if everything <= shape.l2_bytes else max(dram, min(compulsory, dram))
        for stream in members:
            missed = stream.sectors * (miss1 if stream.is_load else 1.0)
            if stream.rows is None:
                found[stream.access] = unknown_traffic(stream, everything, kept, shape)
                continue
            found[stream.access] = Traffic(
                stream.sectors, stream.lines, missed, min(stream.sectors * dram, missed),
                stream.passes, known=True, bank_passes=stream.bank_passes,
            )  # fmt: skip
    return found


def shared_traffic(stream: Stream) -> Traffic:
    """That of an access to shared memory."""
    beyond = stream.sectors - stream.full_sectors
    misaligned = 0.0 if stream.rows is None else min(max(beyond, 0.0), 1.0)
    known = not stream.indirect
    return Traffic(0, 0, 0, 0, stream.passes, known=known, misaligned=misaligned)


def unknown_traffic(stream: Stream, everything: float, kept: float, shape: CacheShape) -> Traffic:
    """That of an access through an index that memory holds; the launch touches ``everything``, and
    the thread blocks of an SM want to find ``kept`` bytes again that lanes walk along. Where the
    size of the array is known, caches that have room for it bring it once."""
    reach = min(1.0, everything / max(shape.l2_bytes, 1))
    miss1, miss2 = UNKNOWN_L1_MISSES if shape.l1_bytes else 1.0, UNKNOWN_L2_MISSES * reach
    if stream.traversal is not None:
        fresh, again = stream.traversal.fresh, 1.0 - stream.traversal.fresh
        new1, new2 = (1.0, 1.0) if stream.traversal.step is not None else (miss1, miss2)
        found_again = again * missing_share(kept, shape.l1_bytes)
        miss1 = fresh * new1 + found_again
        miss2 = fresh * new2 + found_again * missing_share(kept * shape.sms, shape.l2_bytes)
    if stream.array_bytes is not None:
        once, each = stream.once, min(stream.once * shape.sms, 1.0)
        miss1 = min(miss1, max(each, _beyond(stream.array_bytes, shape.l1_bytes)))
        miss2 = min(miss2, miss1, max(once, _beyond(stream.array_bytes, shape.l2_bytes)))
    known = stream.array_bytes is not None and stream.array_bytes <= LINE
    fetched = 1.0
    if stream.is_load and stream.traversal is None and stream.sectors:
        fetched = min(shape.fetch_sectors, max(4 * stream.lines / stream.sectors, 1.0))
    return Traffic(
        stream.sectors, stream.lines, stream.sectors * fetched * miss1,
        stream.sectors * fetched * miss2,
        stream.passes, known=known, bank_passes=stream.bank_passes,
    )  # fmt: skip


def _beyond(footprint: float, size: int) -> float:
    """The share of an array, read in any order, that a cache has no room for."""
    return max(1.0 - size / footprint, 0.0)


def kept_bytes(streams: Sequence[Stream], flow: Flow, shape: CacheShape) -> float:
    """What the work-items of an SM want to find again of what they walk along."""
    blocks = math.prod(shape.grid)
    resident = min(shape.resident, -(-blocks // shape.sms))
    traversals = (s.traversal for s in streams if s.traversal is not None)
    each = traversed_bytes(traversals, flow.trips)
    return float(resident * flow.warps / blocks * flow.width * each)


def without_l1(traffic: Mapping[int, Traffic], accesses: Collection[int]) -> dict[int, Traffic]:
    """The traffic if L1 keeps nothing of some accesses: what hit it hits L2."""
    return {a: replace(t, l2_sectors=t.sectors) if a in accesses else t for a, t in traffic.items()}


def launch_bytes(streams: Sequence[Stream], flow: Flow, shape: CacheShape) -> float:
    """What a launch touches of all arrays at most."""
    by_array = dict[str, list[Stream]]()
    for stream in streams:
        if not stream.is_local:
            way = "loads" if stream.is_load else "stores"
            by_array.setdefault(f"{stream.array} {way}", []).append(stream)
    return sum(_array_bytes(members, flow, shape) for members in by_array.values())


@dataclass(frozen=True, slots=True)
class _Window:
    requests: float
    unique: float
    iterations: float = 1.0


def _miss(window: _Window, footprint: float, size: int) -> float:
    """The share of requests that miss a cache. Most reuse is in an iteration, between warps, or
    from one iteration to the next: what two iterations touch has to fit, or a part of it hits."""
    footprint *= min(1.0, 2.0 / window.iterations)
    if not size or not window.requests:
        return 1.0
    fits = min(1.0, size / footprint) if footprint else 1.0
    return fits * window.unique / window.requests + (1 - fits)


def together(shape: CacheShape) -> Ints:
    """The numbers of the thread blocks that run together, the first of a launch."""
    wave = min(math.prod(shape.grid), shape.sms * shape.resident)
    return _spread(wave, shape, 1, 0)


def _spread(count: int, shape: CacheShape, step: int, first: int) -> Ints:
    """The numbers in x, y, z of ``count`` thread blocks, ``step`` apart, x first."""
    numbers = first + np.arange(count, dtype=np.int64) * step
    numbers %= max(math.prod(shape.grid), 1)
    x, y, _ = shape.grid
    return np.stack([numbers % x, numbers // x % y, numbers // (x * y)], axis=1)


def _window(members: Sequence[Stream], flow: Flow, facts: Facts, blocks: Ints) -> _Window:
    """Sectors asked for and touched by accesses to one array in a window of iterations.

    Accesses that thread blocks and iterations move alike are one class: their sectors are joined
    first and moved once.
    """
    requests, longest = 0.0, 1.0
    classes = dict[tuple[object, ...], tuple[Ints, list[Ints]]]()
    for stream in members:
        if stream.rows is None:
            continue
        steps, invariant = _iterations(stream, flow, facts)
        longest = max(longest, float(len(steps)))
        key = (stream.groups, steps.tobytes())
        classes.setdefault(key, (steps, []))[1].append(stream.rows)
        share = min(1.0, stream.executions / max(_full(stream, flow, facts), 1e-9))
        requests += stream.sectors * len(stream.rows) * len(steps) * len(blocks) * invariant * share
    parts, left_out = list[Ints](), 1.0
    for (groups, _), (steps, rows) in classes.items():
        places = unique_values(blocks @ np.array(groups, np.int64))
        sectors, kept = touched(rows, places, steps)
        parts.append(sectors)
        left_out = max(left_out, len(places) / kept)
    if not parts:
        return _Window(requests, requests, longest)
    count = len(parts[0]) if len(parts) == 1 else len(unique_values(np.concatenate(parts)))
    return _Window(requests, min(count * left_out, requests), longest)


def touched(rows: Sequence[Ints], places: Ints, steps: Ints) -> tuple[Ints, int]:
    """The sectors of addresses moved to all places and by all steps, and how many of the places
    were looked at: no more than :data:`MOST_ADDRESSES` in all."""
    inside = unique_values(np.concatenate([each.ravel() for each in rows]))
    if not (places % SECTOR).any() and not (steps % SECTOR).any():
        inside = unique_values(inside // SECTOR) * SECTOR
    moved = unique_values(((inside[None] + steps[:, None]) // SECTOR).ravel())
    if (places % SECTOR).any():
        moved = unique_values((inside[None] + steps[:, None]).ravel())
    kept = places[: max(1, MOST_ADDRESSES // max(1, len(moved)))]
    if (places % SECTOR).any():
        return unique_values(((moved[None] + kept[:, None]) // SECTOR).ravel()), len(kept)
    return unique_values((moved[None] + kept[:, None] // SECTOR).ravel()), len(kept)


def compulsory_sectors(stream: Stream, flow: Flow, shape: CacheShape) -> float:
    """Sectors that the bytes fill which a launch touches at known addresses: each comes from DRAM,
    or goes there, once at least."""
    assert stream.rows is not None
    places = float(len(unique_values(stream.rows.ravel() // stream.size_bytes)))
    for coefficient, extent in zip(stream.groups, shape.grid, strict=True):
        places *= extent if coefficient else 1
    for loop, coefficient in stream.loops.items():
        places *= max(flow.trips[loop], 1.0) if coefficient else 1.0
    places = min(places, stream.executions * stream.lanes * stream.width)
    span = min(_array_bytes([stream], flow, shape), stream.array_bytes or math.inf)
    return min(places * stream.size_bytes, span) / SECTOR


def _full(stream: Stream, flow: Flow, facts: Facts) -> float:
    """Executions if no guard left any out."""
    total = float(flow.warps)
    for loop in facts[Loops].around(flow.block_of[stream.access]):
        total *= max(flow.trips[loop.id], 1e-9)
    return total


def _iterations(stream: Stream, flow: Flow, facts: Facts) -> tuple[Ints, float]:
    """Offsets of the iterations of a window, and how often each is repeated by loops that do not
    move the access."""
    steps, repeated, width = np.zeros(1, np.int64), 1.0, INNER_WINDOW
    for loop in facts[Loops].around(flow.block_of[stream.access]):
        trips = flow.trips[loop.id]
        coefficient = stream.loops.get(loop.id, 0)
        if coefficient == 0:
            repeated *= max(trips, 1.0)
            continue
        count = max(1, min(width, round(trips)))
        width = OUTER_WINDOW if len(steps) * OUTER_WINDOW <= 2 * INNER_WINDOW else 1
        steps = (steps[None] + coefficient * np.arange(count, dtype=np.int64)[:, None]).ravel()
    return steps, repeated


def _life(members: Sequence[Stream], flow: Flow) -> float:
    """How many windows long the life of a thread block is."""
    longest = 1.0
    for stream in members:
        trips = 1.0
        for loop in stream.loops:
            trips *= max(flow.trips[loop], 1.0)
        longest = max(longest, trips / INNER_WINDOW)
    return longest


def _array_bytes(members: Sequence[Stream], flow: Flow, shape: CacheShape) -> float:
    """What a launch touches of an array at most: from the lowest to the highest address."""
    low, high = 0.0, 0.0
    for stream in members:
        if stream.rows is None:
            walk = stream.traversal
            fresh = walk.fresh if walk is not None and walk.step is not None else 1.0
            touched = stream.executions * stream.sectors * SECTOR * fresh
            high = max(high, min(touched, stream.array_bytes or math.inf))
            continue
        least, most = float(stream.rows.min()), float(stream.rows.max()) + stream.size_bytes
        for coefficient, extent in zip(stream.groups, shape.grid, strict=True):
            most += max(coefficient, 0) * (extent - 1)
            least += min(coefficient, 0) * (extent - 1)
        for loop, coefficient in stream.loops.items():
            span = coefficient * max(flow.trips[loop] - 1, 0)
            most, least = most + max(span, 0), least + min(span, 0)
        # Few executions touch little, however far apart thread blocks are.
        most = min(most, least + stream.executions * stream.sectors * SECTOR * 4)
        low, high = min(low, least), max(high, most)
    return high - low
