"""Functional warming: L2 sees what thread blocks touch that are not simulated.

Only the last of them matter: as many as ask for several times what L2 holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.reader import LaunchTrace
from kcc.sim.cycle.blocks import PRIVATE_LINES
from kcc.sim.cycle.launch import LaunchSimulation
from kcc.sim.cycle.layout import SIDE_WAYS, STATS, Conf, Dram
from kcc.sim.cycle.machine import Machine
from kcc.sim.cycle.record_layout import TRANSACTION
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.feeding import BlockReader

FILLINGS = 8
"""Requests that are replayed, over the lines of L2. More than one: some lines are asked for again
and again, and hot ones among them are seldom asked for last."""

SIDE_FILLINGS = 2
"""The same of a memory-side cache, which is larger. With one, some sets are not full: a stream over
980 MB on an RX 6900 XT is 14 % too fast then, and 6 % with two."""

INSTRUCTIONS_PER_REQUEST = 64
"""Warp instructions that count as a request: reading goes on no further than that."""


def requests_wanted(simulation: LaunchSimulation) -> int:
    """How many requests of 128 bytes before a place warm L2 and the memory-side cache."""
    machine = simulation.machine
    lines = machine[Conf.L2_SLICES] * machine[Conf.L2_SETS] * machine[Conf.L2_WAYS]
    beside = machine[Conf.CHANNELS] * machine[Conf.SIDE_SETS] * SIDE_WAYS * machine.sector_bytes
    wanted = max(FILLINGS * lines * machine.line_bytes, SIDE_FILLINGS * beside)
    return wanted // 128


def _weight(profile: LaunchProfile, first: int, end: int) -> NDArray[np.int64]:
    """What replaying thread blocks counts: their requests, or what it takes to read them where
    they hardly make any."""
    read = profile.warp_instructions[first:end] // INSTRUCTIONS_PER_REQUEST
    return np.maximum(profile.requests[first:end], read)


def first_to_replay(profile: LaunchProfile, first: int, end: int, requests: int) -> int:
    """The thread block from which on those before ``end`` make so many requests; not before
    ``first``."""
    own = np.cumsum(_weight(profile, first, end)[::-1])
    return max(end - int(np.searchsorted(own, requests)) - 1, first)


def replay(simulation: LaunchSimulation, trace: LaunchTrace, first: int, end: int) -> None:
    """Let the accesses of thread blocks ``first`` to ``end`` (excluded) of a launch, which need not
    be the one that is simulated, pass through its L2.

    As many blocks as run at a time go in step: what each warp executes first comes before what any
    executes next. One block after the other would find L2 in another state: a set that all of
    them read, and then all write, is left with what was written."""
    from kcc.sim.sampling.warming_native import touch_level2

    machine, memory = simulation.machine, simulation.memory
    if first >= end or machine[Conf.L2_SETS] == 0:
        return
    aside, stats = _copies(memory.dram), np.zeros(STATS, np.int64)
    touched = TouchedLines(trace, machine)
    together = machine[Conf.BLOCKS] * machine[Conf.SMS]
    reader = BlockReader(trace)
    for begin, stop in groups_of(first, end, together):
        lines, times = touched.by(reader.read(begin, stop), begin, stop)
        order = np.argsort(times, kind="stable")
        touch_level2(machine.conf, memory.l2, aside, stats, lines, order)


def groups_of(first: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """Thread blocks in groups of a size, of which the first may be smaller."""
    at = first
    while at < end:
        stop = at + ((end - at - 1) % size + 1)
        yield at, stop
        at = stop


class TouchedLines:
    """Finds the lines that thread blocks of a launch touch."""

    def __init__(self, trace: LaunchTrace, machine: Machine) -> None:
        from kcc.sim.cycle.coalesce_native import Geometry, most_sectors

        tables = trace.tables
        self.warps = trace.launch.warps(tables.width)
        self.kinds = np.array([_kind(a.memory, a.operation) for a in tables.accesses], np.int64)
        self.sizes = np.array([a.element_bytes for a in tables.accesses], np.int64)
        self.geometry = Geometry(
            machine.line_bytes, machine.sector_bytes, machine.local_banks, machine.lanes_together,
            machine.pairs_together, PRIVATE_LINES, tables.private_bytes, constant_lines=False,
        )  # fmt: skip
        self.most = most_sectors(tables.width, int(self.sizes.max(initial=1)), machine.sector_bytes)
        self.lines = np.zeros(1 << 12, TRANSACTION)
        self.times = np.zeros(len(self.lines), np.int32)

    def by(
        self, batches: Iterable[TraceBatch], first: int, end: int
    ) -> tuple[NDArray[np.void], NDArray[np.int32]]:
        """The lines of the batches, which are thread blocks ``first`` to ``end`` (excluded), and
        when in its warp each is touched."""
        from kcc.sim.sampling.warming_native import lines_of

        executed = np.zeros((end - first) * self.warps, np.int32)
        place = 0
        for batch in batches:
            threads = batch.thread_block * self.warps + batch.warp
            row = 0
            while True:
                row, place = lines_of(
                    batch.access_start, batch.mask, threads - first * self.warps, threads,
                    batch.access, batch.addresses, self.kinds, self.sizes, self.geometry, executed,
                    self.lines, self.times, self.most, row, place,
                )  # fmt: skip
                if row == len(batch):
                    break
                self.lines = np.concatenate([self.lines, np.zeros_like(self.lines)])
                self.times = np.concatenate([self.times, np.zeros_like(self.times)])
        return self.lines[:place], self.times[:place]


def _kind(space: str, operation: str) -> int:
    from kcc.sim.sampling.warming_native import ELSEWHERE, LOADED, PRIVATELY, WRITTEN

    if space in ("local", "constant"):
        return ELSEWHERE
    return (PRIVATELY if space == "private" else 0) + (LOADED if operation == "load" else WRITTEN)


def replay_before(
    simulation: LaunchSimulation, traces: Sequence[LaunchTrace], profiles: Sequence[LaunchProfile],
    place: int, known: int,
) -> None:  # fmt: skip
    """What the launches before ``place`` left in L2 and in the instruction caches; those up to
    ``known`` (excluded) were simulated as they should be."""
    wanted = requests_wanted(simulation)
    parts = list[tuple[int, int]]()
    launch = place - 1
    while launch >= known and wanted > 0:
        profile = profiles[launch]
        first = first_to_replay(profile, 0, profile.thread_blocks, wanted)
        parts.append((launch, first))
        wanted -= int(_weight(profile, first, profile.thread_blocks).sum())
        launch -= 1
    kernel = profiles[place].kernel
    if any(profile.kernel == kernel for profile in profiles[known:place]):
        fetch_code(simulation)
    for number, first in reversed(parts):
        replay(simulation, traces[number], first, profiles[number].thread_blocks)
        if profiles[number].kernel == kernel:
            fetch_code(simulation)


def fetch_code(simulation: LaunchSimulation) -> None:
    """The kernel was launched before: its code is in the instruction caches, as much as they hold,
    and in L2."""
    from kcc.sim.sampling.warming_native import touch_code

    machine, memory = simulation.machine, simulation.memory
    operations = simulation.lowered.code.ops
    if machine[Conf.FETCH_SETS] == 0 or len(operations) == 0:
        return
    lines = int((operations["line"].astype(np.int64) + operations["more_lines"]).max()) + 1
    aside, stats = _copies(memory.dram), np.zeros(STATS, np.int64)
    touch_code(machine.conf, memory.instructions, memory.l2, aside, stats, lines)


def _copies(dram: Dram) -> Dram:
    """Takes what is written back, and is thrown away, but for what a memory-side cache keeps."""
    own = Dram(*(column if column is dram.kept else column.copy() for column in dram))
    own.sides[...] = 0
    return own
