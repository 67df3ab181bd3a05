"""Units of GPU launches for the page on phases: full simulation, interval analysis, what they do.

python -m benchmarks.phases_gpu TRACES FOLDER [--workloads bfs,cfd] [--units 400]

writes NAME.json (kcc/units/1) for each trace with the cycles of the full simulation, and
NAME.predicted.json with those of interval analysis. What is there is not made again.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.sim.sampling.block_profile import profile_launch
from kcc.sim.sampling.simprof.launch_costs import predict_units, simulate_units
from kcc.sim.sampling.simprof.launch_units import UNITS, cut_launches, unit_table
from kcc.stages.recording.document import units_json

GPU = "macsim-fermi-tbpoint"


def record(path: Path, folder: Path, gpu_name: str, count: int) -> None:
    """Both tables of one trace."""
    target, predicted = folder / f"{path.stem}.json", folder / f"{path.stem}.predicted.json"
    if target.exists() and predicted.exists():
        return
    gpu = load_gpu(gpu_name, [])
    with open_trace(path) as trace:
        launches = list(trace.launches)
        began = time.process_time()
        profiles = [profile_launch(one) for one in launches]
        units = cut_launches(launches, profiles, gpu, count=count)
        profiled = time.process_time()
        cost = simulate_units(launches, units, gpu, None, lambda _: None)
        simulated = time.process_time()
        table = unit_table(path.stem, launches, units, cost, gpu.stem)
        target.write_text(units_json(table), encoding="utf-8")
        tabled = time.process_time()
        guess = predict_units(launches, units, gpu, None, lambda _: None)
        ended = time.process_time()
        predicted.write_text(units_json(table.with_cost(guess)), encoding="utf-8")
    times = (profiled - began, simulated - profiled, tabled - simulated, ended - tabled)
    names = ("profile", "cycle", "table", "interval")
    words = ", ".join(f"{name} {t:.1f} s" for name, t in zip(names, times, strict=True))
    sys.stdout.write(f"{path.stem}: {len(launches)} launches, {len(units)} units, {words}\n")
    sys.stdout.flush()


def main() -> None:
    """Record what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workloads", default="")
    parser.add_argument("--gpu", default=GPU)
    parser.add_argument("--units", type=int, default=UNITS)
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    wanted: list[str] = arguments.workloads.split(",") if arguments.workloads else []
    for path in sorted(arguments.traces.glob("*.kct")):
        if not wanted or path.stem in wanted:
            record(path, arguments.folder, arguments.gpu, arguments.units)


if __name__ == "__main__":
    main()
