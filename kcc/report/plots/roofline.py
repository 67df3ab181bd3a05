"""The roofline of an estimate (Williams et al., CACM 2009), with roofs of DRAM and L2.

A record has what it takes: what each resource needs at least, in cycles, and what it moves. So the
rate of a resource is what is moved over these cycles. Operations are instructions of threads on the
FMA pipeline: additions, multiplications and both at once count alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kcc.report.estimate.record import EstimateRecord

SECTOR, WARP = 32, 32
WIDTH, HEIGHT = 520, 260

MARGIN = 8.0
"""By how much the axis goes beyond ridges and points."""


@dataclass(frozen=True, slots=True)
class Roofline:
    """Rates in operations and bytes per nanosecond (G/s), intensities in operations per byte."""

    peak: float
    bandwidths: Mapping[str, float]
    intensities: Mapping[str, float]
    reached: float


def roofline_of(record: EstimateRecord) -> Roofline | None:
    """Of a record; None where it has no such operations or moves nothing."""
    counts, bounds = record.counts, record.bounds_cycles
    if counts is None or not record.cycles or not record.time_us:
        return None
    per_ns = record.cycles / record.time_us / 1e3
    operations = WARP * counts.by_unit.get("fma", 0.0)
    moved = {
        "DRAM": (counts.dram_read_sectors + counts.dram_write_sectors, "dram_bandwidth"),
        "L2": (counts.l2_read_sectors + counts.l2_write_sectors, "l2_bandwidth"),
    }
    known = {
        level: (SECTOR * sectors, bounds[name])
        for level, (sectors, name) in moved.items()
        if sectors and bounds.get(name)
    }
    if not operations or not bounds.get("fma") or "DRAM" not in known:
        return None
    return Roofline(
        operations / bounds["fma"] * per_ns,
        {level: size / cycles * per_ns for level, (size, cycles) in known.items()},
        {level: operations / size for level, (size, _) in known.items()},
        operations / (record.kernel_us or record.time_us) / 1e3,
    )


def roofline_spec(found: Roofline | None) -> dict[str, Any] | None:
    """The chart: a roof for each level, and the kernel at its intensity with regard to it."""
    if found is None:
        return None
    ridges = [found.peak / rate for rate in found.bandwidths.values()]
    places = [*ridges, *found.intensities.values()]
    low, high = min(places) / MARGIN, max(places) * MARGIN
    roofs = [
        {"level": level, "x": x, "y": min(rate * x, found.peak)}
        for level, rate in found.bandwidths.items()
        for x in (low, found.peak / rate, high)
    ]
    points = [
        {"level": level, "x": x, "y": found.reached} for level, x in found.intensities.items()
    ]
    levels = list(found.bandwidths)
    color = {
        "field": "level", "type": "nominal", "title": "level",
        "scale": {"domain": levels, "range": ["#24558f", "#4c84c4"][: len(levels)]},
    }  # fmt: skip
    axes = {
        "x": _axis("x", "operations on the FMA pipeline per byte"),
        "y": _axis("y", "operations per second, G/s"),
        "color": color,
    }
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [
            {"data": {"values": roofs}, "mark": {"type": "line"}, "encoding": axes},
            {
                "data": {"values": points},
                "mark": {"type": "point", "filled": True, "size": 90},
                "encoding": axes,
            },
        ],
    }


def _axis(field: str, title: str) -> dict[str, Any]:
    scale = {"type": "log", "nice": False}
    return {
        "field": field, "type": "quantitative", "title": title, "scale": scale,
        "axis": {"format": "~g", "tickCount": 6, "labelOverlap": "greedy"},
    }  # fmt: skip
