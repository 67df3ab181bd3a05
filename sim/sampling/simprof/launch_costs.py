"""What units of launches cost: all of them, those chosen, and what interval analysis predicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.reader import LaunchTrace
from kcc.sim.cycle.compiled import IssuedLaunch, compiled_launch
from kcc.sim.cycle.kept import Arrays, kept_arrays, restore
from kcc.sim.cycle.launch import CycleSimulator
from kcc.sim.cycle.layout import Stat
from kcc.sim.interval.collect import SharedCache, collect, empty_cache
from kcc.sim.interval.inputs import interval_inputs
from kcc.sim.interval.model import LaunchModel
from kcc.sim.interval.options import Extensions, Options
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.dispersion import delays, duration_deviation, simulate_apart
from kcc.sim.sampling.feeding import BlockReader, LaunchRun, Snapshot
from kcc.sim.sampling.reduced import first_blocks
from kcc.sim.sampling.simprof.launch_units import LaunchUnit, by_launch
from kcc.sim.sampling.simprof.table import Floats
from kcc.sim.sampling.warming import first_to_replay, replay, replay_before, requests_wanted

Watch = Callable[[int], None]
"""Called with the warp instructions done so far."""

COST = "cost"
"""Cycles of the units so far, beside what the simulator keeps."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What an earlier run kept (nothing: it begins anew), and what is called after each launch with
    the warp instructions done, and what to keep at this point."""

    begun: Arrays = field(default_factory=dict[str, NDArray[Any]])
    keep: Callable[[int, Callable[[], Arrays]], None] = lambda _done, _arrays: None


NO_PROGRESS = Progress()

PREDICTED = Options()
FETCHED = Options(extensions=Extensions(fetch=False))
"""After a launch's first unit: its code was fetched by then."""


def simulate_units(
    traces: Sequence[LaunchTrace], units: Sequence[LaunchUnit], gpu: GpuDescription,
    registers: dict[str, int] | None, watch: Watch, progress: Progress = NO_PROGRESS,
) -> Floats:  # fmt: skip
    """Cycles of all units, which are all of the launches: a unit lasts from when its first epoch of
    thread blocks begins to when the next one's does, both in the mean of the epoch (the first one
    from the launch's begin, the last one to its end). One block's begin alone would move by as much
    as places become free apart. An interrupt ends it: fewer are given then, those of the launches
    that were done; it is raised where none was. What ``progress`` has of an earlier run is not
    simulated again."""
    simulator = CycleSimulator(gpu, registers)
    cost, known = np.zeros(len(units)), 0
    if progress.begun:
        known = len(progress.begun[COST])
        cost[:known] = progress.begun[COST]
        restore(simulator, progress.begun)
    done = sum(unit.work for unit in units[:known])
    for place, own in by_launch(units):
        if own[0] < known:
            continue
        try:
            cost[own] = _simulate_launch(
                LaunchRun(simulator, traces[place], log_all=True), [units[n] for n in own],
                lambda work, done=done: watch(done + work),
            )  # fmt: skip
        except KeyboardInterrupt:
            if own[0] == 0:
                raise
            return cost[: own[0]]
        done += sum(units[n].work for n in own)
        progress.keep(done, lambda end=own[-1] + 1: {COST: cost[:end], **kept_arrays(simulator)})
    return cost


def _simulate_launch(run: LaunchRun, units: Sequence[LaunchUnit], watch: Watch) -> Floats:
    begins, done = list[int](), 0
    for unit in units:
        begins.append(len(run.blocks))
        run.simulate(unit.first, unit.end)
        done += unit.work
        watch(done)
    times = [0.0, *map(run.begun, begins[1:])]
    return np.diff([*times, run.finish()[1].clock])


def predict_units(
    traces: Sequence[LaunchTrace], units: Sequence[LaunchUnit], gpu: GpuDescription,
    registers: dict[str, int] | None, watch: Watch,
) -> Floats:  # fmt: skip
    """Cycles of each unit by interval analysis: what its thread blocks take of the GPU after the
    ones before, where others follow; of a launch's last one, until all have ended."""
    cost = np.zeros(len(units))
    cache: SharedCache | None = None
    done = 0
    for place, own in by_launch(units):
        trace = traces[place]
        compiled, reader = compiled_launch(trace, gpu), BlockReader(trace)
        machine, operations = interval_inputs(gpu, compiled.tables, trace.launch, registers or {})
        if cache is None:
            cache = empty_cache(machine)
        for n in own:
            unit = units[n]
            launch = first_blocks(trace.launch, unit.end - unit.first)
            batches = _renumbered(reader.read(unit.first, unit.end), unit.first, compiled)
            found = collect(compiled.tables, launch, machine, operations, batches, cache)
            one = LaunchModel(found).predict(machine, FETCHED if unit.first else PREDICTED)
            cost[n] = max(one.cycles if unit.is_last else one.throughput_cycles, 1.0)
            done += unit.work
            watch(done)
    return cost


def _renumbered(
    batches: Iterator[TraceBatch], first: int, compiled: IssuedLaunch
) -> Iterator[TraceBatch]:
    yield from compiled.over(
        replace(batch, thread_block=batch.thread_block - first) for batch in batches
    )


WARM_EPOCHS = 2
"""Fillings of the GPU that are simulated before a unit, after a jump."""


class ChosenUnits:
    """Simulates the units that are chosen, in rounds; each once.

    After a jump, L2 sees what was left out, and an epoch warms (:mod:`kcc.sim.sampling.warming`);
    a launch that begins anew in a later round finds L2 as its predecessors leave it. Thread blocks
    with which a launch is entered do not begin together: they have drawn apart by then
    (:mod:`kcc.sim.sampling.dispersion`)."""

    def __init__(
        self, traces: Sequence[LaunchTrace], profiles: Sequence[LaunchProfile],
        units: Sequence[LaunchUnit], gpu: GpuDescription, registers: dict[str, int] | None,
    ) -> None:  # fmt: skip
        self.traces, self.profiles, self.units = traces, profiles, units
        self.gpu, self.registers = gpu, registers
        self.cost = np.full(len(units), np.nan)
        self.counts = np.zeros((len(units), len(Stat)))
        """The simulator's counts of each unit that was simulated."""
        self.simulated = [set[int]() for _ in traces]
        """Thread blocks of each launch that were simulated."""
        self.clock_mhz = 1.0
        self.instructions = 0
        """Warp instructions that were simulated, also to warm."""
        self._heads = dict[str, tuple[float, int]]()
        """By kernel: deviation of the durations of thread blocks, and cycles of an epoch."""

    def simulate(self, chosen: Sequence[int], watch: Watch) -> None:
        """Those of ``chosen`` that are not known yet."""
        fresh = [n for n in sorted(chosen) if np.isnan(self.cost[n])]
        simulator, done = CycleSimulator(self.gpu, self.registers), 0
        places = [self.units[n].place for n in fresh]
        for place in sorted(set(places)):
            run = LaunchRun(simulator, self.traces[place], log_all=True)
            self.clock_mhz = run.simulation.machine.clock_mhz
            replay_before(run.simulation, self.traces, self.profiles, place, 0)
            self._measure(run, place, [n for n in fresh if self.units[n].place == place])
            self.simulated[place].update(run.blocks)
            done += int(self.profiles[place].warp_instructions[run.blocks].sum())
            watch(done)
        self.instructions += done

    def _measure(self, run: LaunchRun, place: int, chosen: Sequence[int]) -> None:
        """As :func:`simulate_units` does; an epoch after a unit is simulated to see it begin."""
        at, spans = 0, list[tuple[int, int]]()
        before = run.snapshot()
        for n, following in zip(chosen, [*chosen[1:], None], strict=True):
            unit = self.units[n]
            before = self._go_to(run, place, at, unit.first)
            begin = len(run.blocks)
            after = run.simulate(unit.first, unit.end)
            self.counts[n] = after.since(before).counts
            spans.append((begin, len(run.blocks)))
            at = unit.end
            if not unit.is_last and (following is None or self.units[following].first > at):
                at = min(at + run.occupancy, unit.blocks)
                run.simulate(unit.end, at)
        begins = [run.begun(begin) if self.units[n].first else 0.0
                  for n, (begin, _) in zip(chosen, spans, strict=True)]  # fmt: skip
        ends = [run.begun(end) for n, (_, end) in zip(chosen, spans, strict=True)
                if not self.units[n].is_last]  # fmt: skip
        last = run.finish()[1]
        if self.units[chosen[-1]].is_last:
            self.counts[chosen[-1]] = last.since(before).counts
            ends.append(last.clock)
        self.cost[list(chosen)] = np.array(ends) - np.array(begins)

    def _go_to(self, run: LaunchRun, place: int, at: int, first: int) -> Snapshot:
        """Go on from thread block ``at`` to ``first``, by a jump where that leaves some out."""
        size = run.occupancy
        head = 0 if at else 1 if self.traces[place].tables.kernel in self._heads else 3
        begin = first - WARM_EPOCHS * size
        if begin - head * size <= at:
            return run.simulate(at, first) if first > at else run.snapshot()
        if not at:
            begin = self._enter(run, place, begin - head * size, begin)
        else:
            self._replay(run, place, at, begin)
        return run.simulate(begin, first)

    def _enter(self, run: LaunchRun, place: int, begin: int, end: int) -> int:
        """Simulate thread blocks from ``begin`` on to ``end``, so that they are as far apart as
        thread blocks there are, and give ``end``. Of the first launch of a kernel two epochs begin
        together: they say how much the durations of thread blocks differ."""
        size, kernel = run.occupancy, self.traces[place].tables.kernel
        self._replay(run, place, 0, begin)
        if kernel not in self._heads:
            cycles = run.simulate(begin, begin + 2 * size).clock // 2
            deviation = duration_deviation(run.simulation.log, 2 * size, size)
            self._heads[kernel], begin = (deviation, cycles), begin + 2 * size
        deviation, cycles = self._heads[kernel]
        random = np.random.default_rng(begin)
        waits = delays(deviation, begin / size, cycles, end - begin, random)
        simulate_apart(run, begin, end, waits)
        return end

    def _replay(self, run: LaunchRun, place: int, at: int, begin: int) -> None:
        wanted = requests_wanted(run.simulation)
        first = first_to_replay(self.profiles[place], at, begin, wanted)
        replay(run.simulation, run.launch, first, begin)
