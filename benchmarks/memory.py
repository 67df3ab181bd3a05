"""The memory model against the cycle-level one, kernel by kernel: errors in points, coverage of
intervals, ranking of loads by latency, ablations, snapshots, speed.

    python -m benchmarks.memory measure --journal J.jsonl [--traces DIR] [--only WORKLOAD]
    python -m benchmarks.memory tables --journal J.jsonl

`measure` traces each workload of kernels/ once (into DIR) and takes of each kernel the launch with
most accesses that is not above the limit; a row of the journal for each launch, those that are in
it are not measured again. Both models begin with empty caches and take instructions as always at
hand.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory_tables import print_tables
from kcc.base.gpu.loading import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.sim.cycle.compiled import CompiledLaunch
from kcc.sim.cycle.launch import CycleSimulator, launch_machine
from kcc.sim.cycle.layout import Conf, LineStat, Stat
from kcc.sim.cycle.program import program_of
from kcc.sim.memory.dependences import dependences_of
from kcc.sim.memory.facts import (
    NO_DEVIATION,
    Deviations,
    Dispatch,
    MemoryMachine,
    Merging,
    Op,
    Place,
    Start,
    Stream,
    WarpOrder,
)
from kcc.sim.memory.machine import set_deviations
from kcc.sim.memory.runs import Subject, stream_of
from kcc.sim.memory.stream import static_accesses
from kcc.sim.memory.summary import summary
from kcc.sim.memory.trials import Plan, Trials, empty_l2

ROOT = Path(__file__).parent.parent
GPU = "c2050-baghsorkhi"

TEXT = ("matmul", "spmv", "spmvwide", "fft", "blackscholes", "lbm", "mergesort", "stencil3d")
"""Section 5.1 and listing 3."""
MORE = (
    "backprop", "bfs", "bitonic", "btree", "cfd", "convolution", "gaussian", "histogram", "hotspot",
    "kmeans", "lavamd", "lud", "nbody", "nn", "nw", "pathfinder", "reduction", "scan", "srad",
    "transpose", "sssp", "streamcluster", "imagefilter", "saxpy",
)  # fmt: skip

MOST_ACCESSES = 3 << 19
TRIALS, FEW = 64, 12
LARGE, LARGEST = 500_000, 1_500_000
"""Transactions of a trial from which on there are only a fourth of the trials, and an eighth and no
ablations and snapshots."""

ABLATIONS = {
    "all": Deviations(),
    "start: together": Deviations(start=Start.TOGETHER),
    "start: SMs apart": Deviations(start=Start.APART),
    "start: skip": Deviations(start=Start.SKIP),
    "misses: as long as L2": Deviations(random_latency=False),
    "warp order: sequences by latency": Deviations(warp_order=WarpOrder.LATENCY),
    "warp order: round robin": Deviations(warp_order=WarpOrder.EQUAL),
    "warp order: by length": Deviations(warp_order=WarpOrder.LENGTH),
    "blocks: SMs round robin": Deviations(dispatch=Dispatch.ROUND_ROBIN),
    "L2: SMs round robin": Deviations(merging=Merging.ROUND_ROBIN),
    "DRAM: groups of 32": Deviations(random_groups=False),
    "none": NO_DEVIATION,
}
SNAPSHOTS = (1, 2, 4)

RATES = ("l1", "l2", "write")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("measure", "tables"))
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--traces", type=Path, default=Path("memory-traces"))
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--size", default="small")
    arguments = parser.parse_args()
    rows = _read(arguments.journal)
    if arguments.what == "tables":
        print_tables(rows)
        return
    done = {(r["workload"], r["kernel"], r["launch"]) for r in rows}
    arguments.traces.mkdir(exist_ok=True)
    for workload in arguments.only or (*TEXT, *MORE):
        path = arguments.traces / f"{workload}-{arguments.size}.kct"
        if not path.exists():
            _trace(workload, arguments.size, path)
        for row in measured(workload, path, done):
            with arguments.journal.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(workload, row["kernel"], row["launch"], row["truth"], flush=True)


def _read(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _trace(workload: str, size: str, path: Path) -> None:
    script = ROOT / "kernels" / workload / "workload.py"
    command = [sys.executable, "-P", "-m", "kcc", "trace", str(script), "--size", size,
               "-o", str(path)]  # fmt: skip
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def measured(
    workload: str, path: Path, done: set[tuple[str, str, int]]
) -> Iterator[dict[str, Any]]:
    """A row for each launch that is taken of a trace and not done yet."""
    gpu = load_gpu(GPU)
    with open_trace(path) as trace:
        taken = dict[str, Any]()
        for each in trace.launches:
            name, size = each.tables.kernel, each.totals.accesses
            group = f"{name}-{each.number // 2}" if workload == "spmvwide" else name
            if size <= MOST_ACCESSES or workload == "spmvwide":
                best = taken.get(group)
                if best is None or size > best.totals.accesses:
                    taken[group] = each
        for each in taken.values():
            if (
                workload,
                each.tables.kernel,
                each.launch.number,
            ) in done or not each.totals.accesses:
                continue
            compiled = CompiledLaunch(each)
            subject = Subject(
                compiled.tables, compiled.launch, compiled.batches,
                dependences_of(compiled.tables), each.totals.accesses,
            )  # fmt: skip
            row = {
                "workload": workload, "kernel": each.tables.kernel, "launch": each.launch.number,
                "text": workload in TEXT, "accesses": each.totals.accesses,
            }  # fmt: skip
            yield row | _cycle(compiled, gpu) | _memory(subject, gpu)


def _cycle(compiled: CompiledLaunch, gpu: Any) -> dict[str, Any]:
    """What the cycle-level model says, beginning with empty caches."""
    tables, launch = compiled.tables, compiled.launch
    machine = launch_machine(gpu, tables, launch, {})
    machine.conf[Conf.FETCH_SETS] = 0
    begun = time.process_time()
    simulation = CycleSimulator(gpu).begin_program(
        tables, launch, machine, program_of(tables, machine)
    )
    for batch in compiled.batches():
        simulation.feed(batch)
    timing = simulation.finish()
    s, rows = simulation.stats, simulation.counts_by_operation
    hits, pending = int(s[Stat.L1_HITS]), int(s[Stat.L1_PENDING])
    reads = int(s[Stat.L2_READS])
    statics, numbers = static_accesses(tables, is_machine_code=False)
    loads = list[dict[str, Any]]()
    for number, static in enumerate(statics):
        ops = [a.instruction for a, n in zip(tables.accesses, numbers, strict=True) if n == number]
        own = rows[ops].sum(axis=0)
        if static.operation is Op.LOAD and own[LineStat.SECTORS]:
            missed = float(own[LineStat.L2_HITS] + own[LineStat.DRAM])
            loads.append(
                {"static": number, "executed": int(own[LineStat.EXECUTED]),
                 "cycles": float(own[LineStat.LATENCY] / own[LineStat.EXECUTED]),
                 "l1": 1 - missed / float(own[LineStat.SECTORS])}
            )  # fmt: skip
    came_late = int(rows[:, LineStat.DRAM].sum()) - int(s[Stat.DRAM_READS])
    return {
        "truth": {
            "l1": _rate(hits + pending, int(s[Stat.L1_SECTORS])),
            "l2": _rate(int(s[Stat.L2_READ_HITS]), reads),
            "write": _rate(int(s[Stat.L2_WRITE_HITS]), int(s[Stat.L2_WRITES])),
        },
        "truth_pending_missed": {
            "l1": _rate(hits, int(s[Stat.L1_SECTORS])),
            "l2": _rate(int(s[Stat.L2_READ_HITS]) - max(came_late, 0), reads),
        },
        "cycles": timing.cycles, "cycle_seconds": time.process_time() - begun, "loads": loads,
    }  # fmt: skip


def _rate(hits: int, of: int) -> float | None:
    return hits / of if of else None


def _memory(subject: Subject, gpu: Any) -> dict[str, Any]:
    stream, machine = stream_of(subject, gpu, 0)
    set_deviations(machine, Deviations())
    trials = Trials(stream, machine, empty_l2(machine), 0)
    trials.run(0)  # compiled
    begun = time.process_time()
    found = trials.all(Plan(_trials(TRIALS, stream)))
    seconds = (time.process_time() - begun) / len(found)
    result = summary(subject.tables.kernel, 0, machine, stream, found)
    rates = dict(zip(RATES, (result.l1_rate, result.l2_rate, result.write_rate), strict=True))
    waves = stream.blocks / (machine[Place.SMS] * machine[Place.BLOCKS])
    return {
        "model": {k: None if d is None else list(d.values) for k, d in rates.items()},
        "x": [
            {"static": n, "line": a.access.line, "array": a.access.array,
             "cycles": a.cycles.mean if a.cycles else None}
            for n, a in enumerate(result.accesses)
        ],
        "entries": result.entries, "sequences": result.sequences, "trial_seconds": seconds,
        "dram_cycles": result.dram_cycles.mean, "waves": waves,
        "ablations": {
            name: _few(stream, machine, deviations) for name, deviations in ABLATIONS.items()
            if result.entries < LARGEST
        },
        "snapshots": {
            str(k): _few(*stream_of(subject, gpu, k), Deviations()) for k in SNAPSHOTS
            if waves >= 2 * k and result.entries < LARGEST
        },
    }  # fmt: skip


def _trials(usual: int, stream: Stream) -> int:
    entries = len(stream.lines)
    return usual // 8 if entries >= LARGEST else usual // 4 if entries >= LARGE else usual


def _few(stream: Stream, machine: MemoryMachine, deviations: Deviations) -> dict[str, Any]:
    """Mean and deviation of each rate over some trials."""
    set_deviations(machine, deviations)
    trials = Trials(stream, machine, empty_l2(machine), 1)
    found = summary("", 0, machine, stream, trials.all(Plan(_trials(FEW, stream))))
    rates = zip(RATES, (found.l1_rate, found.l2_rate, found.write_rate), strict=True)
    return {name: None if d is None else [d.mean, d.deviation] for name, d in rates}


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    main()
