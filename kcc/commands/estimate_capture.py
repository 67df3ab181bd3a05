"""`kcc estimate FILE.capture`: the launches of a program that was captured, which is replayed.

Branches, loops and scattered accesses are those of the replay: nothing is assumed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kcc.base.diagnostics import DiagnosticError
from kcc.commands.console import say
from kcc.commands.errors import usage_error
from kcc.commands.hosts import run_host
from kcc.commands.sources import SourceLines
from kcc.report.estimate.record import EstimateRecord, record_of, refused
from kcc.stages.estimate import Configuration, KernelEstimate

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.stages.run_estimates import LaunchEstimator, Ran

_OF_THE_CAPTURE = {
    "macros": "-D", "include_dirs": "-I", "forced_includes": "-include", "global_sizes": "--global",
    "local_sizes": "--local", "grids": "--grid", "blocks": "--block", "arguments": "--arg",
    "sizes": "--size", "assumptions": "--assume", "sweeps": "--sweep", "signature": "--signature",
    "instantiations": "--instantiate",
}  # fmt: skip
"""Options that say what the capture says."""


def captured_records(
    arguments: argparse.Namespace, sources: SourceLines, gpus: Sequence[GpuDescription], *,
    quiet: bool,
) -> list[EstimateRecord]:  # fmt: skip
    """Each kernel with each set of sizes and arguments that it was launched with, on each GPU.

    :raises UsageError: for options that speak of what the capture holds, or of other models.
    :raises DiagnosticError: as replays do, and where nothing can be estimated.
    """
    from kcc.stages.run_estimates import LaunchEstimator, LaunchRecorder

    _check(arguments)
    (path,) = arguments.source
    recorder = LaunchRecorder(arguments.kernels)
    run_host(_as_script(arguments, path), sources, recorder, quiet=quiet)
    first = {ran.key: number for number, ran in reversed(list(enumerate(recorder.ran)))}
    estimator = LaunchEstimator(recorder.ran)
    numbers = sorted(first.values())
    if not numbers:
        estimator.on(gpus[0], lambda _: None)  # says so
    launches, kinds = len(recorder.ran), len(numbers)
    if kinds < launches:
        say(f"{path}: {launches:,} launches, {kinds:,} of them different\n")
    records, errors = list[EstimateRecord](), list[DiagnosticError]()
    for number in numbers:
        for gpu in gpus:
            try:
                records.append(_record(estimator, number, gpu, path))
            except DiagnosticError as error:
                errors.append(error)
                place = _configuration(recorder.ran[number], path)
                records.append(refused(place, gpu.stem, error.diagnostics[0].message))
    if len(errors) == len(records):
        raise errors[0]
    return records


def _check(arguments: argparse.Namespace) -> None:
    given = [option for name, option in _OF_THE_CAPTURE.items() if getattr(arguments, name, None)]
    if given:
        raise usage_error(f"{', '.join(given)}: a capture has its own sources and launches")
    if arguments.model != "pipeline" or arguments.ablate or arguments.code == "compiler":
        raise usage_error(
            "of a capture the model 'pipeline' estimates kcc's own code, without --ablate",
            "other models: kcc simulate",
        )


def _as_script(arguments: argparse.Namespace, path: str) -> argparse.Namespace:
    """The options of `kcc run` for the replay."""
    defaults = {
        "script": path, "script_arguments": (), "size": "small", "seed": 0, "workers": None,
        "warp_size": None, "races": False, "budget": None,
    }  # fmt: skip
    return argparse.Namespace(**{**vars(arguments), **defaults})


def _record(
    estimator: LaunchEstimator, number: int, gpu: GpuDescription, path: str
) -> EstimateRecord:
    place = _configuration(estimator.ran[number], path)
    found = estimator.estimated(number, gpu)
    return record_of(KernelEstimate(place, assumed_launch=False, guesses=(), estimate=found))


def _configuration(ran: Ran, path: str) -> Configuration:
    known = ran.known
    return Configuration(
        ran.kernel.name, path, {}, tuple(known.global_size or ()), tuple(known.local_size or ()),
        dict(_numbers(ran)),
    )  # fmt: skip


def _numbers(ran: Ran) -> Iterator[tuple[str, int | float]]:
    for index, value in ran.known.arguments.items():
        if isinstance(value, int | float):
            yield ran.kernel.arguments[index].name, value
