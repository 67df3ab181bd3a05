"""What the ways to `kcc memory` share: options, the model's runs, the reports."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kcc.base.diagnostics import DiagnosticError
from kcc.commands.console import choose_style
from kcc.commands.errors import usage_error
from kcc.commands.launch_choice import Group
from kcc.commands.number_options import count_from
from kcc.commands.options import GpuNames
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.sources import SourceLines
from kcc.commands.traced import IMPOSSIBLE, Launches, add_traced_sources

if TYPE_CHECKING:
    from kcc.report.memory_run import MemoryReport
    from kcc.sim.memory.facts import MemoryResult
    from kcc.sim.memory.runs import Options

ALL = "all"
SEVERAL = frozenset({ALL, "simulated"})
DEFAULT_TRIALS = 64
"""As figures 5 and 6 of the text; nothing is gained after 60 (section 5.3)."""


def add_memory(parser: argparse.ArgumentParser) -> Group:
    """What is modelled, and the group for what else belongs there."""
    group = parser.add_argument_group("what is modelled")
    group.add_argument(
        "--gpu", dest="gpus", metavar="NAME[,NAME]", action=GpuNames, default=[],
        help="a GPU (see `kcc gpus`) or a file; 'all' cards, or 'simulated' machines; repeatable",
    )  # fmt: skip
    group.add_argument(
        "--set", dest="overrides", metavar="KEY=VALUE", action="append", default=[],
        help="change a value of the GPUs, e.g. l2.size_bytes=1048576 (repeatable)",
    )  # fmt: skip
    group.add_argument(
        "--trials", metavar="N", type=count_from(1), default=DEFAULT_TRIALS,
        help="orders that are drawn, or with --until: at most (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--until", metavar="POINTS%", type=_points,
        help="stop when no hit rate's mean or deviation moved by more in the last 8 trials",
    )  # fmt: skip
    group.add_argument(
        "--snapshot", metavar="K", type=_waves,
        help="K waves of thread blocks out of the middle of a launch, or all (default: all of a "
        "launch of half a million accesses of warps; else waves until their data fill L2 twice)",
    )  # fmt: skip
    group.add_argument(
        "--order-seed", metavar="N", type=count_from(0), default=0,
        help="other random orders (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--cold", action="store_true",
        help="each launch begins with an empty L2; else with what the one before left",
    )  # fmt: skip
    group.add_argument(
        "--start", choices=("delay", "apart", "skip", "together"), default="delay",
        help="the first blocks of SMs begin a random time late, each its own (delay) or one for "
        "each SM (apart), at a random point of their trace (skip), or together (default: "
        "%(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--without-deviation", action="store_true", help="one pass, nothing of it random"
    )
    group.add_argument(
        "--what-if", action="store_true",
        help="change accesses in the trace: loads as vectors, arrays in local memory, past L1, "
        "kept in L2; what each does to the latency of all loads",
    )  # fmt: skip
    group.add_argument(
        "--jobs", metavar="N", type=count_from(1), default=1,
        help="threads; results are the same (default: %(default)s)",
    )  # fmt: skip
    return group


def add_memory_output(parser: argparse.ArgumentParser) -> None:
    """Where it is written."""
    group = parser.add_argument_group("output")
    group.add_argument("--each-launch", action="store_true", help="each launch in full")
    group.add_argument("--json", metavar="FILE", help="write kcc/memory/1; '-' in place of text")
    group.add_argument(
        "--html", metavar="FILE", help="write a page: histograms, convergence, the source with heat"
    )


def check_memory(arguments: argparse.Namespace, source: str) -> list[str]:
    """The outputs asked for; raises :class:`UsageError` and :class:`DiagnosticError` for what can
    only go wrong, before anything is run."""
    from kcc.base.gpu.loading import load_gpu

    if not arguments.gpus:
        raise usage_error("--gpu is missing: what to model", "`kcc gpus list` names GPUs")
    targets = [target for target in (arguments.json, arguments.html) if target]
    check_targets(targets, source)
    for name in arguments.gpus:
        if name not in SEVERAL:
            load_gpu(name, arguments.overrides)
    return targets


def model_memory(
    arguments: argparse.Namespace, source: str, launches: Launches, sources: SourceLines,
    notes: Sequence[str] = (),
) -> MemoryReport:  # fmt: skip
    """The launches on all GPUs asked for; a GPU of ``all`` on which they cannot be is left out,
    with its reason."""
    from kcc.base.gpu.loading import load_gpu
    from kcc.report.memory_run import FailedGpu, GpuRun, MemoryReport

    options = _options(arguments)
    runs, failed = list[GpuRun](), list[FailedGpu]()
    for name in _names(arguments.gpus):
        try:
            gpu = load_gpu(name, arguments.overrides)
            results = tuple(_results(launches, gpu, options))
        except DiagnosticError as error:
            if not SEVERAL & set(arguments.gpus) or error.diagnostics[0].code not in IMPOSSIBLE:
                raise
            failed.append(FailedGpu(name, error.diagnostics[0].message))
            continue
        runs.append(GpuRun(gpu.stem, tuple(arguments.overrides), results))
    add_traced_sources(launches.path, sources)
    names = {a.access.file for r in runs for m in r.results for a in m.accesses} - {""}
    texts = {name: list(sources[name]) for name in names if name in sources}
    return MemoryReport(source, tuple(runs), tuple(failed), texts, tuple(notes))


def _results(launches: Launches, gpu: Any, options: Options) -> Iterator[MemoryResult]:
    from kcc.sim.memory.runs import memory_of_list, memory_of_trace

    if launches.path.endswith(".g"):
        return memory_of_list(
            launches.path, gpu, options, kernels=launches.kernels, launches=launches.numbers
        )
    return memory_of_trace(
        launches.path, gpu, options, kernels=launches.kernels, launches=launches.numbers,
        registers=dict(launches.registers),
    )  # fmt: skip


def _names(asked: Sequence[str]) -> list[str]:
    from kcc.base.gpu.loading import named_gpus

    found = list[str]()
    for name in asked:
        found += named_gpus(name)
    return list(dict.fromkeys(found))


def _options(arguments: argparse.Namespace) -> Options:
    from kcc.sim.memory.facts import NO_DEVIATION, Deviations, Start
    from kcc.sim.memory.runs import Options
    from kcc.sim.memory.trials import Plan

    plan = Plan(arguments.trials, arguments.until, arguments.order_seed, arguments.jobs)
    deviations = Deviations(start=Start(arguments.start))
    if arguments.without_deviation:
        plan, deviations = Plan(1), NO_DEVIATION
    return Options(
        plan, deviations, arguments.snapshot, cold=arguments.cold, what_if=arguments.what_if
    )


def write_memory(
    arguments: argparse.Namespace, targets: Sequence[str], found: MemoryReport
) -> None:
    """Write all that was asked for."""
    from kcc.report.memory_document import memory_json
    from kcc.report.memory_html import memory_page
    from kcc.report.memory_text import memory_text

    outputs = list[Output]()
    if arguments.json:
        outputs.append(Output(arguments.json, memory_json(found)))
    if arguments.html:
        outputs.append(Output(arguments.html, memory_page(found)))
    if STANDARD not in targets:
        style = choose_style(arguments.color, arguments.width, STANDARD)
        text = memory_text(found, style, each_launch=arguments.each_launch)
        outputs.append(Output(STANDARD, text))
    write_outputs(outputs)


def _points(text: str) -> float:
    """``0.5%`` as a share of 1."""
    try:
        value = float(text.removesuffix("%")) / 100
    except ValueError:
        value = -1.0
    if not text.endswith("%") or not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of points like 0.5%")
    return value


def _waves(text: str) -> int:
    """Waves of a snapshot; 0 for all of a launch."""
    return 0 if text == ALL else count_from(1)(text)
