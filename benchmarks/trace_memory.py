"""Whether memory stays flat however long a trace is: 10^6 to 10^9 traced warp instructions.

One launch of a kernel with gathers, in a process of its own, is traced with addresses to a file;
another process reads the file to its end. Prints the peak resident memory of both, the bytes of the
file per warp instruction, and million warp instructions per CPU second, with imports and compiling.

    python -m benchmarks.trace_memory                 (from the root of the repository)
    python -m benchmarks.trace_memory --largest 7     only to 10^7
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from kcc.base.trace.launches import DYNAMIC, TraceHeader
from kcc.base.trace.reader import open_trace
from kcc.base.trace.writer import TraceWriter
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import ExecutionOptions, NDRange, prepare
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_file import begin_launch, end_launch

SMALLEST, LARGEST = 6, 9
LOCAL_SIZE = 256
WORDS = 1 << 18
"""Of the buffer: what the kernel itself needs does not grow."""

SOURCE = """
kernel void walk(global const uint *next, global uint *out, uint mask, int steps)
{
    uint i = get_global_id(0), at = i & mask, sum = 0;
    for (int k = 0; k < steps; ++k) {
        uint value = next[at];
        if (value & 1)
            sum += value * 3;
        at = (at + (k % 16 == 0 ? value : 32)) & mask;
    }
    out[i & mask] = sum;
}
"""
STEPS = 100
INSTRUCTIONS = 1270
"""About as many a warp of it executes."""


def write(path: Path, wanted: int) -> int:
    """Trace a launch of about ``wanted`` warp instructions; gives how many there are."""
    unit = compile_source(SourceText("walk.cl", SOURCE, "."), BuildOptions(opt_level=OptLevel.O2))
    blocks = max(1, wanted // (INSTRUCTIONS * LOCAL_SIZE // 32))
    rng = np.random.default_rng(1)
    given = [
        rng.integers(0, 1 << 32, WORDS, dtype=np.uint32), np.zeros(WORDS, np.uint32),
        np.uint32(WORDS - 1), np.int32(STEPS),
    ]  # fmt: skip
    header = TraceHeader("benchmark", DYNAMIC, "walk.cl")
    shape = NDRange((blocks * LOCAL_SIZE,), (LOCAL_SIZE,))
    with TraceWriter(path, header) as writer:

        def take(first: int, words: np.ndarray[tuple[int], np.dtype[np.uint32]]) -> None:
            writer.add(first, words)

        options = ExecutionOptions(trace=TraceMode.ADDRESSES, on_trace=take)
        launch = prepare(unit, unit.kernels[0], shape, given, options)
        begin_launch(writer, 0, launch)
        return end_launch(writer, launch.run()).warp_instructions


def read(path: Path) -> int:
    """Read a trace to its end; gives its warp instructions."""
    with open_trace(path) as trace:
        for launch in trace.launches:
            counted = np.array([s.counted for s in launch.tables.segments])
            return sum(int(counted[batch.segment].sum()) for batch in launch.batches())
    return 0


def child(what: str, path: str, wanted: int) -> None:
    """One measurement, printed as JSON."""
    start = time.process_time()
    count = write(Path(path), wanted) if what == "write" else read(Path(path))
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([count, seconds, peak / 1024]))


def measure(what: str, path: Path, wanted: int) -> tuple[int, float, float]:
    """Warp instructions, seconds and peak MiB of a process of its own."""
    command = [sys.executable, "-m", "benchmarks.trace_memory", "--child", what, str(path)]
    done = subprocess.run([*command, str(wanted)], check=True, capture_output=True, text=True)
    count, seconds, peak = json.loads(done.stdout)
    return count, seconds, peak


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--largest", type=int, default=LARGEST, help="power of ten")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        what, path, wanted = options.child
        child(what, path, int(wanted))
        return
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores\n")
    columns = ("warp instructions", "bytes each", "write MiB", "write M/s", "read MiB", "read M/s")
    print("".join(f"{column:>19}" for column in columns))
    with tempfile.TemporaryDirectory() as folder:
        for power in range(SMALLEST, options.largest + 1):
            path = Path(folder) / "x.kct"
            count, wrote, high = measure("write", path, 10**power)
            again, took, low = measure("read", path, 10**power)
            assert count == again
            each = path.stat().st_size / count
            row = (high, count / wrote / 1e6, low, count / took / 1e6)
            print(f"{count:19,}{each:19.3f}" + "".join(f"{v:19.1f}" for v in row), flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
