"""The roofline of an estimate (Williams et al., CACM 2009), with roofs of the FMA pipeline and
tensor cores, of L1, L2 and DRAM.

A record has what it takes: what the GPU can do in a cycle at most, what the launch did and moved.
Operations are instructions of threads on the FMA and FP64 pipelines (additions, multiplications and
both at once count alike) and multiply-adds of tensor cores; of a kernel without any, those of the
ALU pipeline: integers, comparisons, addresses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from kcc.base.records import dataclass
from kcc.report.estimate.record import Counted, EstimateRecord
from kcc.report.plots.render import Chart
from kcc.report.shared.ink import BLUE, GREEN, ORANGE, VIOLET

SECTOR = 32
WIDTH, HEIGHT = 520, 260

MARGIN = 8.0
"""By how much the axis goes beyond ridges and points."""

COLORS = {"L1": GREEN, "L2": BLUE, "DRAM": ORANGE}

FMA, TENSOR, FP64, ALU = "FMA pipeline", "tensor cores", "FP64 pipeline", "ALU pipeline"


@dataclass(frozen=True, slots=True)
class Roofline:
    """Rates in operations and bytes per nanosecond (G/s), intensities in operations per byte."""

    peaks: Mapping[str, float]
    bandwidths: Mapping[str, float]
    intensities: Mapping[str, float]
    reached: float


def roofline_of(record: EstimateRecord) -> Roofline | None:
    """Of a record; None where it has no such operations or moves nothing."""
    counts, peaks = record.counts, record.peaks
    if counts is None or not peaks or not record.cycles or not record.time_us:
        return None
    per_ns = record.cycles / record.time_us / 1e3
    done = {
        unit: counts.warp_size * counts.by_unit.get(unit, 0.0) for unit in ("fma", "fp64", "alu")
    }
    operations = done["fma"] + done["fp64"] + counts.tensor_multiply_adds
    moved = {level: size for level, size in _moved(counts).items() if size}
    tops = {FMA: peaks.get("fma", 0.0), TENSOR: peaks.get("tensor", 0.0)}
    if done["fp64"]:
        tops[FP64] = peaks.get("fp64", 0.0)
    if not operations:
        operations, tops = done["alu"], {ALU: peaks.get("alu", 0.0)}
    if not operations or not moved or not any(tops.values()):
        return None
    return Roofline(
        {name: rate * per_ns for name, rate in tops.items() if rate},
        {level: peaks[f"{level.lower()}_bytes"] * per_ns for level in moved},
        {level: operations / size for level, size in moved.items()},
        operations / (record.kernel_us or record.time_us) / 1e3,
    )


def _moved(counts: Counted) -> dict[str, float]:
    """Bytes by level."""
    return {
        "L1": SECTOR * counts.l1_sectors,
        "L2": SECTOR * (counts.l2_read_sectors + counts.l2_write_sectors),
        "DRAM": SECTOR * (counts.dram_read_sectors + counts.dram_write_sectors),
    }


def roofline_chart(record: EstimateRecord, name: str = "roofline") -> Chart | None:
    """The chart: a roof for each level and unit, and the kernel at its intensity to each level."""
    found = roofline_of(record)
    if found is None:
        return None
    top = max(found.peaks.values())
    ridges = [peak / rate for peak in found.peaks.values() for rate in found.bandwidths.values()]
    places = [*ridges, *found.intensities.values()]
    low, high = min(places) / MARGIN, max(places) * MARGIN
    roofs = [
        {"level": level, "x": x, "y": rate * x}
        for level, rate in found.bandwidths.items()
        for x in (low, top / rate)
    ]
    # A flat roof begins where the steepest one meets it.
    flat = [
        {"unit": unit, "x": x, "y": peak}
        for unit, peak in found.peaks.items()
        for x in (peak / max(found.bandwidths.values()), high)
    ]
    points = [
        {"level": level, "x": x, "y": found.reached} for level, x in found.intensities.items()
    ]
    return Chart(name, _WORDS, _spec(list(found.bandwidths), roofs, flat, points))


_WORDS = "Roofline: operations per second over operations per byte of L1, L2 and DRAM"


def _spec(levels: list[str], roofs: list[Any], flat: list[Any], points: list[Any]) -> Any:
    color = {
        "field": "level", "type": "nominal", "title": "level",
        "scale": {"domain": levels, "range": [COLORS[level] for level in levels]},
    }  # fmt: skip
    place = {
        "x": _axis("x", "operations per byte", [each["x"] for each in (*roofs, *flat)]),
        "y": _axis("y", "operations per second, G/s", [each["y"] for each in (*roofs, *points)]),
    }
    names = {"baseline": "bottom", "align": "right", "dy": -4, "fontSize": 10}
    ends = [each for n, each in enumerate(flat) if n % 2]
    return {
        "padding": {"left": 5, "top": 8, "right": 20, "bottom": 5},
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [
            _layer(roofs, {"type": "line"}, place | {"color": color}),
            _layer(
                flat,
                {"type": "line", "color": VIOLET},
                place | {"detail": {"field": "unit", "type": "nominal"}},
            ),
            _layer(
                ends, {"type": "text", **names}, place | {"text": {"field": "unit"}}
            ),
            _layer(
                points,
                {"type": "point", "filled": True, "size": 90, "opacity": 1},
                place | {"color": color},
            ),
        ],
    }  # fmt: skip


def _layer(values: list[Any], mark: Mapping[str, Any], encoding: Mapping[str, Any]) -> Any:
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}


def _axis(field: str, title: str, shown: list[float]) -> dict[str, Any]:
    """A logarithmic axis with ticks at powers of ten."""
    scale = {"type": "log", "nice": False}
    low, high = math.ceil(math.log10(min(shown))), math.floor(math.log10(max(shown)))
    ticks = [10.0**power for power in range(low, high + 1)]
    axis = {"format": "~s" if field == "y" else "~g", "values": ticks, "grid": False}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}
