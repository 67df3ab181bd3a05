"""From a source to estimates: the kernels of a source, each on some GPUs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING

from kcc.base.collecting import collect_seldom
from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.expressions import free_names
from kcc.base.launch import Launch, Origin, whole_number
from kcc.base.records import dataclass
from kcc.frontend import CUDA_ENDINGS
from kcc.frontend.ir.instructions import Branch, Unreachable
from kcc.frontend.options import Costs
from kcc.passes.facts import Around, plainly
from kcc.sim.caches.options import CacheOptions, Reduction
from kcc.sim.estimate.hpca19_reading import AS_KCC, Reading
from kcc.sim.machine.launch_overhead import LaunchWay
from kcc.stages.analyze import (
    AnalysisRequest,
    LaunchInputs,
    buffer_bytes,
    check_arguments,
    choose_kernels,
    compile_unit,
    count_registers,
    known_launch,
    memory_shape,
    resolve,
    warp_size,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kcc.base.advice import Advice
    from kcc.base.expressions import Expression, Value
    from kcc.base.gpu.description import GpuDescription
    from kcc.base.gpu.needs import GpuReader
    from kcc.frontend.kernel import CompiledUnit, Kernel
    from kcc.frontend.machine_code.model import MachineCode
    from kcc.passes.facts import Facts
    from kcc.passes.memory.access_facts import MemoryShape
    from kcc.passes.registers.counts import Registers
    from kcc.sim.estimate.options import Mechanisms
    from kcc.sim.estimate.result import Estimate
    from kcc.sim.estimate.subject import Subject
    from kcc.sim.flow.guesses import Guess
    from kcc.stages.machine_code import CodeRequest

    ModelFunction = Callable[[Subject, GpuReader, Mechanisms], Estimate]


@dataclass(frozen=True, slots=True)
class Configuration:
    """A kernel with its macros, its launch and the scalar ``arguments`` that are known; empty sizes
    are not known."""

    kernel: str
    source: str
    macros: Mapping[str, str]
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    arguments: Mapping[str, int | float] = field(default_factory=dict[str, int | float])


@dataclass(frozen=True, slots=True)
class KernelEstimate:
    """A kernel in one configuration on one GPU. ``assumed_launch``: a part of the launch was
    assumed; ``guesses``: what its time rests on; ``ablated_us``: the times without each mechanism,
    where they were asked for; ``unused``: what is wrong with assumptions that had no use;
    ``reduced``: the same with the reductions of the cache analysis that are ``off`` here."""

    configuration: Configuration
    assumed_launch: bool
    guesses: tuple[Guess, ...]
    estimate: Estimate
    ablated_us: Mapping[str, float] = field(default_factory=dict[str, float])
    unused: tuple[str, ...] = ()
    reduced: Estimate | None = None
    off: tuple[Reduction, ...] = ()
    advice: tuple[Advice, ...] = ()
    """What would make it faster, where that was asked for."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a model: its name, whether also without each of its mechanisms, how caches
    are looked at and how the host launches."""

    model: str = "pipeline"
    ablate: bool = False
    analysis: CacheOptions = field(default_factory=CacheOptions)
    launches: LaunchWay = LaunchWay.QUEUED
    codes: Mapping[str, CodeRequest] = field(default_factory=dict[str, "CodeRequest"])
    """Of the GPUs by name whose compiler's code is timed; of others kcc's own lowering."""
    code_needed: bool = False
    """Whether a kernel without such code is refused, else it is timed as kcc lowers it."""
    advise: bool = False
    """Whether changes are looked for that would make it faster, and estimated."""
    reading: Reading = AS_KCC
    """Of the text of `pipeline-hpca19`."""

    def function(self) -> ModelFunction:
        """Of the model that is asked for."""
        if self.reading == AS_KCC:
            return MODELS[self.model]()
        from kcc.sim.estimate.hpca19 import estimate_hpca19

        return partial(estimate_hpca19, reading=self.reading)


# models


def _pipeline() -> ModelFunction:
    from kcc.sim.estimate.model import estimate

    return estimate


def _pipeline_hpca19() -> ModelFunction:
    from kcc.sim.estimate.hpca19 import estimate_hpca19

    return estimate_hpca19


MODELS: Mapping[str, Callable[[], ModelFunction]] = {
    "pipeline": _pipeline,
    "pipeline-hpca19": _pipeline_hpca19,
}
"""What gives the function of each model, imported when it is first wanted: those that look at a
kernel's source. The interval model looks at a trace of it (:mod:`kcc.commands.estimate_interval`).
"""

ABLATED_MODELS = ("pipeline",)
"""Those whose mechanisms can be switched off."""


# kernels


@dataclass(frozen=True, slots=True)
class PreparedKernel:
    """A kernel that is compiled and analysed for one launch, for all GPUs."""

    configuration: Configuration
    assumed_launch: bool
    guesses: tuple[Guess, ...]
    subject: Subject
    array_bytes: Mapping[str, int] = field(default_factory=dict[str, int])
    unused: tuple[str, ...] = ()
    """What is wrong with the assumptions that none of the kernels has use for."""


class Workshop:
    """Prepares kernels. What it prepared last is kept: requests that differ in their launches only
    are compiled once, those that follow each other for other GPUs are analysed once. Compilers
    ``ahead`` are those that questions will be about: they begin as soon as there is a unit."""

    def __init__(self, stage: Around = plainly, ahead: Iterable[CodeRequest] = ()) -> None:
        collect_seldom()
        self.stage, self.ahead = stage, tuple(ahead)
        self._compiled: tuple[object, CompiledUnit, Mapping[str, Registers]] | None = None
        self._prepared: tuple[AnalysisRequest, tuple[PreparedKernel, ...]] | None = None
        self._begun: Mapping[CodeRequest, Future[Mapping[str, MachineCode]]] = {}
        self._coded: dict[CodeRequest, tuple[Mapping[str, MachineCode], str]] = {}
        self._subjects: dict[tuple[int, CodeRequest], Subject] = {}
        self._amd: Workshop | None = None
        self._other: dict[int, tuple[AnalysisRequest, AnalysisRequest, Workshop]] = {}
        self.left_out: tuple[tuple[Configuration, DiagnosticError], ...] = ()
        self._latest: PreparedKernel | None = None
        self._origin: AnalysisRequest | None = None
        self._for_amd: AnalysisRequest | None = None
        self._patterns: dict[tuple[int, MemoryShape], Facts] = {}

    def prepare(self, request: AnalysisRequest) -> tuple[PreparedKernel, ...]:
        """The kernels that are asked for.

        :raises DiagnosticError: for bad input, and K890 for a launch that is not known.
        """
        from kcc.sim.flow.assumed_shares import unused_in

        if self._prepared is None or self._prepared[0] is not request:
            unit, counts = self._compile(request)
            kernels = choose_kernels(unit, request.kernels)
            check_arguments(request.arguments, kernels, unit.module)
            found = self._known(kernels, unit, request, counts)
            if request.assumptions.places:
                known = [(each.subject.facts, each.subject.flow.assumed) for each in found]
                unused = unused_in(request.assumptions, known)
                found = tuple(replace(each, unused=unused) for each in found)
            self._prepared = (request, found)
            self._subjects.clear()
            self._patterns.clear()
        return self._prepared[1]

    def _known(
        self, kernels: Sequence[Kernel], unit: CompiledUnit, request: AnalysisRequest,
        counts: Mapping[str, Registers],
    ) -> tuple[PreparedKernel, ...]:  # fmt: skip
        """The kernels, but where launches are those of the source's host and no kernel is named
        without those whose launch is not known or fails; these are :attr:`left_out`."""
        found, left = list[PreparedKernel](), list[tuple[Configuration, DiagnosticError]]()
        of_host = not request.kernels and any(x.of_host for x in request.launches.values())
        for kernel in kernels:
            try:
                found.append(_prepared(kernel, unit, request, counts, self.stage))
            except DiagnosticError as error:
                if not of_host or error.diagnostics[0].code not in _OF_A_LAUNCH:
                    raise
                place = Configuration(kernel.name, unit.name, _macros(request), (), ())
                left.append((place, error))
        if left and not found:
            raise left[0][1]
        self.left_out = tuple(left)
        return tuple(found)

    def _compile(self, request: AnalysisRequest) -> tuple[CompiledUnit, Mapping[str, Registers]]:
        from kcc.frontend.constant_math import fold_math

        key = (
            request.source, request.options, request.frontend, request.registers, request.kernels,
            request.warp,
        )  # fmt: skip
        if self._compiled is None or self._compiled[0] != key:
            plain = compile_unit(request, self.stage)
            unit = self.stage("folding", lambda: fold_math(plain))
            self._begun = self._begin(unit)
            self._compiled = (key, unit, count_registers(unit, request, self.stage))
            self._coded.clear()
        return self._compiled[1:]

    def _begin(self, unit: CompiledUnit) -> Mapping[CodeRequest, Future[Mapping[str, MachineCode]]]:
        if not self.ahead:
            return {}
        from kcc.stages.machine_code import begun

        return begun(unit, self.ahead)

    def estimate(
        self, prepared: PreparedKernel, gpu: GpuDescription, question: Question
    ) -> KernelEstimate:
        """The estimate of a kernel on a GPU.

        :raises DiagnosticError: K807 for a value of the GPU that is needed and not known.
        """
        from kcc.base.gpu.needs import GpuReader
        from kcc.sim.estimate.options import ABLATIONS, EVERYTHING

        if warp_size(gpu) != prepared.subject.warp:
            workshop, prepared = self._of_other_warps(prepared, warp_size(gpu))
            return workshop.estimate(prepared, gpu, question)
        model = question.function()
        subject, reason = self._subject(prepared, gpu, question)
        subject = subject.within(gpu)
        whole = replace(EVERYTHING, analysis=question.analysis, launches=question.launches)
        found = self.stage("model", lambda: model(subject, GpuReader(gpu), whole))
        found = replace(found, code=subject.code, code_reason=reason)
        if question.analysis.trials > 1 and not found.invalid:
            orders = self.stage("orders", lambda: self._orders_of(prepared, gpu, question.analysis))
            found = replace(found, interleaving=max(found.interleaving, orders))
        ablated = dict[str, float]()
        if question.ablate and not found.invalid:
            for name, ablation in ABLATIONS.items():
                without = replace(ablation, analysis=question.analysis, launches=question.launches)
                other = self.stage("ablation", lambda w=without: model(subject, GpuReader(gpu), w))
                ablated[name] = other.time_us
        reduced = None
        if question.analysis.off and not found.invalid:
            other = replace(whole, analysis=question.analysis.reduced())
            reduced = self.stage("model", lambda: model(subject, GpuReader(gpu), other))
        advice = ()
        if question.advise and not found.invalid and question.model in ABLATED_MODELS:
            advice = self.stage(
                "advice", lambda: self._advice(prepared, subject, gpu, question, found)
            )
        return KernelEstimate(
            prepared.configuration, prepared.assumed_launch, prepared.guesses, found, ablated,
            prepared.unused, reduced, question.analysis.off, advice,
        )  # fmt: skip

    def _of_other_warps(
        self, prepared: PreparedKernel, warp: int
    ) -> tuple[Workshop, PreparedKernel]:
        """The same kernel in warps of another size, and who prepared it."""
        assert self._prepared is not None
        request = self._prepared[0]
        origin, asked, workshop = self._other.get(warp, (None, request, Workshop(self.stage)))
        if origin is not request:
            asked = replace(request, warp=warp)
            self._other[warp] = request, asked, workshop
        return workshop, _same(workshop.prepare(asked), prepared)

    def _advice(
        self, prepared: PreparedKernel, subject: Subject, gpu: GpuDescription, question: Question,
        found: Estimate,
    ) -> tuple[Advice, ...]:  # fmt: skip
        from kcc.base.gpu.needs import GpuReader
        from kcc.sim.estimate.options import ABLATIONS, EVERYTHING
        from kcc.sim.machine.pipeline_columns import machine_of
        from kcc.stages.advice import Study, advice_on

        assert self._prepared is not None
        model, request = question.function(), self._prepared[0]
        workshop, own_kernel = self, prepared
        if subject.facts is not prepared.subject.facts and self._amd and self._amd._latest:  # noqa: SLF001 -- own class
            workshop, own_kernel = self._amd, self._amd._latest  # noqa: SLF001 -- own class

        def timed(mechanisms: Mechanisms, launches: LaunchWay) -> float:
            own = replace(mechanisms, analysis=question.analysis, launches=launches)
            return model(subject, GpuReader(gpu), own).time_us

        def retimed(changed: AnalysisRequest) -> float | None:
            plain = replace(question, ablate=False, advise=False)
            try:
                anew = Workshop()
                (other,) = anew.prepare(changed)
                estimate = anew.estimate(other, gpu, plain).estimate
            except DiagnosticError:
                return None
            return None if estimate.invalid else estimate.time_us

        return advice_on(
            Study(
                subject, machine_of(GpuReader(gpu)), found, request,
                lambda: workshop._all_facts(own_kernel, gpu),  # noqa: SLF001 -- own class
                lambda name: timed(ABLATIONS[name], question.launches),
                lambda: timed(EVERYTHING, LaunchWay.GRAPH), retimed,
            )
        )  # fmt: skip

    def _all_facts(self, prepared: PreparedKernel, gpu: GpuDescription) -> Facts:
        """Those of all passes, access patterns among them, once for each shape of memory."""
        from kcc.passes.symbolic.build import SymbolicValues
        from kcc.passes.table import Setting, analyse

        assert self._prepared is not None
        assert self._compiled is not None
        shape = memory_shape(gpu)
        key = (id(prepared), shape)
        if key not in self._patterns:
            assumed = self._prepared[0].assumptions
            known = prepared.subject.facts[SymbolicValues].algebra.known
            setting = Setting(known, assumed.loops, assumed.branches, shape)
            module = self._compiled[1].module
            subject = prepared.subject
            self._patterns[key] = analyse(
                subject.kernel, module, setting=setting, earlier=subject.facts
            )
        return self._patterns[key]

    def _subject(
        self, prepared: PreparedKernel, gpu: GpuDescription, question: Question
    ) -> tuple[Subject, str]:
        """What is timed on a GPU, and why it is not the code of its compiler, "" where nobody
        asked for that; raises :class:`DiagnosticError` where that code is needed."""
        asked = question.codes.get(gpu.stem)
        if asked is None:
            return prepared.subject, ""
        assert self._prepared is not None
        request = self._prepared[0]
        if asked.amd_target and request.options.costs is not Costs.AMD:
            self._amd = self._amd or Workshop(self.stage)
            return self._amd._amd_subject(request, prepared, gpu, question)  # noqa: SLF001 -- own class
        from kcc.frontend.machine_code.numbering import Numbers

        assert self._compiled is not None
        if asked not in self._coded:
            self._coded[asked] = self._machine_code(asked, needed=question.code_needed)
        codes, reason = self._coded[asked]
        code = codes.get(prepared.subject.kernel.symbol)
        if code is None:
            return prepared.subject, reason or "the compiler leaves it out"
        key = (id(prepared), asked)
        if key not in self._subjects:
            numbers = Numbers.of(self._compiled[1].module)
            self._subjects[key] = self.stage(
                "machine program",
                lambda: prepared.subject.compiled(code, numbers, prepared.array_bytes),
            )
        return self._subjects[key], ""

    def _amd_subject(
        self, request: AnalysisRequest, prepared: PreparedKernel, gpu: GpuDescription,
        question: Question,
    ) -> tuple[Subject, str]:  # fmt: skip
        """What is timed on a GPU of AMD: the kernel as LLVM's passes leave it by that target's
        costs, where the compiler's code for it is understood; else as for other GPUs, with the
        compiler's registers."""
        if self._origin is not request:
            options = replace(request.options, costs=Costs.AMD)
            self._origin, self._for_amd = request, replace(request, options=options)
        assert self._for_amd is not None
        symbol = prepared.subject.kernel.symbol
        self._latest = other = _same(self.prepare(self._for_amd), prepared)
        found, reason = self._subject(other, gpu, question)
        if reason or found.is_compiled:
            return (prepared.subject if reason else found), reason
        code = self._coded[question.codes[gpu.stem]][0][symbol]
        return prepared.subject.with_registers(code), ""

    def _machine_code(
        self, asked: CodeRequest, *, needed: bool
    ) -> tuple[Mapping[str, MachineCode], str]:
        from kcc.stages.machine_code import machine_code

        assert self._compiled is not None
        unit, started = self._compiled[1], self._begun.get(asked)
        work = started.result if started else partial(machine_code, unit, asked)
        try:
            return self.stage("machine code", work), ""
        except DiagnosticError as error:
            if needed:
                raise
            return {}, error.diagnostics[0].message

    def _orders_of(
        self, prepared: PreparedKernel, gpu: GpuDescription, analysis: CacheOptions
    ) -> float:
        from kcc.stages.order_spread import order_spread

        assert self._prepared is not None
        request = replace(self._prepared[0], kernels=(prepared.configuration.kernel,))
        return order_spread(request, gpu, analysis, prepared.subject.registers)


def estimate_source(
    request: AnalysisRequest, gpus: Sequence[GpuDescription], question: Question | None = None,
    stage: Around = plainly,
) -> Iterator[KernelEstimate]:  # fmt: skip
    """The estimates of all kernels asked for, kernel by kernel, on all ``gpus``.

    :raises DiagnosticError: for bad input, and K890 for a launch that is not known.
    """
    question = question or Question()
    workshop = Workshop(stage, question.codes.values())
    for prepared in workshop.prepare(request):
        for gpu in gpus:
            yield workshop.estimate(prepared, gpu, question)


def _same(others: Sequence[PreparedKernel], prepared: PreparedKernel) -> PreparedKernel:
    """The kernel and launch that is prepared among those prepared in another way, with the local
    memory that it has."""
    subject, place = prepared.subject, prepared.configuration
    found = next(
        each
        for each in others
        if each.subject.kernel.symbol == subject.kernel.symbol and each.configuration == place
    )
    found.subject.local_bytes = subject.local_bytes
    return found


def asked_configuration(request: AnalysisRequest) -> Configuration:
    """What is known of a request that was refused."""
    inputs = request.other_launch
    if len(request.kernels) == 1:
        inputs = request.inputs_of(request.kernels[0])
    asked = inputs.request
    return Configuration(
        ", ".join(request.kernels), request.source.name, _macros(request),
        _sizes(asked.global_size or asked.grid, inputs.names),
        _sizes(asked.local_size or asked.block, inputs.names),
    )  # fmt: skip


def _sizes(asked: Sequence[Expression] | None, names: Mapping[str, Value]) -> tuple[int, ...]:
    """Sizes as they were asked for, empty where they are no numbers."""
    try:
        return tuple(whole_number(each, names, "a launch size") for each in asked or ())
    except DiagnosticError:
        return ()


_OF_A_LAUNCH = frozenset({"K030", "K033", "K034", "K890"})
"""What is wrong with a launch, which the other kernels of a source have no part in."""


def _macros(request: AnalysisRequest) -> dict[str, str]:
    return {m.name: m.value or "" for m in request.options.macros}


def _prepared(
    kernel: Kernel, unit: CompiledUnit, request: AnalysisRequest,
    counts: Mapping[str, Registers], stage: Around,
) -> PreparedKernel:  # fmt: skip
    from kcc.passes.registers.counts import RegisterSource
    from kcc.sim.estimate.facts import estimate_facts
    from kcc.sim.estimate.subject import local_bytes_of, subject_of
    from kcc.sim.flow.guesses import guesses_of

    inputs: LaunchInputs = request.inputs_of(kernel.name)
    launch = resolve(kernel, inputs, unit.module)
    known = replace(known_launch(kernel, launch, inputs, request.arguments), warp=request.warp)
    if known.global_size is None or known.local_size is None:
        raise DiagnosticError([_no_launch(kernel, unit.name, launch)])
    if all(isinstance(each, Branch | Unreachable) for each in kernel.function.instructions):
        message = f"kernel '{kernel.name}' executes nothing: it does not end, or is undefined"
        hint = "`kcc run --check` shows where; so does `kcc estimate -O0`"
        raise DiagnosticError([Diagnostic("K899", message, kernel.span, hint=hint)])
    facts = stage(
        "passes",
        lambda: estimate_facts(
            kernel, unit.module, known, request.assumptions.loops, request.assumptions.branches
        ),
    )
    count = counts.get(kernel.symbol)
    sizes_of = buffer_bytes(kernel, unit.module, inputs, request.arguments)
    local = local_bytes_of(facts, sizes_of)
    subject = stage(
        "machine program",
        lambda: subject_of(
            kernel, facts, None if count is None else count.count, local, array_bytes=sizes_of
        ),
    )
    subject.registers_known = count is not None and count.source is not RegisterSource.ESTIMATE
    sizes = tuple(known.global_size), tuple(known.local_size)
    scalars = {
        kernel.arguments[i].name: value
        for i, value in known.arguments.items()
        if isinstance(value, int | float) and math.isfinite(value)
    }
    configuration = Configuration(kernel.name, unit.name, _macros(request), *sizes, scalars)
    guesses = guesses_of(kernel, facts, subject.flow, subject.streams, sizes_of)
    return PreparedKernel(configuration, launch.assumed, guesses, subject, sizes_of)


def _no_launch(kernel: Kernel, source: str, launch: Launch) -> Diagnostic:
    """What is missing: values of names in the sizes that were given, or the sizes."""
    names = set[str]()
    if launch.global_origin is Origin.GIVEN:
        for extent in (*launch.global_size, *launch.local_size):
            names |= set() if isinstance(extent, int) else free_names(extent)
    unset = " and ".join(f"'{name}'" for name in sorted(names))
    because = f": {unset} {'have' if len(names) > 1 else 'has'} no value" if names else ""
    hint = "give it: --global 4096,4096 --local 16,16, and --arg NAME=VALUE for its scalars"
    if names:
        hint = "give it: " + " ".join(f"--size {name}=4096" for name in sorted(names))
        if source.endswith(CUDA_ENDINGS) and launch.global_origin is Origin.GIVEN:
            hint += ", or what the program is run with: --argv '4096 100'"
    return Diagnostic(
        "K890", f"the launch of '{kernel.name}' is not known, and its time depends on it{because}",
        Span(source, 0), hint=hint,
    )  # fmt: skip
