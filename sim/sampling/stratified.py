"""Our sampling: launches and epochs drawn at random, so that an interval rests on variance.

Strata are TBPoint's: clusters of launches, and within a launch clusters of epochs (Huang et al.,
IPDPS 2014, sections III and IV). Where the text simulates the launch nearest to the centre and
skips a region once two units agree, we draw at least two of each at random. The estimators are
those of two-stage sampling (Cochran, Sampling Techniques, 1977, chapters 6, 10 and 11).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.reader import LaunchTrace
from kcc.sim.cycle.compiled import CompilerCode
from kcc.sim.cycle.launch import CycleSimulator
from kcc.sim.sampling.allocation import (
    Stake,
    epochs_compared,
    epochs_drawn,
    epochs_wanted,
    importance,
    launches_drawn,
)
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.dispersion import duration_deviation
from kcc.sim.sampling.estimate import CERTAIN, ProgramEstimate, Spread
from kcc.sim.sampling.feeding import LaunchRun, occupancy_of
from kcc.sim.sampling.inter_launch import DISTANCE as INTER_DISTANCE
from kcc.sim.sampling.inter_launch import LaunchCluster, cluster_launches, split_first
from kcc.sim.sampling.observe import Observation, observe, observe_whole, simulate_head
from kcc.sim.sampling.plan import (
    FEWEST,
    MOST_HEAD,
    WHOLE,
    coarser,
    draw,
    frame_of,
    is_settled,
    share_of,
    share_out,
    steps_of,
)
from kcc.sim.sampling.refine import Means, Refinement, choose
from kcc.sim.sampling.regions import DISTANCE as INTRA_DISTANCE
from kcc.sim.sampling.regions import VARIATION, cluster_epochs, epochs_of
from kcc.sim.sampling.two_stage import estimate_program, variance_of_epochs
from kcc.sim.sampling.warming import replay_before

EVERY_BLOCK = 1 << 40


@dataclass(frozen=True, slots=True)
class StratifiedOptions:
    """``launches`` drawn of each cluster, and ``epochs`` of a launch, at least; ``windows`` are
    shared out among clusters by what they are worth, up to ``most`` of a cluster's epochs. ``warm``
    epochs go before each that is drawn, times what :data:`WARM_SHARE` says; ``functional``: L2 also
    sees what thread blocks touch that were left out before. ``error`` is the half width that is
    asked for, over the whole; None takes what the rest gives."""

    inter_distance: float = INTER_DISTANCE
    intra_distance: float = INTRA_DISTANCE
    variation: float = VARIATION
    launches: int = 2
    epochs: int = FEWEST
    windows: int = 10
    most: float = 0.002
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
        code: CompilerCode | None = None,
    ) -> None:  # fmt: skip
        self.traces, self.profiles, self.options = traces, profiles, options
        self.random = np.random.default_rng(options.seed)
        began = time.process_time()
        self.simulator = CycleSimulator(gpu, registers, timeline=EVERY_BLOCK, code=code)
        clusters = self._cold_apart(cluster_launches(profiles, options.inter_distance))
        self.samples = [
            ClusterSample(one, tuple(self.random.permutation(one.members).tolist()))
            for one in clusters
        ]
        self.cluster_seconds = time.process_time() - began
        self.instructions = sum(int(p.warp_instructions.sum()) for p in profiles)
        self.shares = importance(profiles)
        self.gpu = gpu
        self.clock_mhz = 1.0
        self.seen = dict[int, Observation]()
        self.known = 0
        """L2 is as launches before this one leave it, but for those from here on."""
        self.latest = -1

    def _cold_apart(self, clusters: Sequence[LaunchCluster]) -> list[LaunchCluster]:
        """The first launch of each kernel finds no code and little data in the caches: it is a
        stratum of its own where that is much beside the launch, that is of few epochs. What a
        launch of more leaves in the caches is little of what the next one touches."""
        found, seen = list[LaunchCluster](), set[str]()
        for cluster in clusters:
            first = cluster.members[0]
            is_first = cluster.kernel not in seen
            seen.add(cluster.kernel)
            if is_first and len(cluster.members) > 1 and self._is_short(first):
                cold, rest = split_first(cluster, self.profiles)
                found += [cold, rest]
            else:
                found.append(cluster)
        return sorted(found, key=lambda one: one.members)

    def _is_short(self, place: int) -> bool:
        size = occupancy_of(self.traces[place], self.simulator)
        return self.profiles[place].thread_blocks <= SHORT * size

    def run(self) -> ProgramEstimate:
        """The estimate, as exact as is asked for."""
        options = self.options
        launches = [launches_drawn(len(one.order), options.launches) for one in self.samples]
        self._observe_launches(launches)
        self._simulate_slow()
        self._draw_unknown()
        if options.error is not None:
            self._refine(options.error, launches)
        elif self.estimate().sample_size > WHOLE:
            self._simulate_rest()
        return self.estimate()

    def _simulate_rest(self) -> None:
        """All of a program of which more than half was simulated."""
        of = {place: sample for sample in self.samples for place in sample.order}
        for place in range(len(self.traces)):
            if place in self.seen:
                self._simulate_whole(place)
            else:
                self._observe(place, of[place], whole=True)

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
        """So many launches of each cluster, in the order of the program: the first of a cluster by
        itself, the others beside it where that will do."""
        fresh = [
            (place, sample)
            for sample, count in zip(self.samples, wanted, strict=True)
            for place in sample.order[:count]
            if place not in self.seen
        ]
        for place, sample in sorted(fresh, key=lambda one: one[0]):
            own = set(sample.order)
            model = next((seen for other, seen in self.seen.items() if other in own), None)
            if model is None or not self._compare(place, sample, model):
                self._observe(place, sample)

    def _observe(self, place: int, sample: ClusterSample, *, whole: bool = False) -> None:
        """One launch of a cluster, by itself; ``whole``: all of it."""
        options, profile = self.options, self.profiles[place]
        began = time.process_time()
        run = self._begin(place)
        self.clock_mhz = run.simulation.machine.clock_mhz
        epochs = epochs_of(profile, run.occupancy)
        labels = cluster_epochs(epochs, options.intra_distance, options.variation)
        like = self._like(profile)
        head = simulate_head(run, len(epochs), epochs.size, KNOWN_HEAD if like else MOST_HEAD)
        frame = frame_of(epochs, labels, profile.warp_instructions, len(head))
        seen = self.seen[place] = Observation(
            frame, profile, ends=head, head_epoch_cycles=head[-1].clock, head_cpi=head[-1].cpi,
            deviation=duration_deviation(run.simulation.log, len(run.blocks), epochs.size),
        )  # fmt: skip
        if like is not None:
            seen.deviation = like.deviation * seen.head_epoch_cycles / like.head_epoch_cycles
        drawn = {} if whole else self._first_draw(seen, sample)
        steps = steps_of(seen.frame, drawn, self._warm(seen))
        if whole or seen.frame.is_whole or share_of(steps, seen.frame) > WHOLE:
            self._finish_whole(run, place)
        else:
            observe(run, steps, seen, self.random, functional=options.functional)
        seen.seconds += time.process_time() - began

    def _like(self, profile: LaunchProfile) -> Observation | None:
        """A launch of the same kernel and size whose head was simulated as far as it goes; none
        where all thread blocks begin at once, which is no epoch."""
        for one in self.seen.values():
            own = one.profile
            is_alike = own.kernel == profile.kernel and own.thread_blocks == profile.thread_blocks
            if is_alike and one.head_epoch_cycles > 0:
                return one
        return None

    def _compare(self, place: int, sample: ClusterSample, model: Observation) -> bool:
        """One launch of a cluster beside the first that was drawn, by epochs of both; whether that
        will do: where the first lacks epochs, more of the same tell little."""
        profile, stake = self.profiles[place], self._stake(sample)
        lacks = model.whole is None and len(model.windows) < epochs_wanted(stake)
        if lacks or profile.thread_blocks != model.profile.thread_blocks:
            return False
        frame = replace(model.frame, head=model.frame.size)
        seen = Observation(
            frame, profile, head_epoch_cycles=model.head_epoch_cycles, deviation=model.deviation,
            model=model,
        )  # fmt: skip
        others = launches_drawn(len(sample.order), self.options.launches) - 1
        least = self.options.most * profile.thread_blocks / frame.size
        count = epochs_compared(stake, max(others, 1), least)
        drawn = self._draw_compared(seen, model, count)
        steps = steps_of(frame, drawn, self._warm(seen), with_tail=False, disperse=True)
        if not drawn or share_of(steps, frame) > WHOLE:
            return False
        began = time.process_time()
        run = self._begin(place)
        if run.occupancy != frame.size:
            return False
        seen.ends.append(run.simulate(0, frame.size))
        observe(run, steps, seen, self.random, functional=self.options.functional)
        seen.seconds += time.process_time() - began
        self.seen[place] = seen
        return True

    def _draw_compared(
        self, seen: Observation, model: Observation, count: int
    ) -> dict[int, list[int]]:
        """So many epochs that were measured of the one launch and not of the other: not those with
        which it begins."""
        before = 2 * seen.frame.size + self._warm(seen)
        own = {window.epoch for window in seen.windows}
        left = [
            window for window in model.windows
            if window.epoch * seen.frame.size > before and window.epoch not in own
        ]  # fmt: skip
        chosen: list[int] = self.random.choice(
            len(left), min(count, len(left)), replace=False
        ).tolist()
        drawn = dict[int, list[int]]()
        for window in (left[n] for n in chosen):
            drawn.setdefault(window.stratum, []).append(window.epoch)
        return drawn

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
        """The epochs of a launch that are measured at first."""
        if seen.frame.is_whole:
            return {}
        count = self._first_count(seen, sample)
        seen.frame = coarser(seen.frame, count)
        shares = zip(seen.frame.strata, share_out(seen.frame, count), strict=True)
        return {n: draw(one, own, self.random) for n, (one, own) in enumerate(shares)}

    def _first_count(self, seen: Observation, sample: ClusterSample) -> int:
        """How many those are."""
        options = self.options
        return epochs_drawn(
            self._stake(sample), sum(len(one.epochs) for one in seen.frame.strata),
            least=options.epochs, windows=options.windows, most=options.most,
            calm=is_settled([one.cpi for one in seen.ends], CALM),
        )  # fmt: skip

    def _stake(self, sample: ClusterSample) -> Stake:
        """What a cluster is worth, and what is known of its kernel."""
        cluster = sample.cluster
        seen = [one for one in self.seen.values() if one.windows]
        like = [one for one in seen if one.profile.kernel == cluster.kernel]
        share = float(self.shares[list(cluster.members)].sum())
        return Stake(share, len(cluster.members), variance_of_epochs(like))

    def _warm(self, seen: Observation) -> int:
        """Thread blocks that go before an epoch that is drawn: more where that is little beside
        the launch, and where blocks come into step and out of it again."""
        frame = seen.frame
        uneven = seen.deviation > UNEVEN * seen.head_epoch_cycles
        share = (UNEVEN_WARM_SHARE if uneven else WARM_SHARE) * frame.thread_blocks / frame.size
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
        more = self._more_epochs(seen, times) if seen.whole is None else {}
        if not any(more.values()):
            return False
        began = time.process_time()
        apart = None if seen.model is None else True
        warm = self._warm(seen)
        steps = steps_of(seen.frame, more, warm, with_tail=False, disperse=apart)
        run = self._begin(place)
        run.simulate(0, seen.frame.head)
        if len(seen.blocks) / seen.frame.thread_blocks + share_of(steps, seen.frame) > 1:
            self._finish_whole(run, place)
        else:
            observe(run, steps, seen, self.random, functional=self.options.functional)
        seen.seconds += time.process_time() - began
        return True

    def _more_epochs(self, seen: Observation, times: float) -> dict[int, list[int]]:
        if seen.model is not None:
            return self._draw_compared(seen, seen.model, ceil(len(seen.windows) * (times - 1)))
        more = dict[int, list[int]]()
        for number, stratum in enumerate(seen.frame.strata):
            have = seen.drawn(number)
            count = ceil(len(have) * (times - 1))
            more[number] = draw(stratum, max(count, 1), self.random, without=have)
        return more


SHORT = 10
"""Epochs: launches of no more are simulated in whole, and one more stratum costs little."""

WARM_SHARE, MOST_WARM = 0.01, 4.0
"""Epochs that warm, over those of the launch, and at most. Of `convolutionRows` (220 epochs) epochs
are 2.0, 1.1 and 0.4 % slow after one, two and four."""

UNEVEN, UNEVEN_WARM_SHARE = 0.2, 0.025
"""Thread blocks that began together and end by more of an epoch apart, as a standard deviation, and
the share that warms then. Where rows of `lbm` have no obstacles all blocks of the GPU fall into
step, and need three epochs for that: after one or two epochs are 4 % fast."""

SMALL, SLOW = 0.006, 4.0
"""A launch of at most the first share of all instructions, that takes the second times its share of
the cycles, is simulated in whole: it costs next to nothing, and much depends on it."""

CALM = 0.01
"""The last epochs of a head that differ by no more show a launch of which one epoch will do."""

KNOWN_HEAD = 2
"""Epochs of a head at most, where that of another launch of the kernel was simulated: nearly all
that differs at the beginning of a launch does so in its first epoch."""

ROUNDS = 8
GROWTH, LEAST_GROWTH = 4.0, 1.25
"""Of a sample in one round, at most (the variance that it is planned by is itself an estimate) and
at least (each round simulates heads anew)."""


DEFAULTS = StratifiedOptions()


def sample_stratified(
    traces: Sequence[LaunchTrace],
    profiles: Sequence[LaunchProfile],
    gpu: GpuDescription,
    registers: dict[str, int] | None = None,
    options: StratifiedOptions = DEFAULTS,
    code: CompilerCode | None = None,
) -> ProgramEstimate:
    """The whole program from launches and epochs drawn at random."""
    return StratifiedSampler(traces, profiles, gpu, registers, options, code).run()
