"""How long estimates take: one from a cold start, many in a batch, and launches of any size.

    python -m benchmarks.estimate_speed [--runs 5]

Bounds: 1.5 CPU seconds for the first estimate (interpreter, compiling, analysis and the model), 50
CPU milliseconds for each further one of a batch (kernels of up to 2,000 operations per warp), and
within 20 % the same for 2^16 to 2^30 work-items. CPU seconds of user and system, one process.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from dataclasses import dataclass

from benchmarks.startup import ROOT, measure
from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_argument, parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel
from kcc.frontend.source_file import read_source
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Question, Workshop

COLD_SECONDS, EACH_SECONDS, FLAT = 1.5, 0.05, 0.2
GPUS = ("v100", "a100", "rtx3090", "rtx2080ti", "h100", "a40")
EXPONENTS = (16, 20, 24, 28, 30)


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel of kernels/ with its launch."""

    path: str
    kernel: str
    whole: str
    part: str
    arguments: tuple[str, ...]


CASES = (
    Case("saxpy/saxpy.cl", "saxpy", "2**24", "256", ("n=2**24", "a=2.0")),
    Case("matmul/matmul.cl", "matmul_tiled", "1024,1024", "16,16", ("n=1024",)),
    Case("matmul/matmul.cl", "matmul_float4", "256,256", "16,16", ("n=1024",)),
    Case(
        "transpose/transpose.cl",
        "transpose_padded",
        "4096,4096",
        "16,16",
        ("width=4096", "height=4096"),
    ),
    Case("nbody/nbody.cl", "nbody_sim", "65536", "256", ("numBodies=65536",)),
)

SIZED = (
    Case("saxpy/saxpy.cl", "saxpy", "2**{e}", "256", ("n=2**{e}", "a=2.0")),
    Case("reduction/reduction.cl", "reduce_sequential", "2**{e}", "256", ("n=2**{e}",)),
    Case(
        "transpose/transpose.cl",
        "transpose_padded",
        "2**{h},2**{h}//4",
        "32,8",
        ("width=2**{h}", "height=2**{h}"),
    ),
    Case(
        "transpose/transpose.cl",
        "transpose_naive",
        "2**{h},2**{h}",
        "32,8",
        ("width=2**{h}", "height=2**{h}"),
    ),
    Case(
        "stencil3d/stencil3d.cl",
        "naive_kernel",
        "2**{h},2**{q},16",
        "32,4,1",
        ("nx=2**{h}+2", "ny=2**{q}+2", "nz=18"),
    ),
    Case(
        "convolution/convolution.cl",
        "convolution_2d",
        "2**{h},2**{h}",
        "16,16",
        ("imageW=2**{h}", "imageH=2**{h}"),
    ),
    Case("nbody/nbody.cl", "nbody_sim", "2**{e}", "256", ("numBodies=2**{e}",)),
)
"""Kernels whose work-items do the same in launches of any size, or more in larger ones (bodies):
2**e of them (a quarter in one transpose); h is half of e, and q h - 4."""


def request(case: Case, whole: str, arguments: tuple[str, ...]) -> AnalysisRequest:
    """What is asked about a case."""
    at = Span(case.path, 0)
    launch = LaunchRequest(parse_dimensions(whole, at), parse_dimensions(case.part, at))
    given = tuple(parse_argument(text, at) for text in arguments)
    return AnalysisRequest(
        source=read_source(str(ROOT / "kernels" / case.path)),
        options=BuildOptions(opt_level=OptLevel.O2),
        kernels=(case.kernel,),
        other_launch=LaunchInputs(launch, {}, given, "benchmark"),
    )


def cold(runs: int) -> None:
    """One estimate by a new process."""
    command = [sys.executable, "-m", "kcc", "estimate", "kernels/matmul/matmul.cl",
               "--kernel", "matmul_tiled", "--gpu", "v100", "--size", "large"]  # fmt: skip
    cpu, wall = measure(command, runs)
    print(f"cold, matmul_tiled: CPU {cpu:.2f} s, wall {wall:.2f} s (bound {COLD_SECONDS} s CPU)")


def batch(case: Case, runs: int) -> None:
    """The same kernel on several GPUs: what the first costs, and each of the others."""
    gpus = [load_gpu(name) for name in GPUS]
    first, others = list[float](), list[float]()
    for _ in range(runs):
        workshop = Workshop()
        began = time.process_time()
        (prepared,) = workshop.prepare(request(case, case.whole, case.arguments))
        workshop.estimate(prepared, gpus[0], Question())
        first.append(time.process_time() - began)
        for gpu in gpus[1:]:
            began = time.process_time()
            workshop.estimate(prepared, gpu, Question())
            others.append(time.process_time() - began)
    print(
        f"{case.kernel:16s} first {1e3 * statistics.median(first):6.0f} ms, each further GPU "
        f"{1e3 * statistics.median(others):6.1f} ms (bound {1e3 * EACH_SECONDS:.0f} ms)"
    )


def sizes(case: Case, runs: int) -> None:
    """A kernel over launches of any size: analysis and estimate, compiled before; the least of some
    runs of each."""
    gpu, times, workshop = load_gpu("v100"), list[tuple[float, float]](), Workshop()
    for exponent in (EXPONENTS[0], *EXPONENTS):  # the first one twice: it compiles
        found = list[tuple[float, float]]()
        names = {"e": exponent, "h": exponent // 2, "q": exponent // 2 - 4}
        whole = case.whole.format(**names)
        arguments = tuple(each.format(**names) for each in case.arguments)
        for _ in range(runs):
            began = time.process_time()
            (prepared,) = workshop.prepare(request(case, whole, arguments))
            between = time.process_time()
            workshop.estimate(prepared, gpu, Question())
            found.append((between - began, time.process_time() - between))
        times.append((min(a for a, _ in found), min(b for _, b in found)))
    totals = [a + b for a, b in times[1:]]
    listed = ", ".join(
        f"2^{e} {1e3 * a:.1f} + {1e3 * b:.1f}"
        for e, (a, b) in zip(EXPONENTS, times[1:], strict=True)
    )
    spread, full = (max(each) / min(each) - 1 for each in (totals, totals[1:]))
    print(f"{case.kernel:18s} {listed}; {100 * spread:.0f} % apart (bound {100 * FLAT:.0f} %), "
          f"{100 * full:.0f} % from 2^{EXPONENTS[1]} on", flush=True)  # fmt: skip


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    print(f"load {os.getloadavg()[0]:.1f}")
    cold(runs)
    for case in CASES:
        batch(case, 1)  # native code is compiled or loaded
        batch(case, runs)
    print("analysis and estimate for one GPU, milliseconds:")
    for case in SIZED:
        sizes(case, runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
