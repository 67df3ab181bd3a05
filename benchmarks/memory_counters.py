"""Hit rates of seven kernels on a GV100, measured by others, against the memory model.

    python -m benchmarks.memory_counters --sources FOLDER [--data ../shared] [--traces FOLDER]

The table, sources and traces are those of benchmarks/simulation_counters.py: traces come from the
sources alone, each launch begins with cold caches. Nothing was fitted to these rows.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.measured_programs import GV100
from benchmarks.simulation_counters import GPU, TABLE, trace_step
from kcc.base.gpu import load_gpu
from kcc.sim.memory.facts import Distribution, MemoryResult
from kcc.sim.memory.runs import Options, memory_of_trace
from kcc.sim.memory.trials import Plan

TRIALS = 16


def main() -> int:
    """Print a row for each kernel, then mean absolute differences in points."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--traces", type=Path, default=Path("simulation_traces"))
    parser.add_argument("--only", help="rows whose kernel has this in its name")
    arguments = parser.parse_args()
    table = arguments.data / TABLE
    if not table.is_file():
        print(f"there is no {table}; --data names the folder")
        return 1
    arguments.traces.mkdir(exist_ok=True)
    differences = list[tuple[float, float]]()
    print("| kernel | L1 measured | L1 model | L2 measured | L2 model | blocks | CPU s |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if arguments.only and arguments.only not in row["kernel"]:
            continue
        began = time.process_time()
        results = _results(row["kernel"], arguments.sources, arguments.traces)
        l1, l2 = _rate(results, "l1_rate"), _rate(results, "l2_rate")
        wanted = float(row["l1_ld_hit_pct"]), float(row["l2_rd_hit_pct"])
        differences.append((l1[0] - wanted[0], l2[0] - wanted[1]))
        blocks = f"{results[0].blocks:,} of {results[0].all_blocks:,}"
        print(
            f"| {row['kernel']} | {wanted[0]:.1f} % | {l1[0]:.1f} ±{l1[1]:.1f} | {wanted[1]:.1f} % "
            f"| {l2[0]:.1f} ±{l2[1]:.1f} | {blocks} | {time.process_time() - began:.1f} |",
            flush=True,
        )
    if differences:
        l1_mean, l2_mean = np.abs(differences).mean(axis=0)
        print(f"mean absolute difference in points: L1 {l1_mean:.1f}, L2 {l2_mean:.1f}")
    return 0


def _results(kernel: str, sources: Path, folder: Path) -> list[MemoryResult]:
    """All launches that the row is the mean of."""
    program, found = GV100[kernel], list[MemoryResult]()
    options = Options(Plan(TRIALS), cold=True)
    for number, step in enumerate(program.steps):
        path = folder / f"gv100-{step.kernel}-{number}.kct"
        if not path.exists():
            trace_step(step, program, sources, path)
        found += memory_of_trace(str(path), load_gpu(GPU, []), options)
    return found


def _rate(results: list[MemoryResult], name: str) -> tuple[float, float]:
    """Mean over launches, and two deviations of a trial, in percent; 0 where nothing is read."""
    own = [d for r in results if isinstance(d := getattr(r, name), Distribution)]
    if not own:
        return 0.0, 0.0
    means, deviations = [d.mean for d in own], [d.deviation for d in own]
    return 100 * float(np.mean(means)), 200 * float(np.mean(deviations))


if __name__ == "__main__":
    sys.exit(main())
