"""`kcc analyze FILE`: what the kernels of a source do, from the source alone."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from kcc.base.diagnostics import render
from kcc.commands.charts import add_charts, chart_outputs, check_charts
from kcc.commands.clang import provide_clang
from kcc.commands.console import choose_style, paint_messages, say
from kcc.commands.errors import usage_error
from kcc.commands.gpu_options import chosen_gpu, read_assumptions, register_request
from kcc.commands.options import (
    Subparsers,
    add_assumptions,
    add_compilation,
    add_console,
    add_gpu,
    add_launch,
    add_source,
    build_options,
    single_source,
)
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.sources import SourceLines, read_source
from kcc.commands.stages import StageRunner
from kcc.frontend.options import OptLevel

if TYPE_CHECKING:
    from kcc.report.analysis.model import Analysis
    from kcc.stages.analyze import AnalysisRequest

DOT_KINDS = ("cfg", "loops", "dfsg")

_EXAMPLES = """examples:
  kcc analyze kernel.cl                          report on every kernel of the file
  kcc analyze kernel.cl --kernel scan --brief    the summary of one kernel
  kcc analyze kernel.cl -D TILE=32 -I include    with the build options of the host program
  kcc analyze kernel.cl --global n,n --local 16,16 --size n=1024
  kcc analyze kernel.cl --json report.json       the report, and the facts in a file
  kcc analyze kernel.cl --sarif findings.sarif   for a code host, beside the lines of a change
  kcc analyze kernel.cl --html report.html       the report as an HTML page
  kcc analyze kernel.cl --dot cfg | dot -Tsvg -o cfg.svg
  kcc analyze kernel.cl --gpu v100 --code compiler        registers by ptxas
  kcc analyze kernel.cl --gpu v100 --machine-code         what ptxas makes of each line
  kcc analyze kernel.cl --assume loop@22=8 --assume branch@18=0.3
  kcc analyze kernel.cl --emit-ir -O2            the LLVM IR that is analysed
  kcc analyze - < kernel.cl                      the source on standard input"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc analyze`."""
    parser = subparsers.add_parser(
        "analyze",
        help="what the kernels in a file do: control flow, loops, memory, limits",
        usage="kcc analyze FILE [OPTION ...]",
        description="""\
Report control flow, loops, branches, memory accesses and instruction mix of the
kernels in a source, and the source annotated by line.""",
        epilog=_EXAMPLES,
    )
    add_source(parser)
    add_compilation(parser, OptLevel.O1)
    add_launch(parser)
    add_assumptions(parser)
    add_gpu(parser)
    group = parser.add_argument_group("output")
    parts = group.add_mutually_exclusive_group()
    parts.add_argument("--brief", action="store_true", help="only the summary of each kernel")
    parts.add_argument("--annotate", action="store_true", help="only the annotated source")
    parts.add_argument(
        "--machine-code", action="store_true",
        help="only the summary and the GPU compiler's machine code, by source line",
    )  # fmt: skip
    products = group.add_mutually_exclusive_group()
    products.add_argument(
        "--dot", choices=DOT_KINDS, help="write a graph for Graphviz instead of the report"
    )
    products.add_argument(
        "--emit-ir", action="store_true", help="write the LLVM IR instead of the report"
    )
    group.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        default=STANDARD,
        help="write the report (or graph, or IR) to FILE",
    )
    group.add_argument(
        "--json",
        metavar="FILE",
        help="write kcc/analysis/1; '-': to standard output, without the report",
    )
    group.add_argument(
        "--html",
        metavar="FILE",
        help="write the report as an HTML page; '-': to standard output",
    )
    group.add_argument(
        "--sarif",
        metavar="FILE",
        help="write the findings as SARIF 2.1.0, which code hosts show beside the lines of a "
        "change; '-' in place of the report",
    )
    add_charts(group)
    add_console(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    from kcc.stages.analyze import analyze, choose_kernels, compile_unit, refusals

    path = single_source(arguments.source)
    _check_products(arguments, path)
    stage = StageRunner()
    request = stage("read", lambda: request_of(arguments, path, sources))
    if arguments.emit_ir:
        unit = compile_unit(request, stage)
        choose_kernels(unit, request.kernels)
        wrong = () if request.kernels else refusals(unit, ())
        warnings, outputs = unit.warnings, [Output(arguments.output, unit.ir)]
    else:
        analysis = analyze(request, stage)
        wrong = tuple(d for each in analysis.refused for d in each.diagnostics)
        warnings, outputs = analysis.warnings, _outputs(analysis, arguments, stage)
    stage("write", lambda: write_outputs(outputs))
    said = dict.fromkeys([*warnings, *wrong])
    messages = "".join(render(each, sources) + "\n" for each in said)
    say(paint_messages(messages, sys.stderr))
    if arguments.time:
        say(stage.table())
    return 1 if wrong else 0


def _check_products(arguments: argparse.Namespace, path: str) -> None:
    """Two products must not go to one place, and none over the source."""
    targets = [arguments.output] if _has_main_product(arguments) else []
    written = ("json", "html", "sarif")
    for option, target in ((f"--{name}", getattr(arguments, name)) for name in written):
        if arguments.emit_ir and target:
            raise usage_error(f"--emit-ir analyses nothing: {option} has nothing to write")
        targets += [target] if target else []
    check_targets(targets, path)
    check_charts(arguments)


def _has_main_product(arguments: argparse.Namespace) -> bool:
    """Whether the report is written: `--json -`, `--html -` and `--sarif -` take its place."""
    asked = arguments.dot or arguments.emit_ir or arguments.output != STANDARD
    return bool(asked) or STANDARD not in (arguments.json, arguments.html, arguments.sarif)


def request_of(arguments: argparse.Namespace, path: str, sources: SourceLines) -> AnalysisRequest:
    """What the command line asks for; raises :class:`DiagnosticError` and :class:`UsageError`."""
    from kcc.commands.workloads import survey
    from kcc.stages.analyze import AnalysisRequest

    source = read_source(path)
    sources.add(source.name, source.text)
    surroundings = survey(arguments, path, build_options(arguments), sources)
    provide_clang(source, surroundings.options, arguments.frontend)
    return AnalysisRequest(
        source=source,
        options=surroundings.options,
        frontend=arguments.frontend,
        kernels=tuple(arguments.kernels),
        launches=surroundings.launches,
        other_launch=surroundings.other_launch,
        arguments=surroundings.arguments,
        remarks=surroundings.remarks,
        assumptions=read_assumptions(arguments.assumptions, sources),
        gpu=chosen_gpu(arguments),
        registers=register_request(arguments),
        machine_code=arguments.machine_code,
    )


def _outputs(analysis: Analysis, arguments: argparse.Namespace, stage: StageRunner) -> list[Output]:
    """What is to be written, and where to."""
    outputs = list[Output]()
    if arguments.json:
        outputs.append(Output(arguments.json, stage("report", lambda: _json(analysis))))
    if arguments.html:
        outputs.append(Output(arguments.html, stage("report", lambda: _html(analysis))))
    if arguments.sarif:
        outputs.append(Output(arguments.sarif, stage("report", lambda: _sarif(analysis))))
    if arguments.charts:
        from kcc.report.analysis.html_graph import flow_charts

        outputs += chart_outputs(arguments.charts, flow_charts(analysis.kernels))
    if _has_main_product(arguments):
        render_product = _dot if arguments.dot else _report
        text = stage("report", lambda: render_product(analysis, arguments))
        outputs.append(Output(arguments.output, text))
    return outputs


def _json(analysis: Analysis) -> str:
    from kcc.report.analysis.document import to_json

    return to_json(analysis)


def _sarif(analysis: Analysis) -> str:
    from kcc.report.analysis.sarif import sarif

    return sarif(analysis)


def _html(analysis: Analysis) -> str:
    from kcc.report.analysis.html import page

    return page(analysis)


def _dot(analysis: Analysis, arguments: argparse.Namespace) -> str:
    from kcc.report.analysis.dot import control_flow, loop_tree, static_flow

    draw = {"cfg": control_flow, "loops": loop_tree, "dfsg": static_flow}
    return draw[arguments.dot](analysis)


def _report(analysis: Analysis, arguments: argparse.Namespace) -> str:
    from kcc.report.analysis.terminal import Part, render_report

    parts = frozenset(Part)
    if arguments.brief:
        parts = frozenset({Part.VERDICT})
    elif arguments.machine_code:
        parts = frozenset({Part.VERDICT, Part.MACHINE})
    elif arguments.annotate:
        parts = frozenset({Part.SOURCE})
    style = choose_style(arguments.color, arguments.width, arguments.output)
    return render_report(analysis, style, parts)
