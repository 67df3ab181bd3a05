"""Miniatures beside their originals: the one that is asked for, or the smallest within a bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.stages.host import HostSettings
from kcc.stages.proxy_check import Traced, simulate_run
from kcc.stages.synth import Running, Settled, Study, settle, unwatched
from kcc.synth.comparison.behaviour import Pair, Simulated
from kcc.synth.reduction.reductions import Reduction, on_parts, smallest_within
from kcc.synth.reduction.slices import of_whole, parts_of, slice_of, slice_settings
from kcc.synth.reduction.twins import followed, steps_to

Simulate = Callable[[Traced, GpuDescription], Simulated]
"""How a trace is simulated on a GPU: as :func:`simulate_run` does."""


class Trials(Protocol):
    """What earlier runs of the same search found, by name."""

    def get(self, name: str) -> Simulated | int | None:
        """None for what was not found yet."""
        ...

    def keep(self, name: str, found: Simulated | int) -> None:
        """Remember it."""
        ...


class NoTrials:
    """Remembers nothing."""

    def get(self, name: str) -> None:  # noqa: ARG002
        return None

    def keep(self, name: str, found: Simulated | int) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """A miniature; the larger one beside it, if two are asked for; and what it says, or both, of
    the original on each GPU."""

    reduction: Reduction
    settled: Settled
    twin: Settled | None = None
    pairs: tuple[Pair, ...] = ()


class Bench:
    """Miniatures of a study on some GPUs, each made and simulated once. ``originals`` are the
    study's simulations on the same GPUs; ``simulate`` and ``running`` may say how far each is.
    Traces go into ``folder``. With ``twins`` IPC is what two miniatures say together."""

    def __init__(  # noqa: PLR0913, PLR0917 -- what a search needs
        self, study: Study, gpus: Sequence[GpuDescription], originals: Sequence[Simulated],
        settings: HostSettings, folder: Path, seed: int = 0, simulate: Simulate = simulate_run,
        running: Running = unwatched, trials: Trials | None = None,
    ) -> None:  # fmt: skip
        self.study, self.gpus, self.originals = study, tuple(gpus), tuple(originals)
        self.settings, self.folder, self.seed = settings, folder, seed
        self._simulate, self._running, self._trials = simulate, running, trials or NoTrials()
        self._settled = dict[Reduction, Settled]()
        self._simulated = dict[tuple[Reduction, int], Simulated]()

    def checked(self, reduction: Reduction, *, twins: bool = False) -> Checked:
        """The miniature of a reduction, simulated on all GPUs that its original was."""
        numbers = range(len(self.originals))
        pairs = tuple(self.pair(reduction, n, twins=twins) for n in numbers)
        twin = self.settled(reduction.larger) if twins and reduction.has_twin else None
        return Checked(reduction, self.settled(reduction), twin, pairs)

    def smallest(
        self, least: Reduction, most: Reduction, bound: float, *, twins: bool = False,
        on: Sequence[int] | None = None, slices: bool = False,
    ) -> tuple[Reduction, bool]:  # fmt: skip
        """The reduction between two with the smallest miniature whose error of IPC is within the
        bound on all GPUs (``on``: on those); ``least`` where that is not within it. With ``twins``
        also two miniatures are tried, and are said to be meant where they are the smaller, as far
        apart as is good; with ``slices`` also what begins with the smallest part of the GPUs that
        is good for as small a share of the thread blocks."""
        numbers = range(len(self.gpus)) if on is None else on
        parts = parts_of([self.gpus[number] for number in numbers]) if slices else []

        def smallest_of(*, two: bool) -> Reduction:
            def trial(reduction: Reduction) -> int | None:
                pairs = (self.pair(reduction, number, twins=two) for number in numbers)
                good = all(abs(pair.ipc_error) <= bound for pair in pairs)
                return self._size(reduction, twins=two) if good else None

            def smallest_from(begin: Reduction) -> Reduction:
                kernels, launches = self.study.kernels, self.study.launches
                found = smallest_within(kernels, launches, trial, begin, most)
                if not two or not found.has_twin or trial(found) is None:
                    return found
                further = (one for one in found.further(most) if trial(one) is not None)
                return next(further, found)

            found = smallest_from(least)
            if trial(least) is None:
                return found
            starts = (one for one in on_parts(least, most, parts) if trial(one) is not None)
            ways = [found, *(smallest_from(one) for one in islice(starts, 1))]
            return min(ways, key=lambda way: self._size(way, twins=two))

        ways = [(smallest_of(two=two), two) for two in ((False, True) if twins else (False,))]
        return min(ways, key=lambda way: self._size(way[0], twins=way[1]))

    def _size(self, reduction: Reduction, *, twins: bool) -> int:
        """Warp instructions of a miniature, or two."""
        two = twins and reduction.has_twin
        return self.executed(reduction) + (self.executed(reduction.larger) if two else 0)

    def pair(self, reduction: Reduction, number: int, *, twins: bool = False) -> Pair:
        """The original and a miniature on one GPU."""
        found = self.simulated(reduction.alone, number)
        if twins and reduction.has_twin:
            larger = reduction.larger
            sizes = self.executed(reduction), self.executed(larger)
            whole = self.executed(reduction.none) / reduction.common_blocks
            steps = steps_to(whole, *sizes)
            found = followed(found, self.simulated(larger, number), steps)
        parts = reduction.parts
        settings = slice_settings(self.gpus[number], parts) if parts > 1 else ()
        return Pair(self.originals[number], of_whole(found, parts), settings)

    def settled(self, reduction: Reduction) -> Settled:
        """The miniature of a reduction; its trace comes out of the run that profiles it."""
        reduction = reduction.on_all
        if reduction not in self._settled:
            trace = self.folder / f"{len(self._settled)}.kct" if self.originals else None
            self._settled[reduction] = settle(
                self.study, reduction.factors, self.settings, self.seed, reduction.blocks,
                self.gpus, self._running, trace,
            )  # fmt: skip
        return self._settled[reduction]

    def executed(self, reduction: Reduction) -> int:
        """The warp instructions of a miniature, by its profile."""
        name = f"{reduction.on_all.name}: instructions"
        found = self._trials.get(name)
        if not isinstance(found, int):
            launches = self.settled(reduction).profile.launches
            found = sum(x.warp_instructions for x in launches)
            self._trials.keep(name, found)
        return found

    def simulated(self, reduction: Reduction, number: int) -> Simulated:
        """A miniature on one GPU, or on a part of it."""
        key = reduction, number
        if key not in self._simulated:
            name = f"{reduction.name}: {number}"
            found = self._trials.get(name)
            if not isinstance(found, Simulated):
                traced = self.settled(reduction).traced
                assert traced is not None, "what is simulated has been traced"
                found = self._simulate(traced, slice_of(self.gpus[number], reduction.parts))
                self._trials.keep(name, found)
            self._simulated[key] = found
        return self._simulated[key]
