"""Simulates launches, one after another: the L2 cache stays as the launch before left it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcc.diagnostics import Diagnostic, DiagnosticError, InternalError
from kcc.gpu.description import GpuDescription
from kcc.sim.cycle.blocks import BlockSupply
from kcc.sim.cycle.layout import (
    CAUSES,
    INTERVAL_COLUMNS,
    INTERVALS,
    LINE_STATS,
    NEVER,
    RUN_SIZE,
    SCHED_COLUMNS,
    SLOTS,
    SM_COLUMNS,
    STATS,
    TOO_LONG,
    WARP_COLUMNS,
    Cause,
    Conf,
    Run,
    Sched,
    Sm,
    Stat,
    Warp,
)
from kcc.sim.cycle.machine import Machine, machine_of
from kcc.sim.cycle.program import Program, program_of
from kcc.sim.cycle.summary import Outcome, timing_of
from kcc.sim.machine_costs import UNITS
from kcc.sim.result import Timing
from kcc.trace.decode import TraceBatch
from kcc.trace.launches import TraceLaunch
from kcc.trace.tables import TraceTables

DRAM_ROWS_KEPT = 4

FIRST_INTERVAL_CYCLES = 16


@dataclass(slots=True, eq=False)
class SharedMemory:
    """L2 and DRAM, which outlive a launch."""

    tags: NDArray[np.int64]
    used: NDArray[np.int64]
    filled: NDArray[np.int32]
    dirty: NDArray[np.int8]
    slice_free: NDArray[np.int64]
    channel_free: NDArray[np.int64]
    bank_free: NDArray[np.int64]
    rows: NDArray[np.int64]
    clock: int = 0

    def new_launch(self) -> None:
        """Times begin again; everything that was on its way is there."""
        self.filled[self.filled > 0] = 0
        for column in (self.slice_free, self.channel_free, self.bank_free, self.rows[..., 1:]):
            column[...] = 0


def shared_memory(machine: Machine) -> SharedMemory:
    """Empty L2 and DRAM."""
    lines = machine[Conf.L2_SLICES] * machine[Conf.L2_SETS] * machine[Conf.L2_WAYS]
    banks = machine[Conf.CHANNELS] * machine[Conf.BANKS]
    rows = np.zeros((banks, DRAM_ROWS_KEPT, 3), np.int64)
    rows[..., 0] = -1
    return SharedMemory(
        np.full(max(lines, 1), -1, np.int64), np.zeros(max(lines, 1), np.int64),
        np.full((max(lines, 1), machine[Conf.SECTORS]), -1, np.int32),
        np.zeros((max(lines, 1), machine[Conf.SECTORS]), np.int8),
        np.zeros(machine[Conf.L2_SLICES], np.int64), np.zeros(machine[Conf.CHANNELS], np.int64),
        np.zeros(banks, np.int64), rows,
    )  # fmt: skip


class CycleSimulator:
    """Simulates the launches of one program on one GPU, in order.

    ``registers`` of a work-item by kernel; those not named do not limit occupancy.
    ``timeline``: thread blocks whose times are kept, of each launch.
    """

    def __init__(
        self, gpu: GpuDescription, registers: dict[str, int] | None = None, *, timeline: int = 0
    ) -> None:
        self.gpu, self.registers, self.timeline = gpu, registers or {}, timeline
        self.memory: SharedMemory | None = None

    def begin(self, tables: TraceTables, launch: TraceLaunch) -> LaunchSimulation:
        """A launch whose batches are then fed. Raises K870 for a launch without addresses, K871
        for a thread block that no SM holds, K807 for a value that is needed."""
        machine = launch_machine(self.gpu, tables, launch, self.registers)
        return self.begin_program(tables, launch, machine, program_of(tables, machine))

    def begin_program(
        self, tables: TraceTables, launch: TraceLaunch, machine: Machine, program: Program
    ) -> LaunchSimulation:
        """The same for a program that is at hand."""
        if self.memory is None:
            self.memory = shared_memory(machine)
        self.memory.new_launch()
        return LaunchSimulation(tables, launch, machine, program, self.memory, self.timeline)


def launch_machine(
    gpu: GpuDescription, tables: TraceTables, launch: TraceLaunch, registers: dict[str, int]
) -> Machine:
    """The machine for a launch, whose addresses and blocks it can take."""
    if not launch.addresses and tables.accesses:
        message = f"launch {launch.number} of {tables.kernel} was traced without addresses"
        hint = "`kcc trace` without --blocks-only traces them"
        raise DiagnosticError([Diagnostic("K870", message, hint=hint)])
    threads = int(np.prod(launch.local_size))
    machine = machine_of(gpu, threads, registers.get(tables.kernel), launch.local_bytes)
    if machine.occupancy.blocks < 1:
        why = ", ".join(limiter.value for limiter in machine.occupancy.limiters)
        message = f"a thread block of {tables.kernel} does not fit on an SM of {gpu.stem}: {why}"
        raise DiagnosticError([Diagnostic("K871", message)])
    return machine


class LaunchSimulation:
    """One launch: feed it batches in the order of thread blocks, then finish it."""

    def __init__(
        self,
        tables: TraceTables,
        launch: TraceLaunch,
        machine: Machine,
        program: Program,
        memory: SharedMemory,
        timeline: int,
    ) -> None:
        self.tables, self.launch, self.machine, self.program = tables, launch, machine, program
        self.memory = memory
        self.supply = BlockSupply(tables, launch, machine)
        conf = machine.conf.copy()
        conf[Conf.REGISTERS] = program.registers
        self.conf = conf
        sms, schedulers = machine[Conf.SMS], machine[Conf.SCHEDULERS]
        per = machine[Conf.PER_SCHEDULER]
        slots = sms * schedulers * per
        self.run = np.zeros(RUN_SIZE, np.int64)
        self.run[Run.SM], self.run[Run.ROOM] = sms, FIRST_INTERVAL_CYCLES
        self.run[Run.CLOCK] = memory.clock
        self.stats = np.zeros(STATS, np.int64)
        self.line_stats = np.zeros((len(program.ops), LINE_STATS), np.int64)
        self.intervals = np.zeros((INTERVALS, INTERVAL_COLUMNS), np.int64)
        self.stacks = np.zeros((sms * schedulers, CAUSES), np.int64)
        self.line_stacks = np.zeros((len(program.ops) + 1, CAUSES), np.int64)
        self.sms = np.zeros((sms, SM_COLUMNS), np.int64)
        self.sms[:, Sm.TIME] = NEVER
        self.sched = np.zeros((sms * schedulers, SCHED_COLUMNS), np.int64)
        self.sched[:, Sched.NEXT] = self.sched[:, Sched.BASE] = NEVER
        self.sched[:, Sched.CAUSE], self.sched[:, Sched.OP] = Cause.IDLE, -1
        self.block_slots = np.zeros((sms, machine[Conf.BLOCKS], 3), np.int64)
        self.log = np.zeros((min(timeline, launch.thread_blocks), 4), np.int64)
        self.warps = np.zeros((slots, WARP_COLUMNS), np.int64)
        self.ready = np.zeros((slots, program.registers), np.int32)
        self.base = np.zeros((slots, program.registers), np.int32)
        self.cause = np.zeros((slots, program.registers), np.int8)
        self.wake = np.full(slots, NEVER, np.int64)
        self.unit = np.zeros(slots, np.int8)
        self.unit_free = np.zeros((sms * schedulers, UNITS), np.int64)
        self.heaps = np.zeros((sms, machine[Conf.L1_MSHR] + 1), np.int64)
        lines = max(sms * machine[Conf.L1_SETS] * machine[Conf.L1_WAYS], 1)
        sectors = machine[Conf.SECTORS]
        self.l1 = (
            np.full(lines, -1, np.int64), np.zeros(lines, np.int64),
            np.full((lines, sectors), -1, np.int32), np.zeros((lines, sectors), np.int8),
            np.zeros((lines, sectors), np.int8),
        )  # fmt: skip
        self.slots = np.zeros((sms, SLOTS, 2), np.int64)
        self.outs = np.zeros(sms, np.int64)

    @property
    def issued(self) -> int:
        """Machine instructions so far."""
        return int(self.stats[0])

    @property
    def retired_blocks(self) -> int:
        return int(self.run[Run.RETIRED])

    def feed(self, batch: TraceBatch) -> None:
        """The next batch; it is simulated as far as can be."""
        if self.supply.take(batch):
            self._flush(last=False)
            self._run()

    @property
    def executed(self) -> int:
        """Warp instructions of the trace that made code, so far."""
        return int(self.stats[Stat.WARP_INSTRUCTIONS])

    @property
    def clock(self) -> int:
        """The cycle at which the next thread block is wanted."""
        sm = int(self.run[Run.SM])
        return int(self.sms[sm, Sm.TIME]) if sm < len(self.sms) else 0

    def feed_blocks(self, batches: Iterable[TraceBatch]) -> None:
        """Thread blocks that are whole, ascending, perhaps with gaps: they are simulated until all
        are dispatched and another is wanted. All stays as if they had been fed at once."""
        for batch in batches:
            self.feed(batch)
        self._flush(last=True)
        self._run()

    def finish(self, thread_blocks: int | None = None) -> Timing:
        """All batches were fed: simulate to the end. Raises K872 for a launch of 2^31 cycles.

        ``thread_blocks``: how many there were, where they are not all of the launch."""
        self._flush(last=True)
        self.run[Run.FINISHED] = 1
        self._run()
        wanted = self.launch.thread_blocks if thread_blocks is None else thread_blocks
        if self.run[Run.RETIRED] != wanted:
            raise InternalError("cycle-level model", "not all thread blocks came to their end")
        self._charge_the_end()
        self.memory.clock = int(self.run[Run.CLOCK])
        return timing_of(
            Outcome(
                self.tables, self.launch, self.machine, self.program, self.run, self.stats,
                self.line_stats, self.intervals, self.stacks, self.line_stacks, self.log,
                self.supply.thread_instructions,
            )
        )  # fmt: skip

    def _flush(self, *, last: bool) -> None:
        alive = self.warps[:, Warp.END_ROW] > 0
        self.supply.flush(self.run, self.warps, alive, last=last)

    def _run(self) -> None:
        from kcc.sim.cycle.core_native import simulate

        s, p, m = self.supply.streams, self.program, self.memory
        end = simulate(
            self.conf, self.run, self.stats, self.line_stats, self.intervals, self.stacks,
            self.line_stacks, self.sms, self.sched, self.block_slots, s.pool, self.log, p.ops,
            p.sources, p.incoming, p.segments, s.row_segment, s.row_access, s.accesses,
            s.transactions, self.warps, self.ready, self.base, self.cause, self.wake, self.unit,
            self.unit_free, self.heaps, *self.l1, self.slots, self.outs, m.slice_free, m.tags,
            m.used, m.filled, m.dirty, m.channel_free, m.bank_free, m.rows,
        )  # fmt: skip
        if end == TOO_LONG:
            message = f"launch {self.launch.number} of {self.tables.kernel} takes 2^31 cycles"
            raise DiagnosticError([Diagnostic("K872", message)])

    def _charge_the_end(self) -> None:
        """The cycles of each scheduler behind its last are idle, and so is the launch before."""
        end, overhead = int(self.run[Run.END]), self.machine[Conf.OVERHEAD]
        left = end - self.sched[:, Sched.CHARGED]
        self.stacks[:, Cause.IDLE] += left
        self.line_stacks[0, Cause.IDLE] += int(left.sum())
        self.stacks[:, Cause.LAUNCH] += overhead
        self.line_stacks[0, Cause.LAUNCH] += overhead * len(self.stacks)
