"""`kcc validate TABLE.csv KERNEL`: estimates beside anyone's measured times."""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING

import kcc
from kcc.base.diagnostics import DiagnosticError
from kcc.commands.cache_options import add_cache_options, cache_options
from kcc.commands.charts import add_charts, chart_outputs, check_charts
from kcc.commands.clang import provide_clang
from kcc.commands.console import choose_style, is_terminal
from kcc.commands.errors import UsageError, usage_error
from kcc.commands.gpu_options import read_assumptions
from kcc.commands.options import (
    Subparsers,
    add_assumptions,
    add_compilation,
    add_console,
    add_launch,
    add_resume,
    add_source,
    build_options,
    single_source,
)
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.progress import shown_progress
from kcc.commands.sources import SourceLines, read_source
from kcc.frontend.options import MacroOption, OptLevel, SourceText
from kcc.sim.machine.launch_overhead import LaunchWay

if TYPE_CHECKING:
    from kcc.commands.journal import Journal
    from kcc.commands.measured_table import Asked, MeasuredTable, RequestOf
    from kcc.report.validation import Validation
    from kcc.stages.analyze import AnalysisRequest
    from kcc.validation.case import Case
    from kcc.validation.outcome import Outcome

MODELS = ("pipeline", "pipeline-hpca19")

_EXAMPLES = """examples:
  kcc validate times.csv kernel.cl --gpu rtx3090 --global 4096,4096 --local BX,BY
  kcc validate tuning.csv gemm.cu --kernel gemm --gpu a100 --grid 4096//TILE,4096//TILE \\
    --block TILE,TILE --macro TILE --macro UNROLL=unroll_factor --time median_us
  kcc validate tuning.csv gemm.cu --gpu-column gpu --where 'TILE<=32' --sample 100 --html page.html

each column whose name is that of a macro in the source is defined as that macro (or those of
--macro alone); all columns that are numbers are names in --global, --arg and --where

exit code 1: with --fail-above, the mean error is larger; or the table cannot be read"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc validate`."""
    parser = subparsers.add_parser(
        "validate",
        help="estimates beside a table of measured times: errors, ranking, ranges",
        usage="kcc validate TABLE.csv FILE (--gpu NAME | --gpu-column COLUMN) [OPTION ...]",
        description="Estimate the rows of a table of measured times and say how far off the\n"
        "estimates are: error, bias, rank correlation, regret, coverage of the ranges.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("table", metavar="TABLE.csv", help="measured times, a head in line 1")
    add_source(parser)
    add_compilation(parser, OptLevel.O2)
    add_launch(parser)
    add_assumptions(parser)
    _add_table(parser)
    _add_model(parser)
    add_cache_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--json",
        metavar="FILE",
        help="write kcc/validation/1; '-': to standard output, without text",
    )
    output.add_argument("--html", metavar="FILE", help="write an HTML page with a chart")
    add_charts(output)
    add_resume(output)
    output.add_argument(
        "--fail-above", dest="limit", metavar="SHARE", type=_share,
        help="exit with 1 if the mean error is larger, e.g. 20%% or 0.2",
    )  # fmt: skip
    add_console(parser, stages=False)
    parser.set_defaults(run=run)


def _add_table(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the table")
    group.add_argument(
        "--macro", dest="columns", metavar="NAME[=COLUMN]", action="append", default=[],
        help="a column is this macro's value (repeatable; default: all columns whose names"
             " occur in the source)",
    )  # fmt: skip
    group.add_argument(
        "--time", metavar="COLUMN",
        help="the measured time (default: the first column that ends in _ns, _us, _ms or _s)",
    )  # fmt: skip
    group.add_argument("--unit", choices=("ns", "us", "ms", "s"), help="the unit of --time")
    group.add_argument(
        "--status", metavar="COLUMN=VALUE",
        help="rows with another value did not run (default: status=ok, if there is such a column)",
    )  # fmt: skip
    group.add_argument(
        "--where", metavar="EXPR", action="append", default=[],
        help="only rows for which this holds, e.g. 'BX*BY<=1024' (repeatable: all must hold)",
    )  # fmt: skip
    group.add_argument(
        "--measures", choices=("launch", "kernel"), default="launch",
        help="whether times are of whole launches, or of kernels alone, as profilers give them "
        "(default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--sample", metavar="N", type=_count, default=0,
        help="number of rows, drawn with --seed (default: all)",
    )  # fmt: skip


def _add_model(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("GPU and model")
    group.add_argument("--gpu", metavar="NAME", help="the GPU of all rows")
    group.add_argument("--gpu-column", metavar="COLUMN", help="the column that names the GPU")
    group.add_argument(
        "--set", dest="overrides", metavar="KEY=VALUE", action="append", default=[],
        help="change a value of the GPUs (repeatable)",
    )  # fmt: skip
    group.add_argument(
        "--model", choices=MODELS, default=MODELS[0],
        help="the timing model (default: %(default)s)",
    )  # fmt: skip
    ways = [way.value for way in LaunchWay]
    group.add_argument(
        "--launches", choices=ways, default=ways[0],
        help="how the measured launches were made (default: %(default)s)",
    )  # fmt: skip


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; 1 if the mean error is larger than is allowed."""
    from kcc.commands.journal import Journal, Kind, kept_in
    from kcc.commands.measured_table import read_table, table_cases
    from kcc.report.validation import Validation
    from kcc.validation.outcome import figures, read_outcome

    path = single_source(arguments.source)
    check_charts(arguments)
    targets = [target for target in (arguments.json, arguments.html) if target]
    for each in (path, arguments.table):
        check_targets(targets, each)
    kept = kept_in(arguments, targets)
    if bool(arguments.gpu) == bool(arguments.gpu_column):
        raise usage_error("either --gpu NAME or --gpu-column COLUMN says what to estimate for")
    source = read_source(path)
    sources.add(source.name, source.text)
    provide_clang(source, build_options(arguments), arguments.frontend)
    table = read_table(arguments, source)
    asked = _asked(arguments, source, sources)
    cases = table_cases(table, asked, _request_maker(arguments, path, source, sources))
    if not cases:
        raise usage_error("no row is left", "--where holds for none of them")
    kind: Kind[Outcome] = Kind("kcc/validation-journal/1", asdict, read_outcome)
    digest = _digest(arguments, source, table)
    opened = Journal(kept, digest, kind, resume=arguments.resume) if kept else None
    with opened or nullcontext() as journal:
        try:
            rows = _estimated(cases, journal, arguments)
        except KeyboardInterrupt:
            if journal:
                sys.stderr.write(
                    f"\n{journal.path} has the finished estimates; --resume continues\n"
                )
            raise
        found = Validation(
            table.path, source.name, arguments.model, table.macros, asked.measures,
            tuple(arguments.where), len(table.rows), tuple(rows),
        )  # fmt: skip
        write_outputs(_outputs(arguments, found))
        if journal:
            journal.remove()
    if is_terminal(sys.stderr):
        sys.stderr.write(f"{sum(row.seconds for row in rows):.1f} CPU seconds\n")
    mean = figures(rows).mean
    return int(mean is None or (arguments.limit is not None and mean > 100 * arguments.limit))


def _outputs(arguments: argparse.Namespace, found: Validation) -> list[Output]:
    from kcc.report.validation import validation_json, validation_text
    from kcc.report.validation_html import validation_charts, validation_page

    made = list[Output]()
    if arguments.json:
        made.append(Output(arguments.json, validation_json(found)))
    if arguments.html:
        made.append(Output(arguments.html, validation_page(found)))
    made += chart_outputs(arguments.charts, validation_charts(found))
    if STANDARD not in [output.target for output in made]:
        style = choose_style(arguments.color, arguments.width, STANDARD)
        made.append(Output(STANDARD, validation_text(found, style)))
    return made


def _asked(arguments: argparse.Namespace, source: SourceText, sources: SourceLines) -> Asked:
    from kcc.commands.measured_table import Asked, restrictions
    from kcc.validation.case import Measures

    try:
        where = restrictions(arguments.where, sources)
    except DiagnosticError as error:
        raise UsageError(error.diagnostics) from error
    return Asked(
        arguments.gpu, tuple(arguments.overrides),
        ", ".join(arguments.kernels) or source.name.rpartition("/")[2].partition(".")[0],
        cache_options(arguments), LaunchWay(arguments.launches), Measures(arguments.measures),
        where, arguments.sample, arguments.seed,
    )  # fmt: skip


def _request_maker(
    arguments: argparse.Namespace, path: str, source: SourceText, sources: SourceLines
) -> RequestOf:
    """Requests as `kcc estimate` makes them, with the macros and numbers of a row."""
    from kcc.commands.measured_table import with_row
    from kcc.commands.workloads import survey
    from kcc.stages.analyze import AnalysisRequest

    options, assumptions = build_options(arguments), read_assumptions(
        arguments.assumptions, sources
    )  # fmt: skip

    def request(macros: Sequence[MacroOption], sizes: Sequence[str]) -> AnalysisRequest:
        given = argparse.Namespace(**{**vars(arguments), "sizes": [*sizes, *arguments.sizes]})
        around = survey(given, path, with_row(options, macros), sources)
        return AnalysisRequest(
            source=source, options=around.options, frontend=arguments.frontend,
            kernels=tuple(arguments.kernels), launches=around.launches,
            other_launch=around.other_launch, arguments=around.arguments,
            remarks=around.remarks, assumptions=assumptions,
        )  # fmt: skip

    return request


def _estimated(
    cases: Sequence[Case], journal: Journal[Outcome] | None, arguments: argparse.Namespace
) -> list[Outcome]:
    """The outcomes of cases, in their order; those of one configuration after each other."""
    from kcc.stages.estimate import Question
    from kcc.validation.predict import Predictor

    done = dict(journal.done) if journal else {}
    found = {case.number: done[case.key] for case in cases if case.key in done}
    predictor = Predictor(Question(arguments.model))
    with shown_progress(len(cases)) as show:
        for case in cases:
            if case.number not in found:
                show(len(found), 0, case.words[:40])
                found[case.number] = predictor.outcome(case)
                if journal:
                    journal.add(case.key, found[case.number])
    return [found[case.number] for case in cases]


def _digest(arguments: argparse.Namespace, source: SourceText, table: MeasuredTable) -> str:
    """Of all that rows depend on: a journal of anything else is refused."""
    ignored = ("run", "json", "html", "resume", "limit", "color", "width", "sample", "debug")
    asked = sorted((k, repr(v)) for k, v in vars(arguments).items() if k not in ignored)
    parts: Iterable[object] = (kcc.__version__, asked, source, table)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _share(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", text)
    if match is None:
        raise usage_error(f"--fail-above {text} is not a share: 20% or 0.2")
    return float(match[1]) / (100 if match[2] else 1)


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)
