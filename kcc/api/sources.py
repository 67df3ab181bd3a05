"""The functions of :mod:`kcc.api` that take a kernel source (explore, memory and trace also take a
script or a trace)."""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import TypeVar

from kcc.api.calling import Called, File, Names, Size, Values, Words, called
from kcc.api.results import (
    AnalysisResult,
    EstimateResult,
    ExplorationResult,
    MemoryResult,
    TraceResult,
)
from kcc.commands.source_launches import run_source_launches
from kcc.commands.stages import StageRunner
from kcc.commands.traced import Launches, launches_of

Found = TypeVar("Found")


def _launch(
    words: Words, kernel: Names | None, grid: Size | None, block: Size | None,
    args: Values | None, defines: Values | None, size: str | Values | None,
) -> None:  # fmt: skip
    words.each("--kernel", kernel)
    words.sizes("--grid", grid)
    words.sizes("--block", block)
    words.values("--arg", args)
    words.values("-D", defines, joined=True)
    if isinstance(size, str):
        words.option("--size", size)
    else:
        words.values("--size", size)


def analyze(
    source: File, *, kernel: Names | None = None, grid: Size | None = None,
    block: Size | None = None, args: Values | None = None, defines: Values | None = None,
    size: str | Values | None = None, gpu: str | None = None, options: Sequence[str] = (),
) -> AnalysisResult:  # fmt: skip
    """What the kernels of a source do: `kcc analyze`.

    ``grid`` are thread blocks (work-groups) and ``block`` threads of one (work-items), in each
    dimension; ``args`` kernel arguments as numbers or as `--arg` takes them (``"float[n]"``);
    ``defines`` macros; ``size`` a named size of a kernel.toml, or values of names in expressions;
    ``options`` are further words of the command line.

    :raises DiagnosticError: for bad input and bad usage.

    >>> from kcc.api import analyze
    >>> found = analyze("kernels/hotspot/hotspot.cl")
    >>> [kernel.name for kernel in found.analysis.kernels]
    ['hotspot']
    >>> found.control_flow().number_of_nodes() == len(found.kernel().blocks)
    True
    """
    from kcc.commands.analyze import request_of
    from kcc.stages.analyze import analyze as look

    words = Words("analyze", source)
    _launch(words, kernel, grid, block, args, defines, size)
    words.option("--gpu", gpu)
    with called() as call:
        arguments = words.parsed(options)
        request = request_of(arguments, arguments.source[0], call.sources)
        found = look(request, StageRunner())
    return AnalysisResult(analysis=found, messages=call.messages)


def estimate(
    source: File, *, gpu: Names, kernel: Names | None = None, grid: Size | None = None,
    block: Size | None = None, args: Values | None = None, defines: Values | None = None,
    size: str | Values | None = None, model: str = "pipeline", ablate: bool = False,
    options: Sequence[str] = (),
) -> EstimateResult:  # fmt: skip
    """How long kernels take on GPUs, from their source alone: `kcc estimate`. Keywords as of
    :func:`analyze`; ``gpu`` may be several.

    :raises DiagnosticError: for bad input and bad usage.

    >>> from kcc.api import estimate
    >>> found = estimate(
    ...     "kernels/vecadd/vecadd.cl", kernel="vecadd", gpu=["v100", "a100"], size="large"
    ... )
    >>> [each.gpu for each in found.estimates]
    ['nvidia-tesla-v100-pcie-16gb', 'nvidia-a100-pcie-40gb']
    >>> found.best.gpu == "nvidia-a100-pcie-40gb"
    True
    """
    from kcc.commands.estimate import find

    words = Words("estimate", source)
    words.each("--gpu", gpu)
    _launch(words, kernel, grid, block, args, defines, size)
    words.option("--model", model)
    words.flag("--ablate", on=ablate)
    with called() as call:
        document = find(words.parsed(options), call.sources)
    names = dict.fromkeys(each.configuration.source for each in document.estimates)
    texts = {name: list(call.sources.get(name, ())) for name in names}
    return EstimateResult(document=document, texts=texts, messages=call.messages)


def explore(
    file: File, *, gpu: str, sweep: Values | None = None, what_if: bool = False,
    kernel: Names | None = None, options: Sequence[str] = (),
) -> ExplorationResult:  # fmt: skip
    """Variants of a GPU by interval analysis, for a script, a trace or a kernel source: `kcc
    explore`. ``sweep`` maps keys to values: ``{"warps": "8,16"}``.

    :raises DiagnosticError: for bad input and bad usage.
    """
    from kcc.commands.exploring import check_exploration
    from kcc.commands.exploring import explore as look

    words = Words("explore", file)
    words.option("--gpu", gpu)
    words.values("--sweep", sweep)
    words.flag("--what-if", on=what_if)
    words.each("--kernel", kernel)
    with called() as call:
        arguments = words.parsed(options)
        found = _over_launches(
            arguments, call, "explore", check_exploration,
            lambda path, launches, notes: look(arguments, path, launches, notes),
        )  # fmt: skip
    return ExplorationResult(exploration=found, messages=call.messages)


def memory(
    file: File, *, gpu: Names, kernel: Names | None = None, trials: int | None = None,
    options: Sequence[str] = (),
) -> MemoryResult:  # fmt: skip
    """Hit rates of caches and latencies of loads over many orders of warps, for a script, a trace
    or a kernel source: `kcc memory`.

    :raises DiagnosticError: for bad input and bad usage.
    """
    from kcc.commands.memory_options import check_memory, model_memory

    words = Words("memory", file)
    words.each("--gpu", gpu)
    words.each("--kernel", kernel)
    words.option("--trials", trials)
    with called() as call:
        arguments = words.parsed(options)
        found = _over_launches(
            arguments, call, "memory", check_memory,
            lambda path, launches, notes: model_memory(
                arguments, path, launches, call.sources, notes
            ),
        )  # fmt: skip
    return MemoryResult(report=found, messages=call.messages)


def _over_launches(
    arguments: argparse.Namespace,
    call: Called,
    name: str,
    check: Callable[[argparse.Namespace, str], list[str]],
    model: Callable[[str, Launches, Sequence[str]], Found],
) -> Found:
    """What a model finds of the launches of a source, or of those of a script or trace."""
    if hasattr(arguments, "script"):
        check(arguments, arguments.script)
        with launches_of(arguments, call.sources, quiet=True) as launches:
            return model(arguments.script, launches, ())
    found = list[Found]()
    run_source_launches(
        arguments, call.sources, name, check, model, lambda _, __, each: found.append(each)
    )
    return found[0]


def trace(
    file: File, output: File, *, kernel: Names | None = None, options: Sequence[str] = ()
) -> TraceResult:
    """Write what every warp does to the file ``output``, of a script's run or of a kernel source:
    `kcc trace`.

    :raises DiagnosticError: for bad input and bad usage.
    """
    words = Words("trace", file)
    words.option("-o", output)
    words.each("--kernel", kernel)
    with called() as call, redirect_stdout(io.StringIO()):
        arguments = words.parsed(options)
        arguments.run(arguments, call.sources)
    return TraceResult(path=str(output), messages=call.messages)
