"""What `kcc estimate` and `kcc compare` report: text, JSON, CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import kcc

if TYPE_CHECKING:
    from kcc.estimating import KernelEstimate

SCHEMA = "kcc/estimate/1"
COMPARISON_SCHEMA = "kcc/comparison/1"
LINES_SHOWN = 8
BAR_COLUMNS = 30


def estimate_document(estimates: Sequence[KernelEstimate], model: str) -> dict[str, Any]:
    """The document kcc/estimate/1."""
    return {
        "schema": SCHEMA,
        "kcc_version": kcc.__version__,
        "model": model,
        "estimates": [_entry(each) for each in estimates],
    }


def estimate_json(estimates: Sequence[KernelEstimate], model: str) -> str:
    """The document as text."""
    return json.dumps(estimate_document(estimates, model), indent=1) + "\n"


def _entry(each: KernelEstimate) -> dict[str, Any]:
    e = each.estimate
    o, counts = e.occupancy, e.counts
    valid = not e.invalid
    return {
        "configuration": {
            "kernel": each.kernel,
            "source": each.source,
            "macros": dict(each.configuration),
            "global_size": list(each.global_size),
            "local_size": list(each.local_size),
        },
        "gpu": e.gpu,
        "time_us": _rounded(e.time_us) if valid else None,
        "range_us": [_rounded(v) for v in e.range_us] if valid else None,
        "cycles": _rounded(e.cycles) if valid else None,
        "reason": e.invalid,
        "limiter": e.limiter,
        "cpi": _rounded(e.cpi),
        "cpi_stack": {name: _rounded(value) for name, value in e.cpi_stack.items()},
        "bounds_cycles": {name: _rounded(value) for name, value in e.bounds.items()},
        "occupancy": {
            "blocks": o.blocks,
            "warps": o.warps,
            "max_warps": o.max_warps,
            "ratio": o.ratio,
            "registers": o.registers,
            "local_bytes": o.shared_bytes,
            "limiters": [limiter.value for limiter in o.limiters],
        },
        "waves": _rounded(e.waves),
        "counts": {
            "warp_instructions": _rounded(counts.warp_instructions),
            "by_unit": {name: _rounded(value) for name, value in counts.by_unit.items()},
            "shared_load_wavefronts": _rounded(counts.shared_load_wavefronts),
            "shared_store_wavefronts": _rounded(counts.shared_store_wavefronts),
            "l2_read_sectors": _rounded(counts.l2_read_sectors),
            "l2_write_sectors": _rounded(counts.l2_write_sectors),
            "dram_read_sectors": _rounded(counts.dram_read_sectors),
            "dram_write_sectors": _rounded(counts.dram_write_sectors),
        },
        "confidence": {
            "assumed_launch": each.assumed_launch,
            "assumed_share": _rounded(e.assumed_share),
            "unattributed_share": _rounded(e.unattributed_share),
            "accesses_without_addresses": e.unknown_accesses,
            "assumed_gpu_values": [
                {"key": a.key, "value": a.value, "reason": a.reason} for a in e.assumptions
            ],
            "weak_gpu_values": list(e.weak),
        },
        "lines": [{"line": line, "share": _rounded(share)} for line, share in e.lines],
    }


def _rounded(value: float) -> float:
    return float(f"{float(value):.10g}")


def estimate_csv(estimates: Sequence[KernelEstimate]) -> str:
    """One row per estimate, macros in columns of their own."""
    macros = list(dict.fromkeys(name for each in estimates for name in each.configuration))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["kernel", "gpu", "global", "local", *macros, "time_us", "low_us", "high_us",
                     "limiter", "warps", "waves", "invalid"])  # fmt: skip
    for each in estimates:
        e = each.estimate
        times = ["", "", ""] if e.invalid else [f"{v:.6g}" for v in (e.time_us, *e.range_us)]
        writer.writerow([
            each.kernel, e.gpu, "x".join(map(str, each.global_size)),
            "x".join(map(str, each.local_size)),
            *(each.configuration.get(name, "") for name in macros), *times, e.limiter,
            e.occupancy.warps, f"{e.waves:.4g}", e.invalid,
        ])  # fmt: skip
    return text.getvalue()


# text


def estimate_text(estimates: Sequence[KernelEstimate], lines: Mapping[str, Sequence[str]]) -> str:
    """A report on one estimate, a table of several."""
    if len(estimates) == 1:
        return _one(estimates[0], lines)
    return _table(estimates)


def _table(estimates: Sequence[KernelEstimate]) -> str:
    rows = [("kernel", "GPU", "configuration", "time", "warps/SM", "limited by")]
    varying = _varying(estimates)
    for each in estimates:
        e = each.estimate
        time = "cannot run" if e.invalid else duration(e.time_us)
        macros = " ".join(f"{n}={each.configuration.get(n, '')}" for n in varying)
        rows.append(
            (each.kernel, e.gpu, macros, time, str(e.occupancy.warps), e.limiter or e.invalid)
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        + "\n"
        for row in rows
    )


def _varying(estimates: Sequence[KernelEstimate]) -> list[str]:
    names = list(dict.fromkeys(name for each in estimates for name in each.configuration))
    return [n for n in names if len({each.configuration.get(n) for each in estimates}) > 1]


def _one(each: KernelEstimate, lines: Mapping[str, Sequence[str]]) -> str:
    e = each.estimate
    o = e.occupancy
    launch = f"{' x '.join(map(str, each.global_size))} in {' x '.join(map(str, each.local_size))}"
    assumed = " (assumed)" if each.assumed_launch else ""
    if e.invalid:
        return f"{each.kernel} on {e.gpu}: cannot run: {e.invalid}\n"
    low, high = e.range_us
    head = f"{each.kernel} on {e.gpu}: {duration(e.time_us)}"
    limits = ", ".join(limiter.value for limiter in o.limiters)
    held = f"{o.warps} of {o.max_warps} warps per SM, {o.blocks} blocks"
    found = [
        f"{head} ({duration(low)} to {duration(high)}), limited by {e.limiter}",
        f"  launch      {launch}{assumed}; {e.waves:.1f} waves",
        f"  occupancy   {held}, limited by {limits}; {o.registers} registers",
        f"  cycles      {e.cycles:,.0f}; {e.cpi:.2f} per warp instruction of a scheduler, of which",
    ]
    for name, value in sorted(e.cpi_stack.items(), key=lambda item: -item[1]):
        if value >= 0.005 * e.cpi:
            bar = "#" * round(BAR_COLUMNS * value / e.cpi)
            found.append(f"    {name:22s} {value:6.2f}  {bar}")
    found.append("  at least    " + _bounds(e.bounds, e.cycles))
    c = e.counts
    found.append(
        f"  counts      {c.warp_instructions:,.0f} warp instructions; "
        f"DRAM {megabytes(c.dram_read_sectors)} read, {megabytes(c.dram_write_sectors)} written; "
        f"L2 {megabytes(c.l2_read_sectors)} read, {megabytes(c.l2_write_sectors)} written"
    )
    found.append("  confidence  " + _confidence(each))
    return "\n".join([*found, *_lines(each, lines)]) + "\n"


def _bounds(bounds: Mapping[str, float], cycles: float) -> str:
    first = sorted(bounds.items(), key=lambda item: -item[1])[:4]
    return ", ".join(f"{name} {100 * value / cycles:.0f} %" for name, value in first)


def _confidence(each: KernelEstimate) -> str:
    e = each.estimate
    parts = list[str]()
    if e.assumed_share:
        parts.append(f"{100 * e.assumed_share:.0f} % of warp instructions behind assumed branches")
    if e.unknown_accesses:
        parts.append(f"{e.unknown_accesses} accesses without known addresses")
    if e.unattributed_share >= 0.005:
        parts.append(f"{100 * e.unattributed_share:.0f} % of warp instructions without a line")
    parts.append(f"{len(e.assumptions)} GPU values assumed, {len(e.weak)} weak")
    return "; ".join(parts)


def _lines(each: KernelEstimate, lines: Mapping[str, Sequence[str]]) -> list[str]:
    text = lines.get(each.source, ())
    found = ["  lines"]
    for line, share in each.estimate.lines[:LINES_SHOWN]:
        if line and share >= 0.005:
            shown = text[line - 1].strip()[:70] if line <= len(text) else ""
            found.append(f"    {100 * share:5.1f} %  {line:5d}  {shown}".rstrip())
    return found


def duration(microseconds: float) -> str:
    """A time with a fitting unit."""
    if microseconds < 1e3:
        return f"{microseconds:.3g} us"
    if microseconds < 1e6:
        return f"{microseconds / 1e3:.3g} ms"
    return f"{microseconds / 1e6:.3g} s"


def megabytes(sectors: float) -> str:
    """Sectors of 32 bytes, in MB."""
    return f"{sectors * 32e-6:.1f} MB"


# comparison


@dataclass(frozen=True, slots=True)
class Change:
    """One configuration in two documents; ``ratio`` is after over before, None where one of them
    has no time."""

    name: str
    before_us: float | None
    after_us: float | None

    @property
    def ratio(self) -> float | None:
        if not self.before_us or self.after_us is None:
            return None
        return self.after_us / self.before_us


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Estimates that stand in both documents, by kernel, GPU, launch and macros; those that stand
    in one only are changes without a ratio."""
    first = {_name(e): e["time_us"] for e in before["estimates"]}
    second = {_name(e): e["time_us"] for e in after["estimates"]}
    return [Change(n, first.get(n), second.get(n)) for n in dict.fromkeys([*first, *second])]


def _name(entry: Mapping[str, Any]) -> str:
    c = entry["configuration"]
    launch = "x".join(map(str, c["global_size"])) + "/" + "x".join(map(str, c["local_size"]))
    macros = " ".join(f"{k}={v}" for k, v in sorted(c["macros"].items()))
    return f"{c['kernel']} on {entry['gpu']}, {launch} {macros}".rstrip()


def comparison_document(found: Sequence[Change], limit: float | None) -> dict[str, Any]:
    """The document kcc/comparison/1; ``limit`` is the share by which a time may grow."""
    return {
        "schema": COMPARISON_SCHEMA,
        "kcc_version": kcc.__version__,
        "fail_above": limit,
        "failed": any(is_slower(c, limit) for c in found),
        "changes": [
            {"name": c.name, "before_us": c.before_us, "after_us": c.after_us, "ratio": c.ratio,
             "failed": is_slower(c, limit)}
            for c in found
        ],
    }  # fmt: skip


def is_slower(change: Change, limit: float | None) -> bool:
    """Whether a time grew by more than the limit, or cannot be compared any more."""
    if limit is None:
        return False
    if change.before_us is None:
        return False
    return change.ratio is None or change.ratio > 1 + limit


def comparison_text(found: Sequence[Change], limit: float | None) -> str:
    """A line per configuration, those that grew most first."""
    rows = list[str]()
    for c in sorted(found, key=lambda c: -(c.ratio or float("inf"))):
        before = "-" if c.before_us is None else duration(c.before_us)
        after = "-" if c.after_us is None else duration(c.after_us)
        change = "" if c.ratio is None else f"{100 * (c.ratio - 1):+.1f} %"
        mark = "  SLOWER" if is_slower(c, limit) else ""
        rows.append(f"{before:>9s} -> {after:>9s}  {change:>9s}  {c.name}{mark}\n")
    return "".join(rows)
