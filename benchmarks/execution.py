"""How fast the SIMT engine runs: million warp instructions per CPU second on one core.

Ten kernels of kernels/ with the trace off, blocks traced and addresses traced; the time to compile
each, from source text and from the cache; bytes of trace per warp instruction; two workers against
one. With oclgrind on the PATH its CPU time for a smaller launch of the same kernels can be taken
with benchmarks/execution_peers.py.

    python -m benchmarks.execution            (from the root of the repository)
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.tracegen.execute import (
    ExecutionOptions,
    KernelArgument,
    NDRange,
    PreparedLaunch,
    forget_programs,
)
from kcc.tracegen.execute import prepare as prepare_launch
from kcc.tracegen.simt.program import TraceMode
from tests.kernels.harness import Launch, launch_of
from tests.tracegen import engine

FLOORS = {TraceMode.OFF: 150, TraceMode.BLOCKS: 130, TraceMode.ADDRESSES: 100}
"""Million warp instructions per second that the geometric mean has to reach; no kernel below 30."""

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A launch of kernel.toml with other sizes, and inputs it cannot describe."""

    workload: str
    kernel: str
    names: dict[str, int]
    inputs: dict[str, Any] = field(default_factory=dict[str, Any])


def power_law_rows(rows: int, mean: int, rng: np.random.Generator) -> Array:
    """Row starts; the lengths have a heavy tail."""
    lengths = np.minimum(rng.zipf(1.8, rows), 64 * mean)
    lengths = np.maximum(1, lengths * mean * rows // int(lengths.sum()))
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


def cases() -> list[Case]:
    """The ten launches."""
    rng = np.random.default_rng(1)
    nodes, rows, n = 1 << 18, 1 << 16, 512
    starts, lines = power_law_rows(nodes, 8, rng), power_law_rows(rows, 32, rng)
    edges, columns = int(starts[-1]), int(lines[-1])
    graph = {
        "g_graph_nodes": np.stack([starts[:-1], np.diff(starts)], axis=1).astype(np.int32),
        "g_graph_edges": rng.integers(0, nodes, edges).astype(np.int32),
        "g_graph_mask": (rng.random(nodes) < 0.3).astype(np.int8),
        "g_graph_visited": (rng.random(nodes) < 0.5).astype(np.int8),
    }
    matrix = {
        "rowDelimiters": lines,
        "cols": rng.integers(0, rows, columns).astype(np.int32),
    }
    return [
        Case("vecadd", "vecadd", {"n": 1 << 22}),
        Case("matmul", "matmul_tiled", {"m": n, "n": n, "k": n}),
        Case("mandelbrot", "mandelbrot", {"width": 1024, "height": 1024, "limit": 256}),
        Case("hotspot", "hotspot", {"rows": 1024, "cols": 1024, "steps": 2}),
        Case("bfs", "BFS_1", {"nodes": nodes, "edges": edges}, graph),
        Case("kmeans", "kmeans_kernel_c", {"npoints": 1 << 17, "nclusters": 5, "nfeatures": 34}),
        Case("spmv", "spmv_csr_scalar_kernel", {"dim": rows, "nonzeros": columns}, matrix),
        Case("nbody", "nbody_sim", {"n": 4096, "group": 256}),
        Case("blackscholes", "BlackScholes", {"n": 1 << 21, "groups": 480}),
        Case("lud", "lud_internal", {"n": 1024, "offset": 0}),
    ]


@dataclass(slots=True)
class Prepared:
    """A case with its compiled kernel and its arguments."""

    case: Case
    unit: CompiledUnit
    kernel: Kernel
    launch: NDRange
    arguments: list[KernelArgument]

    def ready(self, options: ExecutionOptions) -> PreparedLaunch:
        """Compiled, with its arguments copied."""
        return prepare_launch(self.unit, self.kernel, self.launch, self.arguments, options)


def prepare(case: Case) -> Prepared:
    """Compile a case and make its arguments."""
    launch: Launch = launch_of(case.workload, case.kernel, names=case.names).given(**case.inputs)
    unit = engine.compiled(case.workload)
    kernel = engine.kernel_of(unit, case.kernel)
    shape = NDRange(tuple(launch.global_size), tuple(launch.local_size))
    return Prepared(case, unit, kernel, shape, engine.arguments(kernel, launch))


def measure(prepared: Prepared, mode: TraceMode, repetitions: int) -> tuple[int, float, int]:
    """Warp instructions, best CPU seconds of a launch, and bytes of trace."""
    traced = 0

    def count(_first: int, words: NDArray[np.uint32]) -> None:
        nonlocal traced
        traced += words.nbytes

    options = ExecutionOptions(trace=mode, on_trace=count)
    best, instructions = math.inf, 0
    for _ in range(repetitions):
        launch = prepared.ready(options)
        traced = 0
        start = time.process_time()
        instructions = launch.run().warp_instructions
        best = min(best, time.process_time() - start)
    return instructions, best, traced


def report_speed(prepared: list[Prepared], repetitions: int) -> None:
    """Million warp instructions per second of the launches alone, arguments already copied."""
    print(f"{'kernel':24}{'warp instr':>12}  {'off':>7}{'blocks':>8}{'addr':>7}   bytes/wi")
    speeds: dict[TraceMode, list[float]] = {mode: [] for mode in TraceMode}
    for each in prepared:
        row, count, size = list[str](), 0, 0
        for mode in TraceMode:
            count, seconds, size = measure(each, mode, repetitions)
            speeds[mode].append(count / seconds / 1e6)
            row.append(f"{count / seconds / 1e6:8.0f}")
        print(f"{each.case.kernel:24}{count:12.0f} {''.join(row)}   {size / count:8.2f}")
    for mode, values in speeds.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(
            f"trace {mode.value:10} geometric mean {mean:6.0f} (floor {FLOORS[mode]}), "
            f"worst {min(values):.0f} (floor 30)"
        )


def report_compile(prepared: list[Prepared]) -> None:
    """CPU seconds until a kernel can run, less the copies; then with a filled cache."""
    print(f"\n{'kernel':24}{'instructions':>14}{'compile s':>12}{'cached ms':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for each in prepared:
            times = list[float]()
            for _ in range(2):
                forget_programs()
                start = time.process_time()
                each.ready(ExecutionOptions(cache_dir=Path(folder)))
                first = time.process_time() - start
                start = time.process_time()
                each.ready(ExecutionOptions(cache_dir=Path(folder)))
                times.append(max(first - (time.process_time() - start), 0.0))
            size = len(each.kernel.function.instructions)
            print(f"{each.case.kernel:24}{size:14}{times[0]:12.2f}{1000 * times[1]:12.1f}")


def report_workers(prepared: list[Prepared]) -> None:
    """Wall time of one worker over that of two."""
    print(f"\n{'kernel':24}two workers against one (wall time)")
    for each in prepared:
        walls = list[float]()
        for workers in (1, 2):
            launch = each.ready(ExecutionOptions(workers=workers))
            start = time.perf_counter()
            launch.run()
            walls.append(time.perf_counter() - start)
        print(f"{each.case.kernel:24}{walls[0] / walls[1]:.2f}x")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores\n")
    prepared = [prepare(case) for case in cases()]
    report_speed(prepared, options.repetitions)
    report_compile(prepared)
    report_workers(prepared)


if __name__ == "__main__":
    main()
