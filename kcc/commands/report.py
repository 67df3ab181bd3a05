"""`kcc report DIR`: the documents of one kernel as one page."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.commands.options import Subparsers, add_debug
from kcc.commands.outputs import STANDARD, Output, write_outputs
from kcc.commands.sources import SourceLines

if TYPE_CHECKING:
    from kcc.report.joined import Joined

PAGE = "report.html"

_EXAMPLES = """examples:
  kcc analyze k.cl --json k/analysis.json; kcc estimate k.cl --gpu a100 --json k/estimate.json
  kcc report k                                   writes k/report.html
  kcc report k --kernel scan --html scan.html    only what is said of one kernel"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc report`."""
    parser = subparsers.add_parser(
        "report",
        help="join the documents of one kernel in one page",
        description="Join the JSON documents that kcc's commands wrote to a folder in one page:\n"
        "analysis, estimates, simulations, exploration, memory, profile, run, phases, miniature.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("folder", metavar="DIR", help="where the documents (*.json) are")
    parser.add_argument("--kernel", metavar="NAME", help="only what is said of this kernel")
    parser.add_argument(
        "--html", metavar="FILE", help=f"the page (default: {PAGE} in DIR); '-': standard output"
    )
    add_debug(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, _sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    from kcc.report.joined import joined_page

    folder = Path(arguments.folder)
    documents, left_out = _documents(folder)
    if not documents:
        message = "holds no document of kcc (*.json)"
        raise DiagnosticError([Diagnostic("K891", message, Span(str(folder), 0))])
    target = arguments.html or str(folder / PAGE)
    try:
        text = joined_page(folder.resolve().name, documents, arguments.kernel, left_out)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        message = f"a document is not as its schema says: {type(error).__name__} {error}"
        raise DiagnosticError([Diagnostic("K891", message, Span(str(folder), 0))]) from error
    outputs = [Output(target, text)]
    if target != STANDARD:
        names = ", ".join(each.name for each in documents)
        said = f"{target}: {names}\n" + "".join(f"left out: {each}\n" for each in left_out)
        outputs.append(Output(STANDARD, said))
    write_outputs(outputs)
    return 0


def _documents(folder: Path) -> tuple[list[Joined], list[str]]:
    """Those of kinds that the page shows, and why others are left out."""
    from kcc.report.joined import SECTIONS, Joined, kind_of

    if not folder.is_dir():
        raise DiagnosticError([Diagnostic("K001", f"cannot read '{folder}': it is not a folder")])
    found, left_out = list["Joined"](), list[str]()
    for path in sorted(folder.glob("*.json")):
        try:
            content: Any = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            left_out.append(f"{path.name} is not JSON")
            continue
        kind = kind_of(content)
        if kind in SECTIONS:
            found.append(Joined(path.name, kind, content))
        else:
            left_out.append(f"{path.name} is not a document that the page shows")
    return found, left_out
