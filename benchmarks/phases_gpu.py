"""Units of GPU launches for the page on phases: full simulation, interval analysis, what they do.

python -m benchmarks.phases_gpu TRACES FOLDER [--workloads bfs,cfd] [--units 400] [--no-prediction]

writes NAME.json (kcc/units/1) for each trace of benchmarks.phases_traces with the cycles of the
full simulation, and NAME.predicted.json with those of interval analysis. What is there is not made
again.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import pairwise
from pathlib import Path

from benchmarks.phases_traces import TIMES, traced_as
from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.sim.sampling.block_profile import profile_launch
from kcc.sim.sampling.simprof.launch_costs import predict_units, simulate_units
from kcc.sim.sampling.simprof.launch_units import UNITS, cut_launches, unit_table
from kcc.stages.recording.document import units_json

GPU = "macsim-fermi-tbpoint"


def settings_of(stem: str) -> list[str]:
    """What of the GPU is changed for a trace of benchmarks.phases_traces."""
    return list(traced_as(stem).settings)


def record(path: Path, folder: Path, count: int, *, predict: bool) -> None:
    """Both tables of one trace."""
    target, predicted = folder / f"{path.stem}.json", folder / f"{path.stem}.predicted.json"
    if target.exists() and (predicted.exists() or not predict):
        return
    gpu = load_gpu(GPU, settings_of(path.stem))
    count = round(count * TIMES.get(path.stem.partition("-")[2], 1.0))
    with open_trace(path) as trace:
        launches = list(trace.launches)
        times = [time.process_time()]
        units = cut_launches(launches, list(map(profile_launch, launches)), gpu, count=count)
        times.append(time.process_time())
        cost = simulate_units(launches, units, gpu, None, lambda _: None)
        times.append(time.process_time())
        table = unit_table(path.stem, launches, units, cost, gpu.stem)
        target.write_text(units_json(table), encoding="utf-8")
        times.append(time.process_time())
        if predict:
            guess = predict_units(launches, units, gpu, None, lambda _: None)
            predicted.write_text(units_json(table.with_cost(guess)), encoding="utf-8")
            times.append(time.process_time())
    names = ("profile", "cycle", "table", "interval")
    spent = zip(names, pairwise(times), strict=False)
    words = ", ".join(f"{name} {after - before:.1f} s" for name, (before, after) in spent)
    sys.stdout.write(f"{path.stem}: {len(launches)} launches, {len(units)} units, {words}\n")
    sys.stdout.flush()


def main() -> None:
    """Record what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workloads", default="")
    parser.add_argument("--units", type=int, default=UNITS)
    parser.add_argument("--no-prediction", dest="predict", action="store_false")
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    wanted: list[str] = arguments.workloads.split(",") if arguments.workloads else []
    for path in sorted(arguments.traces.glob("*.kct")):
        if not wanted or path.stem in wanted:
            record(path, arguments.folder, arguments.units, predict=arguments.predict)


if __name__ == "__main__":
    main()
