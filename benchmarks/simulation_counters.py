"""Cycles and hit rates of seven kernels on a GV100, measured by others, against the simulation.

    python -m benchmarks.simulation_counters --sources FOLDER [--data ../shared] [--traces FOLDER]
        [--code compiler]

The table is truth/rodinia_parboil_sdk_gv100_counters.csv of the data folder; which launch a row is
stands in benchmarks/measured_programs.py. The sources folder holds copies of the public
repositories gpu-rodinia, cuda-samples and Parboil. Traces come from the sources alone
(`kcc trace FILE.cu`); each launch begins with cold caches, as the table's do. Nothing was
fitted to these rows.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measured_programs import GV100, Program, Step
from kcc.base.diagnostics import DiagnosticError, Span
from kcc.base.expressions import Value, evaluate
from kcc.base.gpu import load_gpu
from kcc.base.launch_language import parse_expression
from kcc.commands.machine_code import traced_code
from kcc.report.simulation.run import hit_rate
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.result import Timing

TABLE = "truth/rodinia_parboil_sdk_gv100_counters.csv"
GPU = "nvidia-quadro-gv100"
INCLUDES = ("gpu-rodinia/cuda/backprop", "cuda-samples/Common")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One row: measured and simulated cycles, hit rates in percent, sectors read from DRAM.

    Sectors that wait for a miss under way count as hits of L1, as on the GPU: its counts per thread
    block are the same whatever the timing."""

    kernel: str
    cycles: tuple[float, float]
    l1: tuple[float, float]
    l2: tuple[float, float]
    dram: tuple[float, float]
    seconds: float

    @property
    def error(self) -> float:
        return self.cycles[1] / self.cycles[0] - 1


def main() -> int:
    """Print the rows, then the mean of the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--traces", type=Path, default=Path("simulation_traces"))
    parser.add_argument("--only", help="rows whose kernel has this in its name")
    parser.add_argument("--code", choices=("kcc", "compiler"), default="kcc")
    arguments = parser.parse_args()
    table = arguments.data / TABLE
    if not table.is_file():
        print(f"there is no {table}; --data names the folder")
        return 1
    arguments.traces.mkdir(exist_ok=True)
    found = list[Comparison]()
    with table.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if arguments.only and arguments.only not in row["kernel"]:
                continue
            try:
                found.append(_compared(row, arguments.sources, arguments.traces, arguments.code))
            except (DiagnosticError, subprocess.CalledProcessError) as error:
                print(f"{row['kernel']:26s} not simulated: {error}", flush=True)
                continue
            print(_text(found[-1]), flush=True)
    if found:
        mean = sum(abs(each.error) for each in found) / len(found)
        print(f"mean of {len(found)} absolute differences in cycles: {100 * mean:.1f} %")
    return 0


def _compared(row: Mapping[str, str], sources: Path, folder: Path, code: str) -> Comparison:
    program = GV100[row["kernel"]]
    began = time.process_time()
    timings = list[Timing]()
    for number, step in enumerate(program.steps):
        path = folder / f"gv100-{step.kernel}-{number}.kct"
        if not path.exists():
            trace_step(step, program, sources, path)
        gpu = load_gpu(GPU, [])
        timings += simulate_trace(str(path), gpu, cold=True, code=traced_code(code, gpu))
    for whose in sorted({t.code for t in timings}):
        print(f"{row['kernel']}: code of {whose}", file=sys.stderr)
    seconds = time.process_time() - began
    count = len(timings)
    cycles = sum(t.cycles for t in timings) / count
    sectors = sum(t.statistics["DRAM sectors read"] for t in timings) / count
    return Comparison(
        row["kernel"], (float(row["elapsed_cycles_avg_per_launch"]), cycles),
        (float(row["l1_ld_hit_pct"]), 100 * _l1_hits(timings)),
        (float(row["l2_rd_hit_pct"]), 100 * (hit_rate(timings, "L2") or 0)),
        (float(row["dram_sect_rd"]), sectors), seconds,
    )  # fmt: skip


def _l1_hits(timings: Sequence[Timing]) -> float:
    caches = [c for t in timings for c in t.caches if c.level == "L1"]
    return sum(c.hits + c.pending for c in caches) / sum(c.accesses for c in caches)


def trace_step(step: Step, program: Program, sources: Path, path: Path) -> None:
    """By `kcc trace`, which says the command that anybody can give."""
    words: Sequence[str] = [
        "trace", str(sources / step.source), "--kernel", step.kernel,
        "--grid", _dimensions(step.grid, program.names),
        "--block", _dimensions(step.block, program.names),
        *(word for name, value in program.names.items() for word in ("--size", f"{name}={value}")),
        *(word for text in step.arguments for word in ("--arg", text)),
        *(word for folder in INCLUDES for word in ("-I", str(sources / folder))),
        "-I", str((sources / step.source).parent), "-o", str(path),
    ]  # fmt: skip
    print("kcc " + " ".join(words), file=sys.stderr)
    subprocess.run([sys.executable, "-m", "kcc", *words], check=True, stdout=subprocess.DEVNULL)


def _dimensions(text: str, names: Mapping[str, Value]) -> str:
    values = (evaluate(parse_expression(part, Span(part, 0)), dict(names))
              for part in _parts(text))  # fmt: skip
    return ",".join(str(value) for value in values)


def _parts(text: str) -> list[str]:
    """The dimensions, which commas outside of brackets separate."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return found


def _text(c: Comparison) -> str:
    return (
        f"{c.kernel:26s} cycles {c.cycles[0]:9,.0f} {c.cycles[1]:9,.0f} {100 * c.error:+6.1f} %"
        f"  L1 {c.l1[0]:5.1f} {c.l1[1]:5.1f}  L2 {c.l2[0]:5.1f} {c.l2[1]:5.1f}"
        f"  DRAM sectors {c.dram[0]:9,.0f} {c.dram[1]:9,.0f}  {c.seconds:6.1f} s"
    )


if __name__ == "__main__":
    sys.exit(main())
