"""Sectors of L2 and DRAM of two Rodinia programs on a P100, a GTX 980 and a K20, measured by
others, against the memory model.

    python -m benchmarks.memory_sectors --sources FOLDER [--data ../shared] [--traces FOLDER]

The sources folder holds a copy of the public repository gpu-rodinia; traces come from the sources
alone. Of the rows of each kernel and GPU, by size, one in ``--every`` is taken from the first on.
Nothing was fitted to these rows.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.measured_programs import RODINIA, Program, Row, columns_of
from benchmarks.simulation_counters import trace_step
from kcc.base.gpu import load_gpu
from kcc.sim.memory.runs import Options, memory_of_trace
from kcc.sim.memory.trials import Plan

TABLE = "truth/rodinia_backprop_lud_p100_gtx980_k20.csv"
GPUS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "GTX-980": ("gtx980", ("l1.size_bytes=null",)),
    "Tesla-K20": ("k20", ("l1.unified_bytes=null", "l1.size_bytes=null", "l1.sector_bytes=32")),
    "Tesla-P100": ("p100", ()),
}
"""kcc's names and changes: compilers let loads of global memory go past the L1 of Kepler, which
is for local memory (NVIDIA, "Kepler Tuning Guide", 1.4.4.1), and of a GTX 980, unless they are
asked to keep them there (NVIDIA, "Maxwell Tuning Guide", 1.4.2.1); then 32 bytes are read."""

COLUMNS = (
    "l2_read_transactions", "l2_write_transactions", "device_memory_read_transactions",
)  # fmt: skip
TRIALS = 8


def main() -> int:
    """Print a row for each launch, then the median ratio of each column."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--traces", type=Path, default=Path("memory_traces"))
    parser.add_argument("--every", type=int, default=19)
    arguments = parser.parse_args()
    table = arguments.data / TABLE
    if not table.is_file():
        print(f"there is no {table}; --data names the folder")
        return 1
    arguments.traces.mkdir(exist_ok=True)
    with table.open(encoding="utf-8") as file:
        rows = _chosen(list(csv.DictReader(file)), arguments.every)
    print("| kernel | size | GPU | L2 sectors read, measured | model | written | model "
          "| DRAM sectors read | model | CPU s |")  # fmt: skip
    print("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|")
    ratios = list[list[float]]()
    for row in rows:
        began = time.process_time()
        found = _sectors(row, arguments.sources / "gpu-rodinia", arguments.traces)
        measured = [float(row[column]) for column in COLUMNS]
        ratios.append([f / m if m else np.nan for f, m in zip(found, measured, strict=True)])
        cells = " | ".join(f"{m:,.0f} | {f:,.0f}" for f, m in zip(found, measured, strict=True))
        print(f"| {row['kernel']} | {row['input_size_1']} | {row['gpu']} | {cells} "
              f"| {time.process_time() - began:.1f} |", flush=True)  # fmt: skip
    middle = np.nanmedian(ratios, axis=0)
    print("median of model / measured: " + ", ".join(f"{m:.2f}" for m in middle))
    return 0


def _chosen(rows: Sequence[Row], every: int) -> list[Row]:
    """Of each kernel and GPU, by size."""
    groups = dict[tuple[str, str], list[Row]]()
    for row in rows:
        groups.setdefault((row["kernel"], row["gpu"]), []).append(row)
    found = list[Row]()
    for own in groups.values():
        found += sorted(own, key=lambda row: int(row["input_size_1"]))[::every]
    return sorted(found, key=lambda row: (row["kernel"], int(row["input_size_1"]), row["gpu"]))


def _sectors(row: Row, sources: Path, folder: Path) -> tuple[float, float, float]:
    """Sectors that L2 is asked for, that are written to it, and that DRAM reads."""
    path = folder / f"rodinia-{row['kernel']}-{row['input_size_1']}.kct"
    step = RODINIA[row["kernel"]]
    if not path.exists():
        trace_step(step, Program((step,), columns_of(row)), sources, path)
    name, settings = GPUS[row["gpu"]]
    gpu = load_gpu(name, list(settings))
    (result,) = memory_of_trace(str(path), gpu, Options(Plan(TRIALS), snapshot=0, cold=True))
    return result.l2_reads.mean, result.l2_writes.mean, result.dram_reads.mean


if __name__ == "__main__":
    sys.exit(main())
