"""What becomes of a trace that is written in Accel-Sim's format and simulated from there.

    python -m benchmarks.accelsim_round_trip TRACE.kct ... [--gpu v100]

A line for each trace: machine instructions, moves among them, sectors and cycles of both forms.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from kcc.base.gpu import load_gpu
from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.reader import open_trace
from kcc.sim.accelsim.names import ARCHITECTURES, DEFAULT_ARCHITECTURE
from kcc.sim.accelsim.writer import ExportOptions, write_list
from kcc.sim.cycle.sources import simulate_list, simulate_trace

COUNTS = ("L1 sectors", "store sectors", "local passes", "atomics")


def main() -> int:
    """Print the lines, then the median and the largest of the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="+")
    parser.add_argument("--gpu", default="v100")
    arguments = parser.parse_args()
    gpu = load_gpu(arguments.gpu, [])
    found = [_difference(path, gpu) for path in arguments.traces]
    sizes = sorted(map(abs, found))
    above = sum(size > 0.05 for size in sizes)
    print(
        f"{len(found)} traces: median {100 * statistics.median(sizes):.1f} %, "
        f"most {100 * sizes[-1]:.1f} %, {above} above 5 %"
    )
    return 0


def _nothing(instructions: int, size: int) -> None:
    """Watches nobody's progress."""
    del instructions, size


def _difference(path: str, gpu: GpuDescription) -> float:
    options = ExportOptions(
        DEFAULT_ARCHITECTURE, load_gpu(ARCHITECTURES[DEFAULT_ARCHITECTURE].gpu, [])
    )
    with tempfile.TemporaryDirectory() as folder:
        with open_trace(path) as trace:
            kernels = list(write_list(trace.launches, Path(folder), options, _nothing))
        registers = {each.kernel: each.registers for each in kernels}
        ours = list(simulate_trace(path, gpu, registers=registers))
        theirs = list(simulate_list(f"{folder}/kernelslist.g", gpu))
    cycles = sum(t.cycles for t in ours), sum(t.cycles for t in theirs)
    issued = sum(t.issued for t in ours), sum(t.issued for t in theirs)
    same = all(
        sum(t.statistics[key] for t in ours) == sum(t.statistics[key] for t in theirs)
        for key in COUNTS
    )
    change = cycles[1] / cycles[0] - 1
    print(
        f"{Path(path).stem:24s} instructions {issued[0]:10,} {issued[1]:10,}  sectors "
        f"{'same' if same else 'differ'}  cycles {cycles[0]:10,} {cycles[1]:10,} "
        f"{100 * change:+6.1f} %",
        flush=True,
    )
    return change


if __name__ == "__main__":
    sys.exit(main())
