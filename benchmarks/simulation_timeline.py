"""Draw a launch over time: warps on SMs, instructions issued, traffic of DRAM; as in the docs.

python -m benchmarks.simulation_timeline TRACE.kct --gpu NAME --launch N -o FILE.svg
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kcc.base.gpu import load_gpu
from kcc.report.simulation.chart import launch_chart
from kcc.sim.cycle.sources import simulate_trace

BLOCKS = 100_000


def main() -> int:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("--gpu", default="v100")
    parser.add_argument("--launch", type=int, default=0)
    parser.add_argument("-o", dest="output", type=Path, required=True)
    arguments = parser.parse_args()
    numbers = [range(arguments.launch, arguments.launch + 1)]
    gpu = load_gpu(arguments.gpu, [])
    (timing,) = simulate_trace(arguments.trace, gpu, launches=numbers, timeline=BLOCKS)
    arguments.output.write_text(launch_chart(timing) + "\n", encoding="utf-8")
    print(f"{timing.kernel}: {timing.cycles:,} cycles, limited by {timing.limiter}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
