"""Is more ever slower? Every workload with one thing of the GPU made larger at a time.

    python -m benchmarks.simulation_monotone --size tiny [--gpu NAME ...] [--workload NAME ...]
        [--journal FILE] [--traces FOLDER] [--bound 0.02]

Prints each pair of workload and change that takes more than the bound longer (in time, since a
change of clock changes cycles), then how many of all pairs that is. What is done stands in the
journal and is not done again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.simulation_workloads import ROOT, trace_of
from kcc.base.diagnostics import DiagnosticError
from kcc.base.gpu import load_gpu
from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.schema import fact_of
from kcc.sim.cycle.sources import simulate_trace

GPUS = ("v100", "h100", "gpumech-table7", "accelsim-sm86-rtx3070")

CHANGES = {
    "more SMs": (("sm_count",), 1.25),
    "twice the SMs": (("sm_count",), 2.0),
    "faster clock": (
        ("core_clock_base_mhz", "core_clock_boost_mhz", "extra.shader_clock_mhz"), 1.25,
    ),
    "twice the bandwidth": (("memory_bandwidth_gbs",), 2.0),
    "twice the L1": (("l1.size_bytes", "l1.unified_bytes"), 2.0),
    "twice the L2": (("l2.size_bytes",), 2.0),
    "twice the L2 slices": (("l2.slices",), 2.0),
    "twice the miss entries": (("l1.mshr", "l2.mshr"), 2.0),
    "twice the channels": (("dram.channels", "l2.slices"), 2.0),
    "wider network": (("interconnect.flit_bytes",), 2.0),
}  # fmt: skip
"""Keys and what their values are multiplied by; keys that a GPU does not have stay away."""


@dataclass(frozen=True, slots=True)
class Row:
    """Time of one workload on one GPU, with a change ("" for none)."""

    workload: str
    gpu: str
    size: str
    change: str
    time_us: float


def main() -> int:
    """Print what is slower with more."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="tiny", choices=("tiny", "small", "large"))
    parser.add_argument("--gpu", dest="gpus", action="append", default=[])
    parser.add_argument("--workload", dest="workloads", action="append", default=[])
    parser.add_argument("--journal", type=Path, default=Path("simulation_monotone.jsonl"))
    parser.add_argument("--traces", type=Path, default=Path("simulation_traces"))
    parser.add_argument("--bound", type=float, default=0.02)
    arguments = parser.parse_args()
    names = arguments.workloads or sorted(
        path.parent.name for path in (ROOT / "kernels").glob("*/workload.py")
    )
    done = {(r.workload, r.gpu, r.size, r.change): r.time_us for r in _journal(arguments.journal)}
    pairs = slower = failed = 0
    for gpu in arguments.gpus or GPUS:
        for name in names:
            plain = 0.0
            for change in ("", *CHANGES):
                key = (name, gpu, arguments.size, change)
                settings = settings_of(load_gpu(gpu, []), change)
                if change and not settings:
                    continue
                if key not in done:
                    try:
                        done[key] = _time(name, gpu, arguments.size, settings, arguments.traces)
                    except (DiagnosticError, subprocess.CalledProcessError) as error:
                        print(f"{name} {gpu} {change}: {error}", flush=True)
                        failed += 1
                        continue
                    with arguments.journal.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(Row(*key, done[key]))) + "\n")
                if not change:
                    plain = done[key]
                    continue
                pairs += 1
                longer = done[key] / plain - 1
                if longer > arguments.bound:
                    slower += 1
                    print(f"{gpu:22s} {name:15s} {change:22s} {100 * longer:+6.1f} %", flush=True)
    print(f"{slower} of {pairs} pairs take more than {100 * arguments.bound:.0f} % longer; "
          f"{failed} not simulated")  # fmt: skip
    return 0


def settings_of(gpu: GpuDescription, change: str) -> list[str]:
    """The change as values of --set."""
    if not change:
        return []
    keys, factor = CHANGES[change]
    found = list[str]()
    for key in keys:
        fact = fact_of(gpu, key)
        if fact is not None and fact.value:
            value = fact.value * factor
            found.append(f"{key}={round(value) if isinstance(fact.value, int) else value}")
    return found


def _journal(path: Path) -> Iterator[Row]:
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            yield Row(**json.loads(line))


def _time(name: str, gpu: str, size: str, settings: list[str], folder: Path) -> float:
    description = load_gpu(gpu, settings)
    width = description.warp_size.value if description.warp_size else 32
    trace = trace_of(name, size, width, folder)
    return sum(t.time_us for t in simulate_trace(str(trace), description))


if __name__ == "__main__":
    sys.exit(main())
