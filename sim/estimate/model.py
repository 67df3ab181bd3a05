"""The `pipeline` model: from a kernel's facts and a GPU to a time, with reasons.

One SM is run with the thread blocks that fit on it (:mod:`kcc.sim.estimate.pipeline_native`), and
its share of the L2 and DRAM bandwidth. Wang et al. (section IV-B, equation 8) multiply the time of
one round of thread blocks by the number of rounds; here rounds overlap, the last one may be partly
full, and no resource may be used faster than it can go.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kcc.base.gpu.needs import GpuReader
from kcc.base.gpu.occupancy import Occupancy
from kcc.sim.estimate.demand import SECTOR, Demand, demand_of
from kcc.sim.estimate.mixed_launch import class_order, mixed
from kcc.sim.estimate.options import EVERYTHING, Mechanisms
from kcc.sim.estimate.result import Estimate, invalid_estimate
from kcc.sim.estimate.subject import Subject
from kcc.sim.flow.sequences import CutLoop, Traced, Traces, lengthened
from kcc.sim.flow.uneven_blocks import most_work
from kcc.sim.machine.dram_load import settled
from kcc.sim.machine.l2_path import cycles_to_l2
from kcc.sim.machine.pipeline_columns import PORT_QUEUE

if TYPE_CHECKING:
    from kcc.sim.estimate.pipeline_native import Run

Spent = NDArray[np.float64]
"""Cycles of an SM's schedulers by what they went into."""

ROUNDS = 3
"""Rounds of thread blocks of which all are run. Of more, one round is, and as many again as take
the place of others that end at different times: the rest goes on at their rate."""

STEADY_ROUNDS = 4
"""Rounds over which that rate is taken, after the first two: from one to the next it differs by up
to a fifth, as thread blocks meet in another order (convolutions, RTX 2080 Ti)."""


def estimate(subject: Subject, reader: GpuReader, mechanisms: Mechanisms = EVERYTHING) -> Estimate:
    """How long the launch takes on a GPU, with the ``mechanisms`` that are switched on.

    :raises DiagnosticError: K807 where the GPU lacks a value that nothing can stand for.
    """
    found = _timed(subject, reader, mechanisms)
    if isinstance(found, Occupancy):
        return invalid_estimate(reader, found)
    spilling = _spilling(subject, reader, mechanisms)
    if isinstance(spilling, Occupancy):
        return invalid_estimate(reader, spilling)
    demand, cycles, shares = found
    most = 0.0 if spilling is None else spilling[1]
    if most <= cycles:
        return demand.estimate(reader, cycles, shares)
    middle = math.sqrt(cycles * most)
    shares = _squeezed(shares, cycles / middle, "possible_spills")
    return replace(demand.estimate(reader, middle, shares), doubt=most / middle)


Timed = tuple[Demand, float, Mapping[str, float]]
"""What a launch asks for, its cycles, and the shares of what they went into."""


def _spilling(
    subject: Subject, reader: GpuReader, mechanisms: Mechanisms
) -> Timed | Occupancy | None:
    """The launch if the compiler spills in a large block, which cannot be told; None where it does
    not. It takes all registers there are then, with which a thread block may not fit: of the table
    of convolutions six configurations have such blocks and too many work-items for that, and all
    failed on the RTX 3090."""
    other = subject.spilling(reader.gpu.capability)
    return None if other is None else _timed(other, reader, mechanisms)


def _timed(subject: Subject, reader: GpuReader, mechanisms: Mechanisms) -> Timed | Occupancy:
    """The launch; the occupancy alone if no thread block fits on an SM."""
    parts = list[Demand]()
    for part in subject.parts:
        demand = demand_of(part, reader, mechanisms)
        if isinstance(demand, Occupancy):
            return demand
        parts.append(demand)
    demand = mixed(subject, parts)
    cycles, shares = _of_classes(demand, parts) if len(parts) > 1 else _launch(demand)
    return demand, *_stored(demand, *_at_least(demand, cycles, shares))


def _stored(
    demand: Demand, cycles: float, shares: Mapping[str, float]
) -> tuple[float, Mapping[str, float]]:
    """The same, with the way of the last stores to L2."""
    if not demand.write.any():
        return cycles, shares
    way = cycles_to_l2(demand.machine.latency["l2"])
    return cycles + way, _squeezed(shares, cycles / (cycles + way), "idle")


def _of_classes(demand: Demand, parts: Sequence[Demand]) -> tuple[float, Mapping[str, float]]:
    """Cycles of thread blocks of several classes. Those of a few rounds run in their order; of more
    each class takes what it takes alone: thread blocks that exit at once leave their places to the
    others of their class, or to those that follow in the order."""
    most = math.ceil(demand.subject.thread_blocks / demand.machine.sms)
    if most <= ROUNDS * min(demand.occupancy.blocks, most):
        order, more = class_order(demand.subject, demand.machine)
        cycles, shares = _launch(demand, order)
        return cycles * more, shares
    found = [_at_least(part, *_launch(part)) for part in parts]
    total, shares = sum(cycles for cycles, _ in found), dict[str, float]()
    for cycles, own in found:
        for name, share in own.items():
            shares[name] = shares.get(name, 0.0) + share * cycles / total
    return total, shares


def _at_least(
    demand: Demand, cycles: float, shares: Mapping[str, float]
) -> tuple[float, Mapping[str, float]]:
    """The same, no shorter than any resource needs."""
    name, least = max(demand.bounds.items(), key=lambda item: item[1])
    if least <= cycles:
        return cycles, shares
    return least, _squeezed(shares, cycles / least, f"{name}_bound")


def _launch(demand: Demand, order: Sequence[int] = ()) -> tuple[float, Mapping[str, float]]:
    """Cycles of all thread blocks, and the shares of what they went into. ``order``: the classes of
    the thread blocks of an SM where they differ."""
    blocks = demand.subject.thread_blocks
    trace = demand.subject.trace(demand.machine.generation)
    per_sm, most = blocks / demand.machine.sms, math.ceil(blocks / demand.machine.sms)
    resident = min(demand.occupancy.blocks, most)
    if most <= ROUNDS * resident:
        cycles, spent = _few(demand, trace, most, order)
    elif trace.cuts or trace.inside:
        period, spent = _steady(demand, partial(_long, demand, trace, resident))
        cycles = per_sm * period
    else:
        first = _sm(demand, trace.traces, resident)
        period, steady = _steady(demand, partial(_short, demand, trace.traces, resident))
        later = (per_sm - resident) * period
        spent = first.spent + steady * (later * demand.machine.schedulers / steady.sum())
        cycles = first.cycles + later
    if trace.slowest is not None:
        alone = _sm(demand, trace.slowest, 1, warps=1)
        if alone.cycles > cycles:
            cycles, spent = alone.cycles, alone.spent
    return cycles, dict(zip(_reasons(), (spent / spent.sum()).tolist(), strict=True))


def _few(demand: Demand, traced: Traced, blocks: int, order: Sequence[int]) -> tuple[float, Spent]:
    """Cycles of a few rounds of thread blocks, with the tail in which the last ones are alone, of
    the SM that has most to do, and what its schedulers spent them on."""

    def run_of(traces: Traces) -> Run:
        return _sm(demand, traces.in_order(order), blocks)

    subject, run = demand.subject, run_of(traced.traces)
    cycles, spent = run.cycles, run.spent
    for cut in traced.cuts:
        longer, times = lengthened(subject.kernel, subject.facts, subject.flow, demand.program, cut)
        more, on = _apart(run_of(longer), run)
        cycles, spent = cycles + more * times, spent + on * times
    for cut in traced.inside:
        more, on = _apart(run, run_of(cut.shorter))
        times = cut.times * cut.around
        cycles, spent = cycles + more * times, spent + on * times
    if order:
        return cycles, spent
    work = subject.work_by_block(demand.machine.generation)
    return cycles * most_work(work, demand.machine.sms), spent


def _apart(longer: Run, shorter: Run) -> tuple[float, Spent]:
    """The cycles that one run takes beyond another, and what on."""
    more = longer.cycles - shorter.cycles
    if more <= 0.0:
        return 0.0, np.zeros_like(longer.spent)
    return more, np.maximum(longer.spent - shorter.spent, 0.0)


def _steady(demand: Demand, period: Callable[[float], tuple[float, Spent]]) -> tuple[float, Spent]:
    """Cycles from one thread block to the next where memory serves all SMs in turn, and what they
    are spent on; ``period`` says both for a wait of a read of DRAM. What lies between the two waits
    that are tried is a mix of both; by what they are longer, they wait for DRAM."""
    load, written = demand.machine.load, demand.written
    found: list[tuple[float, Spent]] = []

    def time_of(wait: float) -> float:
        found.append(period(wait))
        return found[-1][0]

    blocks = demand.subject.thread_blocks / demand.active
    service = demand.bounds["dram_bandwidth"] / blocks
    cycles, _ = settled(time_of, service, lambda u: load.wait(u, written))
    (unloaded, spent), (tried, other) = found[0], found[-1]
    part = min((cycles - unloaded) / max(tried - unloaded, 1e-9), 1.0)
    spent = spent * (unloaded / spent.sum()) * (1.0 - part) + other * (tried / other.sum()) * part
    spent[_reasons().index("dram")] += cycles - spent.sum()
    return cycles, spent


def _short(demand: Demand, traces: Traces, resident: int, wait: float) -> tuple[float, Spent]:
    """The period of thread blocks once the first ones have ended, and what it is spent on: a thread
    block's issue slots, and waits as they are while the SM is full."""
    blocks = (2 + STEADY_ROUNDS) * resident
    run = _sm(demand, traces, blocks, wait, starts_only=True)
    last, before = run.started[-resident:], run.started[resident : 2 * resident]
    period = float((last - before).mean()) / (STEADY_ROUNDS * resident)
    issue, spent = _reasons().index("issue"), run.steady.copy()
    spent[issue] = 0.0
    of_variants = np.add.reduceat(demand.issued.slots[traces.trace], traces.starts[:-1])
    slots = float(of_variants[traces.taken].sum(axis=1).mean())
    waited = max(period * demand.machine.schedulers - slots, 0.0)
    spent *= waited / max(spent.sum(), 1e-9)
    spent[issue] = slots
    return period, spent


def _long(demand: Demand, traced: Traced, resident: int, wait: float) -> tuple[float, Spent]:
    """The period of thread blocks whose trace is cut: of one round of them, since what they do
    before and after the loop, and how that overlaps with others, counts for little."""
    cycles, spent = _whole(demand, traced.traces, traced.cuts, resident, wait)
    total, on = cycles, spent
    for cut in traced.inside:
        less, of_these = _whole(demand, cut.shorter, traced.cuts, resident, wait)
        times = cut.times * cut.around / cut.outermost
        if less < cycles:
            total = total + (cycles - less) * times
            on = on + np.maximum(spent - of_these, 0.0) * times
    return total / resident, on


def _whole(
    demand: Demand, traces: Traces, cuts: Sequence[CutLoop], blocks: int, wait: float
) -> tuple[float, Spent]:
    """The cycles of one round of thread blocks with what is missing of some loops, and what they
    are spent on. An iteration takes what those in the middle of the run do, before the first thread
    block ends: the SM is then as full as it is while others follow. Of several
    loops each has that share of these cycles which it has of what is issued in them: in so few
    iterations warps that are ahead are in the next one."""
    lacking, on, last = 0.0, 0.0, None
    for cut in cuts:
        last = _sm(demand, traces, blocks, wait, watched=traces.inside[cut.loop])
        if cut.iterations and last.part > 0.0:
            own = last.own if len(cuts) > 1 else 1.0
            times = own * cut.missing / (cut.iterations * last.part)
            lacking, on = lacking + last.middle * times, on + last.steady * times
    run = last or _sm(demand, traces, blocks, wait)
    return run.cycles + lacking, run.spent + on


def _sm(
    demand: Demand, traces: Traces, blocks: int, wait: float | None = None,
    watched: NDArray[np.bool_] | None = None, warps: int | None = None, starts_only: bool = False,
) -> Run:  # fmt: skip
    """A run of some thread blocks of an SM. With a ``wait`` a read of DRAM takes that much longer
    than without load; without it the SM has its share of DRAM for itself, as where all SMs do the
    same at one time: more of it where it has more thread blocks than the mean, as others end before
    it."""
    from kcc.sim.estimate import pipeline_native as native

    machine, waits = demand.machine, demand.machine.latency
    mean = demand.subject.thread_blocks / demand.active
    sharing = demand.active * min(mean / blocks, 1.0)
    sm = native.Sm(
        schedulers=machine.schedulers,
        resident=demand.occupancy.blocks,
        warps=warps or demand.subject.block_warps,
        blocks=blocks,
        dram_cycles=SECTOR * sharing / demand.dram_rate if wait is None else 0.0,
        queue=PORT_QUEUE,
        xu_queue=machine.xu_queue,
        shared_latency=waits["shared"],
        l1_latency=waits["l1"],
        l2_latency=waits["l2"],
        dram_latency=waits["dram"],
        dram_wait=wait or 0.0,
        constant_latency=waits["constant"],
        barrier_latency=waits["barrier"],
        atomic_latency=waits["atomic"],
        block_start=machine.block_start_cycles,
        greedy=machine.greedy,
        starts_only=starts_only,
        one_fp64=machine.one_fp64,
    )
    path = np.maximum(demand.path, demand.write_cycles * SECTOR * sharing / demand.l2_rate)
    issued = demand.issued
    columns = (
        demand.latency, demand.port, demand.l2, demand.dram, demand.write, demand.sectors,
        demand.misses, demand.pending, path,
    )  # fmt: skip
    latency, port, l2, dram, write, sectors, misses, pending, path = (
        column[issued.same] for column in columns
    )
    operations = native.Operations(
        issued.need_starts, issued.needs, demand.pipe[issued.same], demand.memory[issued.same],
        issued.slots, issued.held, issued.busy, latency, port, l2, dram, write, sectors, misses,
        pending, path, issued.same, issued.results,
    )  # fmt: skip
    return native.run_sm(traces.starts, traces.trace, traces.taken, operations, sm, watched)


def _reasons() -> tuple[str, ...]:
    from kcc.sim.estimate.pipeline_native import REASONS

    return REASONS


def _squeezed(shares: Mapping[str, float], kept: float, name: str) -> dict[str, float]:
    """The stack with cycles added beyond what the pipeline saw."""
    found = {reason: share * kept for reason, share in shares.items()}
    found[name] = found.get(name, 0.0) + 1.0 - kept
    return found
