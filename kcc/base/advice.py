"""Advice: what would make a kernel faster, by how much, and whether that was analysed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kcc.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A code of advice or of a finding: what it means, what its text points to (``place``), the
    ``number`` that it gives and its ``unit``, and what helps."""

    meaning: str
    place: str
    number: str
    unit: str
    remedy: str


ROWS: Mapping[str, Row] = {
    "grid-too-small": Row(
        "The launch has too few thread blocks for the GPU",
        "launch",
        "thread blocks beside SMs",
        "thread blocks",
        "more thread blocks: less work for each",
    ),
    "block-size": Row(
        "Thread blocks of another size are faster",
        "launch",
        "time saved",
        "us",
        "the size that it names",
    ),
    "tail": Row(
        "The last wave of thread blocks fills little of the GPU",
        "launch",
        "fill of the last wave",
        "%",
        "a grid of whole waves; smaller thread blocks",
    ),
    "imbalance": Row(
        "Thread blocks differ in their work",
        "launch",
        "work of the largest over the mean",
        "times",
        "blocks of equal work; the largest first",
    ),
    "long-warp": Row(
        "One warp runs longer than all others",
        "launch",
        "instructions of it over the mean",
        "times",
        "its work shared by several warps",
    ),
    "partial-warps": Row(
        "Thread blocks end in a warp that is not full",
        "launch",
        "threads in the last warp",
        "threads",
        "a multiple of the warp size",
    ),
    "inactive-lanes": Row(
        "Warps run with few active lanes",
        "line",
        "active lanes per warp instruction",
        "lanes",
        "neighbouring lanes on the same side of branches",
    ),
    "launch-overhead": Row(
        "The launch takes a large part of the time",
        "launch",
        "share of the time",
        "%",
        "a graph's node; several launches in one",
    ),
    "code-fetch": Row(
        "A launch waits for its code, which comes from L2",
        "launch",
        "share of the time",
        "%",
        "more work in a launch; smaller code",
    ),
    "occupancy": Row(
        "Registers or shared memory limit the occupancy",
        "launch",
        "resident warps of the most",
        "warps",
        "less of what it names per thread block",
    ),
    "uncoalesced": Row(
        "Accesses take more sectors per request than the ideal",
        "line",
        "sectors per request, ideal; excess sectors",
        "sectors",
        "the change of layout that it names",
    ),
    "load-store": Row(
        "Loads and stores of values that registers could keep take the load/store unit",
        "line",
        "share of warp instructions",
        "%",
        "several results per thread",
    ),
    "bank-conflict": Row(
        "Requests to shared memory have bank conflicts",
        "line",
        "n-way; excess cycles of the banks",
        "cycles",
        "padded rows",
    ),
    "private-memory": Row(
        "Arrays of a thread lie in memory",
        "line",
        "size of the array",
        "bytes",
        "indices that are constant once loops are unrolled",
    ),
    "spill": Row(
        "Registers are spilled",
        "line",
        "spilled registers",
        "bytes per thread",
        "fewer live values; a larger limit of registers",
    ),
    "arithmetic-intensity": Row(
        "There are few operations for each byte of DRAM traffic",
        "line",
        "DRAM traffic; instructions per byte",
        "MB",
        "smaller types, reuse, kernels fused",
    ),
    "dram-rows": Row(
        "Row activations bound DRAM: it moves few sectors of each row",
        "line",
        "share of the bandwidth that is left",
        "%",
        "transposed data, wider tiles in shared memory, thread blocks along rows",
    ),
    "memory-latency": Row(
        "Warps wait for memory that is not busy",
        "line",
        "share of the cycles",
        "%",
        "more independent loads, more resident warps",
    ),
    "barrier": Row(
        "Warps wait for others of their thread block",
        "line",
        "share of the cycles",
        "%",
        "work of equal length between barriers",
    ),
    "atomic-contention": Row(
        "Atomic operations for one address are serialised",
        "line",
        "share of the cycles",
        "%",
        "partial results per thread block, more addresses",
    ),
    "divergent-barrier": Row(
        "Not all threads of a block may reach a barrier",
        "line",
        "branches that decide",
        "branches",
        "the barrier out of the branch",
    ),
    "fp64": Row(
        "Double-precision operations run at a low rate",
        "line",
        "operations",
        "instructions",
        "single precision where it does",
    ),
    "division": Row(
        "Divisions and mathematical functions are routines of several instructions",
        "line",
        "operations",
        "instructions",
        "native functions, multiplications by a reciprocal",
    ),
    "control-flow": Row(
        "Control flow is not that of natural loops",
        "line",
        "entries",
        "blocks",
        "loops with one entry and an exit",
    ),
    "accumulator": Row(
        "A loop loads and stores the same element in each trip",
        "line",
        "accesses",
        "accesses",
        "a variable that is stored once after the loop",
    ),
    "data-reuse": Row(
        "Threads of a thread block load the same elements, each for itself",
        "line",
        "floating-point operations per byte loaded",
        "operations per byte",
        "tiles in shared memory",
    ),
    "unknown": Row(
        "Something of the kernel is not known",
        "line",
        "accesses or calls",
        "accesses",
        "the argument or definition that it names",
    ),
}
"""By code; docs/reference/diagnostics.md has this table."""

ADVICE: Mapping[str, str] = {code: row.meaning for code, row in ROWS.items()}
"""What each code of advice stands for."""


@dataclass(frozen=True, slots=True)
class Advice:
    """``line`` of the kernel's file, None where it is of none; ``gain_us`` what the change saves,
    None where that is not known. ``verified``: the changed kernel, launch or machine was analysed;
    else the gain is what the mechanism costs in all, about the most that a change can save."""

    code: str
    line: int | None
    text: str
    gain_us: float | None = None
    verified: bool = False

    def __post_init__(self) -> None:
        if self.code not in ADVICE:
            raise ValueError(f"advice {self.code} has no row in the table")


def advice_json(advice: Iterable[Advice]) -> list[dict[str, str | int | float | bool | None]]:
    """Members of ``advice`` in a document."""
    return [
        {"code": a.code, "line": a.line, "text": a.text, "gain_us": a.gain_us,
         "verified": a.verified}
        for a in advice
    ]  # fmt: skip


def ranked(found: list[Advice]) -> tuple[Advice, ...]:
    """Those that gain most first; what has no gain after."""
    return tuple(sorted(found, key=lambda each: -(each.gain_us or 0.0)))


def without_work(sms: int) -> str:
    """So many SMs have nothing to do."""
    return f"{sms} SM has no work" if sms == 1 else f"{sms} SMs have no work"
