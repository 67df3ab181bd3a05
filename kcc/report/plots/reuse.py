"""The reuse-distance curve of a kernel: which share of touches a cache of so many lines would hit,
if it kept the least recently used ones (Mattson et al., IBM Systems Journal 1970)."""

from __future__ import annotations

from typing import Any

from kcc.base.profile.model import LaunchProfile
from kcc.report.plots.render import Chart
from kcc.report.shared.ink import BLUE

WIDTH, HEIGHT = 520, 220
LINE_BYTES = 128


def reuse_curve(launch: LaunchProfile) -> list[tuple[int, float]]:
    """Bytes of a cache and the share of touches of lines that hit it; the rest are first touches
    or farther apart. Empty without touches."""
    counts = dict[int, int]()
    for access in launch.accesses:
        for distance, count in access.reuse.items():
            counts[distance] = counts.get(distance, 0) + count
    touches = sum(counts.values()) + sum(access.new_lines for access in launch.accesses)
    found, hits = list[tuple[int, float]](), 0
    for distance in sorted(counts):
        hits += counts[distance]
        found.append(((distance + 1) * LINE_BYTES, hits / touches))
    return found


def reuse_chart(curve: list[tuple[int, float]], name: str = "reuse") -> Chart | None:
    """The chart; None without touches."""
    words = "Share of touches of lines that a cache of a size would hit"
    return Chart(name, words, _spec(curve)) if curve else None


def _spec(curve: list[tuple[int, float]]) -> dict[str, Any]:
    values = [{"kib": size / 1024, "share": round(share, 6)} for size, share in curve]
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": values},
        "mark": {"type": "line", "interpolate": "step-after", "point": True, "color": BLUE},
        "encoding": {
            "x": {
                "field": "kib", "type": "quantitative", "title": "cache, KiB",
                "scale": {"type": "log", "base": 2},
                "axis": {"format": "~g", "labelOverlap": "greedy"},
            },
            "y": {
                "field": "share", "type": "quantitative", "title": "touches of lines that hit",
                "scale": {"domain": [0, 1]}, "axis": {"format": "%"},
            },
        },
    }  # fmt: skip
