"""Thread blocks fed to the simulator one by one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from kcc.base.gpu import load_gpu
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.reader import LaunchTrace, open_trace
from kcc.sim.cycle.compiled import compiled_launch
from kcc.sim.cycle.launch import CycleSimulator
from kcc.sim.cycle.layout import WAY_BITS, Stat
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.sampling.block_profile import profile_trace
from kcc.sim.sampling.feeding import BlockReader, LaunchRun
from kcc.sim.sampling.warming import TouchedLines, groups_of, replay, replay_before

SAMPLE = Path(__file__).parents[3] / "docs" / "sample.kct"


@pytest.mark.parametrize("together", [1, 3])
def test_feeding_few_blocks_changes_nothing(together: int) -> None:
    gpu = load_gpu("macsim-fermi-tbpoint", [])
    simulator = CycleSimulator(gpu)
    with open_trace(SAMPLE) as trace:
        for launch in trace.launches:
            compiled = compiled_launch(launch, gpu)
            simulation = simulator.begin(compiled.tables, launch.launch)
            clocks, executed = [0], [0]
            for first in range(0, launch.launch.thread_blocks, together):
                simulation.feed_blocks(compiled.batches(first, together))
                clocks.append(simulation.clock)
                executed.append(simulation.executed)
            assert clocks == sorted(clocks)
            assert executed == sorted(executed)
            (full,) = simulate_trace(
                str(SAMPLE), gpu, launches=[range(launch.number, launch.number + 1)]
            )
            found = simulation.finish()
            assert (found.cycles, found.stack) == (full.cycles, full.stack)
            break


def test_feeding_few_blocks_changes_nothing_where_accesses_hold_the_port(traced: Path) -> None:
    """What is behind the first access that is still needed moves whole, its port too."""
    gpu = load_gpu("v100", ["sm_count=1"])
    (full,) = simulate_trace(str(traced), gpu, launches=[range(GATHER, GATHER + 1)])
    with open_trace(traced) as trace:
        run = LaunchRun(CycleSimulator(gpu), trace.launches[GATHER])
        for block in range(run.launch.launch.thread_blocks):
            run.simulate(block, block + 1)
        assert run.finish()[0].cycles == full.cycles


GATHER = 6
"""The launch of `gather` in the trace of the fixture, and those of `scale` before it."""


def rows_of(batches: Iterable[TraceBatch]) -> list[tuple[int, int, int, bytes]]:
    """Block, warp, segment and active lanes' addresses of each row."""
    found = list[tuple[int, int, int, bytes]]()
    for batch in batches:
        for row in range(len(batch)):
            own = batch.addresses[batch.access_start[row] : batch.access_start[row + 1]]
            mask = int(batch.mask[row])
            lanes = [lane for lane in range(own.shape[1]) if mask >> lane & 1]
            block, warp = int(batch.thread_block[row]), int(batch.warp[row])
            found.append((block, warp, int(batch.segment[row]), own[:, lanes].tobytes()))
    return found


def rows_between(launch: LaunchTrace, first: int, end: int) -> list[tuple[int, int, int, bytes]]:
    return [row for row in rows_of(launch.batches()) if first <= row[0] < end]


@pytest.mark.parametrize(
    "ranges",
    [
        [(0, 5), (5, 70), (70, 400)],
        [(3, 4), (60, 66), (66, 67), (130, 131), (399, 400)],
        [(63, 64), (64, 65), (200, 201), (202, 203), (391, 393)],
        [(255, 257), (300, 300), (384, 390)],
    ],
)
def test_blocks_are_the_same_whatever_is_skipped(
    traced: Path, ranges: list[tuple[int, int]]
) -> None:
    with open_trace(traced) as trace:
        launch = trace.launches[GATHER]
        reader = BlockReader(launch)
        for first, end in ranges:
            assert rows_of(reader.read(first, end)) == rows_between(launch, first, end)


def test_two_readers_of_a_record_do_not_disturb_each_other(traced: Path) -> None:
    with open_trace(traced) as trace:
        one, other = BlockReader(trace.launches[GATHER]), BlockReader(trace.launches[GATHER])
        beside = BlockReader(trace.launches[0])
        for first in range(0, 400, 40):
            own = rows_of(one.read(first, first + 10))
            assert rows_of(beside.read(first, first + 3))
            assert own == rows_of(other.read(first, first + 10))


def test_replay_leaves_the_lines_that_were_touched(traced: Path) -> None:
    gpu = load_gpu("macsim-fermi-tbpoint", [])
    with open_trace(traced) as trace:
        launch = trace.launches[GATHER]
        run = LaunchRun(CycleSimulator(gpu), launch)
        line = run.simulation.machine.line_bytes
        replay(run.simulation, launch, 40, 90)
        wanted = {
            address // line
            for *_, addresses in rows_between(launch, 40, 90)
            for address in np.frombuffer(addresses, np.int64).tolist()
        }
        order = run.simulation.memory.l2.order >> WAY_BITS
        assert set(order[order >= 0].tolist()) == wanted
        assert len(wanted) > 50


def test_groups_are_whole_at_the_end() -> None:
    assert list(groups_of(3, 13, 4)) == [(3, 5), (5, 9), (9, 13)]
    assert list(groups_of(3, 4, 4)) == [(3, 4)]
    assert list(groups_of(4, 4, 4)) == []


def test_replay_goes_in_step(traced: Path) -> None:
    """`scale` reads, computes and writes: all that is read comes before all that is written, of
    whichever block; loops of other warps do not hold it up."""
    gpu = load_gpu("macsim-fermi-tbpoint", [])
    with open_trace(traced) as trace:
        launch = trace.launches[0]
        machine = LaunchRun(CycleSimulator(gpu), launch).simulation.machine
        first, end = 40, 45
        lines, times = TouchedLines(launch, machine).by(launch.batches(first, 5), first, end)
        written = lines["weight"].astype(bool)
        assert len(lines) == 5 * 2 * 2
        assert written.sum() == 5 * 2
        assert times[written].min() > times[~written].max()
        assert len(set(lines["line"][written].tolist())) == 5 * 2


def test_code_of_a_kernel_that_ran_before_is_there(traced: Path) -> None:
    """A launch that follows one of its kernel misses code no more than after a simulated one."""
    gpu = load_gpu("macsim-fermi-tbpoint", [])

    def missed(place: int, simulated: int) -> int:
        simulator = CycleSimulator(gpu)
        with open_trace(traced) as trace:
            profiles = profile_trace(trace).launches
            for before in range(simulated, place):
                run = LaunchRun(simulator, trace.launches[before])
                run.simulate(0, trace.launches[before].launch.thread_blocks)
                run.finish()
            run = LaunchRun(simulator, trace.launches[place])
            if simulated == place:
                replay_before(run.simulation, trace.launches, profiles, place, 0)
            run.simulate(0, 100)
            return int(run.simulation.stats[Stat.FETCH_MISSES])

    assert missed(0, 0) > 0
    assert missed(3, 3) == missed(3, 2) == 0
    assert missed(GATHER, GATHER) == missed(GATHER, 5) > 0
    assert missed(GATHER + 1, GATHER + 1) == missed(GATHER + 1, GATHER) == 0
