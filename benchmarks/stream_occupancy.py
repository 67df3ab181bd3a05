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
from kcc.launch_language import parse_argument, parse_dimensions
from kcc.pipeline import AnalysisRequest, LaunchInputs

GPUS = {
    "v100": "v100", "a100_40": "nvidia-a100-pcie-40gb", "a100_80": "nvidia-a100-sxm4-80gb",
    "a40": "nvidia-a40", "l40": "nvidia-l40", "h100_pcie": "nvidia-h100-pcie-80gb", "h200": "h200",
}  # fmt: skip
"""GPUs by their names in the file; AMD's wavefronts of 64 are left out, and said to be."""

N = (1 << 27) + 2
"""Work-items with something to do; the launch has one thread block more than they fill."""

PAST_END = "i >= n"

KERNELS = {
    "init_GBps": (PAST_END, "a[i] = 0.23; if (never) a[i] = kept[i];", 8),
    "read": (PAST_END, "double x = b[i]; if (never || x == 123.0) a[i] = x + kept[i];", 8),
    "scale": (PAST_END, "a[i] = b[i] * 1.2; if (never) a[i] = kept[i];", 16),
    "triad": (PAST_END, "a[i] = b[i] * 1.2 + c[i]; if (never) a[i] = kept[i];", 24),
    "stencil3": (
        "i >= n - 1 || i == 0",
        "a[i] = 0.5 * b[i - 1] - b[i] + 0.5 * b[i + 1]; if (never) a[i] = kept[i];",
        16,
    ),
    "stencil5": (
        "i >= n - 2 || i < 2",
        (
            "a[i] = 0.25 * b[i - 2] + 0.25 * b[i - 1] - b[i] + 0.5 * b[i + 1] + 0.5 * b[i + 2];"
            " if (never) a[i] = kept[i];"
        ),
        16,
    ),
}
"""By column: which work-items have nothing to do, what the others do, and the bytes of it that are
counted."""

SOURCE = """
__global__ void stream(double *a, const double *__restrict__ b, const double *__restrict__ c,
                       size_t n, int never) {
  __shared__ double kept[768];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (OUTSIDE) return;
  if (never) kept[threadIdx.x] = b[threadIdx.x];
  BODY
}
"""
"""Without effect, but in the machine code: the array that keeps further thread blocks off the SM,
and what is done if the argument ``never`` is set."""


AT = Span("stream", 1)

NEVER = parse_assumptions([("branch@8=0", AT)])
"""The value that is read is never the one for which something is written."""


def bandwidth(
    workshop: Workshop, column: str, gpu: str, block: int, settings: Sequence[str] = ()
) -> float:
    """GB/s of a kernel with two thread blocks of so many work-items on an SM of a GPU, with
    ``settings`` of its values."""
    outside, body, size = KERNELS[column]
    source = SOURCE.replace("OUTSIDE", outside).replace("BODY", body)
    items = (N // block + 1) * block
    launch = LaunchRequest(parse_dimensions(str(items), AT), parse_dimensions(str(block), AT))
    request = AnalysisRequest(
        source=SourceText("stream.cu", source, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (), "stream"),
        arguments=(parse_argument(f"n={N}", AT), parse_argument("never=0", AT)),
        assumptions=NEVER if column == "read" else Assumptions(),
    )
    description = load_gpu(gpu, settings)
    (prepared,) = workshop.prepare(request)
    shared = description.shared_mem_per_sm_bytes
    assert shared is not None
    prepared.subject.local_bytes = int(shared.value) // 3 + 512
    found = workshop.estimate(prepared, description, Question()).estimate
    return size * N / found.time_us / 1e3


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
