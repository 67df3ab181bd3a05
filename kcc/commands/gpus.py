"""`kcc gpus list | show | check | diff`: the GPUs that kcc knows, and what it knows of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from kcc.base.diagnostics import DiagnosticError, Severity, render
from kcc.commands.console import paint_messages, say
from kcc.commands.options import Parser, Subparsers, add_debug
from kcc.commands.outputs import STANDARD, Output, write_outputs
from kcc.commands.sources import SourceLines

_EXAMPLES = """examples:
  kcc gpus                                       the same as kcc gpus list
  kcc gpus list                                  every GPU that comes with kcc
  kcc gpus show v100                             one, by name or alias
  kcc gpus show v100 --sources                   with the source of each value
  kcc gpus show a100 --set l2.size_bytes=20971520
  kcc gpus diff v100 a100                        two side by side
  kcc gpus check my-gpu.yaml                     check a file of your own"""


Runner = Callable[[argparse.Namespace, SourceLines], int]


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc gpus` and its parts."""
    parser = subparsers.add_parser(
        "gpus",
        help="descriptions of GPUs: list, show, check, diff",
        description="""\
List, show, check and compare descriptions of GPUs. Every --gpu also takes the path
of a YAML file.""",
        epilog=_EXAMPLES,
    )
    parts = parser.add_subparsers(
        title="commands", dest="part", metavar="COMMAND", parser_class=Parser
    )
    parser.set_defaults(run=_list, json=None)
    listed = _part(parts, "list", "all GPUs of kcc", _list)
    _add_json(listed)
    shown = _part(parts, "show", "one GPU", _show)
    shown.add_argument("name", metavar="NAME", help="a name, an alias or the path of a YAML file")
    _add_overrides(shown)
    shown.add_argument("--sources", action="store_true", help="source and quality of each value")
    _add_json(shown)
    checked = _part(parts, "check", "check descriptions", _check)
    checked.add_argument(
        "names", nargs="*", metavar="FILE", help="YAML files or names (default: all of kcc's)"
    )
    _add_overrides(checked)
    compared = _part(parts, "diff", "compare two GPUs", _diff)
    compared.add_argument("left", metavar="A", help="a name, an alias or a YAML file")
    compared.add_argument("right", metavar="B", help="a name, an alias or a YAML file")
    _add_json(compared)


def _part(
    parts: Subparsers[Parser], name: str, summary: str, run: Runner
) -> argparse.ArgumentParser:
    parser = parts.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", epilog=_EXAMPLES
    )
    add_debug(parser)
    parser.set_defaults(run=run)
    return parser


def _add_overrides(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        dest="overrides",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="change a value, e.g. l2.size_bytes=4194304; null makes it unknown (repeatable)",
    )


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", metavar="FILE", help="write the facts as JSON; '-' in place of the text"
    )


def _list(arguments: argparse.Namespace, _sources: SourceLines) -> int:
    from kcc.base.gpu.loading import gpu_names, load_gpu
    from kcc.report.gpus import list_json, list_text

    gpus = [load_gpu(name) for name in gpu_names()]
    _write(arguments, lambda: list_text(gpus), lambda: list_json(gpus))
    return 0


def _show(arguments: argparse.Namespace, _sources: SourceLines) -> int:
    from kcc.base.gpu.loading import load_gpu
    from kcc.report.gpus import show_json, show_text

    gpu = load_gpu(arguments.name, arguments.overrides)
    sources: bool = arguments.sources
    _write(arguments, lambda: show_text(gpu, sources=sources), lambda: show_json(gpu))
    return 0


def _diff(arguments: argparse.Namespace, _sources: SourceLines) -> int:
    from kcc.base.gpu.loading import load_gpu
    from kcc.report.gpus import diff_json, diff_text

    left, right = load_gpu(arguments.left), load_gpu(arguments.right)
    _write(arguments, lambda: diff_text(left, right), lambda: diff_json(left, right))
    return 0


def _check(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Warnings are findings too: the exit code is 1 unless everything is in order."""
    from kcc.base.gpu.loading import examine_gpu, gpu_names
    from kcc.report.shared.words import plural

    names: Sequence[str] = arguments.names or gpu_names()
    found = errors = 0
    for name in names:
        try:
            diagnostics = examine_gpu(name, arguments.overrides).diagnostics
        except DiagnosticError as error:
            diagnostics = error.diagnostics
        found += len(diagnostics)
        errors += sum(each.severity is Severity.ERROR for each in diagnostics)
        text = "".join(render(each, sources) + "\n" for each in diagnostics)
        say(paint_messages(text, sys.stderr))
    counts = f"{plural(errors, 'error')}, {plural(found - errors, 'warning')}"
    verdict = counts if found else "all in order"
    write_outputs([Output(STANDARD, f"{plural(len(names), 'description')}: {verdict}\n")])
    return 1 if found else 0


def _write(
    arguments: argparse.Namespace, text: Callable[[], str], document: Callable[[], str]
) -> None:
    """The text on standard output unless JSON goes there; JSON where it is asked for."""
    outputs = list[Output]()
    if arguments.json:
        outputs.append(Output(arguments.json, document()))
    if arguments.json != STANDARD:
        outputs.append(Output(STANDARD, text()))
    write_outputs(outputs)
