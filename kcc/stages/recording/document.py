"""Tables of units as files: ``kcc/units/1``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import kcc
from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.base.trace.rows import RowError, from_json
from kcc.sim.sampling.simprof.table import Floats, Metric, UnitTable

SCHEMA = "kcc/units/1"
DIGITS = 6
"""Of shares."""


@dataclass(frozen=True, slots=True)
class _Metric:
    name: str
    cost: str
    work: str
    meaning: str
    rate: bool


@dataclass(frozen=True, slots=True)
class _Counter:
    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Document:
    """``shares`` has a row for each unit: the number of each feature that is in it, and its
    share."""

    schema: str
    kcc_version: str
    source: str
    recorder: str
    unit: str
    feature: str
    complete: bool
    metric: _Metric
    features: tuple[str, ...]
    cost: tuple[float, ...]
    work: tuple[float, ...]
    counters: tuple[_Counter, ...]
    shares: tuple[tuple[tuple[int, float], ...], ...]


def units_json(table: UnitTable) -> str:
    """The document of a table."""
    rows = [
        [[n, round(float(row[n]), DIGITS)] for n in np.flatnonzero(row).tolist()]
        for row in table.shares
    ]
    metric = table.metric
    document = {
        "schema": SCHEMA, "kcc_version": kcc.__version__, "source": table.source,
        "recorder": table.recorder, "unit": table.unit, "feature": table.feature,
        "complete": table.complete,
        "metric": {"name": metric.name, "cost": metric.cost, "work": metric.work,
                   "meaning": metric.meaning, "rate": metric.rate},
        "features": list(table.features), "cost": table.cost.tolist(), "work": table.work.tolist(),
        "counters": [{"name": name, "values": own.tolist()} for name, own in
                     table.counters.items()],
        "shares": rows,
    }  # fmt: skip
    return json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n"


def read_units(path: Path) -> UnitTable:
    """The table in a file; raises K960 for a file that is none, is damaged or has no unit."""
    try:
        value: Any = json.loads(path.read_text(encoding="utf-8"))
        schema: object = value.get("schema") if hasattr(value, "get") else None
        if schema != SCHEMA:
            raise _unreadable(path, f"its schema is {schema!r}, not '{SCHEMA}'")
        return _table(from_json(_Document, value, "units"))
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, RowError) else _words(error)
        raise _unreadable(path, reason) from None


def _words(error: Exception) -> str:
    return str(error) if type(error) is ValueError else "it is damaged, or something else"


def _table(found: _Document) -> UnitTable:
    count = len(found.cost)
    if not count:
        raise ValueError("it has no unit")
    shares = np.zeros((count, len(found.features)))
    if len(found.shares) != count:
        raise ValueError("there is not one row of shares for each unit")
    for n, row in enumerate(found.shares):
        for place, share in row:
            if not 0 <= place < len(found.features):
                raise ValueError(f"unit {n} has a feature that is not there")
            shares[n, place] = share
    counters = {one.name: _column(one.values, count) for one in found.counters}
    cost, work = _column(found.cost, count), _column(found.work, count)
    if (work <= 0).any() or (cost < 0).any() or not np.isfinite(shares).all():
        raise ValueError("a unit has no work, or less than no cost")
    if not cost.any():
        raise ValueError("no unit has a cost")
    if len(set(found.features)) != len(found.features):
        raise ValueError("a feature is there twice")
    m = found.metric
    return UnitTable(
        found.source, found.recorder, found.unit, found.feature,
        Metric(m.name, m.cost, m.work, m.meaning, m.rate), found.features, shares, cost, work,
        counters, found.complete,
    )  # fmt: skip


def _column(values: Sequence[float], count: int) -> Floats:
    found = np.array(values, np.float64)
    if len(found) != count or not np.isfinite(found).all():
        raise ValueError("a column has not one number for each unit")
    return found


def _unreadable(path: Path, reason: str) -> DiagnosticError:
    hint = "`kcc phases record` makes such files"
    message = f"{path} is not a recording of units: {reason}"
    return DiagnosticError([Diagnostic("K960", message, hint=hint)])
