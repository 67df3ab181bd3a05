"""Our sampling: launches and epochs drawn at random, so that an interval rests on variance.

Strata are TBPoint's: clusters of launches, and within a launch clusters of epochs (Huang et al.,
IPDPS 2014, sections III and IV). Where the text simulates the launch nearest to the centre and
skips a region once two units agree, we draw at least two of each at random. The estimators are
those of two-stage sampling (Cochran, Sampling Techniques, 1977, chapters 6, 10 and 11).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from kcc.gpu.description import GpuDescription
from kcc.sim.cycle.launch import CycleSimulator
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.estimate import CERTAIN, ProgramEstimate, Spread
from kcc.sim.sampling.feeding import LaunchRun
from kcc.sim.sampling.inter_launch import DISTANCE as INTER_DISTANCE
from kcc.sim.sampling.inter_launch import LaunchCluster, cluster_launches
from kcc.sim.sampling.observe import Observation, observe, observe_whole, simulate_head
from kcc.sim.sampling.plan import (
    FEWEST,
    RESTLESS,
    WHOLE,
    Frame,
    draw,
    frame_of,
    is_restless,
    share_of,
    steps_of,
)
from kcc.sim.sampling.refine import Means, Refinement, choose
from kcc.sim.sampling.regions import DISTANCE as INTRA_DISTANCE
from kcc.sim.sampling.regions import VARIATION, cluster_epochs, epochs_of
from kcc.sim.sampling.two_stage import estimate_program
from kcc.sim.sampling.warming import replay_before
from kcc.trace.reader import LaunchTrace

EVERY_BLOCK = 1 << 40


@dataclass(frozen=True, slots=True)
class StratifiedOptions:
    """``launches`` drawn of each cluster, and ``epochs`` of the largest stratum of those, at least
    (more of a ``restless`` one; one of other strata); ``windows`` are shared out among strata by
    their instructions, up to ``most`` of a stratum's epochs over the whole cluster. ``warm`` epochs
    go before each that is drawn, times what :data:`WARM_SHARE` says; ``functional``: L2 also sees
    what thread blocks touch that were left out before. ``error`` is the half width that is asked
    for, over the whole; None takes what the rest gives."""

    inter_distance: float = INTER_DISTANCE
    intra_distance: float = INTRA_DISTANCE
    variation: float = VARIATION
    launches: int = 2
    epochs: int = FEWEST
    restless: int = RESTLESS
    windows: int = 24
    most: float = 0.005
    warm: float = 1.0
    functional: bool = True
    error: float | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ClusterSample:
    """A cluster of launches and those drawn of it (places in the trace), in the order drawn."""

    cluster: LaunchCluster
    order: tuple[int, ...]


class StratifiedSampler:
    """Draws, simulates and estimates; in rounds where an error is asked for."""

    def __init__(
        self, traces: Sequence[LaunchTrace], profiles: Sequence[LaunchProfile], gpu: GpuDescription,
        registers: dict[str, int] | None, options: StratifiedOptions,
    ) -> None:  # fmt: skip
        self.traces, self.profiles, self.options = traces, profiles, options
        self.random = np.random.default_rng(options.seed)
        began = time.process_time()
        clusters = cluster_launches(profiles, options.inter_distance)
        self.samples = [
            ClusterSample(one, tuple(self.random.permutation(one.members).tolist()))
            for one in clusters
        ]
        self.cluster_seconds = time.process_time() - began
        self.instructions = sum(int(p.warp_instructions.sum()) for p in profiles)
        self.simulator = CycleSimulator(gpu, registers, timeline=EVERY_BLOCK)
        self.gpu = gpu
        self.clock_mhz = 1.0
        self.seen = dict[int, Observation]()
        self.compared = dict[str, int]()
        """Epochs drawn of a kernel that were compared with another."""
        self.known = 0
        """L2 is as launches before this one leave it, but for those from here on."""
        self.latest = -1

    def run(self) -> ProgramEstimate:
        """The estimate, as exact as is asked for."""
        options = self.options
        launches = [options.launches] * len(self.samples)
        self._observe_launches(launches)
        self._simulate_slow()
        self._draw_unknown()
        if options.error is not None:
            self._refine(options.error, launches)
        return self.estimate()

    def _simulate_slow(self) -> None:
        """Simulate in whole the launches that are small and yet take long."""
        found = self.estimate()
        slow = SLOW * found.cycles / max(found.instructions, 1)
        for launch in [launch for group in found.groups for launch in group.launches]:
            small = launch.instructions <= SMALL * found.instructions
            if small and launch.cycles >= slow * launch.instructions:
                self._simulate_whole(launch.place)

    def _draw_unknown(self) -> None:
        """More epochs of launches where nothing says how much they vary."""
        for group in self.estimate().groups:
            if group.within.freedom <= 0:
                for launch in group.launches:
                    self._draw_epochs(launch.place, 2.0)

    def estimate(self) -> ProgramEstimate:
        """What is known so far of the whole."""
        groups = [
            (sample.cluster, [self.seen[n] for n in sample.order if n in self.seen])
            for sample in self.samples
        ]
        places = {id(seen): place for place, seen in self.seen.items()}
        return estimate_program(
            groups, places, self.profiles, self.gpu.stem, self.clock_mhz, self.cluster_seconds
        )

    def _observe_launches(self, wanted: Sequence[int]) -> None:
        """So many launches of each cluster, in the order of the program."""
        fresh = [
            (place, sample)
            for sample, count in zip(self.samples, wanted, strict=True)
            for place in sample.order[:count]
            if place not in self.seen
        ]
        for place, sample in sorted(fresh, key=lambda one: one[0]):
            self._observe(place, sample)

    def _observe(self, place: int, sample: ClusterSample) -> None:
        """One launch of a cluster."""
        options, profile = self.options, self.profiles[place]
        began = time.process_time()
        run = self._begin(place)
        self.clock_mhz = run.simulation.machine.clock_mhz
        epochs = epochs_of(profile, run.occupancy)
        labels = cluster_epochs(epochs, options.intra_distance, options.variation)
        head = simulate_head(run, len(epochs), epochs.size)
        frame = frame_of(epochs, labels, profile.warp_instructions, len(head))
        restless = is_restless([one.cpi for one in head])
        seen = self.seen[place] = Observation(
            frame, profile, ends=head, restless=restless, head_epoch_cycles=head[-1].clock
        )
        steps = steps_of(frame, self._first_draw(seen, sample), self._warm(frame))
        if frame.is_whole or share_of(steps, frame) > WHOLE:
            self._finish_whole(run, place)
        else:
            observe(run, steps, seen, self.random, functional=options.functional)
        seen.seconds += time.process_time() - began

    def _begin(self, place: int) -> LaunchRun:
        """A launch that begins, with L2 as the launches before leave it."""
        if place <= self.latest:
            self.simulator.memory, self.known = None, 0
        self.latest = place
        run = LaunchRun(self.simulator, self.traces[place])
        if self.options.functional:
            replay_before(run.simulation, self.traces, self.profiles, place, self.known)
        return run

    def _finish_whole(self, run: LaunchRun, place: int) -> None:
        """All that is left of a launch."""
        observe_whole(run, self.seen[place])
        self.known = place + 1

    def _first_draw(self, seen: Observation, sample: ClusterSample) -> dict[int, list[int]]:
        """The epochs of a launch that are measured at first, its share of its cluster's."""
        options, strata = self.options, seen.frame.strata
        launches = min(options.launches, len(sample.order))
        work = sum(stratum.work for stratum in strata)
        kernel = sample.cluster.kernel
        known = self.compared.get(kernel, 0) >= ENOUGH_COMPARED
        least = options.restless if seen.restless and not known else options.epochs
        drawn = dict[int, list[int]]()
        largest = max((stratum.work for stratum in strata), default=0)
        for number, stratum in enumerate(strata):
            share = sample.cluster.weight * options.windows * stratum.work / max(work, 1)
            most = options.most * len(stratum.epochs) * len(sample.order)
            count = max(least if stratum.work == largest else 1, round(min(share, most)))
            drawn[number] = draw(stratum, ceil(count / launches), self.random)
        compared = sum(len(epochs) - 1 for epochs in drawn.values())
        self.compared[kernel] = self.compared.get(kernel, 0) + compared
        return drawn

    def _warm(self, frame: Frame) -> int:
        """Thread blocks that go before an epoch that is drawn: more where that is little beside
        the launch."""
        share = WARM_SHARE * frame.thread_blocks / frame.size
        return round(self.options.warm * min(max(share, 1.0), MOST_WARM) * frame.size)

    def _refine(self, error: float, launches: list[int]) -> None:
        """Draw more where it helps most until the interval is as narrow as is asked for, or
        everything is simulated. What few degrees of freedom widen it by is not planned for: each
        draw adds some."""
        for _ in range(ROUNDS):
            found = self.estimate()
            half = found.half_width
            if half is None or half <= error * found.cycles:
                return
            sure = Spread(found.spread.variance, CERTAIN).half_width() or half
            times = min(max((sure / (error * found.cycles)) ** 2, LEAST_GROWTH), GROWTH)
            if not self.draw_more(choose(found.groups, times), launches):
                return

    def draw_more(self, chosen: Sequence[Refinement], launches: list[int]) -> bool:
        """What was chosen, that of more launches last; whether there was anything."""
        grown = list[bool]()
        for one in chosen:
            order = self.samples[one.group].order
            drawn = [place for place in order if place in self.seen]
            match one.means:
                case Means.LAUNCHES:
                    launches[one.group] = min(ceil(len(drawn) * one.times), len(order))
                    grown.append(True)
                case Means.EPOCHS:
                    grown += [self._draw_epochs(place, one.times) for place in drawn]
                case Means.WHOLE:
                    grown += [self._simulate_whole(place) for place in drawn]
        self._observe_launches(launches)
        return any(grown)

    def _simulate_whole(self, place: int) -> bool:
        """A launch that was simulated in part, now in whole."""
        seen = self.seen[place]
        if seen.whole is not None:
            return False
        began = time.process_time()
        self._finish_whole(self._begin(place), place)
        seen.seconds += time.process_time() - began
        return True

    def _draw_epochs(self, place: int, times: float) -> bool:
        """More epochs of a launch that was simulated in part."""
        seen = self.seen[place]
        if seen.whole is not None:
            return False
        more = dict[int, list[int]]()
        for number, stratum in enumerate(seen.frame.strata):
            have = seen.drawn(number)
            count = ceil(len(have) * (times - 1))
            more[number] = draw(stratum, max(count, 1), self.random, without=have)
        if not any(more.values()):
            return False
        began = time.process_time()
        steps = steps_of(seen.frame, more, self._warm(seen.frame), with_tail=False)
        run = self._begin(place)
        run.simulate(0, seen.frame.head)
        if len(seen.blocks) / seen.frame.thread_blocks + share_of(steps, seen.frame) > 1:
            self._finish_whole(run, place)
        else:
            observe(run, steps, seen, self.random, functional=self.options.functional)
        seen.seconds += time.process_time() - began
        return True


WARM_SHARE, MOST_WARM = 0.01, 4.0
"""Epochs that warm, over those of the launch, and at most. Of `convolutionRows` (220 epochs) epochs
are 2.0, 1.1 and 0.4 % slow after one, two and four."""

ENOUGH_COMPARED = 6
"""Epochs of a kernel that say how restless it is."""

SMALL, SLOW = 0.006, 4.0
"""A launch of at most the first share of all instructions, that takes the second times its share of
the cycles, is simulated in whole: it costs next to nothing, and much depends on it."""

ROUNDS = 8
GROWTH, LEAST_GROWTH = 4.0, 1.25
"""Of a sample in one round, at most (the variance that it is planned by is itself an estimate) and
at least (each round simulates heads anew)."""


def sample_stratified(
    traces: Sequence[LaunchTrace],
    profiles: Sequence[LaunchProfile],
    gpu: GpuDescription,
    registers: dict[str, int] | None = None,
    options: StratifiedOptions = StratifiedOptions(),
) -> ProgramEstimate:
    """The whole program from launches and epochs drawn at random."""
    return StratifiedSampler(traces, profiles, gpu, registers, options).run()
