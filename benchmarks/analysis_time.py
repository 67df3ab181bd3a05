"""How long the analysis of a kernel takes: those of kernels/, and matrix products of any length.

    python benchmarks/analysis_time.py [--size tiny|small|large] [--lines N ...]

Processor seconds of all passes (without the front end) for the slowest kernels, the launch known,
and for generated matrix products of about N lines, with the front end. The bounds are 2 s for a
kernel and 10 s for a product of 1,000 lines.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kcc.frontend import compile_source  # noqa: E402 -- after the path
from kcc.frontend.kernel import CompiledUnit, Kernel  # noqa: E402
from kcc.frontend.options import BuildOptions, OptLevel, SourceText  # noqa: E402
from kcc.passes.symbolic.ranges import Known  # noqa: E402
from kcc.passes.table import Setting, analyse  # noqa: E402
from kcc.tracegen.execute import NDRange  # noqa: E402
from tests.kernels.harness import WORKLOADS, launch_of  # noqa: E402
from tests.passes.executed import known_of  # noqa: E402
from tests.tracegen import engine  # noqa: E402

KERNEL_BOUND, PRODUCT_BOUND, PRODUCT_LINES = 2.0, 10.0, 1000
SLOWEST = 8
SIDE = 8
"""Rows and columns of the product that one work-item computes."""


def product(lines: int) -> str:
    """A product of matrices, tiled in local memory, blocked in registers, unrolled to about so
    many lines."""
    steps, places = max(1, (lines - 90) // (SIDE * SIDE + 2 * SIDE)), range(SIDE)
    pairs = [(i, j) for i in places for j in places]
    text = [
        "kernel void gemm(global float *C, global const float *A, global const float *B,",
        "                 int m, int n, int k) {",
        f"  local float a[{16 * SIDE}][{steps} + 1], b[{steps}][{16 * SIDE} + 1];",
        "  int x = get_local_id(0), y = get_local_id(1);",
        f"  int row = get_group_id(1) * {16 * SIDE}, column = get_group_id(0) * {16 * SIDE};",
        *(f"  float c{i}_{j} = 0.0f;" for i, j in pairs),
        f"  for (int t = 0; t < k; t += {steps}) {{",
        f"    for (int i = y * 16 + x; i < {16 * SIDE * steps}; i += 256) {{",
        f"      int r = i / {steps}, q = i % {steps};",
        "      a[r][q] = row + r < m && t + q < k ? A[(row + r) * k + t + q] : 0.0f;",
        "      b[q][r] = column + r < n && t + q < k ? B[(t + q) * n + column + r] : 0.0f;",
        "    }",
        "    barrier(CLK_LOCAL_MEM_FENCE);",
    ]
    for step in range(steps):
        text += [f"    float a{i}_{step} = a[y * {SIDE} + {i}][{step}];" for i in places]
        text += [f"    float b{j}_{step} = b[{step}][x + {16 * j}];" for j in places]
        text += [f"    c{i}_{j} += a{i}_{step} * b{j}_{step};" for i, j in pairs]
    text += ["    barrier(CLK_LOCAL_MEM_FENCE);", "  }"]
    for i, j in pairs:
        place = f"row + y * {SIDE} + {i}", f"column + x + {16 * j}"
        text.append(f"  if ({place[0]} < m && {place[1]} < n)")
        text.append(f"    C[({place[0]}) * n + {place[1]}] = c{i}_{j};")
    return "\n".join([*text, "}", ""])


def seconds(kernel: Kernel, unit: CompiledUnit, known: Known) -> float:
    """Processor time of all passes."""
    start = time.process_time()
    analyse(kernel, unit.module, setting=Setting(known))
    return time.process_time() - start


def kernels(size: str) -> list[tuple[float, str]]:
    """The time of each kernel of kernels/."""
    found = list[tuple[float, str]]()
    for name in WORKLOADS:
        unit = engine.compiled(name, OptLevel.O1)
        for kernel in unit.kernels:
            launch = launch_of(name, kernel.name, size)
            shape = NDRange(tuple(launch.global_size), tuple(launch.local_size))
            known = known_of(kernel, shape, engine.arguments(kernel, launch))
            found.append((seconds(kernel, unit, known), f"{name}/{kernel.name}"))
    return sorted(found, reverse=True)


def main() -> int:
    """Prints the table; 1 if a bound is missed."""
    parser = argparse.ArgumentParser(description="How long the analysis of a kernel takes.")
    parser.add_argument("--size", choices=("tiny", "small", "large"), default="large")
    parser.add_argument("--lines", type=int, nargs="*", default=[250, 500, 1000, 2000])
    options = parser.parse_args()
    times = kernels(options.size)
    for spent, name in times[:SLOWEST]:
        print(f"{spent:6.2f} s  {name}")
    good = times[0][0] <= KERNEL_BOUND
    known = Known((128, 128), (16, 16), {3: 1024, 4: 1024, 5: 1024})
    for lines in options.lines:
        text = product(lines)
        start = time.process_time()
        unit = compile_source(SourceText("gemm.cl", text, "."), BuildOptions(opt_level=OptLevel.O1))
        spent = time.process_time() - start + seconds(unit.kernels[0], unit, known)
        print(f"{spent:6.2f} s  matrix product of {text.count(chr(10))} lines")
        good &= spent <= PRODUCT_BOUND or lines > PRODUCT_LINES
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
