"""`kcc simulate FILE --gpu NAME`: how long the launches of a script or trace take, by cycles."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.commands.console import choose_style, is_terminal
from kcc.commands.errors import usage_error
from kcc.commands.hosts import add_script, check_script, run_host, script_exit_code
from kcc.commands.options import Subparsers, add_console
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.sources import SourceLines
from kcc.diagnostics import Diagnostic, DiagnosticError, render

if TYPE_CHECKING:
    from kcc.gpu.description import GpuDescription
    from kcc.sim.cycle.launch import LaunchSimulation
    from kcc.sim.cycle.sources import Watcher
    from kcc.sim.result import Timing

TIMELINE_BLOCKS = 100_000
"""Thread blocks of a launch that a timeline shows; viewers take no more."""

REFRESH_SECONDS = 0.5

_EXAMPLES = """examples:
  kcc simulate kernels/bfs/workload.py --gpu v100
  kcc simulate kernels/matmul/workload.py --gpu a100 --set l2.size_bytes=4194304
  kcc simulate bfs.kct --gpu v100 --gpu a100 --jobs 2 --json bfs.json
  kcc simulate bfs.kct --gpu v100 --launches 0-3 --timeline bfs-timeline.json
  kcc simulate traces/kernelslist.g --gpu accelsim-sm7-qv100"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc simulate`."""
    parser = subparsers.add_parser(
        "simulate",
        help="simulate the kernels of a PyOpenCL script or a trace, cycle by cycle",
        usage="kcc simulate FILE --gpu NAME [OPTION ...] [-- ARG ...]",
        description="Simulate the launches of a PyOpenCL script, of a trace (.kct), or of a list\n"
        "of Accel-Sim traces (kernelslist.g) on a GPU: cycles, time, where cycles went.",
        epilog=_EXAMPLES,
    )
    add_script(parser)
    group = parser.add_argument_group("what is simulated")
    group.add_argument(
        "--gpu", dest="gpus", metavar="NAME", action="append", default=[],
        help="a GPU (see `kcc gpus list`) or a file; repeatable",
    )  # fmt: skip
    group.add_argument(
        "--set", dest="overrides", metavar="KEY=VALUE", action="append", default=[],
        help="change a value of the GPUs, e.g. sm_count=40 (repeatable)",
    )  # fmt: skip
    group.add_argument(
        "--kernel", dest="kernels", metavar="NAME", action="append", default=[],
        help="only launches of this kernel (repeatable); the others run all the same",
    )  # fmt: skip
    group.add_argument(
        "--launches", metavar="RANGES", type=_ranges, default=(),
        help="only these launches, from 0: 3, 0-9, 0-3,8",
    )  # fmt: skip
    group.add_argument(
        "--jobs", metavar="N", type=_positive, default=1,
        help="processes, for several GPUs (default: %(default)s); results are the same",
    )  # fmt: skip
    _add_output(parser)
    add_console(parser, stages=False)
    parser.set_defaults(run=run)


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--each-launch", action="store_true", help="launches apart, not by kernel")
    group.add_argument(
        "--json", metavar="FILE", help="write kcc/simulation/1; '-' in place of text"
    )
    group.add_argument(
        "--csv", metavar="FILE", help="write instructions and DRAM sectors over time"
    )
    group.add_argument(
        "--timeline", metavar="FILE", help="write thread blocks on SMs over time, for Perfetto"
    )


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    if not arguments.gpus:
        raise usage_error("--gpu is missing: what to simulate", "`kcc gpus list` names GPUs")
    targets = [t for t in (arguments.json, arguments.csv, arguments.timeline) if t]
    check_targets(targets, arguments.script)
    from kcc.gpu.loading import load_gpu

    gpus = [load_gpu(name, arguments.overrides) for name in arguments.gpus]
    try:
        runs = _simulate(arguments, gpus, sources, quiet=STANDARD in targets)
    except SystemExit as end:
        return script_exit_code(end)
    if not runs[0]:
        raise DiagnosticError([Diagnostic("K875", "no launch is there, or none that is asked for")])
    write_outputs(_outputs(arguments, runs, sources, targets))
    return 0


def _outputs(
    arguments: argparse.Namespace, runs: Sequence[Sequence[Timing]], sources: SourceLines,
    targets: Sequence[str],
) -> list[Output]:  # fmt: skip
    from kcc.report.simulation import (
        intervals_csv,
        simulation_json,
        simulation_text,
        timeline_json,
    )

    outputs = list[Output]()
    if arguments.json:
        outputs.append(Output(arguments.json, simulation_json(arguments.script, runs)))
    if arguments.csv:
        outputs.append(Output(arguments.csv, intervals_csv(runs)))
    if arguments.timeline:
        outputs.append(Output(arguments.timeline, timeline_json(runs)))
    if STANDARD not in targets:
        style = choose_style(arguments.color, arguments.width, STANDARD)
        text = simulation_text(
            arguments.script, runs, style, _texts(runs, sources), each_launch=arguments.each_launch
        )
        outputs.append(Output(STANDARD, text))
    return outputs


def _texts(runs: Sequence[Sequence[Timing]], sources: SourceLines) -> dict[str, list[str]]:
    """The lines of the files that results speak of, where they can be read."""
    found = dict[str, list[str]]()
    for name in {line.file for run in runs for t in run for line in t.lines} - {""}:
        if name in sources:
            found[name] = list(sources[name])
    return found


def _simulate(
    arguments: argparse.Namespace,
    gpus: Sequence[GpuDescription],
    sources: SourceLines,
    *,
    quiet: bool,
) -> list[list[Timing]]:
    path = arguments.script
    if path.endswith((".kct", ".g")):
        return _simulate_all(arguments, gpus, path, {}, sources)
    check_script(arguments)
    with tempfile.TemporaryDirectory(prefix="kcc-") as folder:
        trace = Path(folder) / "trace.kct"
        registers = _trace(arguments, sources, trace, quiet=quiet)
        return _simulate_all(arguments, gpus, str(trace), registers, sources)


def _trace(
    arguments: argparse.Namespace, sources: SourceLines, target: Path, *, quiet: bool
) -> dict[str, int]:
    """Trace the script's launches; gives the registers that their kernels need, by estimate."""
    from kcc.host import HostLaunch
    from kcc.passes.registers import estimate_registers
    from kcc.trace.writer import TraceWriter
    from kcc.tracegen.workers import TraceCallback
    from kcc.tracing import Tracer, header_of

    registers = dict[str, int]()

    class RegisterTracer(Tracer):
        """Notes registers beside."""

        def before(self, launch: HostLaunch) -> TraceCallback | None:
            callback = super().before(launch)
            if callback is not None and launch.kernel.name not in registers:
                estimate = estimate_registers(launch.kernel.function)
                registers[launch.kernel.name] = estimate.count
            return callback

    with TraceWriter(target, header_of(arguments.script)) as writer:
        tracer = RegisterTracer(writer, kernels=arguments.kernels, launches=arguments.launches)
        run_host(arguments, sources, tracer, quiet=quiet)
        tracer.finish()
    return registers


def _simulate_all(
    arguments: argparse.Namespace,
    gpus: Sequence[GpuDescription],
    path: str,
    registers: dict[str, int],
    sources: SourceLines,
) -> list[list[Timing]]:
    """Each GPU apart, in processes if there are several and they may be."""
    if path.endswith(".kct"):
        _add_sources(path, sources)
    timeline = TIMELINE_BLOCKS if arguments.timeline else 0
    if arguments.jobs > 1 and len(gpus) > 1:
        tasks = [
            (path, name, arguments.overrides, arguments.kernels, arguments.launches, registers,
             timeline)
            for name in arguments.gpus
        ]  # fmt: skip
        with ProcessPoolExecutor(min(arguments.jobs, len(gpus))) as pool:
            return list(pool.map(_task, tasks))
    found = list[list["Timing"]]()
    for gpu in gpus:
        with _progress() as watch:
            found.append(
                _one(
                    path, gpu, arguments.kernels, arguments.launches, registers, timeline,
                    watch=watch,
                )
            )  # fmt: skip
    return found


def _task(
    task: tuple[str, str, Sequence[str], Sequence[str], Sequence[range], dict[str, int], int],
) -> list[Timing]:
    """One GPU, in a process of its own."""
    from kcc.gpu.loading import load_gpu
    from kcc.sim.cycle.sources import no_watcher

    path, name, overrides, kernels, launches, registers, timeline = task
    gpu = load_gpu(name, overrides)
    return _one(path, gpu, kernels, launches, registers, timeline, watch=no_watcher)


def _one(
    path: str,
    gpu: GpuDescription,
    kernels: Sequence[str],
    launches: Sequence[range],
    registers: dict[str, int],
    timeline: int,
    *,
    watch: Watcher,
) -> list[Timing]:
    from kcc.sim.cycle.sources import simulate_list, simulate_trace

    if path.endswith(".g"):
        return list(
            simulate_list(
                path, gpu, kernels=kernels, launches=launches, timeline=timeline, watch=watch,
                warn=_warn,
            )
        )  # fmt: skip
    return list(
        simulate_trace(
            path, gpu, kernels=kernels, launches=launches, registers=registers,
            timeline=timeline, watch=watch,
        )
    )  # fmt: skip


def _warn(diagnostic: Diagnostic) -> None:
    sys.stderr.write(f"{render(diagnostic, {})}\n")


def _add_sources(path: str, sources: SourceLines) -> None:
    """The texts that a trace keeps of its kernels' sources."""
    from kcc.trace.reader import open_trace

    with open_trace(path) as trace:
        for tables in trace.tables:
            for name, text in zip(tables.files, tables.texts, strict=True):
                if text:
                    sources.add(name, text)


@contextmanager
def _progress() -> Generator[Watcher]:
    """On a terminal a line with the launch, its share, the rate and the time left."""
    shown = is_terminal(sys.stderr)
    began = last = time.monotonic()
    finished, current, number = 0, 0, -1

    def watch(simulation: LaunchSimulation) -> None:
        nonlocal last, finished, current, number
        if simulation.launch.number != number:
            finished, current, number = finished + current, 0, simulation.launch.number
        current = simulation.issued
        now = time.monotonic()
        if not shown or now - last < REFRESH_SECONDS:
            return
        last = now
        share = simulation.retired_blocks / max(simulation.launch.thread_blocks, 1)
        rate = (finished + current) / max(now - began, 1e-3) / 1e6
        left = f", {(1 - share) / share * (now - began):,.0f} s left" if share > 0 else ""
        line = f"launch {number}: {100 * share:.0f} %, {rate:,.1f} M instructions/s{left}"
        sys.stderr.write(f"\r\x1b[K{line}")

    try:
        yield watch
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")


def _ranges(text: str) -> tuple[range, ...]:
    """``0-3,8`` as ranges."""
    found = list[range]()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise argparse.ArgumentTypeError(f"'{part}' is no launch and no range of them")
        start, end = int(first), int(last) if dash else int(first)
        if end < start:
            raise argparse.ArgumentTypeError(f"'{part}' ends before it begins")
        found.append(range(start, end + 1))
    return tuple(found)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1 on")
    return int(text)
