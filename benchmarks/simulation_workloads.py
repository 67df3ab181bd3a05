"""Simulate all workloads on GPUs and reference configurations: does it work, and what comes out.

    python -m benchmarks.simulation_workloads --size tiny [--gpu NAME ...] [--workload NAME ...]
        [--journal FILE] [--traces FOLDER]

A line for each pair: cycles, IPC, the cause with most cycles, CPU seconds of the simulation. What
is done stands in the journal and is not done again; traces are kept in the folder.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from kcc.base.diagnostics import DiagnosticError
from kcc.base.gpu import load_gpu
from kcc.report.simulation.run import SimulationRun
from kcc.sim.cycle.sources import simulate_trace

ROOT = Path(__file__).parents[1]

GPUS = (
    "v100", "a100", "h100", "rtx3090", "rtx2080ti", "mi100", "macsim-fermi-tbpoint",
    "gpumech-table7", "gpgpusim-minibench-conf1", "gpgpusim-minibench-conf2",
    "gpgpusim-minibench-conf3", "gpgpusim-minibench-conf4", "accelsim-sm7-qv100",
    "accelsim-sm86-rtx3070",
)  # fmt: skip
"""Five NVIDIA GPUs and one of AMD, and what the reference texts simulate."""


@dataclass(frozen=True, slots=True)
class Row:
    """One workload on one GPU; ``failure`` says why there are no numbers."""

    workload: str
    gpu: str
    size: str
    launches: int = 0
    cycles: float = 0
    time_us: float = 0
    issued: float = 0
    ipc: float = 0
    limiter: str = ""
    l1_hit_rate: float | None = None
    l2_hit_rate: float | None = None
    seconds: float = 0
    failure: str = ""


def main() -> int:
    """Print the rows that are missing, then how many worked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="tiny", choices=("tiny", "small", "large"))
    parser.add_argument("--gpu", dest="gpus", action="append", default=[])
    parser.add_argument("--workload", dest="workloads", action="append", default=[])
    parser.add_argument("--journal", type=Path, default=Path("simulation_workloads.jsonl"))
    parser.add_argument("--traces", type=Path, default=Path("simulation_traces"))
    arguments = parser.parse_args()
    names = arguments.workloads or sorted(
        path.parent.name for path in (ROOT / "kernels").glob("*/workload.py")
    )
    done = {(r.workload, r.gpu, r.size): r for r in _journal(arguments.journal)}
    rows = list[Row]()
    for name in names:
        for gpu in arguments.gpus or GPUS:
            row = done.get((name, gpu, arguments.size))
            if row is None:
                row = _measured(name, gpu, arguments.size, arguments.traces)
                with arguments.journal.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(row)) + "\n")
            rows.append(row)
            print(_text(row), flush=True)
    failed = [row for row in rows if row.failure]
    print(f"{len(rows) - len(failed)} of {len(rows)} simulated")
    return 1 if failed else 0


def _journal(path: Path) -> Iterator[Row]:
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            yield Row(**json.loads(line))


def _measured(name: str, gpu: str, size: str, folder: Path) -> Row:
    try:
        description = load_gpu(gpu, [])
        width = description.warp_size.value if description.warp_size else 32
        trace = trace_of(name, size, width, folder)
        began = time.process_time()
        timings = tuple(simulate_trace(str(trace), description))
        seconds = time.process_time() - began
    except (DiagnosticError, subprocess.CalledProcessError) as error:
        return Row(name, gpu, size, failure=str(error))
    run = SimulationRun((), timings)
    return Row(
        name, gpu, size, len(timings), run.cycles, run.time_us, run.issued, run.ipc, run.limiter,
        run.hit_rate("L1"), run.hit_rate("L2"), seconds,
    )  # fmt: skip


def trace_of(name: str, size: str, width: int, folder: Path) -> Path:
    """The trace of a workload, made once."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-{size}-{width}.kct"
    if not path.exists():
        script = ROOT / "kernels" / name / "workload.py"
        words = ["trace", str(script), "--size", size, "--warp-size", str(width), "-o", str(path)]
        command = [sys.executable, "-m", "kcc", *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return path


def _text(row: Row) -> str:
    head = f"{row.workload:15s} {row.gpu:26s}"
    if row.failure:
        return f"{head} {row.failure}"
    rate = row.issued / row.seconds / 1e6 if row.seconds else 0
    rates = (row.l1_hit_rate, row.l2_hit_rate)
    hits = " ".join("    -" if each is None else f"{100 * each:4.0f}%" for each in rates)
    return (
        f"{head} {row.launches:4d} launches {row.cycles:12,.0f} cycles {row.time_us:10,.1f} us "
        f"IPC {row.ipc:6.2f} {hits} {row.limiter:15s} {row.seconds:7.2f} s {rate:5.2f} M/s"
    )


if __name__ == "__main__":
    sys.exit(main())
