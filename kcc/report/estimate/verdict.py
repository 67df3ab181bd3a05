"""The verdict on an estimate: what limits it, why, and what would help most, in one sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping

from kcc.base.advice import Advice
from kcc.base.terms import RESOURCES, stall_label
from kcc.report.estimate.record import EstimateRecord
from kcc.report.shared.text import share_text
from kcc.report.shared.units import duration

_WHY: Mapping[str, tuple[str, ...]] = {
    "idle": ("grid-too-small", "imbalance", "long-warp", "tail"),
    "launch": ("launch-overhead",),
    "fetch": ("code-fetch",),
    "arithmetic": ("imbalance", "long-warp", "grid-too-small", "inactive-lanes"),
    "issue": ("inactive-lanes",),
    "memory_port": ("inactive-lanes", "bank-conflict", "uncoalesced", "load-store"),
    "shared_memory": ("bank-conflict", "load-store"),
    "barrier": ("barrier", "imbalance"),
    "atomic": ("atomic-contention",),
    "l1": ("imbalance", "long-warp", "inactive-lanes", "memory-latency", "uncoalesced"),
    "l2": ("imbalance", "long-warp", "uncoalesced", "memory-latency"),
    "dram": ("imbalance", "long-warp", "uncoalesced", "memory-latency"),
    "l2_bandwidth": ("uncoalesced", "inactive-lanes"),
    "l2_requests": ("uncoalesced", "inactive-lanes"),
    "dram_bandwidth": ("uncoalesced", "dram-rows", "arithmetic-intensity"),
    "possible_spills": ("spill",),
}
"""Codes of advice that are the mechanism of a limiter, the first that is there."""

MUCH_GUESSED = 0.2
"""Share of instructions that depend on assumptions from which on the verdict says so."""


def verdict_of(record: EstimateRecord) -> str:
    """One sentence; "" where there is no time."""
    if record.time_us is None or not record.cpi:
        return ""
    name = limiting(record.limiter)
    parts = [f"Bottleneck: {_limit(record, name)}"]
    named = advice_within(record)
    if name == "idle" and not named:
        parts.append(_few_warps(record))
    parts += [_lower(advice_text(each, record.time_us)) for each in named]
    guessed = record.confidence.assumed_share if record.confidence else 0.0
    if guessed >= MUCH_GUESSED:
        parts.append(f"{share_text(guessed)} of the instructions depend on assumptions")
    return "; ".join(part for part in parts if part) + "."


def advice_within(record: EstimateRecord) -> tuple[Advice, ...]:
    """The advice that the verdict has: the mechanism of the limiter, and what saves most."""
    why = _reason(record, limiting(record.limiter))
    helps = next((each for each in record.advice if each.gain_us), None)
    return tuple(dict.fromkeys(each for each in (why, helps) if each is not None))


def limiting(limiter: str) -> str:
    """The cause or resource of a limiter, without "latency (...)"."""
    return limiter.removeprefix("latency (").removesuffix(")")


def _limit(record: EstimateRecord, name: str) -> str:
    """What limits, with its share and the line with most of the time."""
    if name in RESOURCES and not record.limiter.startswith("latency"):
        share = record.bounds_cycles.get(name, 0.0) / (record.cycles or 1.0)
        said = f"{RESOURCES[name]} ({share_text(share)} of its peak"
    else:
        total = math.fsum(record.cpi_stack.values()) or 1.0
        share = record.cpi_stack.get(name, 0.0) / total
        said = f"{stall_label(name)} ({share_text(share)} of the cycles"
    at = next((line for line in record.lines if line.line), None)
    if at is None or name in {"idle", "launch"}:
        return f"{said})"
    return f"{said}; line {at.line} has {share_text(at.share)} of the time)"


def _reason(record: EstimateRecord, name: str) -> Advice | None:
    by_code = {each.code: each for each in reversed(record.advice)}
    codes = _WHY.get(name, ())
    return next((by_code[code] for code in codes if code in by_code), None)


def _few_warps(record: EstimateRecord) -> str:
    if record.waves is None:
        return ""
    return f"the grid is {record.waves:.2g} waves of thread blocks"


def _lower(text: str) -> str:
    """A sentence within another one; names of several capitals stay."""
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def advice_text(each: Advice, time_us: float | None) -> str:
    """Advice with its place, and what it saves."""
    place = f"line {each.line}: {_lower(each.text)}" if each.line else each.text
    if not each.gain_us or not time_us:
        return place
    share = each.gain_us / time_us
    most = "saves" if each.verified else "saves at most"
    checked = ", analysed" if each.verified else ""
    return f"{place} ({most} {duration(each.gain_us)}, {share_text(share)}{checked})"
