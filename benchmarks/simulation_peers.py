"""The cycle-level simulator against the cycles of Accel-Sim 1.x on the same streams.

DIR/peers has make_traces.py, which writes the streams, and accelsim_cycles.csv, what Accel-Sim
gave. Nothing of the simulator was fitted to these cycles.

    python -m benchmarks.simulation_peers [--data DIR]
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

from kcc.base.gpu import load_gpu
from kcc.sim.cycle.sources import simulate_list


def main() -> int:
    """Print a row for each stream and the mean of the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    peers: Path = parser.parse_args().data / "peers"
    if not (peers / "accelsim_cycles.csv").is_file():
        sys.stdout.write(f"there are no cycles of Accel-Sim in {peers}; --data names the folder\n")
        return 1
    with (peers / "accelsim_cycles.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    errors = list[float]()
    for row in rows:
        with tempfile.TemporaryDirectory() as folder:
            words = row["make_traces_arguments"].split()
            command = [sys.executable, str(peers / "make_traces.py"), folder, *words]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            gpu = load_gpu(f"accelsim-{row['config']}", [])
            (timing,) = simulate_list(f"{folder}/kernelslist.g", gpu)
        expected = int(row["cycles"])
        errors.append(timing.cycles / expected - 1)
        sys.stdout.write(
            f"{row['stream']:12s} {row['config']:13s} {expected:7,} {timing.cycles:7,} "
            f"{100 * errors[-1]:+6.1f} %\n"
        )
    mean = sum(map(abs, errors)) / len(errors)
    sys.stdout.write(f"mean of {len(errors)} absolute differences: {100 * mean:.1f} %\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
