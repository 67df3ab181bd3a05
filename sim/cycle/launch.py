"""Simulates launches, one after another: the L2 cache stays as the launch before left it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kcc.base.diagnostics import Diagnostic, DiagnosticError, InternalError
from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.tables import TraceTables
from kcc.sim.cycle.blocks import BlockSupply
from kcc.sim.cycle.code import LoweredProgram, lower
from kcc.sim.cycle.compiled import CompilerCode
from kcc.sim.cycle.layout import (
    CAUSES,
    FORESEEN,
    INTERVAL_COLUMNS,
    INTERVALS,
    LINE_STATS,
    NEVER,
    ROWS_KEPT,
    RUN_SIZE,
    SIDE_WAYS,
    SLOTS,
    STATS,
    TOO_LONG,
    WAY_BITS,
    Cache,
    Cause,
    Conf,
    Counts,
    Dram,
    LineStat,
    Op,
    Run,
    Schedulers,
    Sms,
    Stat,
    Warps,
)
from kcc.sim.cycle.machine import Machine, add_code, machine_of
from kcc.sim.cycle.program import Program, code_instructions, program_of
from kcc.sim.cycle.record_layout import BLOCK, COLLECTOR, HOME, SCHEDULER, SM, WARP
from kcc.sim.cycle.summary import Outcome, timing_of
from kcc.sim.machine.costs import Unit
from kcc.sim.program.issued import IssuedTables
from kcc.sim.program.of_trace import PROGRAMS_KEPT
from kcc.sim.result import Timing

HOST_LINE = 64
"""Bytes of a line of the host's cache."""

CODE_LINES, CODE_LINES_EACH = 1 << 45, 1 << 20
"""Where the code of kernels lies, as the model sees it, and how far apart that of two begins:
beyond all data, whose addresses have 48 bits."""

FIRST_INTERVAL_SHIFT = 4
"""Intervals begin with 16 cycles."""


@dataclass(slots=True, eq=False)
class SharedMemory:
    """L2, DRAM and the SMs' instruction caches, which outlive a launch."""

    l2: Cache
    dram: Dram
    instructions: Cache

    def new_launch(self) -> None:
        """Times begin again; everything that was on its way is there."""
        sectors = self.instructions.lines.shape[1] // 2
        for cache in (self.l2, self.instructions):
            filled = cache.lines[:, :sectors]
            np.minimum(filled, 0, out=filled)
        dram = self.dram
        for column in (
            dram.slices, dram.channels, dram.banks, dram.misses, dram.openings, dram.sides,
        ):  # fmt: skip
            column[...] = 0
        self.dram.rows[..., 1:] = 0


def shared_memory(machine: Machine) -> SharedMemory:
    """Empty caches and DRAM."""
    sets = machine[Conf.L2_SLICES] * machine[Conf.L2_SETS]
    banks = machine[Conf.CHANNELS] * machine[Conf.BANKS]
    rows = np.zeros((banks, ROWS_KEPT, 3), np.int64)
    rows[..., 0] = -1
    return SharedMemory(
        empty_cache(
            sets, machine[Conf.L2_WAYS], machine[Conf.SECTORS],
            columns=3 if machine[Conf.L2_MERGE] else 2,
        ),
        Dram(
            np.zeros(machine[Conf.L2_SLICES], np.int64),
            np.zeros(machine[Conf.CHANNELS], np.int64), np.zeros(banks, np.int64), rows,
            np.zeros((machine[Conf.CHANNELS], 2), np.int64),
            np.zeros((machine[Conf.L2_SLICES], machine[Conf.L2_MSHR] + 1), np.int64),
            np.zeros(machine[Conf.CHANNELS], np.int64),
            np.zeros(machine[Conf.CHANNELS], np.int64),
            empty_cache(machine[Conf.CHANNELS] * machine[Conf.SIDE_SETS], SIDE_WAYS, 0).order,
        ),
        _cache_of(machine, Conf.FETCH_SETS, Conf.FETCH_WAYS),
    )  # fmt: skip


def empty_cache(sets: int, ways: int, sectors: int, columns: int = 2) -> Cache:
    """A cache that holds nothing (one set at least, so that there is something to point at), with
    so many numbers for each sector. What its places say of sectors means nothing until a line
    comes there."""
    order = aligned((max(sets, 1), ways), np.int64)
    order[:] = (-1 << WAY_BITS) | np.arange(ways)
    return Cache(order.reshape(-1), aligned((order.size, columns * sectors), np.int32))


def _cache_of(machine: Machine, sets: Conf, ways: Conf) -> Cache:
    """One for each SM, empty; without sets, something to point at."""
    return empty_cache(
        machine[Conf.SMS] * machine[sets], max(machine[ways], 1), machine[Conf.SECTORS]
    )


def aligned(shape: int | tuple[int, ...], kind: DTypeLike) -> NDArray[Any]:
    """Zeros that begin with a line of the host's cache, so that no record lies in two; behind
    them is room, as native code looks at 16 ways of any set."""
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    room = np.zeros(size + 3 * HOST_LINE, np.int8)
    start = -room.ctypes.data % HOST_LINE
    return room[start : start + size].view(kind).reshape(shape)


class CycleSimulator:
    """Simulates the launches of one program on one GPU, in order.

    ``registers`` of a work-item by kernel; those not named do not limit occupancy. ``code``: the
    compiler whose code launches of traces are simulated in, where it is not kcc's own.
    ``timeline``: thread blocks whose times are kept, of each launch.
    """

    def __init__(
        self, gpu: GpuDescription, registers: dict[str, int] | None = None, *, timeline: int = 0,
        code: CompilerCode | None = None,
    ) -> None:  # fmt: skip
        self.code = code
        self.gpu, self.registers, self.timeline = gpu, registers or {}, timeline
        self.memory: SharedMemory | None = None
        self._programs = dict[int, tuple[TraceTables, Program, LoweredProgram]]()
        self._places = dict[str, int]()
        """Of the code of kernels, in the order of their first launches."""

    @property
    def kernels(self) -> list[str]:
        """Those launched so far."""
        return list(self._places)

    @kernels.setter
    def kernels(self, names: Iterable[str]) -> None:
        self._places = {name: place for place, name in enumerate(names)}

    def begin(self, tables: TraceTables, launch: TraceLaunch) -> LaunchSimulation:
        """A launch whose batches are then fed. Raises K870 for a launch without addresses, K871
        for a thread block that no SM holds, K807 for a value that is needed."""
        machine = launch_machine(self.gpu, tables, launch, self.registers)
        machine.conf[Conf.REGISTER_BANKS] = 0  # operations have no registers
        if id(tables) not in self._programs:
            program = program_of(tables, machine, by_control_bits=True)
            lowered = _lowered(program, machine)
            if len(self._programs) == PROGRAMS_KEPT:  # each scalar argument may make another
                del self._programs[next(iter(self._programs))]
            self._programs[id(tables)] = tables, program, lowered
        _, program, lowered = self._programs[id(tables)]
        return self._begin(tables, launch, machine, program, lowered)

    def begin_program(
        self, tables: TraceTables, launch: TraceLaunch, machine: Machine, program: Program
    ) -> LaunchSimulation:
        """The same for a program that is at hand."""
        lowered = _lowered(program, machine)
        return self._begin(tables, launch, machine, program, lowered)

    def _begin(
        self,
        tables: TraceTables,
        launch: TraceLaunch,
        machine: Machine,
        program: Program,
        lowered: LoweredProgram,
    ) -> LaunchSimulation:
        place = self._places.setdefault(tables.kernel, len(self._places))
        add_code(machine, code_instructions(tables, program.ops[:, Op.ISSUES]))
        machine.conf[Conf.CODE_LINE] = CODE_LINES + place * CODE_LINES_EACH
        if self.memory is None:
            self.memory = shared_memory(machine)
        self.memory.new_launch()
        return LaunchSimulation(
            tables, launch, machine, program, lowered, self.memory, self.timeline
        )


def _lowered(program: Program, machine: Machine) -> LoweredProgram:
    fetched = machine[Conf.FETCH_SETS] > 0
    per_line = max(machine.line_bytes // machine.code_bytes, 1) if fetched else 0
    return lower(program, machine[Conf.REGISTER_BANKS], per_line)


def launch_machine(
    gpu: GpuDescription, tables: TraceTables, launch: TraceLaunch, registers: dict[str, int]
) -> Machine:
    """The machine for a launch, whose addresses, warps and blocks it can take: K870, K877, K871."""
    if not launch.addresses and tables.accesses:
        message = f"launch {launch.number} of {tables.kernel} was traced without addresses"
        hint = "`kcc trace` without --blocks-only traces them"
        raise DiagnosticError([Diagnostic("K870", message, hint=hint)])
    threads = int(np.prod(launch.local_size))
    known = tables.registers if isinstance(tables, IssuedTables) else None
    taken = registers.get(tables.kernel, known)
    if isinstance(tables, IssuedTables) and tables.compiler:
        taken = tables.registers
    machine = machine_of(gpu, threads, taken, launch.local_bytes)
    check_warps(gpu, tables.kernel, tables.width)
    if machine.occupancy.blocks < 1:
        why = ", ".join(limiter.value for limiter in machine.occupancy.limiters)
        message = f"a thread block of {tables.kernel} does not fit on an SM of {gpu.stem}: {why}"
        raise DiagnosticError([Diagnostic("K871", message)])
    return machine


def check_warps(gpu: GpuDescription, kernel: str, width: int) -> None:
    """Raises K877 where a kernel did not run in warps of the GPU's size."""
    lanes = 32 if gpu.warp_size is None else gpu.warp_size.value
    if lanes != width:
        message = (
            f"{kernel} was traced in warps of {width} work-items, and those of {gpu.stem} have "
            f"{lanes}"
        )
        hint = f"`kcc trace --warp-size {lanes}`, or --set warp_size={width}"
        raise DiagnosticError([Diagnostic("K877", message, hint=hint)])


class LaunchSimulation:
    """One launch: feed it batches in the order of thread blocks, then finish it."""

    def __init__(
        self,
        tables: TraceTables,
        launch: TraceLaunch,
        machine: Machine,
        program: Program,
        lowered: LoweredProgram,
        memory: SharedMemory,
        timeline: int,
    ) -> None:
        self.tables, self.launch, self.machine, self.program = tables, launch, machine, program
        self.memory = memory
        self.supply = BlockSupply(tables, launch, machine, lowered.code)
        self.lowered = lowered
        sms, schedulers = machine[Conf.SMS], machine[Conf.SMS] * machine[Conf.SCHEDULERS]
        slots = machine[Conf.PER_SCHEDULER]
        self.run = np.zeros(RUN_SIZE, np.int64)
        self.run[Run.SM], self.run[Run.INTERVAL_SHIFT] = sms, FIRST_INTERVAL_SHIFT
        self.warps = Warps(
            aligned(schedulers * slots, WARP),
            aligned((schedulers * slots, self.lowered.registers), np.int64),
            np.zeros(max(self.lowered.copies, 1), np.int64),
        )
        self.schedulers = Schedulers(
            aligned(schedulers, SCHEDULER),
            np.zeros((schedulers, max(machine[Conf.COLLECTORS], 1)), COLLECTOR),
        )  # fmt: skip
        self.schedulers.state["free"][:, Unit.SFU] = -machine[Conf.XU_QUEUE]
        for column in ("next", "base", "far_time"):
            self.schedulers.state[column] = NEVER
        self.schedulers.state["cause"], self.schedulers.state["op"] = Cause.IDLE, -1
        self.sms = Sms(
            np.zeros(sms, SM), np.zeros((sms, machine[Conf.BLOCKS]), BLOCK),
            np.zeros((sms, SLOTS), np.int64),
            np.zeros((sms, machine[Conf.L1_MSHR] + 1), np.int32), np.zeros(FORESEEN, HOME),
            memory.instructions, _cache_of(machine, Conf.CONSTANT_SETS, Conf.CONSTANT_WAYS),
        )  # fmt: skip
        self.sms.state["time"] = NEVER
        self.l1 = _cache_of(machine, Conf.L1_SETS, Conf.L1_WAYS)
        ops = len(self.lowered.code.ops)
        self.counts = Counts(
            np.zeros(STATS, np.int64), np.zeros((ops, LINE_STATS), np.int64),
            np.zeros((INTERVALS, INTERVAL_COLUMNS), np.int64),
            np.zeros((ops + 1, CAUSES), np.int64),
            np.zeros((min(timeline, launch.thread_blocks), 4), np.int64),
        )  # fmt: skip

    @property
    def issued(self) -> int:
        """Machine instructions so far."""
        return self._executed(Op.ISSUES)

    @property
    def retired_blocks(self) -> int:
        return int(self.run[Run.RETIRED])

    def feed(self, batch: TraceBatch) -> None:
        """The next batch; it is simulated as far as can be."""
        if self.supply.take(batch):
            self.supply.flush(self.run, self.warps.state, last=False)
            self._run()

    @property
    def executed(self) -> int:
        """Warp instructions of the trace that made code, so far."""
        return self._executed(Op.COUNTED)

    @property
    def stats(self) -> NDArray[np.int64]:
        """What was counted so far (:class:`~kcc.sim.cycle.layout.Stat`)."""
        found: NDArray[np.int64] = self.counts.stats.copy()
        found[Stat.ISSUED], found[Stat.WARP_INSTRUCTIONS] = self.issued, self.executed
        return found

    @property
    def executed_by_operation(self) -> NDArray[np.int64]:
        """How often each operation of the program was executed so far."""
        return self._by_operation(self.counts.lines)[:, LineStat.EXECUTED]

    @property
    def counts_by_operation(self) -> NDArray[np.int64]:
        """What was counted so far of each operation of the program (LineStat)."""
        return self._by_operation(self.counts.lines)

    @property
    def log(self) -> NDArray[np.int64]:
        """SM, start, end and place of the first blocks."""
        return self.counts.log

    @log.setter
    def log(self, rows: NDArray[np.int64]) -> None:
        self.counts = self.counts._replace(log=rows)

    @property
    def clock(self) -> int:
        """The cycle at which the next thread block is wanted."""
        place, sms = int(self.run[Run.SM]), len(self.sms.state)
        sm = (int(self.run[Run.FIRST_SM]) + place) % sms
        return int(self.sms.state["time"][sm]) if place < sms else 0

    def feed_blocks(self, batches: Iterable[TraceBatch]) -> None:
        """Thread blocks that are whole, ascending, perhaps with gaps: they are simulated until all
        are dispatched and another is wanted. All stays as if they had been fed at once."""
        for batch in batches:
            self.feed(batch)
        self.supply.flush(self.run, self.warps.state, last=True)
        self._run()

    def finish(self, thread_blocks: int | None = None) -> Timing:
        """All batches were fed: simulate to the end. Raises K872 for a launch of 2^31 cycles.

        ``thread_blocks``: how many there were, where they are not all of the launch."""
        self.supply.flush(self.run, self.warps.state, last=True)
        self.run[Run.FINISHED] = 1
        self._run()
        wanted = self.launch.thread_blocks if thread_blocks is None else thread_blocks
        if self.run[Run.RETIRED] != wanted:
            raise InternalError("cycle-level model", "not all thread blocks came to their end")
        self._charge_the_end()
        counts = self.counts
        return timing_of(
            Outcome(
                self.tables, self.launch, self.machine, self.program, self.run, self.stats,
                self._by_operation(counts.lines), counts.intervals, self.schedulers.state["stack"],
                np.vstack([counts.line_stacks[:1], self._by_operation(counts.line_stacks[1:])]),
                counts.log, self.supply.thread_instructions,
            )
        )  # fmt: skip

    def _executed(self, column: Op) -> int:
        """A column of the program's operations, summed over all that issued."""
        own = self.program.ops[self.lowered.origin, column]
        return int(own @ self.counts.lines[: len(own), LineStat.EXECUTED])

    def _by_operation(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of operations of the code as rows of the program's."""
        found = np.zeros((len(self.program.ops), rows.shape[1]), np.int64)
        found[self.lowered.origin] = rows[: len(self.lowered.origin)]
        return found

    def _run(self) -> None:
        from kcc.sim.cycle.core_native import simulate

        end = simulate(
            self.machine.conf, self.run, self.lowered.code, self.supply.streams, self.warps,
            self.schedulers, self.sms, self.l1, self.memory.l2, self.memory.dram, self.counts,
        )  # fmt: skip
        if end == TOO_LONG:
            message = f"launch {self.launch.number} of {self.tables.kernel} takes 2^31 cycles"
            raise DiagnosticError([Diagnostic("K872", message)])

    def _charge_the_end(self) -> None:
        """The cycles of each scheduler after its last are idle, and so are those before the first:
        of the launch, and until code is there."""
        end, conf = int(self.run[Run.END]), self.machine
        before = {Cause.LAUNCH: conf[Conf.OVERHEAD], Cause.FETCH: conf[Conf.CODE_CYCLES]}
        stacks, line_stacks = self.schedulers.state["stack"], self.counts.line_stacks
        left = end - self.schedulers.state["charged"]
        stacks[:, Cause.IDLE] += left
        line_stacks[0, Cause.IDLE] += int(left.sum())
        for cause, cycles in before.items():
            stacks[:, cause] += cycles
            line_stacks[0, cause] += cycles * len(stacks)
