"""`kcc compare A.json B.json` of two documents of `kcc simulate`: differences by stall reason."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.commands.console import choose_style
from kcc.commands.errors import usage_error
from kcc.commands.outputs import STANDARD

if TYPE_CHECKING:
    from kcc.report.comparison import Comparison
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


def compared_simulations(arguments: argparse.Namespace) -> tuple[Comparison, str]:
    """Configuration by configuration, and the report for a terminal."""
    from kcc.report.comparison import of_simulations
    from kcc.report.shared.text import written
    from kcc.report.simulation.comparison import comparison_tables

    before, after = _profiles(arguments.before), _profiles(arguments.after)
    if len(before) != len(after):
        message = f"{len(before)} configurations cannot be compared with {len(after)}"
        raise usage_error(message, "simulate as many GPUs and settings in both")
    pairs = list(zip(before, after, strict=True))
    if not arguments.any_code:
        for old, new in pairs:
            _check_codes(old, new, arguments.after)
    style = choose_style("auto", None, STANDARD)
    texts: Mapping[str, Sequence[str]] = {}
    tables = [t for old, new in pairs for t in comparison_tables(old, new, style, texts)]
    text = "\n".join(written(style, lambda c, t=table: c.print(t)) for table in tables)
    return of_simulations(pairs, arguments.limit), text


def _check_codes(before: TimeProfile, after: TimeProfile, path: str) -> None:
    """Times of different machine code say nothing of a change to the source."""
    for kernel, code in before.codes.items():
        other = after.codes.get(kernel, code)
        if other != code:
            message = f"times of code by {code} in one document, by {other} in the other"
            hint = "--any-code compares all the same"
            raise DiagnosticError([Diagnostic("K892", message, Span(path, 0), hint=hint)])


def _profiles(path: str) -> list[TimeProfile]:
    from kcc.report.simulation.comparison import profiles_of_document

    try:
        document: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        return profiles_of_document(document)
    except OSError as error:
        raise _unreadable(path, f"cannot be read: {error.strerror}") from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unreadable(path, "is not JSON") from error
    except ValueError as error:
        raise _unreadable(path, str(error)) from error


def _unreadable(path: str, reason: str) -> DiagnosticError:
    return DiagnosticError([Diagnostic("K891", reason, Span(path, 0))])
