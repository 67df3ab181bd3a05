"""Within what a time is to be expected: nominally 90 % of measured times.

The width is a model of residuals of tables that were left out when they were predicted, or that
nobody had looked at then (`benchmarks/fit_ranges.py`, which wrote ranges.json): quantile regression
(Koenker and Bassett, Econometrica 1978) of the logarithm of measured over estimated, for either
side, on what is known when an estimate is made; scaled, by group, so that over tables left out of
the fit, weighed alike, the nominal share is covered (split conformal prediction: Lei et al., JASA
2018). Every feature can only widen.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from enum import Enum
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from kcc.base.records import dataclass

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription

VOLTA = (7, 0)
FEATURES = (
    "always", "AMD", "before Volta", "latency", "guessed share", "unknown addresses",
    "assumed and weak values",
)  # fmt: skip
"""What the widths depend on, each from 0 on: see :func:`features`."""

MANY_VALUES = 20.0
"""Assumed and weak values of a GPU that count as one."""

WIDEST = {"NVIDIA": 6.0, "AMD": 30.0}
"""The largest factor on either side, by vendor: what is wider says nothing. The fit asks for more
where addresses are unknown: its residuals there are those of one kernel (dedispersion), whose rows
this leaves outside. On AMD's GPUs estimates are off by up to a factor of 30."""

FEW = 0.01
"""A share of accesses at unknown places that changes nothing."""

FOR_INTERLEAVING = 2.0
"""More for each standard deviation, as a share, of what DRAM moves over trials of interleavings."""


class Family(Enum):
    """GPUs whose estimates are alike in how far off they are."""

    NVIDIA = "NVIDIA"
    BEFORE_VOLTA = "NVIDIA before Volta"
    AMD = "AMD"


def family_of(gpu: GpuDescription) -> Family:
    """That of a GPU."""
    if gpu.is_amd:
        return Family.AMD
    capability = gpu.capability
    old = capability is not None and capability < VOLTA
    return Family.BEFORE_VOLTA if old else Family.NVIDIA


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a time rests on. ``guessed_share`` of warp instructions; ``unknown_share`` of sectors of
    global memory are asked for where memory decides; ``values`` of the GPU are assumed or weak;
    ``interleaving``: the deviation of what DRAM moves; ``doubt``: both ends are computed, so many
    times apart from the middle."""

    limiter: str
    guessed_share: float
    unknown_share: float
    values: int
    family: Family = Family.NVIDIA
    interleaving: float = 0.0
    doubt: float = 1.0


def features(grounds: Grounds) -> tuple[float, ...]:
    """The values of :data:`FEATURES`."""
    return (
        1.0,
        float(grounds.family is Family.AMD),
        float(grounds.family is Family.BEFORE_VOLTA),
        float(grounds.limiter.startswith("latency")),
        min(grounds.guessed_share, 1.0),
        min(grounds.unknown_share, 1.0),
        grounds.values / MANY_VALUES,
    )


@dataclass(frozen=True, slots=True)
class Widths:
    """For each feature by what a range is wider, as a logarithm: below and above the time; and by
    group of estimates what both are multiplied by."""

    below: tuple[float, ...]
    above: tuple[float, ...]
    scales: Mapping[str, float]


def group_of(grounds: Grounds) -> str:
    """Estimates that are calibrated together."""
    return f"{_vendor(grounds)}, {'unknown' if grounds.unknown_share > FEW else 'known'} addresses"


def _vendor(grounds: Grounds) -> str:
    return "AMD" if grounds.family is Family.AMD else "NVIDIA"


@cache
def shipped_widths() -> Widths:
    """Those of ranges.json."""
    text = resources.files("kcc.sim.estimate").joinpath("ranges.json").read_text(encoding="utf-8")
    content = json.loads(text)
    below, above = (tuple(content[side][name] for name in FEATURES) for side in ("below", "above"))
    return Widths(below, above, content["scales"])


def range_of(time_us: float, grounds: Grounds, widths: Widths | None = None) -> tuple[float, float]:
    """The least and the greatest time."""
    widths, values = widths or shipped_widths(), features(grounds)
    scale = widths.scales[group_of(grounds)]
    more = grounds.doubt * (1.0 + FOR_INTERLEAVING * grounds.interleaving)
    widest = WIDEST[_vendor(grounds)]
    down, up = (
        min(math.exp(scale * math.fsum(w * v for w, v in zip(side, values, strict=True))), widest)
        * more
        for side in (widths.below, widths.above)
    )
    return time_us / down, time_us * up
