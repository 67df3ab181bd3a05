"""`kcc phases UNITS.json...` and `kcc phases record`: phases of a run, and a sample of them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, DiagnosticError, render
from kcc.commands.console import choose_style, paint_messages
from kcc.commands.number_options import count_from, percent
from kcc.commands.options import Parser, Subparsers, add_console
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.phases_record import record_parser
from kcc.commands.sources import SourceLines

if TYPE_CHECKING:
    from kcc.report.phases import PhasesReport
    from kcc.sim.sampling.simprof.table import UnitTable

_EXAMPLES = """examples:
  kcc phases record -o sort.json -- sort words.txt       a native program, under callgrind
  kcc phases record -o wc.json -- java -cp ... Main      a program for a JVM, with JFR
  kcc phases record bfs.kct --gpu v100 -o bfs.json       launches of a GPU, simulated in full
  kcc phases sort.json --html sort.html
  kcc phases sort.json sort-other.json sort-third.json   which phases do other inputs change?
  kcc phases sort.json --error 2% --selection sort-points.json

`kcc phases record --help` says how programs are recorded"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc phases`."""
    parser = subparsers.add_parser(
        "phases",
        help="phases of a recorded run, and a sample of its units to simulate",
        usage="kcc phases UNITS.json [OTHER.json ...] [OPTION ...]\n"
        "       kcc phases record -o UNITS.json -- COMMAND ...",
        description="Find the phases of a run that was recorded in units, draw units of them so\n"
        "that their mean comes with an interval, and test which phases other inputs change\n"
        "(SimProf: Huang, dissertation, chapter 5).",
        epilog=_EXAMPLES,
    )
    assert isinstance(parser, Parser)
    parser.other = record_parser, ("record",)
    parser.add_argument(
        "units", nargs="+", metavar="UNITS.json",
        help="what `kcc phases record` wrote; further ones are of other inputs",
    )  # fmt: skip
    _add_method(parser)
    group = parser.add_argument_group("output")
    group.add_argument(
        "--json", metavar="FILE", help="write kcc/phases/1; '-': to standard output, without text"
    )
    group.add_argument(
        "--html", metavar="FILE", help="write an HTML page: timeline, phases, methods"
    )
    group.add_argument(
        "--selection", metavar="FILE", help="write the drawn units with their weights as JSON"
    )
    group.add_argument("--picture", metavar="FILE", help="write the timeline, as SVG")
    add_console(parser, stages=False)
    parser.set_defaults(run=run)


def _add_method(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("method")
    group.add_argument(
        "--points", metavar="N", type=count_from(1), default=20,
        help="units to draw (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--error", metavar="PERCENT", type=percent,
        help="draw as many as a 99.7 %% interval of this half width needs, e.g. 2%%",
    )  # fmt: skip
    group.add_argument(
        "--draw", choices=("spread", "random"), default="spread",
        help="units of a phase: all over it, or by simple random sampling as in the text "
        "(default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--features", metavar="K", type=count_from(1), default=100,
        help="methods that are kept, those that say most of the metric (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--max-phases", metavar="K", type=count_from(1), default=20,
        help="phases at most (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--draws", metavar="N", type=count_from(0), default=200,
        help="draws for the comparison of methods; 0: none (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--sample-seed", metavar="N", type=count_from(0), default=0, help="seed of the draws"
    )


def run(arguments: argparse.Namespace, _sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    named = (arguments.json, arguments.html, arguments.selection, arguments.picture)
    targets = [target for target in named if target]
    for path in arguments.units:
        check_targets(targets, path)
    report = find(arguments)
    _warn(report.study.table, *report.references)
    write_outputs(_outputs(arguments, report, targets))
    return 0


def find(arguments: argparse.Namespace) -> PhasesReport:
    """The phases of the run, and what other inputs change of them."""
    from kcc.report.phases import PhasesReport
    from kcc.sim.sampling.simprof.phases import PhaseOptions
    from kcc.sim.sampling.simprof.sensitivity import compare_inputs
    from kcc.sim.sampling.simprof.study import SampleOptions, study
    from kcc.stages.recording.document import read_units

    table, *others = [read_units(Path(path)) for path in arguments.units]
    _check_alike(table, others)
    seed = arguments.sample_seed
    found = study(
        table,
        PhaseOptions(arguments.features, arguments.max_phases),
        SampleOptions(arguments.points, arguments.error, arguments.draw == "spread", seed),
        arguments.draws,
    )
    changes = compare_inputs(table, found.phases, others) if others else None
    return PhasesReport(found, tuple(others), changes)


def _check_alike(table: UnitTable, others: list[UnitTable]) -> None:
    """Raise K964 unless all were recorded alike."""
    for other in others:
        if (other.metric.name, other.feature) != (table.metric.name, table.feature):
            message = (
                f"'{other.source}' has {other.metric.name} by {other.feature}, "
                f"'{table.source}' {table.metric.name} by {table.feature}"
            )
            raise DiagnosticError([Diagnostic("K964", message)])


def _warn(*tables: UnitTable) -> None:
    for table in tables:
        if not table.complete:
            message = f"the recording of '{table.source}' was cut off: later phases are missing"
            warning = Diagnostic("K965", message)
            sys.stderr.write(paint_messages(f"{render(warning, {})}\n", sys.stderr))


def _outputs(
    arguments: argparse.Namespace, report: PhasesReport, targets: list[str]
) -> list[Output]:
    from kcc.report.phases import phases_json, phases_text, unit_selection_json
    from kcc.report.phases_html import phases_page

    outputs = list[Output]()
    if arguments.json:
        outputs.append(Output(arguments.json, phases_json(report)))
    if arguments.html:
        outputs.append(Output(arguments.html, phases_page(report)))
    if arguments.selection:
        text = unit_selection_json(report, arguments.sample_seed)
        outputs.append(Output(arguments.selection, text))
    if arguments.picture:
        from kcc.report.phases_chart import timeline_picture

        picture = timeline_picture(report.study, report.rows)
        outputs.append(Output(arguments.picture, f"{picture}\n"))
    if STANDARD not in targets:
        style = choose_style(arguments.color, arguments.width, STANDARD)
        outputs.append(Output(STANDARD, phases_text(report, style)))
    return outputs
