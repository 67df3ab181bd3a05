"""The interval model's inputs, from what the cycle-level model has of a GPU and of a kernel.

Both models see one machine: the same latencies, widths and caches, the same machine instructions
for an instruction of the IR. Differences between their results are then differences of modelling.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.tables import TraceTables
from kcc.sim.cycle.launch import launch_machine
from kcc.sim.cycle.layout import GREEDY, YOUNGEST, Conf, Op
from kcc.sim.cycle.layout import Kind as CycleKind
from kcc.sim.cycle.machine import Machine, add_code
from kcc.sim.cycle.program import Program, code_instructions, program_of
from kcc.sim.interval.facts import CacheShape, IntervalMachine, Kind, Operations
from kcc.sim.machine.dram_banks import BankMapping
from kcc.sim.machine.warp_scheduling import Policy

_KINDS = {
    CycleKind.FREE: Kind.FREE, CycleKind.PHI: Kind.PHI, CycleKind.ARITHMETIC: Kind.ARITHMETIC,
    CycleKind.GLOBAL_LOAD: Kind.GLOBAL_LOAD, CycleKind.GLOBAL_STORE: Kind.GLOBAL_STORE,
    CycleKind.GLOBAL_ATOMIC: Kind.GLOBAL_ATOMIC, CycleKind.LOCAL_LOAD: Kind.LOCAL,
    CycleKind.LOCAL_STORE: Kind.LOCAL, CycleKind.LOCAL_ATOMIC: Kind.LOCAL,
    CycleKind.CONSTANT_LOAD: Kind.CONSTANT_LOAD, CycleKind.BARRIER: Kind.BARRIER,
    CycleKind.FENCE: Kind.FENCE, CycleKind.GROUP: Kind.FREE,
}  # fmt: skip

SIXTY_FOURTHS = 64
"""The cycle-level model counts service times in 64ths of a cycle."""


def _of_line(m: Machine, first: Conf, more: Conf) -> float:
    """Cycles of a sector, the mean of a whole line."""
    sectors = m[Conf.SECTORS]
    return (m[first] + (sectors - 1) * m[more]) / sectors / SIXTY_FOURTHS


def interval_inputs(
    gpu: GpuDescription, tables: TraceTables, launch: TraceLaunch, registers: dict[str, int]
) -> tuple[IntervalMachine, Operations]:
    """The machine for a launch and the kernel's operations on it. Raises K807, K870 and K871."""
    machine = launch_machine(gpu, tables, launch, registers)
    operations = _operations(tables, machine)
    add_code(machine, code_instructions(tables, operations.issue_slots))
    return _machine(machine), operations


_POLICIES = {GREEDY: Policy.GREEDY, YOUNGEST: Policy.YOUNGEST}
"""What this model knows; groups of warps are taken as all in turn."""


def _machine(m: Machine) -> IntervalMachine:
    return IntervalMachine(
        name=m.gpu.stem,
        clock_mhz=m.clock_mhz,
        sms=m[Conf.SMS],
        schedulers=m[Conf.SCHEDULERS],
        issue_width=m[Conf.WIDTH],
        policy=_POLICIES.get(m[Conf.POLICY], Policy.ROUND_ROBIN),
        blocks=m[Conf.BLOCKS],
        warps_per_block=m[Conf.WARPS],
        line_bytes=m.line_bytes,
        sector_bytes=m.sector_bytes,
        instructions=CacheShape(m[Conf.FETCH_SETS], m[Conf.FETCH_WAYS]),
        local_banks=m.local_banks,
        port=m.port,
        lanes_together=m.lanes_together,
        pairs_together=m.pairs_together,
        l1=CacheShape(m[Conf.L1_SETS], m[Conf.L1_WAYS]),
        l1_hit_cycles=m[Conf.L1_LATENCY],
        l1_mshrs=m[Conf.L1_MSHR],
        l1_ports=m[Conf.L1_BANKS],
        memory_interval_cycles=m[Conf.LSU_INTERVAL],
        l2=CacheShape(m[Conf.L2_SETS], m[Conf.L2_WAYS]),
        l2_slices=m[Conf.L2_SLICES],
        l2_hashed=bool(m[Conf.HASH]),
        l2_write_back=bool(m[Conf.L2_WRITE_BACK]),
        l2_hit_cycles=m[Conf.L2_LATENCY],
        l2_service_cycles=m[Conf.L2_OCCUPANCY] / SIXTY_FOURTHS,
        request_cycles=_of_line(m, Conf.REQUEST_CYCLES, Conf.REQUEST_MORE),
        store_cycles=_of_line(m, Conf.STORE_CYCLES, Conf.STORE_MORE),
        data_cycles=m[Conf.DATA_CYCLES] / SIXTY_FOURTHS,
        channels=m[Conf.CHANNELS],
        banks=m[Conf.BANKS],
        bank_mapping=BankMapping(m[Conf.BANK_MAPPING]),
        row_lines=m[Conf.ROW_LINES],
        dram_cycles=m[Conf.L2_LATENCY] + m[Conf.DRAM_LATENCY],
        dram_service_cycles=m[Conf.BURST] / SIXTY_FOURTHS / (1 - _refreshing(m)),
        l2_queue=m[Conf.L2_QUEUE],
        dram_queue=m[Conf.DRAM_QUEUE],
        turnaround_cycles=m[Conf.TURNAROUND] / SIXTY_FOURTHS,
        writes_together=m[Conf.WRITES_TOGETHER],
        row_hit_saves_cycles=m[Conf.ROW_MISS],
        atomic_cycles=m[Conf.ATOMIC_LATENCY],
        atomic_operation_cycles=m[Conf.ATOMIC_OPERATION] / SIXTY_FOURTHS,
        atomics_together=int(m[Conf.ATOMICS_TOGETHER]),
        one_fp64=bool(m[Conf.ONE_FP64]),
        barrier_cycles=m[Conf.BARRIER_LATENCY],
        launch_cycles=m[Conf.OVERHEAD],
        code_cycles=m[Conf.CODE_CYCLES],
        occupancy=m.occupancy,
        assumptions=m.assumptions,
    )


def _refreshing(m: Machine) -> float:
    """The share of time in which channels are refreshed."""
    return m[Conf.REFRESH] / m[Conf.REFRESH_EVERY] if m[Conf.REFRESH_EVERY] else 0.0


def _operations(tables: TraceTables, machine: Machine) -> Operations:
    program = program_of(tables, machine)
    ops = program.ops
    kinds = np.array([_KINDS[CycleKind(int(k))] for k in ops[:, Op.KIND]], np.int64)
    access = np.array([i.access for i in tables.instructions], np.int64)
    return Operations(
        kinds, ops[:, Op.UNIT].copy(), ops[:, Op.ISSUES].copy(), ops[:, Op.INTERVAL].copy(),
        ops[:, Op.LATENCY].astype(np.float64), ops[:, Op.RESULT].copy(),
        ops[:, Op.FIRST_SOURCE].copy(), ops[:, Op.END_SOURCE].copy(), access,
        ops[:, Op.COUNTED] != 0, program.sources, program.incoming, program.segments,
        program.registers, program.lines, _code(program, machine, kinds),
    )  # fmt: skip


def _code(program: Program, machine: Machine, kinds: NDArray[np.int64]) -> NDArray[np.int64]:
    """The line of code of each operation and in how many more it is: machine instructions lie in
    the order of the program."""
    found = np.zeros((len(kinds), 2), np.int64)
    per_line = max(machine.line_bytes // machine.code_bytes, 1) if machine[Conf.FETCH_SETS] else 0
    if per_line == 0:
        return found
    places = [np.zeros(0, np.int64)]
    places += [np.arange(int(first), int(end)) for first, end, _ in program.segments]
    order = np.concatenate(places)
    order = order[kinds[order] > Kind.PHI]
    ends = np.cumsum(program.ops[order, Op.ISSUES])
    first = (ends - program.ops[order, Op.ISSUES]) // per_line
    found[order, 0] = 1 + first
    found[order, 1] = np.maximum((ends - 1) // per_line - first, 0)
    return found
