"""Macros of a sweep that make no difference: most often their names are not those of the source."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.report.estimate.record import EstimateRecord


def without_effect(records: Sequence[EstimateRecord]) -> list[str]:
    """A sentence on each macro that has several values, all of which give the same launches and the
    same times."""
    if all(each.time_us is None for each in records):
        return []
    names = dict.fromkeys(name for each in records for name in each.configuration.macros)
    return [
        f"--sweep {name}: all estimates are the same whatever its value; has the source a macro of "
        "this name?"
        for name in names
        if _is_idle(name, records)
    ]


def _is_idle(name: str, records: Sequence[EstimateRecord]) -> bool:
    found = dict[object, dict[str | None, list[object]]]()
    for each in records:
        c = each.configuration
        others = tuple(item for item in c.macros.items() if item[0] != name)
        outcome = (c.global_size, c.local_size, each.time_us, each.cycles, each.reason)
        values = found.setdefault((c.kernel, each.gpu, others), {})
        values.setdefault(c.macros.get(name), []).append(outcome)
    several = any(len(values) > 1 for values in found.values())
    return several and all(_are_equal(list(values.values())) for values in found.values())


def _are_equal(outcomes: Sequence[object]) -> bool:
    return all(each == outcomes[0] for each in outcomes)
