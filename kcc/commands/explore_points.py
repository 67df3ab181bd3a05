"""The design points of `kcc explore`: which there are, which are looked at, what comes of them."""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.gpu.loading import load_gpu
from kcc.base.records import dataclass
from kcc.commands.cluster import cluster_of
from kcc.commands.console import say
from kcc.commands.engine import engine
from kcc.commands.errors import usage_error
from kcc.commands.explore_work import (
    EXPLORED,
    ExploreWork,
    Impossible,
    Points,
    Settings,
)
from kcc.commands.exploring import ALL, EVERY, NONE, TOP, exploration_targets
from kcc.commands.interval_options import interval_options
from kcc.commands.journal import Journal, kept_in
from kcc.commands.progress import shown_progress
from kcc.commands.stages import StageRunner
from kcc.commands.traced import IMPOSSIBLE, Launches
from kcc.report.exploration.exploration import (
    Exploration,
    Explored,
    FailedPoint,
    Searched,
    gain,
    pareto_front,
)
from kcc.report.exploration.front import regret_of
from kcc.sim.interval.explore import Explorer, PointSummary, changes_of, settings_of
from kcc.sim.interval.inputs import interval_inputs
from kcc.tuning.formulas import Formula, formula
from kcc.tuning.lists import from_text
from kcc.tuning.search import Designs, search_of

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription

VERIFIED = 3
"""The fastest points that `--cycle top` verifies where there are no costs."""


@dataclass(frozen=True, slots=True)
class Combination:
    """A combination of the sweeps' values: what it is called, its settings, the place of each value
    in its sweep, and what it costs."""

    words: str
    settings: Settings
    places: tuple[int, ...]
    cost: float | None


def explored(
    arguments: argparse.Namespace, source: str, launches: Launches, notes: Sequence[str]
) -> Exploration:
    """What the command line asks for."""
    options = interval_options(arguments)
    (gpu_name,) = arguments.gpus
    work = ExploreWork(launches, gpu_name, tuple(arguments.overrides), options)
    with work.explorer() as explorer:
        if not explorer.launches:
            message = "no launch, or none that --kernel and --launches select"
            raise DiagnosticError([Diagnostic("K875", message)])
        gpu = load_gpu(gpu_name, arguments.overrides)
        combinations = _combinations(arguments, gpu)
        changes = _changes(explorer, gpu) if arguments.what_if else []
        passed = _passed_keys(explorer, gpu, arguments)
    kept = kept_in(arguments, exploration_targets(arguments))
    journal = Journal(kept, work.name, EXPLORED, resume=arguments.resume) if kept else None
    cluster = cluster_of(arguments)
    if cluster is not None:
        work = replace(work, content=Path(launches.path).read_bytes())
    total = len(combinations) + len(changes)
    with (
        journal or nullcontext(),
        shown_progress(total) as show,
        engine(work, arguments.jobs, StageRunner(), cluster) as run,
    ):
        count = 0

        def done(found: int) -> None:
            nonlocal count
            count += found
            show(count, 0, "design points")

        look = _Look(Points(run, journal, passed, done), arguments, combinations)
        try:
            found = look.at_all(changes, len(explorer.launches))
        except KeyboardInterrupt:
            if journal:
                say(f"\n{journal.path} has the points that were found; --resume continues\n")
            raise
    parameters = {key.rpartition(".")[2]: values for key, values in arguments.sweeps}
    return replace(
        found, source=source, settings=tuple(arguments.overrides), model=options.model.value,
        notes=tuple(notes), parameters=parameters,
    )  # fmt: skip


class _Look:
    """Looks at the points of a design space."""

    def __init__(
        self, points: Points, arguments: argparse.Namespace, space: Sequence[Combination]
    ) -> None:
        self.points, self.arguments, self.space = points, arguments, space

    def at_all(self, changes: Sequence[tuple[str, Settings]], launches: int) -> Exploration:
        """Points, changes, and what was simulated of both."""
        points, failed, searched = self._designs()
        base: Explored | None = None
        found = list[Explored]()
        if self.arguments.what_if:
            base, found = self._what_if(changes)
        passes = {each.point.cache_pass for each in (*points, *found, *([base] if base else []))}
        points = self._verified(points)
        if base is not None and self.arguments.cycle != NONE:
            count = len(found) if self.arguments.cycle == ALL else 1
            base, *checked = self._simulated([base, *found[:count]])
            found[:count] = checked
        gpu = (base or points[0]).point.gpu
        return Exploration(
            "", gpu, (), "", len(passes) * launches, tuple(points), base, tuple(found),
            tuple(failed), searched=searched,
        )  # fmt: skip

    def _designs(self) -> tuple[list[Explored], list[FailedPoint], Searched | None]:
        """The points of the sweeps, those that there cannot be, and how they were chosen; raises
        for the last where there can be none."""
        if not self.space:
            return [], [], None
        chosen = range(len(self.space))
        if self.arguments.search == EVERY:
            seen = list(chosen)
        else:
            seen = self._search()
            if not self.arguments.regret:
                chosen = seen
        results = self.points.predicted(self.space[n].settings for n in chosen)
        points, failed = list[Explored](), list[FailedPoint]()
        times = dict[int, float]()
        looked = set(seen)
        for n, result in zip(chosen, results, strict=True):
            each = self.space[n]
            if isinstance(result, Impossible):
                failed.append(FailedPoint(each.words, result.message))
                continue
            times[n] = result.time_us
            points.append(Explored(each.words, result, None, each.cost, each.places, n in looked))
        if not any(each.is_searched for each in points):
            raise next(r for r in results if isinstance(r, Impossible)).error()
        return points, failed, self._searched(seen, times)

    def _searched(self, seen: Sequence[int], times: Mapping[int, float]) -> Searched | None:
        if self.arguments.search == EVERY:
            return None
        regret = None
        if self.arguments.regret:
            every = list(times)
            costs = [self.space[n].cost or 0.0 for n in every] if self.arguments.cost else None
            own = [place for place, n in enumerate(every) if n in set(seen)]
            regret = regret_of([times[n] for n in every], costs, own)
        return Searched(self.arguments.search, len(seen), len(self.space), regret)

    def _search(self) -> list[int]:
        """The points that a search looks at, in their order."""
        costs = tuple(each.cost or 0.0 for each in self.space) if self.arguments.cost else None
        designs = Designs(
            dict(self.arguments.sweeps), tuple(each.places for each in self.space), costs
        )
        trials = self.arguments.trials or len(self.space)
        search = search_of(self.arguments.search, designs, trials, self.arguments.search_seed)
        seen = set[int]()
        while asked := search.ask():
            found = self.points.predicted(self.space[n].settings for n in asked)
            search.tell({n: _time(each) for n, each in zip(asked, found, strict=True)})
            seen.update(asked)
        return sorted(seen)

    def _what_if(self, changes: Sequence[tuple[str, Settings]]) -> tuple[Explored, list[Explored]]:
        """The GPU as it is, and what each change makes of the launches, what gains most first;
        changes that no such GPU can have are left out."""
        first, *rest = self.points.predicted([(), *(settings for _, settings in changes)])
        if isinstance(first, Impossible):
            raise first.error()
        base = Explored("baseline", first)
        pairs = zip(changes, rest, strict=True)
        found = [Explored(w, r) for (w, _), r in pairs if isinstance(r, PointSummary)]
        return base, sorted(found, key=lambda each: -gain(base, each))

    def _verified(self, points: list[Explored]) -> list[Explored]:
        """The same, of which those that matter are simulated too."""
        if self.arguments.cycle == ALL:
            return self._simulated(points)
        if self.arguments.cycle != TOP:
            return points
        own = [each for each in points if each.is_searched]
        best = pareto_front(own) or sorted(own, key=lambda each: each.point.time_us)[:VERIFIED]
        checked = {each.words: each for each in self._simulated(best)}
        return [checked.get(each.words, each) for each in points]

    def _simulated(self, each: Sequence[Explored]) -> list[Explored]:
        cycles = self.points.simulated(e.point.settings for e in each)
        return [replace(e, checked_cycles=c) for e, c in zip(each, cycles, strict=True)]


def _time(found: PointSummary | Impossible) -> float:
    return math.inf if isinstance(found, Impossible) else found.time_us


def _changes(explorer: Explorer, gpu: GpuDescription) -> list[tuple[str, Settings]]:
    first = explorer.launches[0]
    machine, _ = interval_inputs(gpu, first.tables, first.launch, explorer.registers)
    return [(change.words, change.settings) for change in changes_of(gpu, machine)]


def _passed_keys(
    explorer: Explorer, gpu: GpuDescription, arguments: argparse.Namespace
) -> list[str]:
    """The keys of a GPU whose values decide about cache passes."""
    found = list[str]()
    for key, values in arguments.sweeps:
        passes = set[object]()
        every = [settings_of(gpu, key, value) for value in values]
        for settings in every:
            try:
                passes.add(explorer.pass_of(settings))
            except DiagnosticError as error:
                if error.diagnostics[0].code not in IMPOSSIBLE:
                    raise
        if len(passes) > 1:
            found += {setting.partition("=")[0] for settings in every for setting in settings}
    return found


def _combinations(arguments: argparse.Namespace, gpu: GpuDescription) -> list[Combination]:
    """The combinations that fulfil --where."""
    found = list(_fulfilling(arguments, gpu))
    if arguments.sweeps and not found:
        raise usage_error("--where leaves no design point")
    return found


def _fulfilling(arguments: argparse.Namespace, gpu: GpuDescription) -> Iterator[Combination]:
    keys = [key for key, _ in arguments.sweeps]
    conditions = [_over(keys, "--where", text) for text in arguments.where]
    cost = _over(keys, "--cost", arguments.cost) if arguments.cost else None
    for words, settings, places, values in _products(arguments, gpu):
        try:
            if all(condition(values) for condition in conditions):
                price = None if cost is None else float(cost(values))
                yield Combination(words, settings, places, price)
        except (ValueError, TypeError) as error:
            raise usage_error(f"{words}: {error}") from error


def _over(keys: Sequence[str], option: str, text: str) -> Formula:
    """An expression over the last parts of the swept keys."""
    known = {key.rpartition(".")[2] for key in keys}
    try:
        found = formula(text)
    except ValueError as error:
        raise usage_error(f"{option}: {error}") from error
    unknown = ", ".join(sorted(found.names - known))
    if unknown:
        raise usage_error(f"{option}: {unknown} is not swept", f"swept: {', '.join(sorted(known))}")
    return found


def _products(
    arguments: argparse.Namespace, gpu: GpuDescription
) -> Iterator[tuple[str, Settings, tuple[int, ...], dict[str, int | float | str]]]:
    """All combinations: what each is called, its settings, the places of its values, and they by
    name."""
    keys = [key for key, _ in arguments.sweeps]
    if not keys:
        return
    for placed in itertools.product(*(enumerate(values) for _, values in arguments.sweeps)):
        pairs = [(key, value) for key, (_, value) in zip(keys, placed, strict=True)]
        words = " ".join(f"{key.rpartition('.')[2]}={value}" for key, value in pairs)
        settings = tuple(s for key, value in pairs for s in settings_of(gpu, key, value))
        named = {key.rpartition(".")[2]: from_text(value) for key, value in pairs}
        yield words, settings, tuple(place for place, _ in placed), named
