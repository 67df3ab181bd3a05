"""From trials to distributions: hit rates of each static access and array, latency of each load.

The latency is X = H1 t1 + (1 - H1) (H2 t2 + (1 - H2) T_m) of section 6.1 of Baghsorkhi et al., with
the rates of that load in each trial and the T_m of that trial.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.sim.memory.facts import (
    AccessResult,
    ArrayResult,
    Count,
    Distribution,
    MemoryMachine,
    MemoryResult,
    Op,
    Place,
    StaticAccess,
    Stream,
    Trial,
)

BINS = 16
DOMINANT = 0.5
"""Of the batches' latencies, what part must lie in a bin and those beside it for a mode."""

READS = (Op.LOAD, Op.ATOMIC, Op.CONSTANT)

Floats = NDArray[np.float64]


def dram_latency(batches: Floats, without_load: float) -> float:
    """T_m in cycles: the dominant latency if there is one, else the mean (section 3.2.3)."""
    if len(batches) == 0:
        return without_load
    low, high = float(batches.min()), float(batches.max())
    if high - low < 1:
        return float(batches.mean())
    counts, edges = np.histogram(batches, BINS)
    top = int(np.argmax(counts))
    first, last = max(top - 1, 0), min(top + 1, BINS - 1)
    if counts[first : last + 1].sum() < DOMINANT * len(batches):
        return float(batches.mean())
    inside = (batches >= edges[first]) & (batches <= edges[last + 1])
    return float(batches[inside].mean())


def summary(
    kernel: str, launch: int, machine: MemoryMachine, stream: Stream, trials: Sequence[Trial]
) -> MemoryResult:
    """The distributions over trials."""
    counts = np.array([t.counts[: len(stream.accesses)] for t in trials], np.float64)
    counts = counts.reshape(len(trials), len(stream.accesses), len(Count))
    tm = np.array(
        [dram_latency(t.batch_cycles, float(machine[Place.DRAM_LATENCY])) for t in trials]
    )
    kinds = np.array([a.operation for a in stream.accesses], np.int64)
    read = counts[:, kinds == Op.LOAD].sum(axis=1)
    every = counts.sum(axis=1)
    accesses = _accesses(stream.accesses, counts, tm, machine)
    rates = _rates(read, every)
    settled = [d.settled_after for d in rates if d is not None]
    return MemoryResult(
        kernel, launch, machine.name, machine.clock_mhz, machine.l1_cycles, machine.l2_cycles,
        len(trials), max(settled, default=len(trials)), stream.blocks, stream.all_blocks,
        machine[Place.BLOCKS], machine[Place.SMS], len(stream.lines), stream.sequences, *rates,
        _distribution(every[:, Count.L2_READS]), _distribution(every[:, Count.WRITES]),
        _distribution(every[:, Count.L2_READS] - every[:, Count.L2_HITS]),
        _distribution(np.array([float(t.dirty_sectors) for t in trials])), _distribution(tm),
        tuple(float(b) for t in trials for b in t.batch_cycles), accesses,
        _arrays(accesses, counts, stream.accesses), machine.assumptions,
    )  # fmt: skip


def _distribution(values: Floats) -> Distribution:
    return Distribution(tuple(float(v) for v in values))


def _rate(hits: Floats, of: Floats) -> Distribution | None:
    """None where a trial had nothing to hit."""
    if len(of) == 0 or not of.all():
        there = of > 0
        if not there.any():
            return None
        hits, of = hits[there], of[there]
    return _distribution(hits / of)


def total_rates(
    stream: Stream, trials: Sequence[Trial]
) -> tuple[Distribution | None, Distribution | None]:
    """Hit rates of all loads in L1, and of all reads of L2."""
    counts = np.array([t.counts[: len(stream.accesses)] for t in trials], np.float64)
    kinds = np.array([a.operation for a in stream.accesses], np.int64)
    l1, l2, _ = _rates(counts[:, kinds == Op.LOAD].sum(axis=1), counts.sum(axis=1))
    return l1, l2


def _rates(
    read: Floats, every: Floats
) -> tuple[Distribution | None, Distribution | None, Distribution | None]:
    """Of L1 (loads of global memory), of reads and of writes of L2 (all of them)."""
    return (
        _rate(read[:, Count.L1_HITS], read[:, Count.SECTORS]),
        _rate(every[:, Count.L2_HITS], every[:, Count.L2_READS]),
        _rate(every[:, Count.WRITE_HITS], every[:, Count.WRITES]),
    )


def expected_latency(counts: Floats, tm: Floats, machine: MemoryMachine) -> Floats:
    """X of a load in each trial, in cycles; nan where it was not executed."""
    sectors = counts[:, Count.SECTORS]
    with np.errstate(invalid="ignore", divide="ignore"):
        h1 = np.where(sectors > 0, counts[:, Count.L1_HITS] / sectors, np.nan)
        asked = counts[:, Count.L2_READS]
        h2 = np.where(asked > 0, counts[:, Count.L2_HITS] / asked, 0.0)
    beyond = h2 * machine.l2_cycles + (1 - h2) * tm
    found: Floats = h1 * machine.l1_cycles + (1 - h1) * beyond
    return found


def _accesses(
    statics: Sequence[StaticAccess], counts: Floats, tm: Floats, machine: MemoryMachine
) -> tuple[AccessResult, ...]:
    latencies = [
        expected_latency(counts[:, n], tm, machine) if a.operation in READS else None
        for n, a in enumerate(statics)
    ]
    weights = [
        float(np.nanmean(x * counts[:, n, Count.EXECUTED]))
        if x is not None and counts[:, n, Count.EXECUTED].any() else 0.0
        for n, x in enumerate(latencies)
    ]  # fmt: skip
    all_of_them = sum(weights) or 1.0
    found = list[AccessResult]()
    for number, (static, x) in enumerate(zip(statics, latencies, strict=True)):
        own = counts[:, number]
        mean = own.mean(axis=0)
        is_load = static.operation in READS
        cycles = x[~np.isnan(x)] if x is not None else np.zeros(0)
        found.append(
            AccessResult(
                static, float(mean[Count.EXECUTED]), float(mean[Count.REQUESTS]),
                float(mean[Count.SECTORS]), float(mean[Count.L2_READS]),
                float(mean[Count.WRITES]),
                _rate(own[:, Count.L1_HITS], own[:, Count.SECTORS]) if is_load else None,
                _rate(own[:, Count.L2_HITS], own[:, Count.L2_READS]) if is_load else None,
                None if is_load else _rate(own[:, Count.WRITE_HITS], own[:, Count.WRITES]),
                _distribution(cycles) if len(cycles) else None, weights[number] / all_of_them,
            )
        )  # fmt: skip
    return tuple(found)


def _arrays(
    accesses: Sequence[AccessResult], counts: Floats, statics: Sequence[StaticAccess]
) -> tuple[ArrayResult, ...]:
    """Arrays by their share of the latency, then by sectors."""
    found = list[ArrayResult]()
    for name in dict.fromkeys(a.array for a in statics):
        own = [n for n, a in enumerate(statics) if a.array == name]
        every = counts[:, own].sum(axis=1)
        loads = [n for n in own if statics[n].operation in READS]
        read = counts[:, loads].sum(axis=1)
        if not every[:, Count.SECTORS].any():
            continue
        _, _, writes = _rates(read, every)
        parts = [(accesses[n], accesses[n].executed) for n in loads if accesses[n].cycles]
        executed = sum(weight for _, weight in parts)
        cycles: Distribution | None = None
        if executed:
            values = [
                np.array(a.cycles.values) * weight for a, weight in parts
                if a.cycles and len(a.cycles.values) == len(counts)
            ]  # fmt: skip
            cycles = _distribution(np.sum(values, axis=0) / executed) if values else None
        found.append(
            ArrayResult(
                name, float(every[:, Count.SECTORS].mean()),
                _rate(read[:, Count.L1_HITS], read[:, Count.SECTORS]),
                _rate(read[:, Count.L2_HITS], read[:, Count.L2_READS]), writes, cycles,
                sum(accesses[n].share for n in own),
            )
        )  # fmt: skip
    return tuple(sorted(found, key=lambda a: (-a.share, -a.sectors)))
