"""The files that `kcc estimate` writes: JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from kcc.report.estimate.ablation import Ablation, ablation_json
from kcc.report.estimate.record import EstimateDocument, EstimateRecord, by_x, document_json


def estimates_json(document: EstimateDocument, ablations: Sequence[Ablation]) -> str:
    """The document kcc/estimate/1 as text, with the ablations if there are any."""
    found = document_json(document)
    if ablations:
        found["ablations"] = [ablation_json(each) for each in ablations]
    return json.dumps(found, indent=1, allow_nan=False) + "\n"


def estimates_csv(records: Sequence[EstimateRecord]) -> str:
    """One row per estimate; macros, parts of the CPI stack and ablations have columns of their own.
    What has no time has a reason."""
    macros = list(dict.fromkeys(name for each in records for name in each.configuration.macros))
    stack = list(dict.fromkeys(name for each in records for name in each.cpi_stack))
    ablated = list(dict.fromkeys(name for each in records for name in each.ablated_us))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    models = ["model"] if any(each.model for each in records) else []
    writer.writerow([
        "kernel", "gpu", *models, "global", "local", *macros, "time_us", "low_us", "high_us",
        "cycles", "limiter", "warps", "waves", "cpi", *(f"cpi_{name}" for name in stack),
        *(f"without_{name}_us" for name in ablated), "reason",
    ])  # fmt: skip
    for each in records:
        place = each.configuration
        low, high = each.range_us or (None, None)
        writer.writerow([
            place.kernel, each.gpu, *([each.model] if models else []),
            by_x(place.global_size), by_x(place.local_size),
            *(place.macros.get(name, "") for name in macros),
            *(_cell(v) for v in (each.time_us, low, high, each.cycles)), each.limiter,
            "" if each.occupancy is None else each.occupancy.warps, _cell(each.waves),
            _cell(each.cpi), *(_cell(each.cpi_stack.get(name)) for name in stack),
            *(_cell(each.ablated_us.get(name)) for name in ablated), each.reason,
        ])  # fmt: skip
    return text.getvalue()


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
