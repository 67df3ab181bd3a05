"""Streams and machines that tests write by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kcc.sim.memory.facts import (
    PLACES,
    Count,
    Deviations,
    Dispatch,
    MemoryMachine,
    Merging,
    Op,
    Place,
    Start,
    StaticAccess,
    Stream,
    Trial,
    WarpOrder,
)
from kcc.sim.memory.machine import set_deviations
from kcc.sim.memory.sequences_native import (
    BARRIER_ENTRY,
    BEGINS,
    FIRST,
    OP_SHIFT,
)
from kcc.sim.memory.trials import Trials, empty_l2

PLAIN = Deviations(
    Dispatch.ROUND_ROBIN, Start.TOGETHER, WarpOrder.EQUAL, Merging.ROUND_ROBIN, random_groups=False,
    random_latency=False,
)  # fmt: skip
"""One sequence of each warp in turn, and nothing random: what can be worked out by hand."""

Entry = tuple[str, int, int]
"""What is done (load, store, atomic, + in front where it goes on in a sequence), to which line,
which sectors as bits."""

BARRIER: Entry = ("barrier", 0, 0)


def machine(
    sms: int = 1, blocks: int = 2, warps: int = 1, deviations: Deviations = PLAIN,
    **places: int,
) -> MemoryMachine:  # fmt: skip
    """Lines of four sectors; L1 of two lines in one set, L2 of four lines in one set."""
    conf = np.zeros(PLACES, np.int64)
    known = {
        "sms": sms, "blocks": blocks, "warps": warps, "sectors": 4, "l1_sets": 1, "l1_ways": 2,
        "l2_sets": 1, "l2_ways": 4, "l2_ways_used": 4, "l2_slices": 1, "channels": 1, "banks": 2,
        "row_lines": 4, "burst": 128, "row_miss": 10, "row_cycle": 30, "dram_latency": 400,
        "misses": 64, **places,
    }  # fmt: skip
    for name, value in known.items():
        conf[Place[name.upper()]] = value
    found = MemoryMachine("test", conf, 1000, 30, 200, 128, 32, 256, 512, 1024, 20, ())
    set_deviations(found, deviations)
    return found


def stream(*blocks: Sequence[Sequence[Entry]]) -> Stream:
    """A block is a list of warps, a warp a list of entries."""
    lines, info, bounds, lengths = list[int](), list[int](), list[int](), list[int]()
    for block in blocks:
        for warp in block:
            bounds.append(len(lines))
            lengths.append(0)
            for entry in warp:
                word = _word(entry)
                lines.append(entry[1])
                info.append(word)
                lengths[-1] += word & BEGINS != 0
            bounds.append(len(lines))
    warps = len(blocks[0])
    statics = (StaticAccess(Op.LOAD, "t.cl", 1, 1, "a", "global", 4),)
    return Stream(
        np.array(lines, np.int64), np.array(info, np.int64),
        np.array(bounds, np.int64).reshape(len(blocks), warps, 2),
        np.array(lengths, np.int64).reshape(len(blocks), warps), statics, 0, len(blocks),
        sum(lengths),
    )  # fmt: skip


def _word(entry: Entry) -> int:
    name, _, sectors = entry
    if name == "barrier":
        return BARRIER_ENTRY
    op = Op[name.strip("+").upper()]
    begins = 0 if name.startswith("+") else BEGINS
    return op << OP_SHIFT | FIRST | begins | sectors


def trial(of: Stream, on: MemoryMachine, number: int = 0, seed: int = 0) -> Trial:
    """One trial with empty caches."""
    return Trials(of, on, empty_l2(on), seed).run(number)


def counted(found: Trial) -> dict[str, int]:
    """What all accesses together did, without what did not happen."""
    row = found.counts.sum(axis=0)
    return {c.name.lower(): int(row[c]) for c in Count if row[c]}
