"""Functional warming: L2 sees what thread blocks touch that are not simulated.

Only the last of them matter: as many as ask for several times what L2 holds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.sim.cycle.blocks import PRIVATE_LINES
from kcc.sim.cycle.launch import LaunchSimulation
from kcc.sim.cycle.layout import STATS, TRANSACTION, Conf
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.feeding import BlockReader
from kcc.trace.reader import LaunchTrace

FILLINGS = 8
"""Requests that are replayed, over the lines of L2. More than one: some lines are asked for again
and again, and hot ones among them are seldom asked for last."""

INSTRUCTIONS_PER_REQUEST = 64
"""Warp instructions that count as a request: reading goes on no further than that."""


def requests_wanted(simulation: LaunchSimulation) -> int:
    """How many requests of 128 bytes before a place warm L2."""
    machine = simulation.machine
    lines = machine[Conf.L2_SLICES] * machine[Conf.L2_SETS] * machine[Conf.L2_WAYS]
    return FILLINGS * lines * machine.line_bytes // 128


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
    be the one that is simulated, pass through its L2."""
    from kcc.sim.cycle.coalesce_native import Geometry, most_sectors
    from kcc.sim.sampling.warming_native import touch_level2

    machine, memory, tables = simulation.machine, simulation.memory, trace.tables
    if first >= end or machine[Conf.L2_SETS] == 0:
        return
    kinds = np.array([_kind(one.memory, one.operation) for one in tables.accesses], np.int64)
    sizes = np.array([one.element_bytes for one in tables.accesses], np.int64)
    geometry = Geometry(
        machine.line_bytes, machine.sector_bytes, machine.local_banks, machine.lanes_together,
        machine.pairs_together, PRIVATE_LINES, tables.private_bytes, constant_lines=False,
    )  # fmt: skip
    most = most_sectors(tables.width, int(sizes.max(initial=1)), machine.sector_bytes)
    touched = np.zeros(most, TRANSACTION)
    warps = trace.launch.warps(tables.width)
    aside = type(memory.dram)(*(column.copy() for column in memory.dram))
    stats = np.zeros(STATS, np.int64)
    for batch in BlockReader(trace).read(first, end):
        if len(batch.access):
            touch_level2(
                machine.conf, memory.l2, aside, stats, batch.access_start, batch.mask,
                batch.thread_block * warps + batch.warp, batch.access, batch.addresses, kinds,
                sizes, geometry, touched,
            )  # fmt: skip


def _kind(space: str, operation: str) -> int:
    from kcc.sim.sampling.warming_native import ELSEWHERE, LOADED, PRIVATELY, WRITTEN

    if space in ("local", "constant"):
        return ELSEWHERE
    return (PRIVATELY if space == "private" else 0) + (LOADED if operation == "load" else WRITTEN)


def replay_before(
    simulation: LaunchSimulation, traces: Sequence[LaunchTrace], profiles: Sequence[LaunchProfile],
    place: int, known: int,
) -> None:  # fmt: skip
    """What the launches before ``place`` left in L2; those up to ``known`` (excluded) were
    simulated as they should be."""
    wanted = requests_wanted(simulation)
    parts = list[tuple[int, int]]()
    launch = place - 1
    while launch >= known and wanted > 0:
        profile = profiles[launch]
        first = first_to_replay(profile, 0, profile.thread_blocks, wanted)
        parts.append((launch, first))
        wanted -= int(_weight(profile, first, profile.thread_blocks).sum())
        launch -= 1
    for number, first in reversed(parts):
        replay(simulation, traces[number], first, profiles[number].thread_blocks)
