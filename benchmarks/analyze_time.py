"""CPU seconds of `kcc analyze`, as a user runs it, for every source of kernels/ and a long one.

    python benchmarks/analyze_time.py [NAME ...]

Each source is analysed in a process of its own, start of Python included, with the launches of its
kernel.toml (size small), into a report and a JSON document; `gemm` is made here, a matrix product
of 1,000 lines. Printed are the seconds of a source and of each of its kernels; the exit code is 1
where a kernel of kernels/ takes more than 2 s, or the long one more than 10 s.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT, LONG_LIMIT = 2.0, 10.0
LINES = 1000
ROWS = 16


def gemm() -> str:
    """A kernel of so many lines: a block of rows of the product per work-item, all unrolled."""
    head = [
        "kernel void gemm(global const float *a, global const float *b, global float *c, int n) {",
        "    int x = get_global_id(0), y = get_global_id(1) * 16;",
        f"    float s[{ROWS}] = {{0}};",
        "    for (int k = 0; k < n; k += 32) {",
    ]
    tail = ["    }", *(f"    c[(y + {r}) * n + x] = s[{r}];" for r in range(ROWS)), "}"]
    count = LINES - len(head) - len(tail)
    body = [
        f"        s[{i % ROWS}] += a[(y + {i % ROWS}) * n + k + {i // ROWS % 32}]"
        f" * b[(k + {i // ROWS % 32}) * n + x];"
        for i in range(count)
    ]
    return "\n".join([*head, *body, *tail, ""])


def analyse(source: Path, *options: str) -> tuple[float, int]:
    """CPU seconds of one call, and how many kernels it reported on."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "facts.json")
        command = [sys.executable, "-m", "kcc", "analyze", str(source), "--json", str(target)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        kernels = len(json.loads(target.read_text(encoding="utf-8"))["kernels"])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, kernels


def main() -> None:
    """Print the table."""
    chosen = sys.argv[1:]
    slow = False
    for source in sorted((ROOT / "kernels").glob("*/*.cl")):
        if not chosen or source.stem in chosen:
            spent, kernels = analyse(source)
            slow |= spent / kernels > LIMIT
            print(f"{source.stem:20} {spent:6.2f} s  {spent / kernels:5.2f} s each of {kernels}")
    if not chosen or "gemm" in chosen:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "gemm.cl")
            source.write_text(gemm(), encoding="utf-8")
            sizes = ("--global", "512,32", "--local", "32,8", "--arg", "n=512")
            spent, _ = analyse(source, *sizes)
            slow |= spent > LONG_LIMIT
            print(f"{'gemm':20} {spent:6.2f} s  for {LINES} lines")
    sys.exit("too slow" if slow else 0)


if __name__ == "__main__":
    main()
