"""How well phases are found and sampled: the tables of docs/phases.md.

python -m benchmarks.phases UNITS.json... [--points 20] [--inputs]

Each file is what `kcc phases record` or benchmarks.phases_gpu wrote. NAME-1.json, NAME-again.json
and so on beside NAME.json are other inputs of it and are compared with it (--inputs);
NAME.predicted.json has costs by interval analysis: features, phases and allocation by them, costs
of the units drawn by the full simulation (the usable mode).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from kcc.sim.sampling.simpoint import choose_simpoint
from kcc.sim.sampling.simprof.allocation import allocate, draw_units
from kcc.sim.sampling.simprof.estimate import estimate
from kcc.sim.sampling.simprof.launches import predicted_strata
from kcc.sim.sampling.simprof.phases import PhaseOptions, form_phases, homogeneity
from kcc.sim.sampling.simprof.sensitivity import compare_inputs
from kcc.sim.sampling.simprof.study import DRAWS, SampleOptions, Study, study
from kcc.sim.sampling.simprof.table import UnitTable
from kcc.sim.sampling.units import Unit
from kcc.stages.recording.document import read_units

SEEDS = 1
"""Of SimPoint's clustering."""


def percent(share: float | None) -> str:
    """As tables show it."""
    return "-" if share is None else f"{100 * share:.2f} %"


def methods_row(path: Path, points: int) -> str:
    """One line: errors of all methods, mean and 95th percentile, and coverage."""
    table = read_units(path)
    found = study(table, PhaseOptions(), SampleOptions(points))
    same = homogeneity(table, found.phases)
    errors = {m.method: m for m in found.methods}
    cells = [f"{percent(errors[name].mean)} ({percent(errors[name].high)})" for name in errors]
    coverage = [percent(errors[name].coverage) for name in ("SimProf as printed", "SimProf")]
    needed = "/".join(str(n) for n in found.needed.values())
    return " | ".join([
        path.stem, str(len(table)), str(found.phases.count), f"{same.population:.3f}",
        f"{same.weighted:.3f}", *cells, percent(simpoint(table)), *usable(path, table, points),
        *coverage, needed, allocation(found),
    ])  # fmt: skip


def simpoint(table: UnitTable) -> float:
    """The mean error of SimPoint on the same units, over seeds of its clustering."""
    units = [
        Unit(round(c), round(w), row * w)
        for c, w, row in zip(table.cost, table.work, table.shares, strict=True)
    ]
    found = [choose_simpoint(units, seed).cycles / table.cost.sum() - 1 for seed in range(SEEDS)]
    return float(np.abs(found).mean())


def usable(path: Path, table: UnitTable, points: int) -> tuple[str, str]:
    """Mean error and coverage where phases and allocation are by predicted costs, and the
    prediction is what costs are proportional to."""
    beside = path.with_name(f"{path.stem}.predicted.json")
    if not beside.exists():
        return "-", "-"
    predicted = read_units(beside)
    labels, deviations = predicted_strata(predicted, form_phases(predicted), points)
    counts: list[int] = allocate(np.bincount(labels), deviations, points).tolist()
    random = np.random.default_rng(2)
    errors, held = list[float](), 0
    for _ in range(DRAWS):
        chosen = draw_units(labels, counts, random, spread=True)
        one = estimate(table.cost, predicted.cost, table.work, labels, chosen, spread=True)
        errors.append(abs(one.mean / table.mean - 1))
        half = one.half_width()
        held += half is not None and abs(one.mean - table.mean) <= half
    return f"{percent(float(np.mean(errors)))} ({percent(float(np.quantile(errors, 0.95)))})", \
        percent(held / DRAWS)  # fmt: skip


def allocation(found: Study) -> str:
    """Share of units and of points of the two largest phases (figure 45)."""
    sizes, total = found.phases.sizes(), len(found.table)
    drawn = np.bincount(found.phases.labels[found.chosen], minlength=found.phases.count)
    shown = [
        f"{100 * sizes[n] / total:.0f}:{100 * drawn[n] / drawn.sum():.0f}"
        for n in range(min(found.phases.count, 3))
    ]
    return " ".join(shown)


def inputs_row(path: Path, others: list[Path], points: int) -> str:
    """Other inputs against the first: sensitive phases by the text's rule and ours, points that
    are saved, and the error made by taking insensitive phases from the training input."""
    table = read_units(path)
    found = study(table, PhaseOptions(), SampleOptions(points), 0)
    tables = [read_units(other) for other in others]
    changes = compare_inputs(table, found.phases, tables)
    sensitive = changes.phases()
    drawn = np.bincount(found.phases.labels[found.chosen], minlength=found.phases.count)
    saved = sum(int(drawn[n]) for n in range(found.phases.count) if n not in sensitive)
    errors = list[float]()
    for other, labels in zip(tables, changes.labels, strict=True):
        cost = 0.0
        for n in range(found.phases.count):
            own, source = labels == n, found.phases.labels == n
            known = other.cost[own].sum()
            ratio = table.cost[source].sum() / table.work[source].sum()
            cost += known if n in sensitive else ratio * other.work[own].sum()
        errors.append(float(cost / other.cost.sum() - 1))
    names = ", ".join(other.stem for other in others)
    return " | ".join([
        path.stem, names, str(found.phases.count), str(len(changes.phases(by_threshold=True))),
        str(len(sensitive)), percent(saved / max(int(drawn.sum()), 1)),
        ", ".join(f"{100 * e:+.2f} %" for e in errors),
    ])  # fmt: skip


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("units", nargs="+", type=Path)
    parser.add_argument("--points", type=int, default=20)
    parser.add_argument("--inputs", action="store_true")
    arguments = parser.parse_args()
    if arguments.inputs:
        first, *others = arguments.units
        sys.stdout.write(f"| {inputs_row(first, others, arguments.points)} |\n")
        return
    for path in arguments.units:
        sys.stdout.write(f"| {methods_row(path, arguments.points)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
