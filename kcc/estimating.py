"""From a source to estimates: the kernels of a source, each on some GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kcc.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.passes.facts import Around, plainly
from kcc.pipeline import (
    AnalysisRequest,
    LaunchInputs,
    choose_kernels,
    compile_unit,
    count_registers,
    known_launch,
    local_arguments,
    resolve,
)

if TYPE_CHECKING:
    from kcc.frontend.kernel import CompiledUnit, Kernel
    from kcc.gpu.description import GpuDescription
    from kcc.passes.registers import Registers
    from kcc.sim.estimate_model import Estimate, Subject


@dataclass(frozen=True, slots=True)
class KernelEstimate:
    """A kernel in one configuration on one GPU. ``configuration`` are its macros, ``global_size``
    and ``local_size`` the launch, ``assumed_launch`` whether a part of it was assumed."""

    kernel: str
    source: str
    configuration: Mapping[str, str]
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    assumed_launch: bool
    registers: int | None
    estimate: Estimate


def estimate_source(
    request: AnalysisRequest, gpus: Sequence[GpuDescription], stage: Around = plainly
) -> Iterator[KernelEstimate]:
    """The estimates of all kernels asked for, kernel by kernel, on all ``gpus``.

    Raises :class:`DiagnosticError` for bad input, and K890 for a launch that is not known.
    """
    from kcc.gpu.needs import GpuReader
    from kcc.sim.estimate_model import estimate

    unit = compile_unit(request, stage)
    kernels = choose_kernels(unit, request.kernels)
    counts = count_registers(unit, request, stage)
    for kernel in kernels:
        inputs = request.launches.get(kernel.name, request.other_launch)
        subject, assumed = _subject(kernel, unit, request, inputs, counts, stage)
        known = known_launch(kernel, resolve(kernel, inputs), inputs, request.arguments)
        for gpu in gpus:
            found = stage(
                "pipeline", lambda gpu=gpu, subject=subject: estimate(subject, GpuReader(gpu))
            )
            macros = {m.name: m.value or "" for m in request.options.macros}
            yield KernelEstimate(
                kernel.name, unit.name, macros, tuple(known.global_size or ()),
                tuple(known.local_size or ()), assumed, subject.registers, found,
            )  # fmt: skip


def _subject(
    kernel: Kernel, unit: CompiledUnit, request: AnalysisRequest, inputs: LaunchInputs,
    counts: Mapping[str, Registers], stage: Around,
) -> tuple[Subject, bool]:  # fmt: skip
    from kcc.passes.registers import RegisterSource
    from kcc.sim.estimate_facts import estimate_facts
    from kcc.sim.estimate_model import local_bytes_of, subject_of

    launch = resolve(kernel, inputs)
    known = known_launch(kernel, launch, inputs, request.arguments)
    if known.global_size is None or known.local_size is None:
        raise DiagnosticError([_no_launch(kernel, unit.name)])
    facts = stage(
        "passes",
        lambda: estimate_facts(
            kernel, unit.module, known, request.assumptions.loops, request.assumptions.branches
        ),
    )
    count = counts.get(kernel.symbol)
    local = local_bytes_of(facts, local_arguments(kernel, inputs, request.arguments))
    subject = stage(
        "cache analysis",
        lambda: subject_of(kernel, facts, None if count is None else count.count, local),
    )
    subject.registers_known = count is not None and count.source is not RegisterSource.ESTIMATE
    return subject, launch.assumed


def _no_launch(kernel: Kernel, source: str) -> Diagnostic:
    return Diagnostic(
        "K890",
        f"the launch of '{kernel.name}' is not known, and its time depends on it",
        Span(source, 0),
        hint="give it: --global 4096,4096 --local 16,16, and --arg NAME=VALUE for its scalars",
    )
