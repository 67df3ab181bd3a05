"""`kcc compare A.json B.json`: what became faster or slower between two sets of estimates."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.commands.compare_simulations import compared_simulations, is_simulation
from kcc.commands.errors import usage_error
from kcc.commands.options import Subparsers, add_debug
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.sources import SourceLines

if TYPE_CHECKING:
    from kcc.report.comparison import Comparison
    from kcc.report.estimate.record import EstimateDocument

_EXAMPLES = """examples:
  kcc compare before.json after.json
  kcc compare before.json after.json --fail-above 5%
  kcc compare before.json after.json --fail-above 5% --markdown comment.md
  kcc compare before.json after.json --rename gemm=gemm_v2 --json changes.json

exit code 1: with --fail-above, a time grew by more, is not there any more, or its configuration
is missing; or a document cannot be read"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc compare`."""
    parser = subparsers.add_parser(
        "compare",
        help="compare two documents of estimates or simulations, as a gate on performance",
        usage="kcc compare A.json B.json [--fail-above 5%%] [OPTION ...]",
        description="Compare the times in two documents of `kcc estimate --json`; or of\n"
        "`kcc simulate --json`: time by stall reason, kernel and source line.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("before", metavar="A.json", help="estimates before a change")
    parser.add_argument("after", metavar="B.json", help="estimates after it")
    parser.add_argument(
        "--fail-above", dest="limit", metavar="SHARE", type=_share,
        help="exit with 1 if a time grows by more than this, e.g. 5%% or 0.05, or is lost",
    )  # fmt: skip
    parser.add_argument(
        "--rename", dest="renames", metavar="OLD=NEW", action="append", default=[], type=_rename,
        help="a kernel has another name in B.json (repeatable); where one only is gone and one "
        "only is new, they are taken to be the same",
    )  # fmt: skip
    parser.add_argument(
        "--any-code", action="store_true",
        help="compare times of code that different compilers made (see `kcc estimate --code`)",
    )  # fmt: skip
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write kcc/comparison/1; '-': to standard output, without text",
    )
    parser.add_argument("--html", metavar="FILE", help="write the changes as one page")
    parser.add_argument(
        "--markdown", metavar="FILE",
        help="write a table for the comment on a pull request: times, and which cause and line "
        "changed most; '-' in place of text",
    )  # fmt: skip
    add_debug(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; 1 if a time grew by more than is allowed."""
    from kcc.report.comparison import comparison_document, verdict_of
    from kcc.report.comparison_markdown import comparison_markdown

    del sources
    from kcc.report.comparison_html import comparison_page

    named = (arguments.json, arguments.markdown, arguments.html)
    targets = [target for target in named if target]
    check_targets(targets, arguments.before)
    check_targets(targets, arguments.after)
    found, text = compared(arguments)
    makers = (
        (arguments.json, lambda: json.dumps(comparison_document(found), indent=1) + "\n"),
        (arguments.markdown, lambda: comparison_markdown(found)),
        (arguments.html, lambda: comparison_page(found, arguments.before, arguments.after)),
    )
    outputs = [Output(target, make()) for target, make in makers if target]
    if STANDARD not in targets:
        outputs.append(Output(STANDARD, f"{verdict_of(found)}\n{text}"))
    write_outputs(outputs)
    return 1 if found.failed else 0


def compared(arguments: argparse.Namespace) -> tuple[Comparison, str]:
    """What the documents say of each other, and the report for a terminal.

    :raises DiagnosticError: K891 for what is no such document, K892 for code of other compilers.
    """
    from kcc.report.comparison import of_estimates
    from kcc.report.estimate.comparison import changes, comparison_text, differences, other_codes

    if is_simulation(arguments.before):
        return compared_simulations(arguments)
    before, after = _read(arguments.before), _read(arguments.after)
    found = changes(before, after, dict(arguments.renames))
    codes = other_codes(found)
    if codes is not None and not arguments.any_code:
        message = f"times of code by {codes[0]} in one document, by {codes[1]} in the other"
        hint = "--any-code compares all the same"
        raise DiagnosticError([Diagnostic("K892", message, Span(arguments.after, 0), hint=hint)])
    unlike = differences(before, after, found)
    text = comparison_text(found, arguments.limit, unlike)
    return of_estimates(found, arguments.limit, unlike), text


def _share(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", text)
    if match is None:
        raise usage_error(f"--fail-above {text} is not a share: 5% or 0.05")
    return float(match[1]) / (100 if match[2] else 1)


def _rename(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not (old and equals and new):
        raise usage_error(f"--rename {text} is not OLD=NEW")
    return old, new


def _read(path: str) -> EstimateDocument:
    from kcc.report.estimate.record import read_document

    try:
        return read_document(json.loads(Path(path).read_text(encoding="utf-8")))
    except OSError as error:
        raise _unreadable(path, f"cannot be read: {error.strerror}") from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unreadable(path, "is not JSON") from error
    except ValueError as error:
        raise _unreadable(path, str(error)) from error


def _unreadable(path: str, reason: str) -> DiagnosticError:
    return DiagnosticError([Diagnostic("K891", reason, Span(path, 0))])
