"""The `pipeline` model: from a kernel's facts and a GPU to a time, with reasons.

One SM is run with the thread blocks that fit on it (:mod:`kcc.sim.pipeline_native`), and its share
of the L2 and DRAM bandwidth. Wang et al. (section IV-B, equation 8) multiply the time of one round
of thread blocks by the number of rounds; here rounds overlap, the last one may be partly full, and
no resource may be used faster than it can go.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kcc.frontend.kernel import Kernel
from kcc.gpu.needs import Assumption, GpuReader
from kcc.gpu.occupancy import Occupancy, occupancy_of
from kcc.passes.facts import Facts
from kcc.passes.memory_use import MemoryUse
from kcc.passes.symbolic.build import SymbolicValues
from kcc.sim.cache_analysis import CacheShape, Stream, Traffic, streams_of, traffic_of
from kcc.sim.estimate_machine import (
    BLOCK_START_CYCLES,
    PORT_QUEUE,
    UNIT_QUEUE,
    Machine,
    latency_of,
    machine_of,
)
from kcc.sim.estimate_options import (
    EVERYTHING,
    Mechanisms,
    modelled_machine,
    modelled_occupancy,
    modelled_traffic,
)
from kcc.sim.machine_costs import Generation, Unit
from kcc.sim.machine_operations import MachineProgram, Memory
from kcc.sim.pipeline_flow import (
    Flow,
    Traced,
    Traces,
    flow_of,
    traced,
)
from kcc.sim.pipeline_program import machine_program

if TYPE_CHECKING:
    from kcc.sim.pipeline_native import Run

SECTOR = 32
LINE = 128
ROUNDS = 3
"""Rounds of thread blocks of which all are run. Of more, one round is, and as many again as take
the place of others that end at different times: the rest goes on at their rate."""


@dataclass(slots=True)
class Subject:
    """A kernel with its launch, looked at once for all GPUs of a generation."""

    kernel: Kernel
    facts: Facts
    flow: Flow
    streams: tuple[Stream, ...]
    registers: int | None
    local_bytes: int
    registers_known: bool = False
    """Whether they are a compiler's count, not an estimate."""
    programs: dict[Generation, MachineProgram] = field(
        default_factory=dict[Generation, MachineProgram]
    )
    traces: dict[Generation, Traced] = field(default_factory=dict[Generation, Traced])

    @property
    def grid(self) -> tuple[int, int, int]:
        """Thread blocks in x, y, z."""
        known = self.facts[SymbolicValues].algebra.known
        assert known.global_size is not None
        assert known.local_size is not None
        groups = [w // p for w, p in zip(known.global_size, known.local_size, strict=True)]
        x, y, z = (*groups, 1, 1)[:3]
        return x, y, z

    @property
    def block_threads(self) -> int:
        """Work-items of a thread block."""
        known = self.facts[SymbolicValues].algebra.known
        assert known.local_size is not None
        return math.prod(known.local_size)


@dataclass(frozen=True, slots=True)
class Counts:
    """Over the launch: warp instructions by unit, wavefronts through shared memory, sectors."""

    warp_instructions: float
    by_unit: Mapping[str, float]
    shared_load_wavefronts: float
    shared_store_wavefronts: float
    l2_read_sectors: float
    l2_write_sectors: float
    dram_read_sectors: float
    dram_write_sectors: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """``cpi_stack`` are shares of the kernel's scheduler cycles by what they went into; they add up
    to ``cpi``, cycles per warp instruction of one scheduler. ``invalid`` says why the launch cannot
    run on the GPU; the rest is 0 then."""

    gpu: str
    time_us: float
    cycles: float
    limiter: str
    cpi: float
    cpi_stack: Mapping[str, float]
    bounds: Mapping[str, float]
    occupancy: Occupancy
    waves: float
    counts: Counts
    lines: tuple[tuple[int, float], ...]
    assumptions: tuple[Assumption, ...]
    weak: tuple[str, ...]
    assumed_share: float
    unattributed_share: float
    unknown_accesses: int
    invalid: str = ""

    @property
    def range_us(self) -> tuple[float, float]:
        """Within what the time is to be expected; wider where more had to be assumed."""
        spread = 1.25 + 0.75 * self.assumed_share + 0.5 * bool(self.unknown_accesses)
        return self.time_us / spread, self.time_us * spread


def subject_of(kernel: Kernel, facts: Facts, registers: int | None, local_bytes: int) -> Subject:
    """Look at a kernel; its launch is known."""
    flow = flow_of(kernel, facts)
    newest = machine_program(kernel, facts, Generation.VOLTA)
    widths = {row.access: row.bytes for row in newest.operations if row.access >= 0}
    streams = streams_of(kernel, facts, flow, 32, widths)
    subject = Subject(kernel, facts, flow, streams, registers, local_bytes)
    _keep(subject, Generation.VOLTA, newest)
    return subject


def estimate(subject: Subject, reader: GpuReader, mechanisms: Mechanisms = EVERYTHING) -> Estimate:
    """How long the launch takes on a GPU, with the ``mechanisms`` that are switched on.

    :raises DiagnosticError: K807 where the GPU lacks a value that nothing can stand for.
    """
    machine = modelled_machine(machine_of(reader), mechanisms)
    program = _program(subject, machine.generation)
    registers = registers_of(subject, program)
    occupancy = occupancy_of(reader, subject.block_threads, registers, subject.local_bytes)
    if not occupancy.blocks:
        return _invalid(reader, occupancy)
    occupancy = modelled_occupancy(reader, occupancy, mechanisms)
    blocks = math.prod(subject.grid)
    traffic = traffic_of(
        subject.streams, subject.flow, subject.facts, _caches(machine, subject, occupancy)
    )
    traffic = modelled_traffic(traffic, subject.streams, mechanisms)
    run = _Run(subject, machine, program, traffic, occupancy)
    cycles, stack, bounds = run.launch(blocks)
    total = cycles + machine.launch_cycles
    counts = run.counts
    issued = counts.warp_instructions / machine.sms / machine.schedulers
    cpi = total / max(issued, 1e-9)
    shares = {**{k: v * cycles / total for k, v in stack.items()}}
    shares["launch"] = machine.launch_cycles / total
    return Estimate(
        gpu=reader.gpu.stem,
        time_us=total / machine.clock_mhz,
        cycles=total,
        limiter=_limiter(bounds, shares, cycles),
        cpi=cpi,
        cpi_stack={k: v * cpi for k, v in shares.items()},
        bounds=bounds,
        occupancy=occupancy,
        waves=blocks / (machine.sms * occupancy.blocks),
        counts=counts,
        lines=run.lines(),
        assumptions=reader.assumptions,
        weak=tuple(reader.weak),
        assumed_share=run.assumed_share,
        unattributed_share=run.unattributed,
        unknown_accesses=sum(not t.known for t in traffic.values()),
    )


def registers_of(subject: Subject, program: MachineProgram) -> int | None:
    """Registers of a work-item: the smaller one of the estimate of the whole IR and of what lives
    at once in the order that the model issues."""
    if subject.registers is None or subject.registers_known:
        return subject.registers
    return min(max(subject.registers, 16), max(16, program.registers))


def _caches(machine: Machine, subject: Subject, occupancy: Occupancy) -> CacheShape:
    l1 = _l1_bytes(machine, occupancy) if machine.l1_caches_loads else 0
    return CacheShape(
        l1, machine.l2_size, machine.sms, occupancy.blocks, machine.banks, subject.grid
    )


def _l1_bytes(machine: Machine, occupancy: Occupancy) -> int:
    """What shared memory leaves of L1, where both are one."""
    if not machine.unified or not machine.l1_size:
        return machine.l1_size
    return max(machine.l1_size - occupancy.allocated_shared_bytes * occupancy.blocks, 8192)


def _program(subject: Subject, generation: Generation) -> MachineProgram:
    if generation not in subject.programs:
        _keep(subject, generation, machine_program(subject.kernel, subject.facts, generation))
    return subject.programs[generation]


def _keep(subject: Subject, generation: Generation, program: MachineProgram) -> None:
    subject.programs[generation] = program
    subject.traces[generation] = traced(subject.kernel, subject.facts, subject.flow, program)


def _limiter(bounds: Mapping[str, float], shares: Mapping[str, float], cycles: float) -> str:
    name, most = max(bounds.items(), key=lambda item: item[1])
    if most >= 0.8 * cycles:
        return name
    waits = {k: v for k, v in shares.items() if k != "issue"}
    return f"latency ({max(waits, key=lambda k: waits[k])})"


def _invalid(reader: GpuReader, occupancy: Occupancy) -> Estimate:
    reason = ", ".join(limiter.value for limiter in occupancy.limiters)
    nothing = Counts(0, {}, 0, 0, 0, 0, 0, 0)
    return Estimate(
        reader.gpu.stem, 0, 0, "", 0, {}, {}, occupancy, 0, nothing, (), reader.assumptions,
        tuple(reader.weak), 0, 0, 0, f"no thread block fits on an SM: {reason}",
    )  # fmt: skip


class _Run:
    """One kernel on one GPU."""

    def __init__(
        self, subject: Subject, machine: Machine, program: MachineProgram,
        traffic: Mapping[int, Traffic], occupancy: Occupancy,
    ) -> None:  # fmt: skip
        self.subject, self.machine, self.program = subject, machine, program
        self.traffic, self.occupancy = traffic, occupancy
        self.active = min(machine.sms, math.prod(subject.grid))
        self._columns()
        self.executions = self._executions()
        self.counts = self._counts()

    def _columns(self) -> None:
        rows, machine = self.program.operations, self.machine
        n = len(rows)
        self.unit = np.array([r.unit for r in rows], np.int32)
        self.memory = np.array([r.memory for r in rows], np.int32)
        self.slots = np.array([r.slots for r in rows])
        interval = np.array([machine.interval[r.unit] for r in rows])
        self.busy = self.slots * interval
        self.latency = np.array(
            [r.steps * latency_of(machine, r.unit) + max(r.slots - r.steps, 0) for r in rows]
        )
        self.port, self.l2 = np.zeros(n), np.zeros(n)
        self.dram, self.write, self.sectors = np.zeros(n), np.zeros(n), np.zeros(n)
        for i, row in enumerate(rows):
            if row.unit is Unit.MEMORY:
                self._memory(i, self.traffic.get(row.access), row.memory, row.bytes)

    def _memory(self, i: int, traffic: Traffic | None, memory: Memory, size: int) -> None:
        """What a memory operation asks of the port and of the levels behind it."""
        machine = self.machine
        slow = 128.0 / machine.shared_bytes
        match memory:
            case Memory.SHARED_LOAD | Memory.SHARED_STORE | Memory.SHARED_ATOMIC:
                passes = traffic.passes if traffic else 1.0
                self.port[i] = passes * slow
            case Memory.PRIVATE | Memory.PRIVATE_STORE:
                self._private(i, memory, max(1.0, size / 4))
            case Memory.GLOBAL_LOAD | Memory.GLOBAL_STORE | Memory.GLOBAL_ATOMIC if traffic:
                moved = max(traffic.sectors * SECTOR / machine.l1_bytes_per_cycle, traffic.passes)
                # What goes back to registers, also where lanes read the same.
                moved = max(moved, size * 32 / machine.shared_bytes)
                if memory is Memory.GLOBAL_LOAD:
                    self.l2[i], self.dram[i] = traffic.l2_sectors, traffic.dram_sectors
                else:
                    self.write[i], self.dram[i] = traffic.sectors, traffic.dram_sectors
                    if memory is Memory.GLOBAL_ATOMIC:
                        self.l2[i] = traffic.sectors
                self.port[i] = max(moved, 1.0)
                self.sectors[i] = traffic.sectors
            case _:
                self.port[i] = 1.0

    def _private(self, i: int, memory: Memory, words: float) -> None:
        """Local memory: a line for each word of a warp. L1 keeps what the work-items of an SM have
        in it as far as it has room and passes stores on; L2 keeps those of all SMs, or they go to
        DRAM and come back."""
        machine, sectors = self.machine, words * LINE / SECTOR
        resident = self.occupancy.blocks * self.subject.block_threads * self.program.private_bytes
        self.port[i] = words * 128.0 / machine.shared_bytes
        miss1, miss2 = (
            _overflow(resident, _l1_bytes(machine, self.occupancy)),
            _overflow(resident * self.active, machine.l2_size),
        )
        self.sectors[i] = sectors
        if memory is Memory.PRIVATE_STORE:
            self.write[i], self.dram[i] = sectors, sectors * miss2
        else:
            self.l2[i], self.dram[i] = sectors * miss1, sectors * miss1 * miss2

    def _executions(self) -> np.ndarray:
        found = np.zeros(len(self.program.operations))
        for block, rows in enumerate(self.program.blocks):
            found[list(rows)] = self.subject.flow.executions[block]
        return found

    # counts and bounds

    def _counts(self) -> Counts:
        e, rows = self.executions, self.program.operations

        def total(column: np.ndarray, *kinds: Memory) -> float:
            chosen = np.isin(self.memory, [int(k) for k in kinds])
            return float((e * column)[chosen].sum())

        passes = np.array(
            [self.traffic[r.access].passes if r.access in self.traffic else 0.0 for r in rows]
        )
        by_unit = {u.name.lower(): float((e * self.slots)[self.unit == u].sum()) for u in Unit}
        loads, stores = (Memory.GLOBAL_LOAD,), (Memory.GLOBAL_STORE, Memory.GLOBAL_ATOMIC)
        return Counts(
            float((e * self.slots).sum()), by_unit,
            total(passes, Memory.SHARED_LOAD), total(passes, Memory.SHARED_STORE),
            total(self.l2, *loads), total(self.write, *stores),
            total(self.dram, *loads), total(self.dram, *stores),
        )  # fmt: skip

    def bounds(self) -> dict[str, float]:
        """Cycles that each resource needs at least, all SMs working all the time."""
        machine, e = self.machine, self.executions
        per_sm = e / self.active
        each = machine.schedulers
        found = {"issue": float((per_sm * self.slots).sum()) / each}
        for unit in Unit:
            if unit not in (Unit.MEMORY, Unit.CONTROL):
                found[unit.name.lower()] = (
                    float((per_sm * self.busy)[self.unit == unit].sum()) / each
                )
        found["memory_port"] = float((per_sm * self.port)[self.unit == Unit.MEMORY].sum())
        # What goes back to DRAM is read out of L2 once more.
        back = np.where(self.write > 0, self.dram, 0.0)
        l2 = float((e * (self.l2 + self.write + back)).sum()) * SECTOR
        found["l2_bandwidth"] = l2 / self._l2_rate()
        found["dram_bandwidth"] = float((e * self.dram).sum()) * SECTOR / self._dram_rate()
        return found

    def _l2_rate(self) -> float:
        machine = self.machine
        return min(machine.l2_bytes_per_cycle, machine.port_l2_bytes * self.active)

    def _dram_rate(self) -> float:
        machine = self.machine
        return min(machine.dram_bytes_per_cycle, machine.port_l2_bytes * self.active)

    # time

    def launch(self, blocks: int) -> tuple[float, dict[str, float], dict[str, float]]:
        """Cycles of all thread blocks, the shares of what they went into, and the bounds."""
        trace = self.subject.traces[self.machine.generation]
        per_sm, most = blocks / self.machine.sms, math.ceil(blocks / self.machine.sms)
        resident = min(self.occupancy.blocks, most)
        run = self._sm(trace.traces, most if most <= ROUNDS * resident else resident)
        cycles = run.cycles
        if most > ROUNDS * resident:
            run = self._sm(trace.traces, ROUNDS * resident, cycles / resident)
            steady = run.started[resident:]
            period = (steady[-1] - steady[0]) / (len(steady) - 1)
            cycles += (per_sm - resident) * period
        cycles += self._cut_off(trace, resident) * max(per_sm / resident, 1.0)
        bounds = self.bounds()
        shares = dict(zip(_reasons(), (run.spent / run.spent.sum()).tolist(), strict=True))
        name, least = max(bounds.items(), key=lambda item: item[1])
        if least > cycles:
            shares = _squeezed(shares, cycles / least, name)
            cycles = least
        return cycles, shares, bounds

    def _cut_off(self, traced: Traced, resident: int) -> float:
        """Cycles of one round of thread blocks in iterations that the trace does not have: as many
        as the last ones that it has."""
        if not traced.cuts:
            return 0.0
        short = self._sm(traced.traces, resident).cycles
        lacking = 0.0
        for cut in traced.cuts:
            longer = self._sm(cut.longer, resident).cycles
            lacking += max(longer - short, 0.0) * cut.missing / max(cut.more, 1e-9)
        return lacking

    def _sm(self, traces: Traces, blocks: int, stagger: float = 0.0) -> Run:
        from kcc.sim import pipeline_native as native

        machine, latency = self.machine, self.machine.latency
        sm = native.Sm(
            schedulers=machine.schedulers,
            resident=self.occupancy.blocks,
            warps=-(-self.subject.block_threads // 32),
            blocks=blocks,
            l2_cycles=SECTOR * self.active / self._l2_rate(),
            write_cycles=SECTOR * self.active / self._l2_rate(),
            dram_cycles=SECTOR * self.active / self._dram_rate(),
            queue=PORT_QUEUE,
            unit_queue=UNIT_QUEUE,
            shared_latency=latency["shared"],
            l1_latency=latency["l1"],
            l2_latency=latency["l2"],
            dram_latency=latency["dram"],
            constant_latency=latency["constant"],
            barrier_latency=latency["barrier"],
            atomic_latency=latency["atomic"],
            block_start=BLOCK_START_CYCLES,
            stagger=stagger,
        )
        starts, flat = self._needs()
        operations = native.Operations(
            starts, flat, self.unit, self.memory, self.slots, self.busy, self.latency, self.port,
            self.l2, self.dram, self.write,
        )  # fmt: skip
        return native.run_sm(traces.starts, traces.trace, operations, sm)

    def _needs(self) -> tuple[np.ndarray, np.ndarray]:
        starts, flat = [0], list[int]()
        for row in self.program.operations:
            flat += row.needs
            starts.append(len(flat))
        return np.array(starts, np.int32), np.array(flat or [0], np.int32)

    # the report

    def lines(self) -> tuple[tuple[int, float], ...]:
        """The share of each source line in issue slots and in what its accesses wait for."""
        weight = self.slots + self.port + SECTOR * (self.l2 + self.write) / 64.0 + self.dram
        total = float((self.executions * weight).sum()) or 1.0
        found = dict[int, float]()
        for i, row in enumerate(self.program.operations):
            share = float(self.executions[i] * weight[i]) / total
            found[row.line] = found.get(row.line, 0.0) + share
        return tuple(sorted(found.items(), key=lambda item: -item[1]))

    @property
    def unattributed(self) -> float:
        """The share of warp instructions without a source line."""
        lost = sum(
            float(self.executions[i]) * r.slots
            for i, r in enumerate(self.program.operations) if not r.line
        )  # fmt: skip
        return lost / max(self.counts.warp_instructions, 1e-9)

    @property
    def assumed_share(self) -> float:
        """The share of warp instructions in blocks whose count is a guess."""
        guessed = self.subject.flow.assumed
        lost = sum(
            float(self.executions[i]) * self.slots[i]
            for b in guessed for i in self.program.blocks[b]
        )  # fmt: skip
        return lost / max(self.counts.warp_instructions, 1e-9)


def _overflow(footprint: float, size: int) -> float:
    """The share of a footprint, used over and over, that a cache has no room for."""
    return max(0.0, 1.0 - size / footprint) if footprint else 0.0


def _reasons() -> tuple[str, ...]:
    from kcc.sim.pipeline_native import REASONS

    return REASONS


def _squeezed(shares: dict[str, float], kept: float, name: str) -> dict[str, float]:
    """The stack with the cycles added that a resource takes beyond what the pipeline saw."""
    found = {reason: share * kept for reason, share in shares.items()}
    found[f"{name}_bound"] = 1.0 - kept
    return found


def local_bytes_of(facts: Facts, arguments: Mapping[str, int]) -> int:
    """Local memory of a thread block: what the kernel declares and what its arguments bring."""
    use = facts[MemoryUse]
    return use.local_bytes + sum(arguments.get(name, 0) for name in use.dynamic_locals)
