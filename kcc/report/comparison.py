"""What two documents of times say of each other, of either kind: the rows of `kcc compare`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import kcc
from kcc.base.records import dataclass
from kcc.base.terms import stall_label
from kcc.report.estimate.comparison import COMPARISON_SCHEMA, Change
from kcc.report.estimate.record import EstimateRecord
from kcc.report.shared.units import duration
from kcc.report.simulation.comparison import TimeProfile, comparison_json

Parts = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Moved:
    """A cause of time, or a line ``FILE:LINE``, with its part of the time before and after."""

    name: str
    before_us: float
    after_us: float

    @property
    def change_us(self) -> float:
        return self.after_us - self.before_us


@dataclass(frozen=True, slots=True)
class Row:
    """A configuration in both documents. ``cause`` and ``line`` are those whose part of the time
    changed most. ``within_range``: the new time lies in the range of the old one, so that the
    model's error may be all of the difference."""

    name: str
    renamed: str
    before_us: float | None
    after_us: float | None
    ratio: float | None
    verdict: str
    reason: str
    failed: bool
    within_range: bool = False
    cause: Moved | None = None
    line: Moved | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All rows. ``limit`` is the share by which a time may grow; ``differences`` say where the
    documents were not made alike; ``simulations`` are the runs of each row, where it is of runs."""

    rows: tuple[Row, ...]
    limit: float | None
    differences: tuple[str, ...] = ()
    simulations: tuple[tuple[TimeProfile, TimeProfile], ...] = ()

    @property
    def failed(self) -> bool:
        """Whether a time grew by more than the limit, or is lost."""
        return any(row.failed for row in self.rows)

    @property
    def ranked(self) -> list[Row]:
        """Those that fail or grew most first."""
        return sorted(self.rows, key=lambda row: (not row.failed, -(row.ratio or 0)))


def of_estimates(found: Sequence[Change], limit: float | None, unlike: Sequence[str]) -> Comparison:
    """Of two documents of estimates."""
    return Comparison(tuple(_of_change(each, limit) for each in found), limit, tuple(unlike))


def of_simulations(
    pairs: Sequence[tuple[TimeProfile, TimeProfile]], limit: float | None
) -> Comparison:
    """Of two documents of simulations, configuration by configuration."""
    rows = tuple(_of_pair(old, new, limit) for old, new in pairs)
    return Comparison(rows, limit, (), tuple(pairs))


def verdict_of(found: Comparison) -> str:
    """One sentence: the configuration that changed most, what changed in it, and how many did."""
    counts = Counter(row.verdict for row in found.rows)
    said = ", ".join(f"{count} {what}" for what, count in counts.items()) or "nothing to compare"
    if found.limit is not None:
        failed = sum(row.failed for row in found.rows)
        said += f"; {failed or 'none'} beyond {100 * found.limit:g} %"
    known = [row for row in found.rows if row.ratio not in (None, 1)]
    if not known:
        return f"{said[0].upper()}{said[1:]}."
    most = max(known, key=lambda row: (row.failed, abs(math.log(row.ratio or 1.0))))
    times = f"{duration(most.before_us or 0.0)} to {duration(most.after_us or 0.0)}"
    moved = [
        f"{word}{label(each.name)} {'+' if each.change_us > 0 else '-'}"
        f"{duration(abs(each.change_us))}"
        for word, each, label in (("", most.cause, stall_label), ("line ", most.line, str))
        if each is not None
    ]
    mark = ", within the range of the old time" if most.within_range else ""
    change = f"{100 * ((most.ratio or 1.0) - 1):+.1f} %"
    why = f" ({', '.join(moved)})" if moved else ""
    return f"{most.name}: {times}, {change}{mark}{why}; in all {said}."


def comparison_document(found: Comparison) -> dict[str, Any]:
    """The document kcc/comparison/1."""
    document: dict[str, Any] = {
        "schema": COMPARISON_SCHEMA, "kcc_version": kcc.__version__, "fail_above": found.limit,
        "failed": found.failed, "verdict": verdict_of(found),
        "differences": list(found.differences),
        "changes": [_row_json(row) for row in found.rows],
    }  # fmt: skip
    if found.simulations:
        document["simulations"] = [comparison_json(old, new) for old, new in found.simulations]
    return document


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "name": row.name, "renamed": row.renamed, "before_us": row.before_us,
        "after_us": row.after_us,
        "ratio": None if row.ratio is None else float(f"{row.ratio:.10g}"),
        "verdict": row.verdict, "reason": row.reason, "failed": row.failed,
        "within_range": row.within_range, "cause": _moved_json(row.cause),
        "line": _moved_json(row.line),
    }  # fmt: skip


def _moved_json(moved: Moved | None) -> dict[str, Any] | None:
    if moved is None:
        return None
    before, after = (float(f"{us:.10g}") for us in (moved.before_us, moved.after_us))
    return {"name": moved.name, "before_us": before, "after_us": after}


def _of_change(change: Change, limit: float | None) -> Row:
    old, new = change.before, change.after
    cause = line = None
    within = False
    if old is not None and new is not None and change.ratio is not None:
        cause = _most_moved(_causes(old), _causes(new))
        line = _most_moved(_lines(old), _lines(new))
        within = _is_within(old, new)
    return Row(
        change.name, change.renamed, change.before_us, change.after_us, change.ratio,
        change.verdict.value, "" if new is None else new.reason, change.fails(limit), within,
        cause, line,
    )  # fmt: skip


def _is_within(old: EstimateRecord, new: EstimateRecord) -> bool:
    if old.range_us is None or new.time_us is None or new.time_us == old.time_us:
        return False
    return old.range_us[0] <= new.time_us <= old.range_us[1]


def _causes(record: EstimateRecord) -> dict[str, float]:
    whole = sum(record.cpi_stack.values())
    scale = (record.time_us or 0.0) / whole if whole else 0.0
    return {name: part * scale for name, part in record.cpi_stack.items()}


def _lines(record: EstimateRecord) -> dict[str, float]:
    return {
        f"{line.file or record.configuration.source}:{line.line}": line.share * record.time_us
        for line in record.lines
        if line.line and record.time_us is not None
    }


def _most_moved(before: Parts, after: Parts) -> Moved | None:
    """The part that changed most, None where none did."""
    names = {**before, **after}
    found = [Moved(name, before.get(name, 0.0), after.get(name, 0.0)) for name in names]
    most = max(found, key=lambda each: abs(each.change_us), default=None)
    return most if most is not None and most.change_us else None


def _of_pair(old: TimeProfile, new: TimeProfile, limit: float | None) -> Row:
    ratio = new.time_us / old.time_us if old.time_us else None
    verdict = "same" if ratio in (None, 1) else "slower" if (ratio or 0) > 1 else "faster"
    name = old.label if old.label == new.label else f"{old.label}, then {new.label}"
    failed = limit is not None and (ratio or 0) > 1 + limit
    return Row(
        name, "", old.time_us, new.time_us, ratio, verdict, "", failed,
        cause=_most_moved(old.causes, new.causes),
        line=_most_moved(_placed(old), _placed(new)),
    )  # fmt: skip


def _placed(profile: TimeProfile) -> dict[str, float]:
    found = profile.lines.items()
    return {f"{file}:{line}": sum(parts.values()) for (file, line), parts in found if line}
