"""The cycle-level simulator against the cycles of Accel-Sim 1.x on the same traces.

DIR/peers has make_traces.py, which writes synthetic streams, accelsim_cycles.csv, what Accel-Sim
gave for them, and two packed sets of traces with its cycles: kernels that kcc exported, and streams
of one effect each.

    python -m benchmarks.simulation_peers [--data DIR] [--set SET] [--only NAME] [--change VALUE]
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kcc.base.gpu import load_gpu
from kcc.sim.cycle.sources import simulate_list

SETS = {
    "streams": "accelsim_cycles.csv", "exports": "exports_cycles.csv", "micro": "micro_cycles.csv",
}  # fmt: skip
"""Tables of Accel-Sim's cycles; the traces of all but the first are packed beside them."""


@dataclass(frozen=True, slots=True)
class Row:
    """A folder of traces: its name, the configuration, Accel-Sim's cycles over all its kernels, and
    what writes it (with make_traces.py) if it is not packed."""

    name: str
    config: str
    cycles: int
    arguments: Sequence[str]


def main() -> int:
    """Print a row for each folder of traces, and the mean and largest difference of each set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--set", choices=SETS, action="append", help="one set (default: all)")
    parser.add_argument("--only", action="append", default=[], help="these rows")
    parser.add_argument("--change", action="append", default=[], help="of the GPU: KEY=VALUE")
    options = parser.parse_args()
    peers: Path = options.data / "peers"
    for name in options.set or SETS:
        if not (peers / SETS[name]).is_file():
            sys.stdout.write(f"there is no {SETS[name]} in {peers}; --data names the folder\n")
            return 1
        with tempfile.TemporaryDirectory() as folder:
            write = _writer(peers, name, Path(folder))
            rows = [r for r in _rows(peers / SETS[name]) if r.name in (options.only or [r.name])]
            _report(name, rows, write, options.change)
    return 0


def _rows(table: Path) -> Iterator[Row]:
    with table.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name = row.get("stream") or row["workload"]
            cycles = row.get("cycles") or row["cycles_all_kernels"]
            words = row.get("make_traces_arguments", "").split()
            yield Row(name, row["config"], int(cycles), words)


def _writer(peers: Path, name: str, folder: Path) -> Callable[[Row], Path]:
    """What gives the folder of a row's traces."""
    if name == "streams":
        return lambda row: _made(peers / "make_traces.py", row, folder / f"{row.name}-{row.config}")
    (packed,) = peers.glob(f"{name}-*.tar.xz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    return lambda row: folder / row.name


def _made(script: Path, row: Row, folder: Path) -> Path:
    command = [sys.executable, str(script), str(folder), *row.arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


def _report(
    name: str, rows: Sequence[Row], write: Callable[[Row], Path], changes: Sequence[str]
) -> None:
    errors = list[float]()
    for row in rows:
        gpu = load_gpu(f"accelsim-{row.config}", changes)
        cycles = sum(t.cycles for t in simulate_list(str(write(row) / "kernelslist.g"), gpu))
        errors.append(cycles / row.cycles - 1)
        sys.stdout.write(
            f"{row.name:12s} {row.config:13s} {row.cycles:7,} {cycles:7,} {errors[-1]:+7.1%}\n"
        )
    if errors:
        sizes = [abs(error) for error in errors]
        sys.stdout.write(
            f"{name}: mean of {len(sizes)} absolute differences {sum(sizes) / len(sizes):.1%}, "
            f"largest {max(sizes):.1%}\n\n"
        )


if __name__ == "__main__":
    sys.exit(main())
