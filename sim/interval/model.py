"""From a collection to a prediction: cycles of a launch and where they went.

The text's models predict cycles per instruction of a core out of one warp; here that is taken of
the SM that has most to do (:mod:`kcc.sim.interval.launch`), whose instructions are known.
"""

from __future__ import annotations

from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.interval.collect import Collection
from kcc.sim.interval.contention import bandwidth_delays, contention_cpi, mshr_delays
from kcc.sim.interval.facts import IntervalMachine
from kcc.sim.interval.features import (
    features_of,
    latencies,
    mean_miss_latency,
    miss_shares,
)
from kcc.sim.interval.intervals import IntervalProfile, interval_profile
from kcc.sim.interval.launch import BusiestSm, busiest_sm
from kcc.sim.interval.multithreading import markov_cpi, multithreading_cpi, naive_cpi
from kcc.sim.interval.options import Model, Options
from kcc.sim.interval.representative import Selection, choose_representative
from kcc.sim.interval.schedule import schedule


class Part(Enum):
    """Parts of the CPI stack: the text's table 9, then ours."""

    BASE = "BASE"
    DEP = "DEP"
    L1 = "L1"
    L2 = "L2"
    DRAM = "DRAM"
    MSHR = "MSHR"
    QUEUE = "QUEUE"
    UNIT = "UNIT"
    """A pipeline that takes several cycles for a warp."""
    LOAD_STORE = "LSU"
    BARRIER = "BARRIER"
    FETCH = "FETCH"
    """Instructions that the instruction cache does not hold."""
    IDLE = "IDLE"
    """The scheduler has no warp: blocks are unequal, or have ended."""
    LAUNCH = "LAUNCH"


PARTS = tuple(Part)


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """Cycles of a launch, and all schedulers' cycles by operation and part (order of
    :class:`Part`); the last row is for no operation. The sum is cycles x schedulers x SMs.
    ``throughput_cycles``: what the launch takes of the GPU where other thread blocks follow as
    places become free, so that its longest ones hold nobody up but in their own places."""

    cycles: float
    stack: NDArray[np.float64]
    throughput_cycles: float


class LaunchModel:
    """What one collection predicts, for any machine that differs from the collection's in miss
    entries, bandwidths, latencies or scheduler only."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.representatives = dict[Selection, int]()

    @cached_property
    def busiest(self) -> BusiestSm:
        return busiest_sm(self.collection)

    def on(self, collection: Collection) -> LaunchModel:
        """The same for the collection on another machine: what warps do is not looked at again."""
        other = LaunchModel(collection)
        other.representatives = self.representatives
        other.busiest = self.busiest
        return other

    def predict(self, machine: IntervalMachine, options: Options) -> Prediction:
        """The prediction of one model."""
        operations = len(self.collection.operations)
        stack = np.zeros((operations + 1, len(PARTS)))
        if not self.busiest.kept:
            return self._finish(0.0, 0.0, stack, machine)
        if options.model is Model.SCHEDULE:
            found = schedule(self.collection, self.busiest, machine, options.extensions)
            stack[:, 1 : 1 + found.stack.shape[1] - 1] = found.stack[:, 1:]
            throughput = found.freed_cycles / max(self.busiest.excess, 1e-12)
            return self._finish(found.cycles, throughput, stack, machine)
        return self._text(machine, options, stack)

    def profile(self, machine: IntervalMachine, sequence: int) -> IntervalProfile:
        """The interval profile of a warp of the collection, as the text has it."""
        c = self.collection
        return interval_profile(
            c.operations, c.sequences[sequence].segments, latencies(c, machine),
            features_of(c, machine), structural=False,
        )  # fmt: skip

    def representative(self, selection: Selection) -> int:
        """The sequence of the representative warp; chosen once (section 4.6.5)."""
        if selection not in self.representatives:
            kept = self.busiest.kept
            profiles = [self.profile(self.collection.machine, each) for each in kept]
            perf = np.array([p.warp_perf for p in profiles])
            insts = np.array([p.total_instructions for p in profiles])
            chosen = choose_representative(perf, insts, self.busiest.warps, selection)
            self.representatives[selection] = kept[chosen]
        return self.representatives[selection]

    def _text(
        self, machine: IntervalMachine, options: Options, stack: NDArray[np.float64]
    ) -> Prediction:
        profile = self.profile(machine, self.representative(options.selection))
        warps = self.busiest.resident * self.busiest.sequence_of_warp.shape[1]
        on_scheduler = max(warps / machine.schedulers, 1.0)
        match options.model:
            case Model.NAIVE:
                cpi = naive_cpi(profile, on_scheduler)
            case Model.MARKOV:
                cpi = markov_cpi(profile, on_scheduler)
            case _:
                cpi = multithreading_cpi(
                    profile, on_scheduler, machine.policy, slots_filled=options.slots_filled
                )
        mshr = queue = 0.0
        if options.model in (Model.MT_MSHR, Model.GPUMECH):
            latency = mean_miss_latency(self.collection, machine)
            delays = mshr_delays(profile, warps, machine.l1_mshrs, latency)
            mshr = contention_cpi(delays, profile, on_scheduler, printed=options.printed)
        if options.model is Model.GPUMECH:
            cores = min(machine.sms, self.collection.launch.thread_blocks / self.busiest.resident)
            service = machine.dram_service_cycles / machine.channels
            delays = bandwidth_delays(profile, warps, cores, service)
            queue = contention_cpi(delays, profile, on_scheduler, printed=options.printed)
        slots = float(self.busiest.slots.sum()) / machine.schedulers
        _text_stack(stack, profile, miss_shares(self.collection), cpi * slots, slots)
        stack[-1, PARTS.index(Part.MSHR)] += mshr * slots
        stack[-1, PARTS.index(Part.QUEUE)] += queue * slots
        cycles = (cpi + mshr + queue) * slots
        return self._finish(cycles, cycles, stack * machine.schedulers, machine)

    def _finish(
        self, cycles: float, throughput: float, stack: NDArray[np.float64],
        machine: IntervalMachine,
    ) -> Prediction:  # fmt: skip
        """Stalls of the busiest SM become those of all; what they issue is known, and the rest is
        idle."""
        c = self.collection
        all_cycles = cycles * machine.sms * machine.schedulers
        excess = max(self.busiest.excess, 1e-12)
        stack = stack * (machine.sms / excess)
        issued = c.executed * c.operations.issue_slots / machine.issue_width
        stack[:-1, 0] = issued
        stalls = float(stack[:, 1:].sum())
        room = max(all_cycles - float(issued.sum()), 0.0)
        if stalls > room:
            stack[:, 1:] *= room / stalls
        everywhere = machine.sms * machine.schedulers
        stack[-1, PARTS.index(Part.IDLE)] += max(room - stalls, 0.0)
        stack[-1, PARTS.index(Part.FETCH)] += machine.code_cycles * everywhere
        stack[-1, PARTS.index(Part.LAUNCH)] = machine.launch_cycles * everywhere
        total = float(stack.sum())
        return Prediction(total / everywhere, stack, throughput)


def _text_stack(
    stack: NDArray[np.float64], profile: IntervalProfile, shares: NDArray[np.float64],
    cycles: float, base_cycles: float,
) -> None:  # fmt: skip
    """Section 4.7: the stalls of the representative warp by cause, shrunk to what multithreading
    leaves of them beyond issue cycles, which are constant (footnote 3)."""
    stalls = float(profile.stall_cycles.sum())
    scale = max(cycles - base_cycles, 0.0) / stalls if stalls else 0.0
    for cause, cycles_stalled in zip(profile.cause.tolist(), profile.stall_cycles, strict=True):
        own = cycles_stalled * scale
        level = shares[cause] if cause >= 0 else np.zeros(3)
        if level.any():
            for place, part in enumerate((Part.L1, Part.L2, Part.DRAM)):
                stack[cause, PARTS.index(part)] += own * level[place]
        else:
            stack[cause, PARTS.index(Part.DEP)] += own
