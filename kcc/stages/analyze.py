"""The way from a source to a report, stage by stage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from kcc.base.assumptions import Assumptions
from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.launch import Launch, LaunchRequest, numbers_of, resolve_launch
from kcc.base.records import dataclass
from kcc.frontend.kernel import Refused
from kcc.frontend.options import BuildOptions, SourceText
from kcc.passes.facts import Around, plainly
from kcc.stages.given_arguments import arguments_of, is_known, names_of

if TYPE_CHECKING:
    from kcc.base.arguments import Argument, Structure
    from kcc.base.expressions import Value
    from kcc.base.gpu.description import GpuDescription
    from kcc.frontend.ir.model import Module
    from kcc.frontend.kernel import CompiledUnit, Kernel
    from kcc.passes.facts import Facts
    from kcc.passes.memory.access_facts import MemoryShape
    from kcc.passes.registers.counts import Registers
    from kcc.passes.symbolic.ranges import Known
    from kcc.report.analysis.model import Analysis, KernelReport, MachineView
    from kcc.stages.machine_code import CodeRequest

Frontend = Literal["auto", "builtin", "clang"]

FLOATING = frozenset({"half", "float", "double"})


@dataclass(frozen=True, slots=True)
class LaunchInputs:
    """What is known of a kernel's launch; ``origin`` says from where, in words. ``arguments`` are
    those that a kernel.toml gives, ``of_twin`` for the same source in another language, some of
    whose arguments are not the kernel's (OpenCL's ``__local`` ones in CUDA). ``of_host``: they are
    those of a launch in the source, where C converts what does not fit.
    """

    request: LaunchRequest = field(default_factory=LaunchRequest)
    names: Mapping[str, Value] = field(default_factory=dict[str, "Value"])
    arguments: tuple[Argument, ...] = ()
    origin: str = ""
    of_twin: bool = False
    of_host: bool = False


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """A source and what is asked about it. ``kernels`` are the names to look at, all if empty;
    ``launches`` go by kernel name, ``other_launch`` is for the rest; ``arguments`` are those given
    for whichever kernel has them. With a ``gpu`` the report says its occupancy.
    """

    source: SourceText
    options: BuildOptions
    frontend: Frontend = "auto"
    kernels: tuple[str, ...] = ()
    launches: Mapping[str, LaunchInputs] = field(default_factory=dict[str, LaunchInputs])
    other_launch: LaunchInputs = field(default_factory=LaunchInputs)
    arguments: tuple[Argument, ...] = ()
    remarks: tuple[str, ...] = ()
    assumptions: Assumptions = field(default_factory=Assumptions)
    gpu: GpuDescription | None = None
    registers: RegisterRequest | None = None
    """None leaves registers out, unless the source is compiled at -O2 anyway."""
    warp: int = 32
    """Work-items that go in step, where there is no ``gpu``."""
    machine_code: bool = False
    """Whether the report has the compiler's code that registers are counted in."""

    def inputs_of(self, kernel: str) -> LaunchInputs:
        """What is known of the launch of a kernel, or of the template that it is of."""
        template = kernel.partition("<")[0]
        return self.launches.get(kernel) or self.launches.get(template, self.other_launch)


@dataclass(frozen=True, slots=True)
class RegisterRequest:
    """Where register counts come from: a compiler's ``code``, else kcc's estimate."""

    code: CodeRequest | None = None


def analyze(request: AnalysisRequest, stage: Around = plainly) -> Analysis:
    """The report on the kernels of a source.

    Raises :class:`DiagnosticError` for bad input of any stage.
    """
    from kcc.passes.control.assumption_use import unused_assumptions
    from kcc.report.analysis.model import Analysis
    from kcc.report.shared.words import option_words

    unit = compile_unit(request, stage)
    kernels = choose_kernels(unit, request.kernels)
    check_arguments(request.arguments, kernels, unit.module)
    counts = count_registers(unit, request, stage)
    views = _machine_views(unit, request, stage)
    results, refused = _each_kernel(kernels, unit, request, counts, stage)
    results = trace_unrolling(results, unit, request, stage)
    unused = unused_assumptions(request.assumptions, [facts for _, facts in results])
    return Analysis(
        source=unit.name,
        language=unit.language,
        frontend=unit.frontend,
        optimisation=unit.opt_level,
        build_options=option_words(request.options),
        kernels=tuple(replace(report, machine=views.get(report.symbol)) for report, _ in results),
        refused=refused if request.kernels else (*unit.refused, *refused),
        warnings=(*unit.warnings, *unused),
        remarks=request.remarks,
        sources=unit.sources,
    )


def _each_kernel(
    kernels: Sequence[Kernel],
    unit: CompiledUnit,
    request: AnalysisRequest,
    registers: Mapping[str, Registers],
    stage: Around,
) -> tuple[list[tuple[KernelReport, Facts]], tuple[Refused, ...]]:
    """The results of those that can be analysed, and why the others cannot; raises where none
    can."""
    results, refused = list[tuple["KernelReport", "Facts"]](), list[Refused]()
    for kernel in kernels:
        try:
            results.append(analyze_kernel(kernel, unit, request, registers, stage))
        except DiagnosticError as error:
            refused.append(Refused(kernel.name, error.diagnostics))
    if not results and refused:
        raise DiagnosticError(dict.fromkeys(d for each in refused for d in each.diagnostics))
    return results, tuple(refused)


def analyze_kernel(
    kernel: Kernel,
    unit: CompiledUnit,
    request: AnalysisRequest,
    registers: Mapping[str, Registers],
    stage: Around = plainly,
) -> tuple[KernelReport, Facts]:
    """The report on one kernel of a unit, and its facts; ``registers`` by symbol.

    Raises :class:`DiagnosticError` for a bad launch."""
    from kcc.passes.table import Setting, analyse
    from kcc.report.analysis.build import kernel_report
    from kcc.report.analysis.resources import resources_of

    inputs = request.inputs_of(kernel.name)
    launch = stage("launch", lambda: resolve(kernel, inputs, unit.module))
    setting = Setting(
        replace(
            known_launch(kernel, launch, inputs, request.arguments), warp=warp_size(request.gpu)
        ),
        request.assumptions.loops,
        request.assumptions.branches,
        report_shape(request.gpu),
    )
    facts = analyse(kernel, unit.module, stage, setting)
    local = buffer_bytes(kernel, unit.module, inputs, request.arguments)
    resources = stage(
        "occupancy",
        lambda: resources_of(facts, launch, local, registers.get(kernel.symbol), request.gpu),
    )
    report = stage(
        "report",
        lambda: kernel_report(kernel, facts, launch, inputs.origin, unit.opt_level, resources),
    )
    return report, facts


def trace_unrolling(
    results: list[tuple[KernelReport, Facts]],
    unit: CompiledUnit,
    request: AnalysisRequest,
    stage: Around = plainly,
) -> list[tuple[KernelReport, Facts]]:
    """The results of a unit at -O2 with what became of the source's loops; others as they are."""
    from kcc.frontend.options import OptLevel
    from kcc.passes.facts import run_passes
    from kcc.passes.symbolic.build import SymbolicValues
    from kcc.passes.table import Setting, loop_passes
    from kcc.report.analysis.unrolled import with_unrolled

    if unit.opt_level is not OptLevel.O2:
        return results
    options = replace(request.options, opt_level=OptLevel.O1)
    plain = compile_unit(replace(request, options=options), stage)
    before = {kernel.symbol: kernel for kernel in plain.kernels}

    def traced(report: KernelReport, facts: Facts) -> KernelReport:
        known = facts[SymbolicValues].algebra.known
        passes = loop_passes(Setting(known, request.assumptions.loops))
        return with_unrolled(report, facts, run_passes(before[report.symbol], plain.module, passes))

    return [
        (stage("unrolling", lambda r=report, f=facts: traced(r, f)), facts)
        for report, facts in results
    ]


def warp_size(gpu: GpuDescription | None) -> int:
    """Work-items that go in step; without a GPU those of NVIDIA's."""
    return 32 if gpu is None or gpu.warp_size is None else gpu.warp_size.value


def report_shape(gpu: GpuDescription | None) -> MemoryShape:
    """What a report counts accesses in: on AMD's GPUs their own sectors and lines; on NVIDIA's the
    sectors of 32 bytes that Nsight Compute counts on all of them."""
    shape = memory_shape(gpu)
    if gpu is None or not gpu.is_amd:
        return shape
    fact, sector = gpu.l1.line_bytes, gpu.sector_bytes
    line = shape.line_bytes if fact is None else fact.value
    return replace(shape, sector_bytes=sector, line_bytes=max(line, sector))


def memory_shape(gpu: GpuDescription | None) -> MemoryShape:
    """What accesses are counted in: sectors and lines are NVIDIA's, banks the GPU's."""
    from kcc.passes.memory.access_facts import MemoryShape

    banks = gpu.shared_banks if gpu is not None else None
    return MemoryShape() if banks is None else MemoryShape(banks=banks.value)


def count_registers(
    unit: CompiledUnit, request: AnalysisRequest, stage: Around = plainly
) -> Mapping[str, Registers]:
    """The registers of each kernel that is asked for, by symbol; nothing if nobody asked for
    registers. They are those of the code at -O2, whatever the level of the report.

    Raises :class:`DiagnosticError` (K81x) for ptxas that does not do its work.
    """
    from kcc.frontend.options import OptLevel

    if unit.opt_level is not OptLevel.O2:
        if request.registers is None:
            return {}
        unit = _optimised(unit, request, stage)
    from kcc.passes.registers.counts import estimate_registers
    from kcc.stages.machine_code import machine_code, registers_of

    asked = request.registers or RegisterRequest()
    if asked.code is not None:
        code = asked.code
        found = stage("machine code", lambda: machine_code(unit, code))
        return {symbol: registers_of(each) for symbol, each in found.items()}
    chosen = choose_kernels(unit, request.kernels)
    return stage("registers", lambda: {k.symbol: estimate_registers(k.function) for k in chosen})


def _optimised(unit: CompiledUnit, request: AnalysisRequest, stage: Around) -> CompiledUnit:
    """The unit at -O2, of which compilers' code is."""
    from kcc.frontend.options import OptLevel

    if unit.opt_level is OptLevel.O2:
        return unit
    options = replace(request.options, opt_level=OptLevel.O2)
    return compile_unit(replace(request, options=options), stage)


def _machine_views(
    unit: CompiledUnit, request: AnalysisRequest, stage: Around
) -> Mapping[str, MachineView]:
    asked = request.registers.code if request.registers else None
    if asked is None or not request.machine_code:
        return {}
    from kcc.frontend.machine_code.graph import MachineGraph
    from kcc.frontend.machine_code.numbering import Numbers
    from kcc.report.analysis.model import MachineView
    from kcc.stages.machine_code import machine_code

    best = _optimised(unit, request, stage)
    codes = stage("machine code", lambda: machine_code(best, asked))
    numbers = Numbers.of(best.module)
    found = dict[str, MachineView]()
    for symbol, code in codes.items():
        rows = best.module.functions[symbol].instructions
        places = list[tuple[str, int] | None]()
        for each in code.instructions:
            index = numbers.index(symbol, each.number)
            at = None if index is None else rows[index].location
            places.append(None if at is None else (at.file, at.line))
        found[symbol] = MachineView(code, tuple(places), MachineGraph(code).live_words)
    return found


def resolve(kernel: Kernel, inputs: LaunchInputs, module: Module) -> Launch:
    """The launch of a kernel; raises :class:`DiagnosticError` for one that cannot be run, or for
    arguments the kernel does not have (K010), unless they are of its twin in another language.
    """
    if not inputs.of_twin and not inputs.of_host:
        check_arguments(inputs.arguments, (kernel,), module)
    return resolve_launch(
        inputs.request, inputs.names, kernel.required_local_size, used_dimensions(kernel)
    )


def known_launch(
    kernel: Kernel, launch: Launch, inputs: LaunchInputs, given: Iterable[Argument]
) -> Known:
    """What the passes may take for granted: sizes that are numbers, and scalar arguments whose
    values are known (those ``given`` for all kernels before those of the launch's inputs).

    Raises :class:`DiagnosticError` (K026) for a value that its argument cannot have."""
    from kcc.base.arguments import Buffer, Fill, Scalar, Structure, fits_scalar
    from kcc.base.expressions import evaluate, free_names
    from kcc.passes.symbolic.ranges import Known
    from kcc.tracegen.simt.plan import only_read

    values = arguments_of(kernel, (*inputs.arguments, *given))
    scalars, structures = dict[int, int | float](), dict[int, bytes]()
    filled, unchanged = dict[int, int](), only_read(kernel.function)
    for index, argument in enumerate(kernel.arguments):
        own = values.get(argument.name)
        value = None if own is None else own.value
        if isinstance(value, Structure):
            structures |= _bytes_of(kernel, index, value, inputs.names)
        if isinstance(value, Buffer) and isinstance(value.contents, Fill) and index in unchanged:
            each = value.contents.value
            if value.element not in FLOATING and free_names(each) <= inputs.names.keys():
                filled[index] = int(evaluate(each, inputs.names))
        if isinstance(value, Scalar) and free_names(value.value) <= inputs.names.keys():
            number = evaluate(value.value, inputs.names)
            if own is not None and not fits_scalar(argument.type, number):
                if inputs.of_host and own in inputs.arguments:
                    continue
                message = f"{number} is not a value of '{argument.type} {argument.name}'"
                raise DiagnosticError([Diagnostic("K026", message, own.at)])
            scalars[index] = float(number) if argument.type in FLOATING else int(number)
    sizes = numbers_of(launch.global_size), numbers_of(launch.local_size)
    return Known(*sizes, scalars, structures=structures, filled=filled)


def _bytes_of(
    kernel: Kernel, index: int, structure: Structure, names: Mapping[str, Value]
) -> dict[int, bytes]:
    """Those of a struct by value that the kernel only reads, by its index; nothing where they are
    not known, or not laid out as the kernel's."""
    from kcc.base.arguments import structure_bytes
    from kcc.frontend.ir.types import size_bytes
    from kcc.tracegen.simt.plan import only_read

    byval = kernel.function.arguments[index].attributes.byval
    data = structure_bytes(structure, names)
    if byval is None or data is None or len(data) != size_bytes(byval):
        return {}
    return {index: data} if index in only_read(kernel.function) else {}


def buffer_bytes(
    kernel: Kernel, module: Module, inputs: LaunchInputs, given: Iterable[Argument]
) -> Mapping[str, int]:
    """The bytes of buffers, ``__local`` arguments and ``extern __shared__`` arrays among them,
    whose size is known, by name. What an OpenCL twin has as ``__local`` arguments is one such
    array in CUDA."""
    from kcc.base.arguments import Buffer, element_bytes
    from kcc.base.expressions import evaluate, free_names
    from kcc.passes.memory.memory_use import dynamic_arrays

    sizes = dict[str, int]()
    listed = (*inputs.arguments, *given)
    others = [each for each in listed if not is_known(kernel, each.name)]
    for argument in (*others, *arguments_of(kernel, listed).values()):
        value = argument.value
        sizes.pop(argument.name, None)
        if isinstance(value, Buffer) and free_names(value.count) <= inputs.names.keys():
            each = element_bytes(value.element)
            if each is not None:
                sizes[argument.name] = each * int(evaluate(value.count, inputs.names))
    own, arrays = {each.name for each in kernel.arguments}, dynamic_arrays(kernel.function, module)
    elsewhere = inputs.of_twin or (inputs.of_host and bool(sizes.keys() - own))
    if elsewhere and arrays and not sizes.keys() & set(arrays):
        sizes[arrays[0]] = sum(sizes[each] for each in sizes.keys() - own)
    return {name: size for name, size in sizes.items() if name in own or name in arrays}


def used_dimensions(kernel: Kernel) -> int:
    """One more than the largest dimension whose id the kernel asks for; 3 if that varies."""
    from kcc.frontend.builtins.primitives import primitive_of
    from kcc.frontend.ir.instructions import Call
    from kcc.frontend.ir.values import ConstantInt

    largest = 0
    for instruction in kernel.function.instructions:
        if isinstance(instruction, Call) and not instruction.is_intrinsic:
            primitive = primitive_of(instruction.callee)
            if primitive is not None and primitive.name in _IDS:
                (dimension,) = instruction.arguments
                known = isinstance(dimension, ConstantInt)
                largest = max(largest, min(dimension.unsigned, 2) if known else 2)
    return largest + 1


_IDS = frozenset({"get_global_id", "get_local_id", "get_group_id"})


def compile_unit(request: AnalysisRequest, stage: Around = plainly) -> CompiledUnit:
    """The source as compiled.

    Raises :class:`DiagnosticError` for bad input, and for a front end that is not there (K011).
    """
    from kcc.frontend import compile_source, is_python_kernel
    from kcc.frontend.preprocessor.unused_macros import unused_macros
    from kcc.stages.argument_words import check_types, unvalued_names

    def compiled() -> CompiledUnit:
        warp = request.warp if request.gpu is None else warp_size(request.gpu)
        options = replace(request.options, sub_group_size=warp)
        unit = compile_source(request.source, options, request.frontend, partial=True)
        check_types(request.arguments, unit)
        macros = () if is_python_kernel(unit.name) else request.options.macros
        more = (
            *unused_macros(macros, unit.sources),
            *unvalued_names(request, unit.sources.get(unit.name, ())),
        )
        return replace(unit, warnings=(*unit.warnings, *more)) if more else unit

    return stage("frontend", compiled)


def choose_kernels(unit: CompiledUnit, names: Iterable[str]) -> tuple[Kernel, ...]:
    """The kernels called ``names``, in the order of the source; all of them for no names.

    Raises :class:`DiagnosticError`: K003 for a source without kernels, K005 for an unknown name.
    """
    if not unit.kernels:
        raise DiagnosticError(
            [
                Diagnostic(
                    "K003",
                    "the source holds no kernel",
                    Span(unit.name, 0),
                    hint="a kernel is a function marked __kernel",
                )
            ]
        )
    known = [kernel.name for kernel in unit.kernels]
    wanted = dict.fromkeys(_spelled(name, known) for name in names)
    if wanted and (wrong := refusals(unit, wanted)):
        raise DiagnosticError(wrong)
    missing = [_no_kernel(unit.name, name, known) for name in wanted if name not in known]
    if missing:
        raise DiagnosticError(missing)
    return tuple(kernel for kernel in unit.kernels if not wanted or kernel.name in wanted)


def _spelled(name: str, known: Sequence[str]) -> str:
    """The kernel's own name where the one that is asked for differs from it by namespaces, spaces,
    suffixes and underscores of its template arguments, or is the only one's name without them."""
    if name in known:
        return name
    alike = [each for each in known if _plain(each) == _plain(name)]
    alike = alike or [each for each in known if each.partition("<")[0] == name]
    return alike[0] if len(alike) == 1 else name


def _plain(name: str) -> str:
    words = r"(?<=\d)[uUlL]+\b|\b__(?=half|nv_bfloat)|\b\w+::"
    return re.sub(words, "", name.replace(" ", ""))


def refusals(unit: CompiledUnit, names: Iterable[str]) -> tuple[Diagnostic, ...]:
    """Why kernels called ``names`` are left out; everything that is wrong for no names."""
    chosen = set(names)
    rows = [each for each in unit.refused if not chosen or each.kernel in chosen]
    return tuple(dict.fromkeys(d for each in rows for d in each.diagnostics))


def check_arguments(
    arguments: Iterable[Argument], kernels: Sequence[Kernel], module: Module
) -> None:
    """Each argument is one of some kernel, or the name of an ``extern __shared__`` array; raises
    :class:`DiagnosticError` (K010) else."""
    from kcc.passes.memory.memory_use import dynamic_arrays

    arguments = tuple(arguments)
    if not arguments:
        return
    own = [name for kernel in kernels for name in names_of(kernel)]
    arrays = [name for kernel in kernels for name in dynamic_arrays(kernel.function, module)]
    known = list(dict.fromkeys((*own, *arrays)))
    names = " or ".join(f"'{kernel.name}'" for kernel in kernels)
    missing = [
        Diagnostic(
            "K010",
            f"kernel {names} has no argument '{argument.name}'",
            argument.at,
            hint=_nearest(argument.name, known, "arguments"),
        )
        for argument in arguments
        if argument.name not in known
        and not any(is_known(kernel, argument.name) for kernel in kernels)
    ]
    if missing:
        raise DiagnosticError(missing)


def _no_kernel(source: str, name: str, known: list[str]) -> Diagnostic:
    message = f"there is no kernel '{name}'"
    return Diagnostic("K005", message, Span(source, 0), hint=_nearest(name, known, "kernels"))


def _nearest(name: str, known: list[str], noun: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"did you mean '{near[0]}'?" if near else f"its {noun} are {', '.join(known) or 'none'}"
