"""What a benchmark of cache bandwidth alone says of L2 and of DRAM.

    python -m benchmarks.fit_l2 [--data ../shared]

`truth/microbench_cache_bw.csv`, gpu-l2-cache of gpu-benches: all SMs read the same data again and
again. Where data fit L2, the bandwidth is L2's, far beyond it DRAM's; between, the share that L2
has lost follows from the time for a byte. A straight line through its tenth and nine tenths gives
where the loss begins, in sizes of L2 (the copies of a line), and where nothing is left. This stands
for tables of kernels' times where those are left out (benchmarks/calibrated.py).
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.measured_programs import STREAM_GPUS
from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.loading import load_gpu

FILE, BENCH = "truth/microbench_cache_bw.csv", "gpu-l2-cache"
GPUS = {**STREAM_GPUS, "rx6900xt": STREAM_GPUS["RX6900XT"]}


@dataclass(frozen=True, slots=True)
class Curve:
    """``begins`` and ``ends``: sizes over L2's at which the first line is lost and the last;
    ``dram_gbs`` of data far larger than any cache."""

    gpu: GpuDescription
    begins: float
    ends: float
    dram_gbs: float

    @property
    def halves(self) -> bool:
        """Whether lines are kept in both halves of L2."""
        return self.gpu.extra.l2_segment_bytes is not None

    @property
    def dram_share(self) -> float:
        """Of the data sheet's bandwidth."""
        bandwidth = self.gpu.memory_bandwidth_gbs
        assert bandwidth is not None
        return self.dram_gbs / float(bandwidth.value)


def curves(data: Path) -> dict[str, Curve]:
    """By the file's name of a GPU."""
    points = dict[str, list[tuple[float, float]]]()
    with (data / FILE).open(encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if row["bench"] == BENCH:
                point = float(row["total_kB"]) * 1024, float(row["GBps_device"])
                points.setdefault(row["gpu"], []).append(point)
    return {name: _curve(load_gpu(GPUS[name]), found) for name, found in points.items()}


def _curve(gpu: GpuDescription, points: list[tuple[float, float]]) -> Curve:
    assert gpu.l2 is not None and gpu.l2.size_bytes is not None  # noqa: PT018
    size = np.array([total for total, _ in points]) / float(gpu.l2.size_bytes.value)
    ns = 1 / np.array([gbs for _, gbs in points])
    hit = np.median(ns[(size > 0.1) & (size < 0.5)])
    miss = np.median(ns[(size > 3.0) & (size < 6.0)])
    far = np.median(ns[size > size[-1] / 4])
    lost = (ns - hit) / (miss - hit)
    tenth, most = (_crossing(size, lost, share) for share in (0.1, 0.9))
    slope = (most - tenth) / 0.8
    return Curve(gpu, tenth - 0.1 * slope, most + 0.1 * slope, 1 / far)


def _crossing(size: np.ndarray, lost: np.ndarray, share: float) -> float:
    """The size from which on a larger share is lost."""
    last = int(np.flatnonzero(lost < share)[-1])
    below, above = lost[last], lost[last + 1]
    return float(size[last] + (size[last + 1] - size[last]) * (share - below) / (above - below))


def main() -> int:
    """Print the curves and what follows from them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    found = curves(parser.parse_args().data)
    for name, curve in found.items():
        kind = "two halves" if curve.halves else ""
        print(f"{name:10} loses from {curve.begins:.2f} to {curve.ends:.2f} times L2, "
              f"DRAM {curve.dram_gbs:.0f} GB/s = {curve.dram_share:.3f} {kind}")  # fmt: skip
    own = [c for c in found.values() if not c.gpu.is_amd]
    print("ALL_GONE", round(median(c.ends / c.begins for c in own), 2))
    print("COPIES", round(median(1 / c.begins for c in own if c.halves), 2))
    print("SUSTAINED", round(median(c.dram_share for c in found.values()), 3))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
