"""Static traces of the kernels of a source, into a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import kcc
from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.launch import numbers_of
from kcc.base.records import dataclass
from kcc.passes.facts import Around, plainly
from kcc.stages.analyze import (
    AnalysisRequest,
    LaunchInputs,
    buffer_bytes,
    check_arguments,
    choose_kernels,
    compile_unit,
    count_registers,
    known_launch,
    refusals,
    resolve,
)
from kcc.stages.given_arguments import arguments_of

if TYPE_CHECKING:
    from kcc.base.arguments import Argument, Structure
    from kcc.base.expressions import Value
    from kcc.base.profile.model import Profile
    from kcc.base.trace.writer import TraceWriter
    from kcc.frontend.ir.model import Module
    from kcc.frontend.kernel import CompiledUnit, Kernel
    from kcc.tracegen.static.classes import StaticClass
    from kcc.tracegen.static.launch import StaticArgument, StaticLaunch
    from kcc.tracegen.static.program import StaticProgram
    from kcc.tracegen.static.write import StaticSummary

UNKNOWN_BYTES = 1 << 36
"""Kept free after a buffer of which no size is given: more than a GPU has memory."""

UNKNOWN_LOCAL_BYTES = 1 << 14
"""The same for local memory handed in: what every OpenCL device with a full profile has at least
is 32 KiB (OpenCL 1.2, table 4.3), of which kernels take a part."""


@dataclass(frozen=True, slots=True)
class TracedKernel:
    """A kernel's launch in the file: its place, how its sizes came about, what it adds up to, and
    arguments of which too little is known: buffers without a size, scalars without a value."""

    number: int
    kernel: str
    assumed_launch: bool
    summary: StaticSummary
    unsized: tuple[str, ...]
    unset: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StaticTraces:
    """What :func:`trace_source` wrote; ``failures`` say which kernels are not in the file, and
    why."""

    kernels: tuple[TracedKernel, ...]
    warnings: tuple[Diagnostic, ...]
    failures: tuple[Diagnostic, ...]
    bytes_written: int
    is_folded: bool
    """Whether mathematical functions of constants are folded, which a run calls."""


def traced_unit(request: AnalysisRequest, stage: Around = plainly) -> tuple[CompiledUnit, bool]:
    """The unit whose warps are traced, as estimates have it, and whether that is not the one that
    a run executes: a GPU's compiler folds mathematical functions of constants."""
    from kcc.frontend.constant_math import fold_math

    plain = compile_unit(request, stage)
    unit = stage("folding", lambda: fold_math(plain))
    return unit, unit is not plain


def trace_source(
    request: AnalysisRequest,
    target: Path,
    *,
    width: int = 32,
    profile: Profile | None = None,
    stage: Around = plainly,
) -> StaticTraces:
    """Trace each kernel of a source once, without data, to a file. A ``profile`` says what
    happened where memory decides, in the code that ran.

    A kernel that cannot be traced is left out of it: K850 for a launch whose sizes are not known,
    K851 and K852 for one that is too much, K783 for a profile of other code, else as
    :func:`kcc.stages.analyze.analyze`. If none can, these are raised as :class:`DiagnosticError`.
    """
    from kcc.base.trace.launches import STATIC, TraceHeader
    from kcc.base.trace.writer import TraceWriter
    from kcc.passes.control.assumption_use import warn_unused

    unit, is_folded = (
        traced_unit(request, stage) if profile is None else (compile_unit(request, stage), False)
    )
    kernels = choose_kernels(unit, request.kernels)
    check_arguments(request.arguments, kernels, unit.module)
    found, failures = list[TracedKernel](), list(refusals(unit, request.kernels))
    seen, silent = set[str](), list[Diagnostic]()
    with TraceWriter(target, TraceHeader(kcc.__version__, STATIC, unit.name)) as writer:
        for number, kernel in enumerate(kernels):
            try:
                ready = stage("trace", lambda k=kernel: _prepared(unit, k, request, width, profile))
            except DiagnosticError as error:
                failures += error.diagnostics
                continue
            found.append(stage("write", lambda r=ready, n=number: _written(writer, r, n)))
            seen |= ready.program.decisions
            if profile is not None and ready.program.observed is None:
                silent.append(_not_profiled(kernel))
        if not found:
            raise DiagnosticError(failures)
    used = {each for kernel in found for each in kernel.summary.used}
    known = "known, or no work-item comes there"
    unused = [] if failures else warn_unused(request.assumptions, seen, used, known)
    warnings = tuple(w for w in unit.warnings if w not in failures)
    return StaticTraces(
        tuple(found), (*warnings, *silent, *unused), tuple(failures), writer.bytes_written,
        is_folded,
    )  # fmt: skip


def kernel_registers(request: AnalysisRequest, stage: Around = plainly) -> dict[str, int]:
    """The registers of a work-item, by kernel."""
    unit = compile_unit(request, stage)
    counts = count_registers(unit, request, stage)
    return {k.name: counts[k.symbol].count for k in unit.kernels if k.symbol in counts}


def _not_profiled(kernel: Kernel) -> Diagnostic:
    return Diagnostic("K784", f"the profile has no launch of '{kernel.name}'")


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A kernel whose warps were looked at."""

    program: StaticProgram
    launch: StaticLaunch
    assumed_launch: bool
    classes: list[StaticClass]


def _prepared(
    unit: CompiledUnit,
    kernel: Kernel,
    request: AnalysisRequest,
    width: int,
    profile: Profile | None,
) -> _Prepared:
    from kcc.tracegen.static.classes import find_classes
    from kcc.tracegen.static.program import prepare_static

    inputs = request.inputs_of(kernel.name)
    launch, assumed = static_launch(kernel, unit.module, inputs, request.arguments)
    program = prepare_static(unit, kernel, launch, request.assumptions, width, profile)
    return _Prepared(program, launch, assumed, find_classes(program))


def _written(writer: TraceWriter, ready: _Prepared, number: int) -> TracedKernel:
    from kcc.tracegen.static.write import write_classes

    kernel, launch = ready.program.kernel, ready.launch
    summary = write_classes(writer, ready.program, launch, number, ready.classes)
    unset, unsized = list[str](), list[str]()
    for argument, value in zip(kernel.arguments, launch.arguments, strict=True):
        if value is None and "*" not in argument.type:
            unset.append(argument.name)
        elif _is_unsized(value):
            unsized.append(argument.name)
    return TracedKernel(
        number, kernel.name, ready.assumed_launch, summary, tuple(unsized), tuple(unset)
    )


def _is_unsized(value: StaticArgument) -> bool:
    from kcc.tracegen.execute import LocalMemory
    from kcc.tracegen.static.launch import BufferSize

    match value:
        case BufferSize(size):
            return size == UNKNOWN_BYTES
        case LocalMemory(size):
            return size == UNKNOWN_LOCAL_BYTES
        case _:
            return False


def static_launch(
    kernel: Kernel, module: Module, inputs: LaunchInputs, given: Iterable[Argument]
) -> tuple[StaticLaunch, bool]:
    """The launch of a kernel as far as it is known, and whether its local size is assumed.

    Raises :class:`DiagnosticError` K850 where the sizes are not numbers.
    """
    from kcc.base.arguments import Structure
    from kcc.passes.memory.memory_use import dynamic_arrays
    from kcc.tracegen.execute import NDRange
    from kcc.tracegen.static.launch import StaticLaunch

    launch = resolve(kernel, inputs, module)
    whole, part = numbers_of(launch.global_size), numbers_of(launch.local_size)
    if whole is None or part is None:
        names = sorted(name for name in launch.free_names if not name.startswith("global_size_"))
        hint = f"give a value: --size {names[0]}=..." if names else "--global N --local N"
        message = f"the launch of '{kernel.name}' is not known"
        raise DiagnosticError([Diagnostic("K850", message, kernel.span, hint=hint)])
    given = tuple(given)
    known = known_launch(kernel, launch, inputs, given)
    values = arguments_of(kernel, (*inputs.arguments, *given))
    sizes = buffer_bytes(kernel, module, inputs, given)
    structures = {n: v.value for n, v in values.items() if isinstance(v.value, Structure)}
    arguments = [
        _argument(kernel, index, sizes, known.arguments.get(index))
        if kernel.arguments[index].name not in structures
        else _by_value(kernel, index, structures[kernel.arguments[index].name], inputs.names)
        for index in range(len(kernel.arguments))
    ]
    dynamic = dynamic_arrays(kernel.function, module)
    least = UNKNOWN_LOCAL_BYTES if dynamic else 0
    shared = max((sizes[name] for name in dynamic if name in sizes), default=least)
    shape = NDRange(whole, part, dynamic_local_bytes=shared)
    return StaticLaunch(shape, arguments), launch.assumed


def _by_value(
    kernel: Kernel, index: int, structure: Structure, names: Mapping[str, Value]
) -> StaticArgument:
    """A struct or vector by value; None where it is not known, or not laid out as the kernel's."""
    from kcc.base.arguments import structure_bytes, structure_numbers
    from kcc.frontend.ir.types import VecTy, size_bytes

    argument = kernel.function.arguments[index]
    if argument.attributes.byval is not None:
        data = structure_bytes(structure, names)
        fits = data is not None and len(data) == size_bytes(argument.attributes.byval)
        return data if fits else None
    numbers = structure_numbers(structure, names)
    fits = isinstance(argument.type, VecTy) and len(structure.members) == argument.type.lanes
    return numbers if fits else None


def _argument(
    kernel: Kernel, index: int, sizes: Mapping[str, int], scalar: object
) -> StaticArgument:
    from kcc.frontend.types import AddressSpace
    from kcc.tracegen.execute import LocalMemory
    from kcc.tracegen.static.launch import BufferSize

    argument = kernel.arguments[index]
    if "*" in argument.type and kernel.function.arguments[index].attributes.byval is None:
        size = sizes.get(argument.name)
        if argument.address_space is AddressSpace.LOCAL:
            return LocalMemory(UNKNOWN_LOCAL_BYTES if size is None else size)
        return BufferSize(UNKNOWN_BYTES if size is None else size)
    return scalar if isinstance(scalar, int | float) else None
