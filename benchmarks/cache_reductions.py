"""What the reductions of the reuse-distance analysis cost in accuracy and save in time, and how far
the analysis itself is from the cycle-level model.

    python -m benchmarks.cache_reductions [--size small] [--gpu v100] [--only TEXT]
    python -m benchmarks.cache_reductions --simulate FOLDER [--size small] [--gpu v100]

For each kernel, against the analysis of all SMs, sets and iterations: the mean error of the hit
rates of L1, and of the share of sectors that DRAM moves, over accesses by their sectors, in points;
and CPU milliseconds. The last column has, instead of errors, the standard deviations over five
trials of interleavings. With --simulate: sectors read from L2 and from DRAM beside those that the
cycle-level model counts over a static trace of the same launch (kept in FOLDER), by the
reuse-distance analysis and by footprints.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kcc.base.diagnostics import DiagnosticError
from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.cli import build_parser
from kcc.commands.estimate import requests_of
from kcc.commands.sources import SourceLines
from kcc.sim.caches.options import CacheMethod, CacheOptions
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.estimate.demand import Demand, demand_of
from kcc.sim.estimate.options import Mechanisms
from kcc.sim.estimate.subject import Subject
from kcc.stages.estimate import Workshop

ROOT = Path(__file__).parents[1]
KERNELS: Mapping[str, tuple[str, ...]] = {
    "saxpy": ("saxpy", "saxpy_grid_stride"),
    "matmul": ("matmul_naive", "matmul_tiled", "matmul_float4"),
    "transpose": ("transpose_naive", "transpose_padded"),
    "convolution": ("convolutionRows", "convolutionColumns", "convolution_2d"),
    "stencil3d": ("naive_kernel", "block2D_reg_tiling"),
    "hotspot": ("hotspot",),
    "nbody": ("nbody_sim",),
    "kmeans": ("kmeans_kernel_c", "kmeans_swap"),
    "backprop": ("bpnn_layerforward_ocl", "bpnn_adjust_weights_ocl"),
    "lbm": ("lbm_stream_collide",),
    "fft": ("fft_radix2_pass",),
    "pathfinder": ("dynproc_kernel",),
    "scan": ("scan_naive",),
    "reduction": ("reduce_interleaved", "reduce_grid_stride"),
    "gaussian": ("Fan2",),
}
"""Kernels whose addresses do not depend on what memory holds."""

REUSE = CacheOptions(CacheMethod.REUSE)
FULL = REUSE.in_full()
SWITCHES: Mapping[str, CacheOptions] = {
    "1 of 8 sets": replace(FULL, sampled=8),
    "classes": replace(FULL, classes=True),
    "loops": replace(FULL, forward=True, forward_above=0),
    "as it is": REUSE,
    "greedy": replace(FULL, interleaving=type(FULL.interleaving).GREEDY),
    "random": replace(FULL, interleaving=type(FULL.interleaving).RANDOM),
}


@dataclass(frozen=True, slots=True)
class Errors:
    """In points: of the hit rate of L1, of the share that DRAM moves; CPU milliseconds."""

    l1: float
    dram: float
    cpu_ms: float


def subjects(size: str, only: str) -> Iterator[tuple[str, str, Subject]]:
    """Kernels with their launch."""
    for folder, names in KERNELS.items():
        for name in names:
            if only not in f"{folder}/{name}":
                continue
            path = str(ROOT / "kernels" / folder / f"{folder}.cl")
            words = ["estimate", path, "--kernel", name, "--size", size, "--gpu", "v100"]
            arguments = build_parser().parse_args(words)
            (request,) = requests_of(arguments, path, SourceLines())
            (prepared,) = Workshop().prepare(request)
            yield folder, name, prepared.subject


def asked(subject: Subject, gpu: str, options: CacheOptions) -> tuple[Demand, float]:
    """What a kernel asks of a GPU by an analysis, and CPU milliseconds."""
    began = time.process_time()
    found = demand_of(subject, GpuReader(load_gpu(gpu)), Mechanisms(analysis=options))
    assert isinstance(found, Demand)
    return found, 1e3 * (time.process_time() - began)


def errors(subject: Subject, found: Demand, full: Demand, cpu_ms: float) -> Errors:
    """How far one analysis is from another."""
    assert found.study is not None
    assert full.study is not None
    weight = l1 = dram = 0.0
    for stream in subject.streams:
        ours, whole = (s.accesses.get(stream.access) for s in (found.study, full.study))
        if ours is not None and whole is not None:
            own = stream.executions * whole.sectors
            weight += own
            l1 += own * abs(ours.l1_hits.mean - whole.l1_hits.mean)
            dram += own * abs(ours.dram.mean - whole.dram.mean)
    return Errors(100 * l1 / max(weight, 1), 100 * dram / max(weight, 1), cpu_ms)


def deviations(subject: Subject, found: Demand, cpu_ms: float) -> Errors:
    """Standard deviations over trials, over accesses by their sectors."""
    assert found.study is not None
    weight = l1 = dram = 0.0
    for stream in subject.streams:
        reuse = found.study.accesses.get(stream.access)
        if reuse is not None:
            own = stream.executions * reuse.sectors
            weight += own
            l1 += own * reuse.l1_hits.deviation
            dram += own * reuse.dram.deviation
    return Errors(100 * l1 / max(weight, 1), 100 * dram / max(weight, 1), cpu_ms)


def reductions(size: str, gpu: str, only: str) -> None:
    """Print the table of reductions."""
    columns = (*SWITCHES, "5 trials")
    print(f"{'':36s}{'in full':>10s}" + "".join(f"{name:>22s}" for name in columns))
    worst = dict[str, list[Errors]]()
    for folder, name, subject in subjects(size, only):
        asked(subject, gpu, REUSE)  # native code is loaded
        full, whole_ms = asked(subject, gpu, FULL)
        line = f"{folder + '/' + name:36s}{whole_ms:7.0f} ms"
        for switch, options in SWITCHES.items():
            e = errors(subject, *_pair(subject, gpu, options, full))
            worst.setdefault(switch, []).append(e)
            line += f"{e.l1:6.2f}{e.dram:6.2f}{e.cpu_ms:7.0f} ms"
        e = deviations(subject, *asked(subject, gpu, replace(REUSE, trials=5)))
        worst.setdefault("5 trials", []).append(e)
        print(f"{line}{e.l1:6.2f}{e.dram:6.2f}{e.cpu_ms:7.0f} ms", flush=True)
    for switch, every in worst.items():
        print(
            f"{switch}: L1 mean {_mean([e.l1 for e in every]):.2f}, most "
            f"{max(e.l1 for e in every):.2f} points; DRAM mean "
            f"{_mean([e.dram for e in every]):.2f}, most {max(e.dram for e in every):.2f} points; "
            f"{_mean([e.cpu_ms for e in every]):.0f} ms"
        )


def _pair(
    subject: Subject, gpu: str, options: CacheOptions, full: Demand
) -> tuple[Demand, Demand, float]:
    found, cpu_ms = asked(subject, gpu, options)
    return found, full, cpu_ms


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def simulated(size: str, gpu: str, only: str, folder: Path) -> None:
    """Print sectors beside those of the cycle-level model."""
    folder.mkdir(exist_ok=True)
    print(f"{'':36s}{'L2 reads':>12s}{'reuse':>8s}{'footpr.':>8s}"
          f"{'DRAM reads':>12s}{'reuse':>8s}{'footpr.':>8s}")  # fmt: skip
    for source, name, subject in subjects(size, only):
        counted = _counted(source, name, size, gpu, folder)
        label = f"{source}/{name}"
        if isinstance(counted, str):
            print(f"{label:36s}{counted}", flush=True)
            continue
        methods = (REUSE, CacheOptions(CacheMethod.FOOTPRINT))
        ours = [asked(subject, gpu, options)[0].counts for options in methods]
        line = f"{label:36s}"
        for at, key in enumerate(("l2_read_sectors", "dram_read_sectors")):
            line += f"{counted[at]:12.0f}"
            line += "".join(f"{getattr(c, key) / max(counted[at], 1):8.3f}" for c in ours)
        print(line, flush=True)


def _counted(source: str, name: str, size: str, gpu: str, folder: Path) -> tuple[int, int] | str:
    """Sectors that the cycle-level model reads from L2 and from DRAM; why it cannot."""
    trace = folder / f"{source}-{name}-{size}.kct"
    if not trace.exists():
        path = str(ROOT / "kernels" / source / f"{source}.cl")
        words = ["trace", path, "--kernel", name, "--size", size, "-o", str(trace)]
        command = [sys.executable, "-m", "kcc", *words]
        if subprocess.run(command, check=False, capture_output=True).returncode:
            return "no static trace"
    try:
        (timing,) = simulate_trace(str(trace), load_gpu(gpu))
    except DiagnosticError as error:
        return str(error.diagnostics[0].message)
    l2 = next(cache for cache in timing.caches if cache.level == "L2")
    return int(l2.accesses), int(l2.accesses - l2.hits)


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--size", default="small", choices=("tiny", "small", "large"))
    parser.add_argument("--gpu", default="v100")
    parser.add_argument("--only", default="", help="kernels whose name holds this")
    parser.add_argument("--simulate", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}, {arguments.gpu}, {arguments.size}")
    if arguments.simulate is None:
        reductions(arguments.size, arguments.gpu, arguments.only)
    else:
        simulated(arguments.size, arguments.gpu, arguments.only, arguments.simulate)
    return 0


if __name__ == "__main__":
    sys.exit(main())
