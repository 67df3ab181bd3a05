"""Small programs in Accel-Sim's trace format, whose cycles can be computed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kcc.base.gpu import load_gpu
from kcc.sim.cycle.launch import empty_cache
from kcc.sim.cycle.layout import SIDE_WAYS
from kcc.sim.cycle.sources import simulate_list
from kcc.sim.result import Timing

PLAIN = (
    "warp_end_cycles=0", "register_banks=1", "l1.bank_bytes=0", "after_atomic=goes on",
    "latency_cycles.l2_hit=172",
)  # fmt: skip
"""Accel-Sim's SM7_QV100 without what test_collectors.py and test_warp_ends.py are about, so that
cycles are those of one thing at a time."""

GLOBAL = 0x7F00_0000_0000
FULL = 0xFFFF_FFFF


def no_side() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What DRAM has of a memory-side cache, for one channel: an empty set."""
    return np.zeros(1, np.int64), empty_cache(1, SIDE_WAYS, 0).order


@dataclass
class Warp:
    """The instructions of a warp."""

    lines: list[str] = field(default_factory=list[str])

    def op(
        self,
        opcode: str,
        to: int | None = None,
        of: Sequence[int] = (),
        addresses: Sequence[int] = (),
        mask: int = FULL,
    ) -> Warp:
        """Add an instruction; ``addresses`` are those of the active lanes."""
        words = ["0000", f"{mask:08x}", *(["0"] if to is None else ["1", f"R{to}"]), opcode]
        words += [str(len(of)), *(f"R{r}" for r in of)]
        words += ["4", "0", *(f"{a:#x}" for a in addresses)] if addresses else ["0"]
        self.lines.append(" ".join([*words, "0"]))
        return self


def one_lane(warp: Warp, opcode: str, to: int | None, of: Sequence[int], address: int) -> None:
    """An access of lane 0."""
    warp.op(opcode, to, of, [address], mask=1)


def write(folder: Path, blocks: Sequence[Sequence[Warp]], shared: int = 0) -> Path:
    """A list with one kernel."""
    threads = 32 * max(len(warps) for warps in blocks)
    text = [
        "-kernel name = test", "-kernel id = 1", f"-grid dim = ({len(blocks)},1,1)",
        f"-block dim = ({threads},1,1)", f"-shmem = {shared}", "-nregs = 16",
        "-accelsim tracer version = 5", "-enable lineinfo = 0", "#traces format", "",
    ]  # fmt: skip
    for number, warps in enumerate(blocks):
        text += ["#BEGIN_TB", f"thread block = {number},0,0"]
        for place, warp in enumerate(warps):
            text += [f"warp = {place}", f"insts = {len(warp.lines)}", *warp.lines]
        text += ["#END_TB"]
    (folder / "kernel-1.traceg").write_text("\n".join(text) + "\n", encoding="utf-8")
    path = folder / "kernelslist.g"
    path.write_text("MemcpyHtoD,0x7f0000000000,1024\nkernel-1.traceg\n", encoding="utf-8")
    return path


def simulate(
    folder: Path,
    blocks: Sequence[Sequence[Warp]],
    *settings: str,
    gpu: str = "accelsim-sm7-qv100",
    shared: int = 0,
    timeline: int = 0,
    plain: bool = True,
) -> Timing:
    """The result of one kernel."""
    less = PLAIN if plain and gpu == "accelsim-sm7-qv100" else ()
    machine = load_gpu(gpu, [*less, *settings])
    (timing,) = simulate_list(str(write(folder, blocks, shared)), machine, timeline=timeline)
    return timing
