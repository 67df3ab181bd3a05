"""How fast the cycle-level simulator is: million warp instructions per CPU second on one core.

Streams are made in memory, so that only the simulator is timed: FFMA alone (compute), a tiled
matrix product (local memory, barriers), random gathers (DRAM). Peers measured on such a core:
Accel-Sim 0.056-0.209 (FFMA), 0.032-0.039 (tiled), 0.002-0.004 (gather); MacSim 0.025.

    python -m benchmarks.simulation [--gpu NAME] [--millions N]
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from kcc.base.gpu import load_gpu
from kcc.base.trace.decode import TraceBatch
from kcc.sim.accelsim.reader import SassInstruction, SassKernel
from kcc.sim.cycle.accelsim import launch_of_sass, program_of_sass, tables_of_sass
from kcc.sim.cycle.launch import CycleSimulator, launch_machine
from kcc.sim.result import Timing

WARPS = 8
BASE = 0x7F00_0000_0000

Step = tuple[str, int | None, tuple[int, ...], str]
"""Opcode, register written, registers read; where its addresses go: "", local, line, random."""


def tiled() -> list[Step]:
    """Eight tiles of a matrix product: loads to local memory, then products from there."""
    steps = list[Step]()
    for _ in range(8):
        steps += [("LDG", 16, (10,), "line"), ("LDG", 17, (12,), "line")]
        steps += [("STS", None, (14, 16), "local"), ("STS", None, (15, 17), "local")]
        steps += [("BAR.SYNC", None, (), "")]
        for _ in range(4):
            steps += [("LDS", 20, (14,), "local")]
            steps += [("LDS", 24 + j, (15,), "local") for j in range(4)]
            steps += [("FFMA", 30, (20 + j, 24 + j, 30), "") for j in range(4)]
        steps += [("BAR.SYNC", None, (), ""), ("IADD3", 10, (10,), ""), ("BRA", None, (), "")]
    return steps


COMPUTE: list[Step] = [("FFMA", 10 + n % 8, (10 + n % 8, 4, 5), "") for n in range(256)]
TILED = tiled()
ROUND: list[Step] = [
    ("LDG", 8, (6,), "line"), ("IMAD", 10, (8,), ""), ("LDG", 12, (10,), "random"),
    ("FADD", 20, (20, 12), ""), ("BRA", None, (), ""),
]  # fmt: skip
GATHER = 4 * ROUND

STREAMS: dict[str, tuple[list[Step], float]] = {
    "compute": (COMPUTE, 10.0), "tiled": (TILED, 5.0), "gather": (GATHER, 0.0),
}  # fmt: skip
"""With the floor in million warp instructions per second."""


def instruction_of(step: Step) -> SassInstruction:
    """The instruction of a step."""
    opcode, to, of, where = step
    names = tuple(f"R{r}" for r in of)
    written = (f"R{to}",) if to is not None else ()
    return SassInstruction(opcode, written, names, line=0, has_addresses=where != "", executed=0)


def batches(steps: Sequence[Step], kernel: SassKernel, blocks: int) -> Iterator[TraceBatch]:
    """The thread blocks, 32 at a time."""
    random = np.random.default_rng(1)
    own = [instruction_of(step) for step in steps]
    segment = np.array([kernel.instructions.index(each) for each in own], np.int32)
    touching = [each for each in kernel.instructions if each.has_addresses]
    access = np.array([touching.index(each) for each in own if each.has_addresses], np.int32)
    where = [step[3] for step in steps if step[3]]
    lanes = np.arange(32, dtype=np.int64) * 4
    for first in range(0, blocks, 32):
        count = min(32, blocks - first)
        warps = count * WARPS
        addresses = np.empty((warps, len(where), 32), np.int64)
        for n, kind in enumerate(where):
            if kind == "local":
                addresses[:, n] = lanes
            elif kind == "line":
                number = (first * WARPS + np.arange(warps)) * len(where) + n
                addresses[:, n] = BASE + number[:, None] * 128 + lanes
            else:
                addresses[:, n] = BASE + random.integers(0, 1 << 22, (warps, 32)) * 4
        rows = len(steps)
        per_row = np.array([bool(step[3]) for step in steps], np.int64)
        yield TraceBatch(
            np.repeat(np.arange(first, first + count), WARPS * rows),
            np.tile(np.repeat(np.arange(WARPS, dtype=np.int32), rows), count),
            np.tile(segment, warps), np.zeros(warps * rows, np.int32),
            np.zeros(warps * rows, np.bool_), np.full(warps * rows, 0xFFFFFFFF, np.uint64),
            np.concatenate([[0], np.cumsum(np.tile(per_row, warps))]), np.tile(access, warps),
            addresses.reshape(-1, 32),
        )  # fmt: skip


def simulate(steps: Sequence[Step], gpu: str, millions: float) -> tuple[Timing, float]:
    """The result and CPU seconds."""
    blocks = max(int(millions * 1e6 / (len(steps) * WARPS)), 1)
    kernel = SassKernel(
        Path("stream"), 0, "stream", (blocks, 1, 1), (WARPS * 32, 1, 1), 2048, 32, has_lines=False
    )
    kernel.instructions = tuple(dict.fromkeys(instruction_of(step) for step in steps))
    tables, launch = tables_of_sass(kernel), launch_of_sass(kernel)
    machine = launch_machine(load_gpu(gpu, []), tables, launch, {"stream": 32})
    simulation = CycleSimulator(machine.gpu).begin_program(
        tables, launch, machine, program_of_sass(kernel, machine)
    )
    spent = 0.0
    for batch in batches(steps, kernel, blocks):
        before = time.process_time()
        simulation.feed(batch)
        spent += time.process_time() - before
    before = time.process_time()
    timing = simulation.finish()
    return timing, spent + time.process_time() - before


def main() -> None:
    """Print a row for each stream."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", default="v100")
    parser.add_argument("--millions", type=float, default=4.0)
    arguments = parser.parse_args()
    for steps, _ in STREAMS.values():
        simulate(steps, arguments.gpu, 0.5)  # compiles all that is needed, or reads the cache
    for name, (steps, floor) in STREAMS.items():
        timing, seconds = simulate(steps, arguments.gpu, arguments.millions)
        rate = timing.issued / seconds / 1e6
        sectors = timing.statistics["L1 sectors"] / seconds / 1e6
        sys.stdout.write(
            f"{name:8s} {timing.issued / 1e6:6.1f} M in {seconds:6.2f} s: {rate:6.2f} M/s "
            f"(floor {floor:.0f}), {sectors:5.2f} M sectors/s, {timing.cycles:,} cycles\n"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"peak memory {peak:.0f} MiB\n")


if __name__ == "__main__":
    main()
