"""`kcc simulate FILE --gpu NAME --sample METHOD`: some launches and thread blocks for the whole."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.scratch import scratch_folder
from kcc.commands.accelsim import DEFAULT_ARCHITECTURE, check_folder, new_folder
from kcc.commands.console import choose_style, is_terminal, say
from kcc.commands.errors import usage_error
from kcc.commands.hosts import check_script, script_exit_code
from kcc.commands.number_options import count_from, percent
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.simulation_plan import Configuration

if TYPE_CHECKING:
    from kcc.base.trace.reader import LaunchTrace, TraceFile
    from kcc.report.simulation.sampling import SampledRun
    from kcc.sim.sampling.block_profile import LaunchProfile
    from kcc.sim.sampling.estimate import ProgramEstimate

TBPOINT, PRINTED, SIMPROF = "tbpoint", "tbpoint-ipdps14", "simprof"
FULL = ("random", "simpoint")
"""Methods that need the full simulation."""

MakeTrace = Callable[[Path], dict[str, int]]
"""Writes the trace of the script to a file; gives registers by kernel."""


def add_sampling(parser: argparse.ArgumentParser) -> None:
    """The options of sampling."""
    group = parser.add_argument_group("sampling")
    group.add_argument(
        "--sample", choices=(TBPOINT, PRINTED, SIMPROF, *FULL),
        help="simulate some launches and thread blocks: tbpoint draws them at random out of groups "
        "that behave alike and gives an interval; tbpoint-ipdps14 is as printed; simprof draws "
        "units of phases, by what interval analysis predicts; random and simpoint simulate all and "
        "say how far off units chosen at random, or by SimPoint, would be",
    )  # fmt: skip
    group.add_argument(
        "--error", metavar="PERCENT", type=percent,
        help="tbpoint, simprof: draw until the 95 %% interval is within this of the cycles, e.g. "
        "1%%",
    )  # fmt: skip
    group.add_argument(
        "--points", metavar="N", type=count_from(1), default=None,
        help="simprof: units that are simulated (default: 20)",
    )  # fmt: skip
    group.add_argument(
        "--reference", dest="references", metavar="UNITS.json", action="append", default=None,
        help="simprof: another input as `kcc phases record` wrote it, the training input first "
        "(twice at least): phases that these inputs do not change are not simulated",
    )  # fmt: skip
    group.add_argument(
        "--sample-seed", metavar="N", type=count_from(0), default=0, help="seed of the draws"
    )
    group.add_argument(
        "--warm", metavar="EPOCHS", type=_share, default=None,
        help="tbpoint: simulated before what is measured, in fillings of the GPU, in long launches "
        "times up to 4 (default: 1)",
    )  # fmt: skip
    group.add_argument(
        "--no-functional-warming", action="store_true", default=None,
        help="tbpoint: skipped thread blocks do not warm L2",
    )  # fmt: skip
    group.add_argument(
        "--inter-distance", metavar="D", type=_share, default=None,
        help="largest distance between launches of a group (default: 0.1)",
    )  # fmt: skip
    group.add_argument(
        "--intra-distance", metavar="D", type=_share, default=None,
        help="largest distance between stall probabilities of a region (default: 0.2)",
    )  # fmt: skip
    group.add_argument(
        "--block-profile", metavar="FILE",
        help="profile of thread blocks: read if it exists, else written",
    )  # fmt: skip
    group.add_argument(
        "--selection",
        metavar="FILE",
        help="write the selection with its weights as JSON (kcc/selection/1)",
    )
    group.add_argument(
        "--accelsim",
        metavar="FOLDER",
        help="write the selected thread blocks as a list of Accel-Sim kernels, with the selection",
    )
    group.add_argument("--picture", metavar="FILE", help="write thread blocks by region, as SVG")


def check_sampling(arguments: argparse.Namespace) -> bool:
    """Whether sampling is asked for; raises where options do not go together."""
    drawn = {"--error": arguments.error, "--warm": arguments.warm,
             "--no-functional-warming": arguments.no_functional_warming}  # fmt: skip
    distances = {"--inter-distance": arguments.inter_distance,
                 "--intra-distance": arguments.intra_distance}  # fmt: skip
    own = {**drawn, **distances, "--points": arguments.points, "--reference": arguments.references,
           "--block-profile": arguments.block_profile,
           "--selection": arguments.selection, "--picture": arguments.picture,
           "--accelsim": arguments.accelsim}  # fmt: skip
    if arguments.sample is None:
        given = [name for name, value in own.items() if value is not None]
        if given:
            raise usage_error(f"{given[0]} goes with --sample")
        return False
    others = {"--csv": arguments.csv, "--timeline": arguments.timeline,
              "--cold": arguments.cold, "--each-launch": arguments.each_launch}  # fmt: skip
    refused = [name for name, value in others.items() if value]
    if refused:
        raise usage_error(f"{refused[0]} does not go with --sample")
    if arguments.model != "cycle":
        raise usage_error(f"--model {arguments.model} does not go with --sample")
    _check_method(arguments, drawn, distances)
    if arguments.script.endswith(".g"):
        hint = "a trace of kcc (.kct) or a script"
        raise usage_error("--sample does not take lists of Accel-Sim kernels", hint)
    return True


def _check_method(
    arguments: argparse.Namespace, drawn: dict[str, object], distances: dict[str, object]
) -> None:
    """Raise where an option is of another method."""
    if arguments.sample == PRINTED:
        other = drawn
    elif arguments.sample == SIMPROF:
        other = {**drawn, **distances, "--picture": arguments.picture, "--html": arguments.html}
        del other["--error"]
    elif arguments.sample in FULL:
        other = {**drawn, **distances, "--picture": arguments.picture, "--html": arguments.html,
                 "--selection": arguments.selection, "--accelsim": arguments.accelsim,
                 "--block-profile": arguments.block_profile}  # fmt: skip
    else:
        other = {}
    if given := [name for name, value in other.items() if value is not None]:
        raise usage_error(f"{given[0]} goes with --sample tbpoint")
    if arguments.points is not None and arguments.sample != SIMPROF:
        raise usage_error("--points goes with --sample simprof")
    if arguments.references and arguments.sample != SIMPROF:
        raise usage_error("--reference goes with --sample simprof")
    if arguments.references and len(arguments.references) < 2:
        hint = "the first is the training input: the others say which phases an input changes"
        raise usage_error("--reference is given twice at least", hint)
    if arguments.sample == SIMPROF and arguments.points is None:
        arguments.points = 20


def run_sampled(
    arguments: argparse.Namespace, configurations: Sequence[Configuration], make_trace: MakeTrace
) -> int:
    """Sample in all configurations, and write what is asked for."""
    named = (arguments.json, arguments.html, arguments.selection, arguments.picture)
    targets = [target for target in named if target]
    check_targets(targets, arguments.script)
    several = len(configurations) > 1
    single = arguments.selection, arguments.picture, arguments.accelsim, arguments.references
    if several and any(single):
        what = "--selection, --accelsim, --picture and --reference"
        raise usage_error(f"{what} are of one configuration")
    if arguments.accelsim:
        check_folder(arguments.accelsim)
    try:
        with _trace_of(arguments, make_trace) as (path, registers):
            if arguments.sample == SIMPROF:
                outputs = _simprof(arguments, path, configurations, registers, targets)
            elif arguments.sample in FULL:
                outputs = _full_units(arguments, path, configurations, registers, targets)
            else:
                runs = _sample(arguments, path, configurations, registers)
                outputs = _outputs(arguments, runs, targets)
    except SystemExit as end:
        return script_exit_code(end)
    write_outputs(outputs)
    return 0


def _simprof(
    arguments: argparse.Namespace, path: str, configurations: Sequence[Configuration],
    registers: dict[str, int], targets: Sequence[str],
) -> list[Output]:  # fmt: skip
    from kcc.base.trace.reader import open_trace
    from kcc.commands.sampled_simprof import sample_simprof, simprof_outputs
    from kcc.sim.sampling.block_profile import identity_of

    with open_trace(path) as trace:
        chosen = _chosen_launches(arguments, trace)
        traces = [trace.launches[n] for n in chosen]
        own = _profiles(arguments, trace, chosen)
        identity = identity_of(trace)
        runs = sample_simprof(arguments, traces, own, configurations, registers, identity, _say)
    _say("")
    return simprof_outputs(arguments, runs, targets)


def _full_units(
    arguments: argparse.Namespace, path: str, configurations: Sequence[Configuration],
    registers: dict[str, int], targets: Sequence[str],
) -> list[Output]:  # fmt: skip
    from kcc.base.gpu import load_gpu
    from kcc.base.trace.reader import open_trace
    from kcc.report.simulation.full_units import UnitsRun, units_json, units_text
    from kcc.sim.sampling.block_profile import identity_of
    from kcc.sim.sampling.full_units import sample_units

    runs = list[UnitsRun]()
    with open_trace(path) as trace:
        traces = [trace.launches[n] for n in _chosen_launches(arguments, trace)]
        for each in configurations:
            gpu = load_gpu(each.gpu, list(each.overrides))
            label = " ".join([gpu.stem, *each.overrides])
            _say(f"full simulation on {label}")
            seed = arguments.sample_seed
            found = sample_units(arguments.sample, trace, traces, gpu, registers, seed)
            runs.append(
                UnitsRun(arguments.script, identity_of(trace), label, gpu.stem, seed, found)
            )
    _say("")
    outputs = [Output(arguments.json, units_json(runs))] if arguments.json else []
    if STANDARD not in targets:
        style = choose_style(arguments.color, arguments.width, STANDARD)
        outputs.append(Output(STANDARD, units_text(runs, style)))
    return outputs


def _chosen_launches(arguments: argparse.Namespace, trace: TraceFile) -> list[int]:
    """Their places; raises K875 where there is none."""
    chosen = [n for n, one in enumerate(trace.launches) if _is_chosen(arguments, one)]
    if not chosen:
        message = "no launch is there, or none that is asked for"
        raise DiagnosticError([Diagnostic("K875", message)])
    return chosen


@contextmanager
def _trace_of(
    arguments: argparse.Namespace, make_trace: MakeTrace
) -> Generator[tuple[str, dict[str, int]]]:
    """The trace to sample, and registers by kernel."""
    if arguments.script.endswith(".kct"):
        yield arguments.script, {}
        return
    check_script(arguments)
    # Before the script runs: modules of NumPy that it brings in are dropped after it, and these
    # would load them a second time, which NumPy refuses.
    for name in (
        "scipy.special", "scipy.cluster.hierarchy", "sklearn.feature_selection", "sklearn.cluster",
    ):  # fmt: skip
        importlib.import_module(name)
    with scratch_folder() as folder:
        trace = folder / "trace.kct"
        yield str(trace), make_trace(trace)


def _sample(
    arguments: argparse.Namespace, path: str, configurations: Sequence[Configuration],
    registers: dict[str, int],
) -> list[SampledRun]:  # fmt: skip
    from kcc.base.gpu import load_gpu
    from kcc.base.trace.reader import open_trace
    from kcc.report.simulation.sampling import SampledRun
    from kcc.sim.sampling.block_profile import identity_of

    with open_trace(path) as trace:
        chosen = _chosen_launches(arguments, trace)
        traces = [trace.launches[n] for n in chosen]
        own = _profiles(arguments, trace, chosen)
        runs = list[SampledRun]()
        for each in configurations:
            gpu = load_gpu(each.gpu, list(each.overrides))
            label = " ".join([gpu.stem, *each.overrides])
            _say(f"sampling on {label}")
            found = _estimate(arguments, traces, own, each, registers)
            runs.append(
                SampledRun(
                    arguments.script, identity_of(trace), label, arguments.sample_seed,
                    tuple(own), found,
                )
            )  # fmt: skip
        if arguments.accelsim:
            _say("writing kernels for Accel-Sim")
            _write_kernels(arguments.accelsim, traces, runs[0])
        _say("")
        return runs


def _write_kernels(target: str, traces: Sequence[LaunchTrace], run: SampledRun) -> None:
    """The launches that were simulated, with the thread blocks that were, and the selection."""
    from kcc.base.gpu import load_gpu
    from kcc.report.simulation.sampling import selection_json
    from kcc.sim.accelsim import names
    from kcc.sim.accelsim.writer import ExportOptions, write_list
    from kcc.sim.sampling.reduced import reduced_launches

    gpu = load_gpu(names.ARCHITECTURES[DEFAULT_ARCHITECTURE].gpu, [])
    options = ExportOptions(DEFAULT_ARCHITECTURE, gpu)
    simulated = [launch for group in run.estimate.groups for launch in group.alone]
    launches = reduced_launches(traces, run.launches, simulated)
    try:
        with new_folder(Path(target)) as folder:
            for _ in write_list(launches, folder, options, lambda _, __: None):
                pass
            (folder / "selection.json").write_text(selection_json(run), encoding="utf-8")
    except OSError as error:
        message = f"cannot write '{target}': {error.strerror or error}"
        raise DiagnosticError([Diagnostic("K008", message)]) from error


def _is_chosen(arguments: argparse.Namespace, trace: LaunchTrace) -> bool:
    number = trace.launch.number
    if arguments.kernels and trace.tables.kernel not in arguments.kernels:
        return False
    return not arguments.launches or any(number in chosen for chosen in arguments.launches)


def _estimate(
    arguments: argparse.Namespace, traces: Sequence[LaunchTrace],
    profiles: Sequence[LaunchProfile], configuration: Configuration, registers: dict[str, int],
) -> ProgramEstimate:  # fmt: skip
    from kcc.base.gpu import load_gpu
    from kcc.sim.sampling.stratified import StratifiedOptions, sample_stratified
    from kcc.sim.sampling.tbpoint import TbpointOptions, sample_tbpoint

    gpu = load_gpu(configuration.gpu, list(configuration.overrides))
    if arguments.sample == PRINTED:
        printed = TbpointOptions()
        printed = replace(
            printed,
            inter_distance=_or(arguments.inter_distance, printed.inter_distance),
            intra_distance=_or(arguments.intra_distance, printed.intra_distance),
        )
        return sample_tbpoint(traces, profiles, gpu, registers, printed)
    options = StratifiedOptions(error=arguments.error, seed=arguments.sample_seed)
    options = replace(
        options,
        inter_distance=_or(arguments.inter_distance, options.inter_distance),
        intra_distance=_or(arguments.intra_distance, options.intra_distance),
        warm=_or(arguments.warm, options.warm),
        functional=not arguments.no_functional_warming,
    )
    return sample_stratified(traces, profiles, gpu, registers, options)


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _profiles(
    arguments: argparse.Namespace, trace: TraceFile, chosen: Sequence[int]
) -> list[LaunchProfile]:
    """The profiles of the launches chosen; those of all are kept, where that is asked for."""
    from kcc.sim.sampling.block_profile import (
        identity_of,
        load_profile,
        profile_launch,
        profile_trace,
        save_profile,
    )

    kept = Path(arguments.block_profile) if arguments.block_profile else None
    if kept is not None and kept.exists():
        launches = load_profile(kept, identity_of(trace)).launches
        return [launches[n] for n in chosen]
    _say("counting what thread blocks execute")
    if kept is None:
        return [profile_launch(trace.launches[n]) for n in chosen]
    found = profile_trace(trace)
    write_outputs([Output(str(kept), "", save_profile(found))])
    return [found.launches[n] for n in chosen]


def _say(text: str) -> None:
    """What is being done, where somebody looks on."""
    if is_terminal(sys.stderr):
        say(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _outputs(
    arguments: argparse.Namespace, runs: Sequence[SampledRun], targets: Sequence[str]
) -> list[Output]:
    from kcc.report.simulation.sampling import sampling_json, sampling_text, selection_json
    from kcc.report.simulation.sampling_html import sampling_page
    from kcc.report.simulation.sampling_picture import sampling_picture

    outputs = list[Output]()
    if arguments.json:
        outputs.append(Output(arguments.json, sampling_json(runs)))
    if arguments.html:
        outputs.append(Output(arguments.html, sampling_page(runs)))
    if arguments.selection:
        outputs.append(Output(arguments.selection, selection_json(runs[0])))
    if arguments.picture:
        outputs.append(Output(arguments.picture, sampling_picture(runs[0])))
    if STANDARD not in targets:
        style = choose_style(arguments.color, arguments.width, STANDARD)
        outputs.append(Output(STANDARD, sampling_text(runs, style)))
    return outputs


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 0 on")
    return value
