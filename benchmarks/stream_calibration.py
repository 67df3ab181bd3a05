"""What a GPU's DRAM sustains and how it answers under load, from measured streams.

    python -m benchmarks.stream_calibration [--data ../shared] [--only v100]

Finds, one after another, the values of a description that `kcc estimate` takes, from three kernels
of `truth/microbench_stream_occupancy.csv`: a block's start from writing, what is
sustained and the wait under load from reading, the same two for a mix from `scale`. The other three
kernels (triad, stencils) are not looked at: they test the values (`benchmarks.ledger`).
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.ledger_cases import case_of
from benchmarks.measured_programs import STREAM_GPUS, STREAM_ITEMS, STREAMS
from benchmarks.measured_tables import TABLES
from kcc.base.gpu.loading import load_gpu
from kcc.stages.estimate import Question
from kcc.validation.predict import Predictor

(TABLE,) = (table for table in TABLES if table.program.__name__ == "stream")

GRIDS: Mapping[str, Sequence[float]] = {
    "block_start_cycles": [*range(250, 700, 5)],
    "dram.queue_ns": [0, 2, 4, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40, 50, 60, 80, 100],
    "dram.turnaround_ns": [*range(0, 1501, 100)],
}
"""Values that are tried, by key."""

MIXED = [0.96, 0.97, 0.98, 0.99, 1.0, 1.02, 1.04, 1.06, 1.08, 1.1]
"""What is tried as sustained where half is written, of the most that `scale` reaches: that may be
more than DRAM sustains on end, or less where no occupancy is enough."""


def bandwidth(
    predictor: Predictor, column: str, gpu: str, block: int, settings: Sequence[str] = ()
) -> float:
    """GB/s of a kernel with two thread blocks of so many work-items on an SM of a GPU of the file,
    with ``settings`` of its values."""
    row = {"gpu": gpu, "column": column, column: "1", "block_size": str(block)}
    case = case_of(TABLE, 0, row, Path())
    found = predictor.outcome(replace(case, gpu=replace(case.gpu, settings=tuple(settings))))
    assert found.time_us is not None, found.reason
    return STREAMS[column] * STREAM_ITEMS / found.time_us / 1e3


class Calibration:
    """The values found for one GPU so far."""

    def __init__(self, name: str, rows: Sequence[Mapping[str, str]]) -> None:
        self.gpu, self.rows, self.predictor = name, rows, Predictor(Question())
        self.values, self.grids = dict[str, float](), dict(GRIDS)

    def error(self, column: str, rows: Iterable[Mapping[str, str]], **tried: float) -> float:
        """The mean square of the logarithm of ours over measured."""
        settings = [f"{k}={v}" for k, v in {**self.values, **tried}.items()]
        total, count = 0.0, 0
        for row in rows:
            ours = bandwidth(self.predictor, column, self.gpu, int(row["block_size"]), settings)
            total += math.log(ours / float(row[column])) ** 2
            count += 1
        return total / count

    def choose(self, key: str, column: str, rows: Sequence[Mapping[str, str]]) -> None:
        """Keep the value of a key at which a kernel's error is the least."""
        self.values[key] = min(self.grids[key], key=lambda v: self.error(column, rows, **{key: v}))

    def run(self) -> dict[str, float]:
        """All values, in the order in which they depend on each other."""
        rows = self.rows
        sheet = load_gpu(STREAM_GPUS[self.gpu]).memory_bandwidth_gbs
        assert sheet is not None
        alone = max(float(row[c]) for row in rows for c in ("init_GBps", "read"))
        mixed = max(float(row["scale"]) for row in rows)
        self.values["dram.sustained_share"] = round(alone / float(sheet.value), 3)
        mixed, most = mixed / float(sheet.value), self.values["dram.sustained_share"]
        self.values["dram.mixed_share"] = round(mixed, 3)
        tried = (round(mixed * part, 3) for part in MIXED)
        self.grids["dram.mixed_share"] = [share for share in tried if share <= most]
        self.choose("block_start_cycles", "init_GBps", rows)
        self.choose("dram.queue_ns", "read", rows)
        self.choose("dram.turnaround_ns", "scale", rows)
        self.choose("dram.mixed_share", "scale", rows)
        self.choose("dram.turnaround_ns", "scale", rows)
        return self.values


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--only", default="", help="one GPU")
    arguments = parser.parse_args()
    path = arguments.data / "truth" / "microbench_stream_occupancy.csv"
    if not path.is_file():
        print(f"there is no {path}: give --data")
        return 1
    with path.open() as file:
        rows = list(csv.DictReader(file))
    for name in STREAM_GPUS:
        if arguments.only in name:
            found = Calibration(name, [row for row in rows if row["gpu"] == name][::2]).run()
            print(f"{name} ({STREAM_GPUS[name]})")
            for key, value in found.items():
                print(f"  {key}: {value:g}")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
