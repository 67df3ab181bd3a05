"""`kcc profile FILE.py`: run a host script and say what its kernels did, launch by launch."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kcc.commands.charts import add_charts, chart_outputs, check_charts
from kcc.commands.console import choose_style
from kcc.commands.errors import usage_error
from kcc.commands.hosts import add_script, check_script, run_host, script_exit_code
from kcc.commands.options import Parser, Subparsers, add_compiled_for, add_console
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.progress import shown_progress
from kcc.commands.source_runs import offer_sources
from kcc.commands.sources import SourceLines

if TYPE_CHECKING:
    from kcc.base.profile.document import Json
    from kcc.base.profile.model import KernelInfo, LaunchProfile, Profile

DOT_KINDS = ("dfsg",)

_EXAMPLES = """examples:
  kcc profile kernels/bfs/workload.py            each kernel, all launches together
  kcc profile kernels/bfs/workload.py --launches --kernel BFS_1
  kcc profile kernels/bfs/workload.py --json bfs.json
  kcc profile kernels/bfs/workload.py --dot dfsg --kernel BFS_1 | dot -Tsvg -o dfsg.svg
  kcc profile kernels/bfs/workload.py --for-synth --json bfs.json
  kcc profile bfs.kct                            of a trace that `kcc trace` wrote
  kcc profile kernels/vecadd/vecadd.cl           a source; see `kcc profile FILE.cl --help`"""

_SOURCE_EXAMPLES = """examples:
  kcc profile kernels/vecadd/vecadd.cl            sizes and arguments of kernel.toml
  kcc profile vecadd.ptx --global 1024 --block 256 --arg 0=float[1024] --arg 1=float[1024] \\
      --arg 2=float[1024] --arg 3=1024"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc profile`."""
    parser = subparsers.add_parser(
        "profile",
        help="profile the kernels of a PyOpenCL script: control flow, loops, memory",
        usage="kcc profile FILE [OPTION ...] [-- ARG ...]",
        description="""\
Profile the launches of a PyOpenCL script (or a trace, .kct): control flow (divergence
flow statistics graph), loops, instruction mix, coalescing, bank conflicts, reuse
distances. Independent of any GPU.""",
        epilog=_EXAMPLES,
    )
    add_script(parser, also="; or a trace (.kct)")
    parser.add_argument_group("launches").add_argument(
        "--kernel",
        dest="kernels",
        metavar="NAME",
        action="append",
        default=[],
        help="profile only this kernel (repeatable); others still run",
    )
    _add_options(parser)
    offer_sources(
        parser,
        _add_source_options,
        run,
        what="Run kernels of a source and say what they did: control flow, loops, instruction mix,"
        "\ncoalescing, bank conflicts, reuse distances. Independent of any GPU.",
        examples=_SOURCE_EXAMPLES,
    )
    parser.set_defaults(run=run)


def _add_source_options(parser: Parser) -> None:
    _add_options(parser)
    add_compiled_for(parser)


def _add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--launches", action="store_true", help="each launch separately")
    group.add_argument(
        "--dot", choices=DOT_KINDS, help="write a graph for Graphviz instead of the report"
    )
    group.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        default=STANDARD,
        help="write the report (or graph) to FILE",
    )
    group.add_argument(
        "--json",
        metavar="FILE",
        help="write kcc/profile/1; '-': to standard output, without the report",
    )
    group.add_argument("--html", metavar="FILE", help="write the report as one page for a browser")
    add_charts(group)
    group.add_argument(
        "--for-synth", action="store_true",
        help="add to the JSON what `kcc synth` needs: dependences of instructions,"
             " distributions of indirect accesses",
    )  # fmt: skip
    add_console(parser, stages=False)


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    taken = STANDARD in (arguments.json, arguments.html)
    has_report = bool(arguments.dot) or arguments.output != STANDARD or not taken
    targets = [arguments.output] if has_report else []
    products = [each for each in (arguments.json, arguments.html) if each]
    check_targets([*targets, *products], arguments.script)
    check_charts(arguments)
    if arguments.for_synth and not arguments.json:
        raise usage_error("--for-synth goes into the JSON: --json is missing")
    if arguments.for_synth and arguments.script.endswith(".kct"):
        raise usage_error(
            "--for-synth is about a run: a trace does not have the instructions' types"
        )
    in_place = taken or (bool(arguments.dot) and arguments.output == STANDARD)
    try:
        profile, parts = find(arguments, sources, quiet=in_place)
    except SystemExit as end:
        return script_exit_code(end)
    outputs = list[Output]()
    if arguments.json:
        from kcc.base.profile.document import to_json

        outputs.append(Output(arguments.json, to_json(profile, parts)))
    if arguments.html:
        from kcc.report.profile.html import profile_page

        text = profile_page(profile, each_launch=arguments.launches)
        outputs.append(Output(arguments.html, text))
    if arguments.charts:
        from kcc.report.profile.html import profile_charts

        charts = profile_charts(profile, each_launch=arguments.launches)
        outputs += chart_outputs(arguments.charts, charts)
    if has_report:
        text = _dot(profile, arguments) if arguments.dot else _report(profile, arguments)
        outputs.append(Output(arguments.output, text))
    write_outputs(outputs)
    return 0


def find(
    arguments: argparse.Namespace, sources: SourceLines, *, quiet: bool
) -> tuple[Profile, dict[str, Json]]:
    """The profile, and further keys of its document."""
    from kcc.report.profile.verdict import verdict_of_profile
    from kcc.stages.profile import Profiler, profile_trace

    parts: dict[str, Json] = {}
    said = {"script": arguments.script, "size": arguments.size, "seed": arguments.seed}
    said = {key: value for key, value in said.items() if value != ""}
    if arguments.script.endswith(".kct"):
        with shown_progress(_thread_blocks(arguments.script)) as show:
            profile = profile_trace(
                arguments.script, arguments.kernels, lambda done, words: show(done, 0, words)
            )
    elif arguments.for_synth:
        profile, parts = _studied(arguments, sources, said, quiet=quiet)
    else:
        check_script(arguments)
        profiler = Profiler(arguments.kernels)
        run_host(arguments, sources, profiler, quiet=quiet)
        profile = profiler.profile(said)
    missing = set(arguments.kernels) - {kernel.name for kernel in profile.kernels}
    if missing:
        raise usage_error(f"no kernel '{min(missing)}' was launched")
    return profile, {"verdict": verdict_of_profile(profile), **parts}


def _thread_blocks(path: str) -> int:
    from kcc.base.trace.reader import open_trace

    with open_trace(path) as trace:
        return sum(each.launch.thread_blocks for each in trace.launches)


def _studied(
    arguments: argparse.Namespace, sources: SourceLines, said: dict[str, str | int], *, quiet: bool
) -> tuple[Profile, dict[str, Json]]:
    from kcc.base.profile.model import Profile
    from kcc.stages.synth import Study
    from kcc.synth.original.stored import KEY, stored

    check_script(arguments)
    study = Study(arguments.kernels)
    run_host(arguments, sources, study, quiet=quiet)
    kernels = tuple(facts.info for facts in study.kernels)
    profile = Profile(said, kernels, tuple(facts.profile for facts in study.launches))
    return profile, {KEY: stored(study.kernels, study.launches)}


def _report(profile: Profile, arguments: argparse.Namespace) -> str:
    from kcc.report.profile.terminal import render_profile

    style = choose_style(arguments.color, arguments.width, arguments.output)
    return render_profile(profile, style, each_launch=arguments.launches)


def _dot(profile: Profile, arguments: argparse.Namespace) -> str:
    from kcc.base.profile.merge import merge
    from kcc.report.profile.dot import divergence_flow

    graphs = list["tuple[KernelInfo, LaunchProfile, str]"]()
    for number, info in enumerate(profile.kernels):
        launches = [x for x in profile.launches if x.kernel == number]
        if arguments.launches:
            graphs += [(info, x, f"{info.name}, launch {x.number}") for x in launches]
        else:
            count = f"{len(launches)} launch{'es' if len(launches) > 1 else ''}"
            graphs.append((info, merge(launches), f"{info.name}, {count}"))
    return divergence_flow(graphs)
