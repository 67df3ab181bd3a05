"""What each mechanism of the model is worth in a sweep: how the ranking of its configurations, and
the choice of the first, change where the mechanism is switched off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.report.estimate.record import EstimateRecord, configuration_words

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ablation:
    """A kernel's configurations on a GPU without one mechanism, against the full model.

    ``median_ratio`` is of times without the mechanism over those with it; ``spearman`` and
    ``kendall`` compare the rankings, None where there is nothing to rank. ``first`` is the
    configuration that would be chosen, and ``regret`` by how much it is slower than the best one,
    both in the full model's times.
    """

    kernel: str
    gpu: str
    without: str
    configurations: int
    median_ratio: float
    spearman: float | None
    kendall: float | None
    first: str
    regret: float


def ablations_of(records: Sequence[EstimateRecord]) -> tuple[Ablation, ...]:
    """Those of every kernel and GPU; none where nothing was switched off."""
    groups = dict[tuple[str, str], list[EstimateRecord]]()
    for each in records:
        if each.ablated_us and each.time_us is not None:
            groups.setdefault((each.configuration.kernel, each.gpu), []).append(each)
    return tuple(
        _ablation(kernel, gpu, without, members)
        for (kernel, gpu), members in groups.items()
        for without in members[0].ablated_us
    )


def ablation_json(ablation: Ablation) -> dict[str, Any]:
    """A member of ``ablations`` in kcc/estimate/1."""
    return asdict(ablation)


def _ablation(kernel: str, gpu: str, without: str, members: Sequence[EstimateRecord]) -> Ablation:
    full = np.array([each.time_us for each in members], np.float64)
    other = np.array([each.ablated_us[without] for each in members], np.float64)
    first = int(other.argmin())
    return Ablation(
        kernel, gpu, without, len(members), _short(float(np.median(other / full))),
        _rounded(spearman(full, other)), _rounded(kendall(full, other)),
        _choice(members, first),
        _short(float(full[first] / full.min() - 1)),
    )  # fmt: skip


def _choice(members: Sequence[EstimateRecord], chosen: int) -> str:
    """A configuration among others: its launch, and the macros that are not the same in all."""
    places = [each.configuration for each in members]
    own = places[chosen]
    macros = {
        name: value
        for name, value in own.macros.items()
        if any(place.macros.get(name) != value for place in places)
    }
    return configuration_words(replace(own, macros=macros))


def ranks(values: Numbers) -> Numbers:
    """Ranks from 0; equal values share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts + 1) / 2)[place]


def spearman(first: Numbers, second: Numbers) -> float | None:
    """The correlation of ranks; None where one of both has a single value only."""
    a, b = ranks(first), ranks(second)
    a, b = a - a.mean(), b - b.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread else None


def kendall(first: Numbers, second: Numbers) -> float | None:
    """Kendall's tau-b: pairs in the same order less those in the other, ties allowed for."""
    agreed, apart_first, apart_second = 0.0, 0, 0
    for i in range(len(first) - 1):
        a, b = np.sign(first[i + 1 :] - first[i]), np.sign(second[i + 1 :] - second[i])
        agreed += float(a @ b)
        apart_first += int(np.count_nonzero(a))
        apart_second += int(np.count_nonzero(b))
    spread = float(np.sqrt(float(apart_first) * apart_second))
    return agreed / spread if spread else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else _short(value)


def _short(value: float) -> float:
    return float(f"{value:.6g}")
