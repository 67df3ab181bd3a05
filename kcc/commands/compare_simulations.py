"""`kcc compare A.json B.json` of two documents of `kcc simulate`: where the time went."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import kcc
from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.commands.console import choose_style
from kcc.commands.errors import usage_error
from kcc.commands.outputs import STANDARD, Output, write_outputs

if TYPE_CHECKING:
    from kcc.report.simulation.comparison import TimeProfile

_MARK = '"schema":"kcc/simulation/'
_MARK_WITHIN = 200
"""The document says what it is in its first characters."""


def is_simulation(path: str) -> bool:
    """Whether a file looks like a document of simulations."""
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            return _MARK in "".join(file.read(_MARK_WITHIN).split())
    except OSError:
        return False


def compare_simulations(arguments: argparse.Namespace) -> int:
    """Compare configuration by configuration; 1 if a time grew by more than is allowed."""
    from kcc.report.estimate.comparison import COMPARISON_SCHEMA
    from kcc.report.shared.text import written
    from kcc.report.simulation.comparison import comparison_json, comparison_tables

    before, after = _profiles(arguments.before), _profiles(arguments.after)
    if len(before) != len(after):
        message = f"{len(before)} configurations cannot be compared with {len(after)}"
        raise usage_error(message, "simulate as many GPUs and settings in both")
    limit: float | None = arguments.limit
    pairs = list(zip(before, after, strict=True))
    rows = [_change(old, new, limit) for old, new in pairs]
    document = {
        "schema": COMPARISON_SCHEMA, "kcc_version": kcc.__version__, "fail_above": limit,
        "failed": any(row["failed"] for row in rows), "changes": rows,
        "simulations": [comparison_json(old, new) for old, new in pairs],
    }  # fmt: skip
    outputs = list[Output]()
    if arguments.json:
        outputs.append(Output(arguments.json, json.dumps(document, indent=1) + "\n"))
    if arguments.json != STANDARD:
        style = choose_style("auto", None, STANDARD)
        texts: Mapping[str, Sequence[str]] = {}
        tables = [t for old, new in pairs for t in comparison_tables(old, new, style, texts)]
        text = "\n".join(written(style, lambda c, t=table: c.print(t)) for table in tables)
        outputs.append(Output(STANDARD, text))
    write_outputs(outputs)
    return 1 if document["failed"] else 0


def _change(old: TimeProfile, new: TimeProfile, limit: float | None) -> dict[str, Any]:
    ratio = new.time_us / old.time_us if old.time_us else None
    verdict = "same" if ratio in (None, 1) else "slower" if (ratio or 0) > 1 else "faster"
    name = old.label if old.label == new.label else f"{old.label}, then {new.label}"
    return {
        "name": name, "renamed": "", "before_us": old.time_us, "after_us": new.time_us,
        "ratio": None if ratio is None else float(f"{ratio:.10g}"), "verdict": verdict,
        "reason": "", "failed": limit is not None and (ratio or 0) > 1 + limit,
    }  # fmt: skip


def _profiles(path: str) -> list[TimeProfile]:
    from kcc.report.simulation.comparison import profiles_of_document

    try:
        document: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        return profiles_of_document(document)
    except OSError as error:
        raise _unreadable(path, f"cannot be read: {error.strerror}") from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unreadable(path, "is no JSON") from error
    except ValueError as error:
        raise _unreadable(path, str(error)) from error


def _unreadable(path: str, reason: str) -> DiagnosticError:
    return DiagnosticError([Diagnostic("K891", reason, Span(path, 0))])
