"""The `pipeline` model: from a kernel's facts and a GPU to a time, with reasons.

One SM is run with the thread blocks that fit on it (:mod:`kcc.sim.pipeline_native`), and its share
of the L2 and DRAM bandwidth. Wang et al. (section IV-B, equation 8) multiply the time of one round
of thread blocks by the number of rounds; here rounds overlap, the last one may be partly full, and
no resource may be used faster than it can go.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from kcc.gpu.needs import GpuReader
from kcc.gpu.occupancy import Occupancy
from kcc.sim.estimate_demand import SECTOR, Demand, demand_of
from kcc.sim.estimate_machine import PORT_QUEUE, UNIT_QUEUE
from kcc.sim.estimate_options import EVERYTHING, Mechanisms
from kcc.sim.estimate_result import Estimate, invalid_estimate
from kcc.sim.estimate_subject import Subject
from kcc.sim.memory_load import settled
from kcc.sim.pipeline_flow import Traced, Traces

if TYPE_CHECKING:
    from kcc.sim.pipeline_native import Run

ROUNDS = 3
"""Rounds of thread blocks of which all are run. Of more, one round is, and as many again as take
the place of others that end at different times: the rest goes on at their rate."""


def estimate(subject: Subject, reader: GpuReader, mechanisms: Mechanisms = EVERYTHING) -> Estimate:
    """How long the launch takes on a GPU, with the ``mechanisms`` that are switched on.

    :raises DiagnosticError: K807 where the GPU lacks a value that nothing can stand for.
    """
    demand = demand_of(subject, reader, mechanisms)
    if isinstance(demand, Occupancy):
        return invalid_estimate(reader, demand)
    cycles, shares = _launch(demand)
    return demand.estimate(reader, cycles, shares)


def _launch(demand: Demand) -> tuple[float, dict[str, float]]:
    """Cycles of all thread blocks, and the shares of what they went into."""
    blocks = math.prod(demand.subject.grid)
    trace = demand.subject.trace(demand.machine.generation)
    per_sm, most = blocks / demand.machine.sms, math.ceil(blocks / demand.machine.sms)
    resident = min(demand.occupancy.blocks, most)
    run = _sm(demand, trace.traces, most if most <= ROUNDS * resident else resident)
    cycles = run.cycles
    lacking = _cut_off(demand, trace, resident, cycles * min(resident / most, 1.0))
    if most > ROUNDS * resident:
        period, run = _steady(demand, trace.traces, resident, cycles / resident)
        cycles += (per_sm - resident) * period
    cycles += lacking * max(per_sm / resident, 1.0)
    shares = dict(zip(_reasons(), (run.spent / run.spent.sum()).tolist(), strict=True))
    name, least = max(demand.bounds().items(), key=lambda item: item[1])
    if least > cycles:
        shares = _squeezed(shares, cycles / least, name)
        cycles = least
    return cycles, shares


def _steady(demand: Demand, traces: Traces, resident: int, apart: float) -> tuple[float, Run]:
    """Cycles from one thread block to the next where they have drifted ``apart`` and memory serves
    all SMs in turn, and a run of them."""
    load, written = demand.machine.load, demand.written
    blocks = math.prod(demand.subject.grid) / demand.active
    runs: list[Run] = []

    def period(wait: float) -> float:
        run = _sm(demand, traces, ROUNDS * resident, apart, wait)
        runs.append(run)
        last, before = run.started[-resident:], run.started[-2 * resident : -resident]
        return float((last - before).mean()) / resident

    service = demand.bounds()["dram_bandwidth"] / blocks
    cycles, _ = settled(period, service, lambda u: load.wait(u, written))
    return cycles, runs[-1]


def _cut_off(demand: Demand, traced: Traced, resident: int, once: float) -> float:
    """Cycles of one round of thread blocks in iterations that the trace does not have: as many as
    the last ones that it has. The blocks are spread over an iteration, where they drift to in time;
    ``once`` are the cycles of a round that starts at one time."""
    lacking = 0.0
    for cut in traced.cuts:
        apart = once / max(cut.more, 1.0) / resident
        short = _sm(demand, traced.traces, resident, apart).cycles
        longer = _sm(demand, cut.longer, resident, apart).cycles
        lacking += max(longer - short, 0.0) * cut.missing / max(cut.more, 1e-9)
    return lacking


def _sm(
    demand: Demand, traces: Traces, blocks: int, stagger: float = 0.0, wait: float | None = None
) -> Run:
    """A run of some thread blocks of an SM, the first ones ``stagger`` cycles apart. With a
    ``wait`` a read of DRAM takes that much longer than without load; without it the SM has its
    share of DRAM for itself, as where all SMs do the same at one time: more of it where it has more
    thread blocks than the mean, as others end before it."""
    from kcc.sim import pipeline_native as native

    machine, latency = demand.machine, demand.machine.latency
    mean = math.prod(demand.subject.grid) / demand.active
    sharing = demand.active * min(mean / blocks, 1.0)
    l2_cycles = max(SECTOR * sharing / demand.l2_rate, SECTOR / machine.port_l2_bytes)
    sm = native.Sm(
        schedulers=machine.schedulers,
        resident=demand.occupancy.blocks,
        warps=-(-demand.subject.block_threads // 32),
        blocks=blocks,
        l2_cycles=l2_cycles,
        write_cycles=l2_cycles,
        dram_cycles=SECTOR * sharing / demand.dram_rate if wait is None else 0.0,
        queue=PORT_QUEUE,
        unit_queue=UNIT_QUEUE,
        shared_latency=latency["shared"],
        l1_latency=latency["l1"],
        l2_latency=latency["l2"],
        dram_latency=latency["dram"],
        dram_wait=wait or 0.0,
        constant_latency=latency["constant"],
        barrier_latency=latency["barrier"],
        atomic_latency=latency["atomic"],
        block_start=machine.block_start_cycles,
        stagger=stagger,
    )
    starts, flat = _needs(demand)
    operations = native.Operations(
        starts, flat, demand.unit, demand.memory, demand.slots, demand.busy, demand.latency,
        demand.port, demand.l2, demand.dram, demand.write, demand.sectors, demand.misses,
    )  # fmt: skip
    return native.run_sm(traces.starts, traces.trace, operations, sm)


def _needs(demand: Demand) -> tuple[np.ndarray, np.ndarray]:
    starts, flat = [0], list[int]()
    for row in demand.program.operations:
        flat += row.needs
        starts.append(len(flat))
    return np.array(starts, np.int32), np.array(flat or [0], np.int32)


def _reasons() -> tuple[str, ...]:
    from kcc.sim.pipeline_native import REASONS

    return REASONS


def _squeezed(shares: dict[str, float], kept: float, name: str) -> dict[str, float]:
    """The stack with the cycles added that a resource takes beyond what the pipeline saw."""
    found = {reason: share * kept for reason, share in shares.items()}
    found[f"{name}_bound"] = 1.0 - kept
    return found
