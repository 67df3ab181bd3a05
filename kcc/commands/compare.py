"""`kcc compare A.json B.json`: what became faster or slower between two sets of estimates."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any, cast

from kcc.commands.errors import usage_error
from kcc.commands.options import Subparsers, add_debug
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.sources import SourceLines
from kcc.diagnostics import Diagnostic, DiagnosticError, Span

_SCHEMA = "kcc/estimate/1"

_EXAMPLES = """examples:
  kcc compare before.json after.json
  kcc compare before.json after.json --fail-above 5%    exit code 1 if anything got 5 % slower"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc compare`."""
    parser = subparsers.add_parser(
        "compare",
        help="compare two documents of estimates, as a gate on performance",
        usage="kcc compare A.json B.json [--fail-above 5%]",
        description="Compare the times in two documents of `kcc estimate --json`.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("before", metavar="A.json", help="estimates before a change")
    parser.add_argument("after", metavar="B.json", help="estimates after it")
    parser.add_argument(
        "--fail-above", dest="limit", metavar="SHARE", type=_share,
        help="exit with 1 if a time grows by more than this, e.g. 5%% or 0.05",
    )  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write kcc/comparison/1; '-' for text")
    add_debug(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; 1 if a time grew by more than is allowed."""
    from kcc.report.estimates import changes, comparison_document, comparison_text

    del sources
    check_targets([arguments.json] if arguments.json else [], arguments.before)
    found = changes(_read(arguments.before), _read(arguments.after))
    document = comparison_document(found, arguments.limit)
    outputs = list[Output]()
    if arguments.json:
        outputs.append(Output(arguments.json, json.dumps(document, indent=1) + "\n"))
    if arguments.json != STANDARD:
        outputs.append(Output(STANDARD, comparison_text(found, arguments.limit)))
    write_outputs(outputs)
    return 1 if document["failed"] else 0


def _share(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", text)
    if match is None:
        raise usage_error(f"--fail-above {text} is no share: 5% or 0.05")
    return float(match[1]) / (100 if match[2] else 1)


def _read(path: str) -> dict[str, Any]:
    try:
        document: Any = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise DiagnosticError([Diagnostic("K891", message, Span(path, 0))]) from error
    except ValueError as error:
        raise DiagnosticError([Diagnostic("K891", "is no JSON", Span(path, 0))]) from error
    if not isinstance(document, dict) or cast("Any", document).get("schema") != _SCHEMA:
        message = "is no document kcc/estimate/1"
        raise DiagnosticError([Diagnostic("K891", message, Span(path, 0))])
    return cast("dict[str, Any]", document)
