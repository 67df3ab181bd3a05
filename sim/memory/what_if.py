"""What altered accesses would do: loads as vectors, arrays in local memory, past L1, kept in L2.

The stream is changed as the code would change it, and goes through the same trials. The text
vectorises by hand what its latencies point at (Baghsorkhi et al., section 6.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.memory.facts import (
    Change,
    Count,
    MemoryMachine,
    Op,
    Place,
    StaticAccess,
    Stream,
    Trial,
)
from kcc.sim.memory.summary import dram_latency, expected_latency, total_rates
from kcc.sim.memory.trials import CacheState, Plan, Trials

TRIALS = 8
VECTOR = 4
VECTOR_BYTES = 16
LEAST_SHARE = 0.02
"""Of the latency of all loads, that an access or array must have to be tried."""
SAME_SECTORS = 0.75
"""Lanes walk along rows where four executions together want at most so much of the sectors that
they want apart."""
MOST_CHANGES = 12


def what_if(
    stream: Stream, machine: MemoryMachine, l2: CacheState, plan: Plan
) -> tuple[Change, ...]:
    """The changes, those that save most latency first; what saves nothing is left out."""
    plan = replace(plan, most=min(plan.most, TRIALS), until=None)
    trials = Trials(stream, machine, l2, plan.seed).all(plan)
    base = _latency(stream.accesses, trials, machine)
    before = float(base.sum())
    if before == 0:
        return ()
    shares = base / before
    found = list[Change]()
    for altered in _altered(stream, machine, shares):
        again = Trials(altered.stream, altered.machine, l2, plan.seed).all(plan)
        after = float(_latency(altered.stream.accesses, again, machine).sum())
        after += altered.local_loads * machine.local_cycles
        l1, l2_rate = total_rates(altered.stream, again)
        found.append(
            Change(
                altered.code, altered.words, altered.line, altered.array, after / before - 1,
                len(altered.stream.lines) / len(stream.lines) - 1, l1, l2_rate,
            )
        )  # fmt: skip
    found = [c for c in found if c.latency_change < -0.001]
    return tuple(sorted(found, key=lambda c: c.latency_change)[:MOST_CHANGES])


@dataclass(frozen=True, slots=True, eq=False)
class _Altered:
    """A stream with other accesses, or the machine that keeps an array in L2. ``local_loads`` are
    executions that local memory serves now."""

    code: str
    words: str
    line: int
    array: str
    stream: Stream
    machine: MemoryMachine
    local_loads: int = 0


def _latency(
    statics: Sequence[StaticAccess], trials: Sequence[Trial], machine: MemoryMachine
) -> NDArray[np.float64]:
    """Executions times X of each load, in the mean of trials."""
    counts = np.array([t.counts for t in trials], np.float64)
    without = float(machine[Place.DRAM_LATENCY])
    tm = np.array([dram_latency(t.batch_cycles, without) for t in trials])
    found = np.zeros(len(statics))
    for number, static in enumerate(statics):
        own = counts[:, number]
        if static.operation is Op.LOAD and own[:, Count.SECTORS].all():
            x = expected_latency(own, tm, machine)
            found[number] = float((x * own[:, Count.EXECUTED]).mean())
    return found


def _altered(
    stream: Stream, machine: MemoryMachine, shares: NDArray[np.float64]
) -> Iterator[_Altered]:
    for number, static in enumerate(stream.accesses):
        if shares[number] < LEAST_SHARE or static.space != "global":
            continue
        wide = altered_to_vectors(stream, number)
        if wide is not None:
            words = f"load {_name(static)} four at a time (line {static.line})"
            yield _Altered("vectorise", words, static.line, static.array, wide, machine)
        if machine[Place.L1_SETS]:
            words = f"load {_name(static)} past L1 (line {static.line})"
            past = _past_l1(stream, number)
            yield _Altered("bypass", words, static.line, static.array, past, machine)
    for array in dict.fromkeys(a.array for a in stream.accesses if a.array):
        own = [n for n, a in enumerate(stream.accesses) if a.array == array]
        if sum(shares[n] for n in own) < LEAST_SHARE:
            continue
        line = max(own, key=lambda n: float(shares[n]))
        line_number = stream.accesses[line].line
        if all(stream.accesses[n].operation is Op.LOAD for n in own):
            local, dropped, most = altered_by_local_memory(stream, own)
            size = most * machine.sector_bytes
            if dropped and size <= machine.local_bytes:
                words = f"{array} in local memory, {size:,} bytes of a block"
                yield _Altered("stage", words, line_number, array, local, machine, dropped)
        pinned = _pinned(stream, machine, own)
        if pinned is not None:
            yield _Altered("pin", f"keep {array} in L2", line_number, array, stream, pinned)


def _name(static: StaticAccess) -> str:
    return static.array or "it"


def altered_to_vectors(stream: Stream, number: int) -> Stream | None:
    """A stream whose load ``number`` is of four elements; None where lanes do not walk along rows,
    or where it is wide already."""
    from kcc.sim.memory.what_if_native import vectorised

    if stream.accesses[number].element_bytes * VECTOR > VECTOR_BYTES:
        return None
    lines, info, bounds = _like(stream)
    end, before, after = vectorised(
        stream.lines, stream.info, stream.bounds, number, VECTOR, lines, info, bounds
    )
    if after > SAME_SECTORS * before:
        return None
    return replace(stream, lines=lines[:end], info=info[:end], bounds=bounds)


def altered_by_local_memory(stream: Stream, numbers: Sequence[int]) -> tuple[Stream, int, int]:
    """A stream whose blocks keep what some loads want, executions that local memory serves, and
    the most sectors of a block."""
    from kcc.sim.memory.what_if_native import staged

    is_staged = np.zeros(len(stream.accesses), np.int64)
    is_staged[list(numbers)] = 1
    dropped = np.zeros(len(stream.accesses), np.int64)
    lines, info, bounds = _like(stream)
    longest = int((stream.bounds[..., 1] - stream.bounds[..., 0]).sum(axis=1).max(initial=1))
    places = 1 << (2 * longest).bit_length()
    end, most = staged(
        stream.lines, stream.info, stream.bounds, is_staged, lines, info, bounds, dropped,
        np.zeros(places, np.int64), np.zeros(places, np.int64),
    )  # fmt: skip
    return (
        replace(stream, lines=lines[:end], info=info[:end], bounds=bounds),
        int(dropped.sum()), most,
    )  # fmt: skip


def _past_l1(stream: Stream, number: int) -> Stream:
    from kcc.sim.memory.sequences_native import ACCESS_SHIFT, OP_MASK, OP_SHIFT

    op = (stream.info >> OP_SHIFT) & OP_MASK
    own = (stream.info >> ACCESS_SHIFT == number) & (op == Op.LOAD)
    changed = (stream.info & ~(OP_MASK << OP_SHIFT)) | Op.PAST_L1 << OP_SHIFT
    return replace(stream, info=np.where(own, changed, stream.info))


def _pinned(stream: Stream, machine: MemoryMachine, numbers: Sequence[int]) -> MemoryMachine | None:
    """A machine that keeps the lines of some accesses in a part of L2; None where they take more
    than three quarters of it (what NVIDIA's GPUs since Ampere can set aside)."""
    from kcc.sim.memory.sequences_native import ACCESS_SHIFT, OP_MASK, OP_SHIFT

    op = (stream.info >> OP_SHIFT) & OP_MASK
    own = np.isin(stream.info >> ACCESS_SHIFT, np.array(numbers)) & (op != Op.BARRIER)
    if not own.any() or not machine[Place.L2_SETS]:
        return None
    first, last = int(stream.lines[own].min()), int(stream.lines[own].max())
    share = (last - first + 1) * machine.line_bytes / machine.l2_bytes
    if share > 0.75:
        return None
    conf = machine.conf.copy()
    ways = machine[Place.L2_WAYS]
    conf[Place.L2_WAYS_USED] = max(ways - max(round(share * ways), 1), 1)
    conf[Place.PINNED_FIRST], conf[Place.PINNED_LINES] = first, last - first + 1
    return replace(machine, conf=conf)


def _like(stream: Stream) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    return np.zeros_like(stream.lines), np.zeros_like(stream.info), np.zeros_like(stream.bounds)
