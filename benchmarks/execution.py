"""How fast the SIMT engine runs: million warp instructions per CPU second on one core.

Ten kernels of kernels/ with the trace off, blocks traced and addresses traced; the time to compile
each, from its IR and from the cache, and of kernels of 200 to 5,000 instructions; bytes of trace
per warp instruction; two workers against one; with --peers also PoCL's and oclgrind's time for the
same kernels (benchmarks/execution_peers.py).

    python -m benchmarks.execution [--peers]       (from the root of the repository)
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.execution_peers import oclgrind_seconds, pocl_seconds
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
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


def cases(small: bool = False) -> list[Case]:
    """The ten launches; small ones have some million thread instructions."""
    rng = np.random.default_rng(1)
    nodes, rows, n = (1 << 13, 1 << 11, 96) if small else (1 << 18, 1 << 16, 512)
    side = 96 if small else 1024
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
    points, bodies, options = (1 << 12, 512, 1 << 13) if small else (1 << 17, 4096, 1 << 21)
    groups = 16 if small else 480
    return [
        Case("vecadd", "vecadd", {"n": 1 << 16 if small else 1 << 22}),
        Case("matmul", "matmul_tiled", {"m": n, "n": n, "k": n}),
        Case("mandelbrot", "mandelbrot", {"width": side, "height": side, "limit": 256}),
        Case("hotspot", "hotspot", {"rows": side, "cols": side, "steps": 2}),
        Case("bfs", "BFS_1", {"nodes": nodes, "edges": edges}, graph),
        Case("kmeans", "kmeans_kernel_c", {"npoints": points, "nclusters": 5, "nfeatures": 34}),
        Case("spmv", "spmv_csr_scalar_kernel", {"dim": rows, "nonzeros": columns}, matrix),
        Case("nbody", "nbody_sim", {"n": bodies, "group": 256}),
        Case("blackscholes", "BlackScholes", {"n": options, "groups": groups}),
        Case("lud", "lud_internal", {"n": side, "offset": 0}),
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


def synthetic(steps: int) -> str:
    """OpenCL C of a kernel with ``steps`` steps of about nine instructions, without a loop."""
    lines = ["int g = get_global_id(0); float v = 0;"]
    for i in range(steps):
        lines.append(f"v = fma(a[g + {i} * n], b[g * {i % 7 + 1} + {i}], v);")
        if i % 8 == 7:
            lines.append(f"if (v > {i}.0f) {{ c[g + {i} * n] = v; v *= 0.5f; }}")
    body = "\n".join([*lines, "c[g] = v;"])
    return (
        "kernel void synthetic(global float *c, global const float *a, global const float *b, "
        f"int n) {{ {body} }}"
    )


def report_sizes() -> None:
    """CPU seconds to compile kernels of growing size."""
    print(f"\n{'kernel':24}{'instructions':>14}{'compile s':>12}")
    for steps in (21, 111, 561):
        source = SourceText("synthetic.cl", synthetic(steps), ".")
        unit = compile_source(source, BuildOptions(opt_level=OptLevel.O2))
        arrays: list[KernelArgument] = [np.zeros(32, np.float32) for _ in range(3)]
        times = list[float]()
        for _ in range(2):
            forget_programs()
            start = time.process_time()
            shape = NDRange((32,), (32,))
            prepare_launch(unit, unit.kernels[0], shape, [*arrays, 1], ExecutionOptions())
            times.append(time.process_time() - start)
        print(f"synthetic{len(unit.kernels[0].function.instructions):29}{min(times):12.2f}")


def report_workers(prepared: list[Prepared], repetitions: int) -> None:
    """One worker over two, best of several in turn: wall time, and CPU time spent in the kernel by
    the worker that spends more, which is what wall time would be on cores that nobody else uses."""
    print(f"\n{'kernel':24}two workers against one: wall    CPU time of the busier")
    for each in prepared:
        walls, busiest = {1: math.inf, 2: math.inf}, {1: math.inf, 2: math.inf}
        for repetition in range(2 * repetitions):
            workers = 1 + repetition % 2
            launch = each.ready(ExecutionOptions(workers=workers))
            spent = _timed(launch)
            start = time.perf_counter()
            launch.run()
            walls[workers] = min(walls[workers], time.perf_counter() - start)
            busiest[workers] = min(busiest[workers], max(spent.values()))
        print(f"{each.case.kernel:24}{walls[1] / walls[2]:29.2f}x{busiest[1] / busiest[2]:10.2f}x")


def _timed(launch: PreparedLaunch) -> dict[int, float]:
    """Filled with the CPU seconds that each thread spends in the kernel."""
    blocks, spent = launch.native.blocks, dict[int, float]()

    def timed(worker: int, first: int, count: int) -> int:
        start = time.thread_time()
        status = blocks(worker, first, count)
        own = threading.get_ident()
        spent[own] = spent.get(own, 0.0) + time.thread_time() - start
        return status

    launch.native = replace(launch.native, blocks=timed)
    return spent


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--peers", action="store_true", help="time PoCL and oclgrind too")
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores\n")
    prepared = [prepare(case) for case in cases()]
    report_speed(prepared, options.repetitions)
    report_compile(prepared)
    report_sizes()
    report_workers(prepared, options.repetitions + 2)
    if options.peers:
        report_peers(prepared, [prepare(case) for case in cases(small=True)], options.repetitions)


def report_peers(prepared: list[Prepared], small: list[Prepared], repetitions: int) -> None:
    """Million thread instructions per CPU second: kcc's own, PoCL's for the same launches, and
    both kcc's and oclgrind's for smaller ones. Instructions are those of kcc's IR for all."""
    print(f"\n{'kernel':24}{'kcc':>10}{'PoCL':>10}  smaller launch:{'kcc':>10}{'oclgrind':>10}")
    for large, little in zip(prepared, small, strict=True):
        rates = list[float]()
        for each in (large, little):
            launch = each.ready(ExecutionOptions())
            best, count = math.inf, 0
            for _ in range(repetitions):
                start = time.process_time()
                count = launch.run().thread_instructions
                best = min(best, time.process_time() - start)
            rates.append(count / best / 1e6)
            other = pocl_seconds(each, repetitions) if each is large else oclgrind_seconds(each)
            rates.append(count / other / 1e6)
        cells = f"{rates[0]:10,.0f}{rates[1]:10,.0f}{rates[2]:26,.0f}{rates[3]:10,.1f}"
        print(f"{large.case.kernel:24}{cells}", flush=True)


if __name__ == "__main__":
    main()
