"""The intervals of the warps of one SM, scheduled one by one (our model).

Where the text counts by probability how many instructions of other warps do not overlap, here the
intervals of all warps that the SM gets are put on its schedulers in turn; other SMs do the same at
the same time, so that L2 and DRAM serve this one at its share. Memory divergence follows Wang et
al., "MDM: the GPU memory divergence model", MICRO 2020: misses wait for entries in batches, and the
network and DRAM serve the requests of an access one after another.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.interval.collect import Collection, Event
from kcc.sim.interval.facts import IntervalMachine, Kind, Operations, Resource
from kcc.sim.interval.features import features_of, latencies, miss_shares
from kcc.sim.interval.intervals import (
    Feature,
    IntervalProfile,
    interval_profile,
    takes_pipeline,
)
from kcc.sim.interval.launch import BusiestSm
from kcc.sim.interval.options import Extensions
from kcc.sim.machine.l2_path import cycles_to_l2
from kcc.sim.machine.warp_scheduling import Policy

INTERVALS_SCHEDULED = 100_000
"""More than these (and two fillings of the SM) are not scheduled: the rest of the blocks takes as
long as the later ones of those did. 100,000 take about 12 ms."""

SMALL = 1e-9
"""Cycles of the load/store unit where it is not modelled."""


@dataclass(frozen=True, slots=True, eq=False)
class Scheduled:
    """Cycles of the SM, the cycle in which its places for blocks are free for good, in their mean,
    and cycles of its schedulers by operation and part (columns P_* of
    :mod:`kcc.sim.interval.schedule_native` without issue); the last row is for no operation."""

    cycles: float
    freed_cycles: float
    stack: NDArray[np.float64]


def schedule(
    collection: Collection, busiest: BusiestSm, machine: IntervalMachine, extensions: Extensions
) -> Scheduled:
    """The schedule of the busiest SM."""
    from kcc.sim.interval.schedule_native import INTERVAL_COLUMNS, PARTS, schedule_intervals

    o = collection.operations
    profiles = _profiles(collection, busiest, machine, extensions)
    if not profiles:
        return Scheduled(0.0, 0.0, np.zeros((len(o) + 1, PARTS)))
    first = np.concatenate([[0], np.cumsum([len(p) for p in profiles])]).astype(np.int64)
    rows = np.zeros((int(first[-1]), INTERVAL_COLUMNS))
    for own, begin in zip(profiles, first.tolist(), strict=False):
        _fill(rows[begin : begin + len(own)], o, own, machine, extensions)
    barriers = np.concatenate([p.barrier for p in profiles]) & extensions.barriers
    sequences = busiest.sequence_of_warp
    taken = _taken(sequences, first, busiest.resident)
    stack = np.zeros((len(o) + 1, PARTS))
    ends = np.zeros(taken)
    cycles = schedule_intervals(
        _configuration(collection, busiest, machine, extensions), rows,
        np.concatenate([p.cause for p in profiles]), barriers,
        np.concatenate([p.first for p in profiles]), _code(o, extensions),
        _load_shares(collection), first,
        np.ascontiguousarray(sequences[:taken]), stack, ends,
    )  # fmt: skip
    longer = _whole(cycles, ends, busiest, taken)
    freed = float(np.sort(ends)[-busiest.resident :].mean()) + longer - cycles
    return Scheduled(longer, freed, stack * (longer / cycles if cycles else 1.0))


def _profiles(
    collection: Collection, busiest: BusiestSm, machine: IntervalMachine, extensions: Extensions
) -> list[IntervalProfile]:
    o = collection.operations
    features = features_of(collection, machine)
    latency = latencies(collection, machine)
    if extensions.bank_conflicts:
        shared = (o.kind == Kind.LOCAL) | (o.kind == Kind.CONSTANT_LOAD)
        more = np.maximum(collection.per_execution(Event.PASSES) - 1, 0)
        latency = np.where(shared, latency + more, latency)
    else:
        shared = (o.kind == Kind.LOCAL) | (o.kind == Kind.CONSTANT_LOAD)
        features[shared, Feature.LOAD_STORE_CYCLES] = machine.memory_interval_cycles
    if not extensions.sectors:
        lines = collection.events[:, Event.LINES]
        per_line = lines / np.maximum(collection.events[:, Event.SECTORS], 1)
        for column in (Feature.MSHR_REQUESTS, Feature.MSHR_CYCLES, Feature.LOAD_STORE_CYCLES):
            features[:, column] *= np.where(lines > 0, per_line, 1.0)
    kept: Sequence[int] = busiest.kept
    if not extensions.warps_that_differ and kept:
        kept = (kept[int(np.argmax(busiest.warps))],) * len(kept)
    found = dict[int, IntervalProfile]()
    for each in kept:
        if each not in found:
            found[each] = interval_profile(
                o, collection.sequences[each].segments, latency, features,
                structural=extensions.pipelines, scheduled=True, at_code_lines=extensions.fetch,
            )  # fmt: skip
    return [found[each] for each in kept]


def _fill(
    rows: NDArray[np.float64], operations: Operations, profile: IntervalProfile,
    machine: IntervalMachine, extensions: Extensions,
) -> None:  # fmt: skip
    """The intervals of a profile as the native schedule takes them."""
    from kcc.sim.interval import schedule_native as native

    load_store = profile.of(Feature.LOAD_STORE_CYCLES)
    rows[:, native.I_INSTRUCTIONS] = profile.instructions / machine.issue_width
    rows[:, native.I_STALL] = profile.stall_cycles
    rows[:, native.I_SINCE] = profile.since_cycles
    rows[:, native.I_LOAD_STORE] = (
        load_store if extensions.load_store else np.minimum(load_store, SMALL)
    )
    if extensions.miss_entries:
        rows[:, native.I_MISSES] = profile.of(Feature.MSHR_REQUESTS)
        rows[:, native.I_HELD] = profile.of(Feature.MSHR_CYCLES)
    if extensions.divergence:
        rows[:, native.I_OUT] = profile.of(Feature.OUT_CYCLES)
        rows[:, native.I_IN] = profile.of(Feature.IN_CYCLES)
        loads = profile.of(Feature.MEMORY_INSTRUCTIONS)
        longest = np.maximum(load_store, profile.of(Feature.IN_CYCLES)) / np.maximum(loads, 1)
        rows[:, native.I_BURST] = np.where(loads > 0, np.maximum(longest - 1, 0), 0)
    if extensions.bandwidth:
        rows[:, native.I_WRITES] = profile.of(Feature.WRITES)
        l2, dram = machine.l2_service_cycles, machine.dram_service_cycles
        rows[:, native.I_L2] = profile.of(Feature.L2_REQUESTS) * l2 / machine.l2_slices
        rows[:, native.I_DRAM] = profile.of(Feature.DRAM_TRANSFERS) * dram / machine.channels
    if extensions.pipelines:
        for unit in (
            Resource.ALU,
            Resource.FMA,
            Resource.FP64,
            Resource.SFU,
            Resource.TENSOR,
            Resource.INTEGER,
            Resource.HALF,
        ):
            rows[:, native.I_UNITS + unit] = profile.of_resource(unit)
        first = np.flatnonzero(takes_pipeline(operations)[profile.first])
        of = profile.first[first]
        unit, busy = operations.resource[of], operations.busy_cycles[of]
        rows[first, native.I_FIRST_UNIT], rows[first, native.I_FIRST_BUSY] = unit, busy
        others = rows[first, native.I_UNITS + unit] - busy
        rows[first, native.I_UNITS + unit] = np.maximum(others, 0)


_GREEDY = {Policy.GREEDY: 1, Policy.YOUNGEST: -1}
"""What the native part knows of policies; round-robin is 0."""


def _configuration(
    collection: Collection, busiest: BusiestSm, machine: IntervalMachine, extensions: Extensions
) -> NDArray[np.float64]:
    blocks = collection.launch.thread_blocks
    l2_room = machine.l2_queue * machine.l2_service_cycles + machine.l2_hit_cycles / 2
    return np.array(
        [machine.schedulers if extensions.schedulers else 1, busiest.sequence_of_warp.shape[1],
         busiest.resident, machine.l1_mshrs, min(machine.sms, blocks / busiest.resident),
         machine.barrier_cycles, _GREEDY.get(machine.policy, 0), machine.instructions.sets,
         machine.instructions.ways, machine.l2_hit_cycles, machine.dram_cycles, l2_room,
         l2_room + machine.dram_queue * machine.dram_service_cycles,
         cycles_to_l2(machine.l2_hit_cycles), machine.one_fp64],
        np.float64,
    )  # fmt: skip


def _code(operations: Operations, extensions: Extensions) -> NDArray[np.int64]:
    return operations.code if extensions.fetch else np.zeros_like(operations.code)


def _load_shares(collection: Collection) -> NDArray[np.float64]:
    """What each level has in the latency of loads; 0 for all other operations."""
    kind = collection.operations.kind
    loads = (kind == Kind.GLOBAL_LOAD) | (kind == Kind.GLOBAL_ATOMIC)
    return np.where(loads[:, None], miss_shares(collection), 0.0)


def _taken(sequences: NDArray[np.int64], first: NDArray[np.int64], resident: int) -> int:
    """How many blocks are scheduled."""
    each = np.diff(first)[np.maximum(sequences, 0)] * (sequences >= 0)
    total = np.cumsum(each.sum(axis=1))
    whole = int(np.searchsorted(total, INTERVALS_SCHEDULED)) // resident * resident
    return min(len(sequences), max(whole, 2 * resident))


def _whole(cycles: float, ends: NDArray[np.float64], busiest: BusiestSm, taken: int) -> float:
    """The cycles of all blocks of the SM, out of those of the first ``taken``."""
    rest = float(busiest.slots[taken:].sum())
    if rest == 0:
        return cycles
    resident = busiest.resident
    if taken <= resident:
        return cycles * (1 + rest / float(busiest.slots[:taken].sum()))
    ordered = np.sort(ends)
    later = float(busiest.slots[resident:taken].sum())
    return cycles + (ordered[-1] - ordered[resident - 1]) / later * rest
