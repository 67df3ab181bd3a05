"""`kcc simulate SCRIPT --model pipeline`: the launches of a script by the warp pipeline."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from kcc.base.diagnostics import DiagnosticError
from kcc.commands.console import is_terminal, say
from kcc.commands.errors import usage_error
from kcc.commands.hosts import run_host
from kcc.commands.simulation_plan import configurations
from kcc.commands.sources import SourceLines

if TYPE_CHECKING:
    from kcc.report.simulation.run import FailedRun, SimulationRun


def check_pipeline(arguments: argparse.Namespace) -> None:
    """Refuse what the model cannot give."""
    if arguments.script.endswith((".kct", ".g")):
        raise usage_error(
            "--model pipeline takes a script: a trace does not have the code of its kernels",
            "use `kcc estimate` on the kernel's source, or --model cycle or interval",
        )
    if arguments.csv or arguments.timeline:
        raise usage_error("--csv and --timeline show cycles over time, of --model cycle")


def run_pipeline(
    arguments: argparse.Namespace, sources: SourceLines, *, quiet: bool
) -> list[SimulationRun | FailedRun]:
    """A run for each configuration; the script runs once.

    :raises DiagnosticError: where the only configuration cannot be simulated; K875 where there is
        no launch.
    """
    from kcc.base.gpu import load_gpu
    from kcc.report.simulation.run import FailedRun, SimulationRun
    from kcc.stages.run_estimates import LaunchEstimator, LaunchRecorder

    recorder = LaunchRecorder(arguments.kernels, arguments.launches)
    run_host(arguments, sources, recorder, quiet=quiet)
    estimator, found = LaunchEstimator(recorder.ran), list[SimulationRun | FailedRun]()
    each = configurations(arguments.gpus, arguments.overrides, arguments.sweeps)
    errors = list[DiagnosticError]()
    for configuration in each:
        gpu = load_gpu(configuration.gpu, list(configuration.overrides))
        try:
            timings = estimator.on(
                gpu, lambda done: _show(done, len(recorder.ran)), cold=arguments.cold
            )
        except DiagnosticError as error:
            errors.append(error)
            reason = error.diagnostics[0].message
            found.append(FailedRun(gpu.stem, configuration.overrides, reason))
        else:
            found.append(SimulationRun(configuration.overrides, tuple(timings)))
    if len(errors) == len(each):
        raise errors[0]
    return found


def _show(done: int, total: int) -> None:
    if is_terminal(sys.stderr):
        say(f"\r\x1b[K{done} of {total} launches" if done < total else "\r\x1b[K")
        sys.stderr.flush()
