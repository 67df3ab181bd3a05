"""The `pipeline-hpca19` model: Wang et al. (HPCA 2019, section IV) as the text has it.

One round of active work-groups consumes the trace on the warp pipeline of
:mod:`kcc.sim.estimate.hpca19_pipeline`, and equation 8 makes the kernel's time of it. What the text
measures comes from the GPU's description here:

* Computation holds the SM for its latency with as many warps as are active: of the latency a warp
  waits for alone the part that the others do not fill, and no less than its units need (section
  IV-A.2: latencies are measured from the least to the largest number of active warps).
* The latency of a memory access is that of the level that answers, times the ratio of the largest
  to the actual number of active warps (ibid.), or the inverse
  (:class:`~kcc.sim.estimate.hpca19_reading.Latency`). It has three parts: the warp waits, the
  access holds its memory for its delay, the warp waits again (section IV-B).
* Where memory decides a branch, its paths are always hit (section III-B.1, case 3), and warps
  execute those of both sides. Warps whose numbers decide have traces of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from kcc.base.gpu.needs import GpuReader
from kcc.base.gpu.occupancy import Occupancy
from kcc.sim.estimate.demand import SECTOR, Demand, demand_of
from kcc.sim.estimate.hpca19_pipeline import Barrier, Step, Steps, kernel_cycles, run_round
from kcc.sim.estimate.hpca19_reading import AS_KCC, Code, Latency, Reading, Trace
from kcc.sim.estimate.options import EVERYTHING, Mechanisms
from kcc.sim.estimate.result import Estimate, invalid_estimate
from kcc.sim.estimate.subject import Subject
from kcc.sim.flow.printed_trace import printed_traces
from kcc.sim.flow.sequences import Traces
from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.operations import LOADS, Memory
from kcc.sim.program.pruned import pruned_program

COMPUTATION, LOCAL, CONSTANT, GLOBAL = "comp", "local", "const", "global"

_SPACES = {
    Memory.SHARED_LOAD: LOCAL,
    Memory.SHUFFLE: LOCAL,
    Memory.SHARED_STORE: LOCAL,
    Memory.SHARED_ATOMIC: LOCAL,
    Memory.CONSTANT_LOAD: CONSTANT,
}
_NAMES = {
    COMPUTATION: "issue", LOCAL: "shared_memory", CONSTANT: "constant", GLOBAL: "dram",
}  # fmt: skip
"""What the parts of the stack are called in other models."""


def estimate_hpca19(
    subject: Subject, reader: GpuReader, mechanisms: Mechanisms = EVERYTHING,
    reading: Reading = AS_KCC,
) -> Estimate:  # fmt: skip
    """How long the launch takes on a GPU.

    :raises DiagnosticError: K807 where the GPU lacks a value that nothing can stand for.
    """
    subject = subject.branches_hit()
    # Which of the thread blocks are in a round is not said: they are taken in the mean.
    subject = replace(subject, flow=replace(subject.flow, blocks=()), traces={})
    if reading.code is Code.PRUNED:
        programs = dict.fromkeys(Generation, pruned_program(subject.kernel, subject.facts))
        subject = replace(subject, programs=programs)
    demand = demand_of(subject, reader, mechanisms)
    if isinstance(demand, Occupancy):
        return invalid_estimate(reader, demand)
    steps = _steps(demand, reading.latency)
    lacking = 0.0
    if reading.trace is Trace.PRINTED:
        printed = printed_traces(subject.kernel, subject.facts, subject.flow, demand.program)
        cycles, shares = _round(demand, printed, steps)
    else:
        trace = subject.trace(demand.machine.generation)
        cycles, shares = _round(demand, trace.traces, steps)
        for cut in subject.cut_loops(demand.machine.generation):
            shorter, _ = _round(demand, cut.shorter, steps)
            lacking += max(cycles - shorter, 0.0) * cut.times * cut.around
    groups = subject.thread_blocks
    total = kernel_cycles(cycles + lacking, groups, 1, demand.machine.sms, _active_groups(demand))
    return demand.estimate(reader, total, shares)


def _active_groups(demand: Demand) -> int:
    """Equation 7; no more than there are."""
    return min(
        demand.occupancy.blocks, math.ceil(demand.subject.thread_blocks / demand.machine.sms)
    )


def _scale(demand: Demand, warps: int, latency: Latency) -> float:
    ratio = max(1.0, demand.occupancy.max_warps / warps)
    return ratio if latency is Latency.PRINTED else 1.0 / ratio


def _steps(demand: Demand, latency: Latency) -> list[Step | Barrier]:
    """What each operation that warps issue is on the pipeline."""
    warps = max(1, _active_groups(demand) * demand.subject.block_warps)
    scale = _scale(demand, warps, latency)
    found = list[Step | Barrier]()
    issued = demand.issued
    for number, i in enumerate(map(int, issued.same)):
        row = demand.program.operations[i]
        if row.memory is Memory.BARRIER:
            found.append(Barrier())
        elif row.unit is not Unit.MEMORY:
            schedulers = demand.machine.schedulers
            held = max(float(issued.busy[number]), float(issued.held[number])) / schedulers
            found.append(Step(COMPUTATION, max(held, float(demand.latency[i]) / warps)))
        else:
            delay = _delay(demand, i)
            wait = max(_latency(demand, i) * scale - delay, 0.0) if row.memory in LOADS else 0.0
            space = _SPACES.get(row.memory, GLOBAL)
            found.append(Step(space, delay, wait / 2, wait / 2))
    return found


def _delay(demand: Demand, i: int) -> float:
    """Cycles for which an access holds its memory: its passes through the port, or its sectors at
    the SM's share of L2's and DRAM's bandwidth."""
    l2 = (demand.l2[i] + demand.write[i]) * SECTOR * demand.active / demand.l2_rate
    dram = demand.dram[i] * SECTOR * demand.active / demand.dram_rate
    return float(max(demand.port[i], l2, dram))


def _latency(demand: Demand, i: int) -> float:
    """Cycles until a load has its value: those of the levels that answer, in the mean."""
    latency, row = demand.machine.latency, demand.program.operations[i]
    if row.memory in (Memory.SHARED_LOAD, Memory.SHUFFLE):
        return latency["shared"]
    if row.memory is Memory.CONSTANT_LOAD:
        return latency["constant"]
    sectors = max(float(demand.sectors[i]), 1e-9)
    beyond_l1 = min(float(demand.l2[i]) / sectors, 1.0)
    beyond_l2 = min(float(demand.dram[i]) / sectors, beyond_l1)
    return (
        latency["l1"]
        + beyond_l1 * (latency["l2"] - latency["l1"])
        + beyond_l2 * (latency["dram"] - latency["l2"])
    )


def _round(
    demand: Demand, traces: Traces, steps: list[Step | Barrier]
) -> tuple[float, Mapping[str, float]]:
    """The cycles of a round of active work-groups, and the shares of what they went into: while
    the busiest resource is held, each as long as it is; else nothing happens."""
    variants = [
        _joined([steps[o] for o in traces.trace[first:end]])
        for first, end in pairwise(traces.starts.tolist())
    ]
    warps, groups = demand.subject.block_warps, _active_groups(demand)
    rows = np.resize(np.arange(len(traces.taken)), groups)
    own = traces.taken[rows][:, np.arange(warps) % traces.taken.shape[1]]
    found = run_round([variants[n] for n in own.ravel().tolist()], groups, warps)
    held = dict.fromkeys(_NAMES, 0.0)
    for usage in found.usages:
        held[usage.resource] += usage.end - usage.start
    whole = max(sum(held.values()), 1e-9)
    busy = max(held.values()) / max(found.cycles, 1e-9)
    shares = {_NAMES[resource]: busy * each / whole for resource, each in held.items()}
    return found.cycles, {**shares, "idle": 1.0 - busy}


def _joined(steps: list[Step | Barrier]) -> Steps:
    """The trace with computations one after another as one, as in figure 2."""
    found = list[Step | Barrier]()
    for step in steps:
        before = found[-1] if found else None
        if (
            isinstance(step, Step) and isinstance(before, Step)
            and step.resource == before.resource == COMPUTATION
        ):  # fmt: skip
            found[-1] = Step(COMPUTATION, before.delay + step.delay)
        else:
            found.append(step)
    return found
