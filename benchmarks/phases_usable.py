"""The usable mode of SimProf beside TBPoint: costs predicted, units drawn simulated after a jump.

python -m benchmarks.phases_usable TRACES FOLDER [--workloads bfs] [--seeds 3]

TRACES is what benchmarks.phases_traces wrote, FOLDER what benchmarks.phases_gpu did: of it come the
predicted costs and the cycles of the full simulation. A line for each method: TBPoint, SimProf with
20 units, and with as many as simulate about what TBPoint does (with what warms; at least four).
Error, bias and sample are means over seeds; "holds": of how many the 95 % interval holds the truth;
"entered": by how much the units drawn took longer after their jumps than in the full simulation.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from benchmarks.phases_gpu import GPU, settings_of
from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.sim.sampling.block_profile import profile_launch
from kcc.sim.sampling.simprof.launch_costs import ChosenUnits
from kcc.sim.sampling.simprof.launch_units import cut_launches
from kcc.sim.sampling.simprof.launches import sample_units
from kcc.sim.sampling.simprof.study import POINTS, SampleOptions
from kcc.sim.sampling.stratified import StratifiedOptions, sample_stratified
from kcc.stages.recording.document import read_units


@dataclass(frozen=True, slots=True)
class Sampled:
    """One draw: cycles, half width of its interval, warp instructions simulated, CPU seconds; of
    SimProf by how much its units took longer than in the full simulation."""

    cycles: float
    half_width: float | None
    instructions: int
    seconds: float
    entered: float | None = None


def row(name: str, method: str, runs: Sequence[Sampled], truth: float, work: float) -> str:
    """A line of the table."""
    errors = [abs(one.cycles / truth - 1) for one in runs]
    halves = [one.half_width for one in runs if one.half_width is not None]
    held = sum(
        one.half_width is not None and abs(one.cycles - truth) <= one.half_width for one in runs
    )
    cells = [
        name, method, f"{100 * mean(errors):.2f} %",
        f"{100 * mean(one.cycles / truth - 1 for one in runs):+.2f} %",
        f"{100 * mean(halves) / truth:.2f} %" if halves else "-", f"{held} of {len(runs)}",
        f"{100 * mean(one.instructions for one in runs) / work:.1f} %",
        f"{mean(one.seconds for one in runs):.1f}",
        f"{100 * mean(one.entered or 0 for one in runs):+.2f} %" if runs[0].entered else "-",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |\n"


def compare(path: Path, folder: Path, seeds: int) -> None:
    """The lines of one trace."""
    full = read_units(folder / f"{path.stem}.json").cost
    truth = float(full.sum())
    table = read_units(folder / f"{path.stem}.predicted.json")
    gpu = load_gpu(GPU, settings_of(path.stem))
    with open_trace(path) as trace:
        launches = list(trace.launches)
        profiles = list(map(profile_launch, launches))
        units = cut_launches(launches, profiles, gpu)
        if [float(unit.work) for unit in units] != table.work.tolist():
            raise ValueError(f"{path.stem}: the units are of another trace")

        def simprof(points: int, seed: int) -> Sampled:
            simulator = ChosenUnits(launches, profiles, units, gpu, None)
            one = sample_units(simulator, table, SampleOptions(points, seed=seed))
            half = one.estimate.half_width()
            return Sampled(
                one.estimate.cost, None if half is None else half * one.estimate.work,
                one.simulated_instructions, one.simulate_seconds,
                float(one.cost[one.chosen].sum() / full[one.chosen].sum()) - 1,
            )  # fmt: skip

        def tbpoint(seed: int) -> Sampled:
            began = time.process_time()
            one = sample_stratified(launches, profiles, gpu, None, StratifiedOptions(seed=seed))
            spent = time.process_time() - began
            return Sampled(one.cycles, one.half_width, one.simulated_instructions, spent)

        def write(method: str, runs: Sequence[Sampled]) -> None:
            sys.stdout.write(row(path.stem, method, runs, truth, float(table.work.sum())))
            sys.stdout.flush()

        simprof(4, 0)  # loads compiled code
        theirs = [tbpoint(seed) for seed in range(seeds)]
        write("TBPoint", theirs)
        ours = [simprof(POINTS, seed) for seed in range(seeds)]
        write(f"SimProf, {POINTS} units", ours)
        share = mean(one.instructions for one in theirs) / mean(one.instructions for one in ours)
        points = max(round(POINTS * share), 4)
        write(f"SimProf, {points} units", [simprof(points, seed) for seed in range(seeds)])


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workloads", default="")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    wanted: list[str] = arguments.workloads.split(",") if arguments.workloads else []
    for path in sorted(arguments.traces.glob("*.kct")):
        if not wanted or path.stem in wanted:
            compare(path, arguments.folder, arguments.seeds)


if __name__ == "__main__":
    main()
