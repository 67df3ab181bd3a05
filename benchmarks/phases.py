"""How well phases are found and sampled: the tables of docs/validation/phases.md.

python -m benchmarks.phases UNITS.json... [--points 20] [--draws 1000]
python -m benchmarks.phases TRAINING.json OTHER.json... --inputs
python -m benchmarks.phases TRAINING.json OTHER.json... --new

Each file is what `kcc phases record` or benchmarks.phases_gpu wrote. NAME.predicted.json beside
NAME.json has costs by interval analysis: features, phases and allocation by them, costs of the
units drawn by the full simulation (the usable mode, but for what simulating after a jump does to a
unit: benchmarks.phases_usable). --inputs: the other files are of other inputs than the first.
--new: each of them as the new one, of which the others are recorded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kcc.sim.sampling.estimate import LEVEL
from kcc.sim.sampling.simpoint import choose_simpoint
from kcc.sim.sampling.simprof.inputs import compare_recordings, reuse
from kcc.sim.sampling.simprof.launches import Drawer
from kcc.sim.sampling.simprof.phases import PhaseOptions, form_phases, homogeneity
from kcc.sim.sampling.simprof.sensitivity import compare_inputs
from kcc.sim.sampling.simprof.strata import PREDICTED, strata_of
from kcc.sim.sampling.simprof.study import (
    MethodErrors,
    SampleOptions,
    Study,
    study,
    units_as_printed,
)
from kcc.sim.sampling.simprof.table import UnitTable
from kcc.sim.sampling.units import Unit
from kcc.stages.recording.document import read_units

USABLE = "predicted"


@dataclass(frozen=True, slots=True)
class Found:
    """A workload's study; errors of all methods by name."""

    name: str
    study: Study
    errors: dict[str, MethodErrors]


def percent(share: float | None) -> str:
    """As tables show it."""
    return "-" if share is None else f"{100 * share:.2f} %"


def examine(path: Path, points: int, draws: int) -> Found:
    """All methods on one recording."""
    table = read_units(path)
    found = study(table, PhaseOptions(), SampleOptions(points), draws)
    methods = [*found.methods, simpoint(table)]
    beside = path.with_name(f"{path.stem}.predicted.json")
    if beside.exists():
        methods.append(usable(read_units(beside), table, points, draws))
    return Found(path.stem, found, {one.method: one for one in methods})


def simpoint(table: UnitTable) -> MethodErrors:
    """SimPoint on the same units, of which it takes whole numbers of cycles and instructions."""
    cost, work = (1e9 / column.mean() * column for column in (table.cost, table.work))
    units = [
        Unit(round(c), round(w), row * w)
        for c, w, row in zip(cost, work, table.shares, strict=True)
    ]
    choice = choose_simpoint(units, 0)
    error = abs(choice.cycles / float(cost.sum()) - 1)
    drawn = round(choice.instructions / 1e9)
    return MethodErrors("SimPoint", drawn, error, error, None)


def usable(predicted: UnitTable, table: UnitTable, points: int, draws: int) -> MethodErrors:
    """Strata and allocation by predicted costs, which costs are taken as proportional to."""
    strata = strata_of(predicted, form_phases(predicted), points, PREDICTED)
    errors, held = list[float](), 0
    for seed in range(draws):
        drawer = Drawer(predicted, strata, seed)
        one = drawer.estimate(table.cost, drawer.draw(points))
        errors.append(abs(one.mean / table.mean - 1))
        half = one.half_width()
        held += half is not None and abs(one.mean - table.mean) <= half
    high = float(np.quantile(errors, 0.95))
    return MethodErrors(USABLE, points, float(np.mean(errors)), high, held / draws)


METHODS = ("one interval", "simple random", "one of each phase", "SimPoint", "SimProf as printed",
           "SimProf", USABLE)  # fmt: skip
COVERED = ("simple random", "SimProf as printed", "SimProf", USABLE)


def errors_table(rows: Sequence[Found]) -> Iterable[Sequence[str]]:
    """Errors of the mean, and the 95th percentile, by method."""
    yield ("workload", "units", *METHODS)
    for one in rows:
        cells = [one.errors.get(name) for name in METHODS]
        yield (
            one.name,
            str(len(one.study.table)),
            *("-" if m is None else f"{percent(m.mean)} ({percent(m.high)})" for m in cells),
        )
    means = [[one.errors[name].mean for one in rows if name in one.errors] for name in METHODS]
    yield ("mean", "", *(percent(float(np.mean(own))) if own else "-" for own in means))


def coverage_table(rows: Sequence[Found]) -> Iterable[Sequence[str]]:
    """Shares of 95 % intervals that hold; variation; units needed; allocation."""
    yield (
        "workload",
        *(f"{name} holds" for name in COVERED),
        "phases",
        "CoV of all",
        "within",
        "needed as printed",
        "needed",
        "allocation",
    )
    for one in rows:
        found = one.study
        same = homogeneity(found.table, found.phases)
        held = (one.errors[n].coverage if n in one.errors else None for n in COVERED)
        printed = (str(units_as_printed(found.table, found.phases, e)) for e in found.needed)
        yield (
            one.name,
            *map(percent, held),
            str(found.phases.count),
            f"{same.population:.3f}",
            f"{same.weighted:.3f}",
            " / ".join(printed),
            " / ".join(map(str, found.needed.values())),
            allocation(found),
        )


def allocation(found: Study) -> str:
    """Share of units and of points of the three largest phases (figure 45)."""
    sizes, total = found.phases.sizes(), len(found.table)
    drawn = np.bincount(found.phases.labels[found.chosen], minlength=found.phases.count)
    shown = [
        f"{100 * sizes[n] / total:.0f}:{100 * drawn[n] / drawn.sum():.0f}"
        for n in range(min(found.phases.count, 3))
    ]
    return " ".join(shown)


def inputs_table(path: Path, others: Sequence[Path], points: int) -> Iterable[Sequence[str]]:
    """Each other input against the first, as the only one: sensitive phases by the text's rule and
    ours, points that are saved, and the error where phases that are the same are taken from the
    first (the others from all of their units)."""
    yield (
        "training",
        "other",
        "units",
        "phases",
        "sensitive by equation 38",
        "sensitive",
        "points saved",
        "error",
        "mean of the other against the first",
    )
    table = read_units(path)
    found = study(table, PhaseOptions(), SampleOptions(points), 0)
    count = found.phases.count
    drawn = np.bincount(found.phases.labels[found.chosen], minlength=count)
    for one in others:
        other = read_units(one)
        changes = compare_inputs(table, found.phases, [other])
        reused, labels = changes.reusable(), changes.labels[0]
        cost = 0.0
        for n in range(count):
            own, source = labels == n, found.phases.labels == n
            known = float(table.cost[source].sum() / table.work[source].sum())
            told = known * float(other.work[own].sum())
            cost += told if n in reused else float(other.cost[own].sum())
        saved = sum(int(drawn[n]) for n in reused) / drawn.sum()
        yield (
            path.stem,
            one.stem,
            str(len(other)),
            str(count),
            str(len(changes.phases(by_threshold=True))),
            str(len(changes.phases())),
            percent(saved),
            f"{100 * (cost / float(other.cost.sum()) - 1):+.2f} %",
            f"{100 * (other.mean / table.mean - 1):+.1f} %",
        )


def new_table(path: Path, others: Sequence[Path], points: int) -> Iterable[Sequence[str]]:
    """Each other input as a new one, with all but it recorded: what need not be simulated, the
    error that this makes (all other units simulated), and whether the interval holds it."""
    yield ("training", "new", "units", "phases", "sensitive", "units reused", "points saved",
           "error", "interval", "new mean against the first")  # fmt: skip
    tables = {one: read_units(one) for one in (path, *others)}
    for one in others:
        recordings = compare_recordings([own for name, own in tables.items() if name != one])
        table, known = tables[one], reuse(recordings, tables[one])
        cost = float(known.cost.sum() + table.cost[~known.units].sum())
        truth = float(table.cost.sum())
        half = known.spread.half_width(LEVEL)
        held = half is not None and abs(cost - truth) <= half * (1 + 1e-9) + 1e-9 * truth
        yield (
            path.stem, one.stem, str(len(table)), str(recordings.phases.count),
            str(len(recordings.sensitivity.phases())), percent(float(known.units.mean())),
            percent(recordings.saved(points)), f"{100 * (cost / truth - 1):+.2f} %",
            "-" if half is None else f"{percent(half / truth)}, {'holds' if held else 'does not'}",
            f"{100 * (table.mean / tables[path].mean - 1):+.1f} %",
        )  # fmt: skip


def write(rows: Iterable[Sequence[str]]) -> None:
    """A table, as Markdown."""
    for number, cells in enumerate(rows):
        sys.stdout.write(f"| {' | '.join(cells)} |\n")
        if not number:
            sys.stdout.write(f"|{'---|' * len(cells)}\n")
    sys.stdout.write("\n")
    sys.stdout.flush()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("units", nargs="+", type=Path)
    parser.add_argument("--points", type=int, default=20)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--inputs", action="store_true")
    parser.add_argument("--new", action="store_true")
    arguments = parser.parse_args()
    if arguments.inputs or arguments.new:
        first, *others = arguments.units
        table = new_table if arguments.new else inputs_table
        write(table(first, others, arguments.points))
        return
    paths: list[Path] = [p for p in arguments.units if not p.name.endswith(".predicted.json")]
    found = [examine(path, arguments.points, arguments.draws) for path in paths]
    write(errors_table(found))
    write(coverage_table(found))


if __name__ == "__main__":
    main()
