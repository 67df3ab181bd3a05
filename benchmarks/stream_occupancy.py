"""Estimated bandwidth of streams against measured, at every occupancy.

    python -m benchmarks.stream_occupancy [--data ../shared] [--every 1]

`truth/microbench_stream_occupancy.csv` has what gpu-benches' gpu-stream measured: kernels with a
work-item for each double, two thread blocks on an SM at a time, of 32 to 1024 work-items.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from kcc.assumptions import Assumptions, parse_assumptions
from kcc.diagnostics import Span
from kcc.estimating import Question, Workshop
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.gpu.loading import load_gpu
from kcc.launch import LaunchRequest
from kcc.launch_language import parse_dimensions
from kcc.pipeline import AnalysisRequest, LaunchInputs

ITEMS = 1 << 27

GPUS = {
    "v100": "v100", "a100_40": "nvidia-a100-pcie-40gb", "a100_80": "nvidia-a100-sxm4-80gb",
    "a40": "nvidia-a40", "l40": "nvidia-l40", "h100_pcie": "nvidia-h100-pcie-80gb", "h200": "h200",
}  # fmt: skip
"""GPUs by their names in the file; AMD's wavefronts of 64 are left out, and said to be."""

KERNELS = {
    "init_GBps": ("a[i] = 0.23;", 8),
    "read": ("if (b[i] == 1.2) a[i] = 1.0;", 8),
    "scale": ("a[i] = b[i] * 1.2;", 16),
    "triad": ("a[i] = b[i] * 1.2 + c[i];", 24),
    "stencil3": ("a[i] = 0.3 * b[i - 1] + 0.4 * b[i] + 0.3 * b[i + 1];", 16),
    "stencil5": (
        "a[i] = 0.1 * b[i - 2] + 0.2 * b[i - 1] + 0.4 * b[i] + 0.2 * b[i + 1] + 0.1 * b[i + 2];",
        16,
    ),
}
"""By column: what a work-item does, and the bytes of it that are counted."""

SOURCE = """
__global__ void stream(double *a, const double *b, const double *c) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x + 2;
  BODY
}
"""


NEVER = parse_assumptions([("branch@4=0", Span("stream", 1))])
"""The value that is read is never the one for which something is written."""


def bandwidth(
    workshop: Workshop, column: str, gpu: str, block: int, settings: Sequence[str] = ()
) -> float:
    """GB/s of a kernel with two thread blocks of so many work-items on an SM of a GPU, with
    ``settings`` of its values."""
    body, size = KERNELS[column]
    at = Span("stream", 1)
    items = ITEMS // block * block
    launch = LaunchRequest(parse_dimensions(str(items), at), parse_dimensions(str(block), at))
    request = AnalysisRequest(
        source=SourceText("stream.cu", SOURCE.replace("BODY", body), "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (), "stream"),
        assumptions=NEVER if column == "read" else Assumptions(),
    )
    description = load_gpu(gpu, settings)
    (prepared,) = workshop.prepare(request)
    shared = description.shared_mem_per_sm_bytes
    assert shared is not None
    prepared.subject.local_bytes = int(shared.value) // 3 + 512
    found = workshop.estimate(prepared, description, Question()).estimate
    return size * items / found.time_us / 1e3


def report(name: str, rows: Sequence[Mapping[str, str]]) -> None:
    """Print the errors of one GPU by kernel, and by occupancy."""
    gpu, workshop = GPUS[name], Workshop()
    peak = load_gpu(gpu, []).memory_bandwidth_gbs
    assert peak is not None
    for column in KERNELS:
        pairs = list[tuple[int, float, float]]()
        for row in rows:
            block = int(row["block_size"])
            pairs.append((block, float(row[column]), bandwidth(workshop, column, gpu, block)))
        errors = np.array([abs(ours / measured - 1) * 100 for _, measured, ours in pairs])
        within = int((errors <= 5).sum())
        most = max(ours for _, _, ours in pairs)
        few = "; ".join(f"{b}: {m:.0f}/{o:.0f}" for b, m, o in pairs[:: max(1, len(pairs) // 4)])
        print(f"{name:10s} {column:10s} mean error {errors.mean():5.1f} %, largest "
              f"{errors.max():5.1f} %, within 5 %: {within} of {len(pairs)}, most "
              f"{most / float(peak.value):.2f} of the data sheet; {few}")  # fmt: skip


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--every", type=int, default=1, help="take every n-th occupancy")
    parser.add_argument("--only", default="", help="one GPU")
    arguments = parser.parse_args()
    path = arguments.data / "truth" / "microbench_stream_occupancy.csv"
    if not path.is_file():
        print(f"there is no {path}: give --data")
        return 1
    with path.open() as file:
        rows = list(csv.DictReader(file))
    for name in GPUS:
        if arguments.only in name:
            chosen = [row for row in rows if row["gpu"] == name]
            report(name, chosen[:: arguments.every])
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
