"""What tuners say of a kernel's launch, as kcc takes it: sizes in numbers, arguments by place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace

from kcc.base.arguments import Argument, Buffer, Scalar
from kcc.base.diagnostics import DiagnosticError
from kcc.base.expressions import literal
from kcc.base.launch import LaunchRequest
from kcc.base.records import dataclass
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText
from kcc.stages.analyze import AnalysisRequest, LaunchInputs, choose_kernels, compile_unit
from kcc.tuning.space import Configuration, Value

NO_NAMES = "no argument has a value: the first configurations do not compile"
"""What is said where the names of the kernel's parameters are not known."""

ReadOptions = Callable[[Sequence[str]], BuildOptions]
"""Makes options of the words that a compiler is given."""

ELEMENTS = {
    "bool": "uchar", "int8": "char", "uint8": "uchar", "int16": "short", "uint16": "ushort",
    "int32": "int", "uint32": "uint", "int64": "long", "uint64": "ulong", "half": "half",
    "float16": "half", "float32": "float", "float": "float", "float64": "double",
    "double": "double",
}  # fmt: skip
"""OpenCL's names of element types, by NumPy's and by T1's."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says in place of the search space: the source, a launch, arguments,
    and what else there is to build with."""

    source: SourceText | None = None
    launch: LaunchRequest | None = None
    arguments: tuple[Argument, ...] = ()
    options: BuildOptions = field(default_factory=BuildOptions)
    kernel: str = ""

    def build(self, own: BuildOptions) -> BuildOptions:
        """Options of the search space with those of the command line, which hold."""
        given = self.options
        names = {macro.name.partition("(")[0] for macro in given.macros}
        kept = tuple(m for m in own.macros if m.name.partition("(")[0] not in names)
        return replace(
            given, macros=(*kept, *given.macros),
            include_dirs=(*given.include_dirs, *own.include_dirs),
            fast_relaxed_math=given.fast_relaxed_math or own.fast_relaxed_math,
            mad_enable=given.mad_enable or own.mad_enable,
        )  # fmt: skip

    def merged(self, own: Sequence[Argument]) -> tuple[Argument, ...]:
        """Arguments of the search space but for those that the command line gives."""
        names = {each.name for each in self.arguments}
        return (*(each for each in own if each.name not in names), *self.arguments)


@dataclass(frozen=True, slots=True)
class Given:
    """An argument: a scalar with its value, or ``count`` elements in memory. What is neither says
    nothing. ``name`` is empty where only the place is known."""

    name: str = ""
    value: int | float | None = None
    element: str = ""
    count: int | None = None


def sizes(numbers: Sequence[int]) -> LaunchRequest:
    """Thread blocks in three dimensions, then threads of a block in three."""
    dimensions = max((d + 1 for d in range(3) if numbers[d] > 1 or numbers[3 + d] > 1), default=1)
    grid, block = numbers[:dimensions], numbers[3 : 3 + dimensions]
    return LaunchRequest(grid=tuple(map(literal, grid)), block=tuple(map(literal, block)))


def request_of(
    source: SourceText, kernel: str, options: BuildOptions, launch: LaunchRequest,
    arguments: Sequence[Argument], configuration: Configuration,
) -> AnalysisRequest:  # fmt: skip
    """The request of one configuration: its parameters are macros, those that are numbers names in
    the launch and in arguments."""
    own = [MacroOption(name, macro_text(value)) for name, value in configuration.items()]
    fixed = {macro.name for macro in options.macros}
    macros = (*options.macros, *(macro for macro in own if macro.name not in fixed))
    numbers = {n: int(v) if isinstance(v, bool) else v for n, v in configuration.items()
               if not isinstance(v, str)}  # fmt: skip
    return AnalysisRequest(
        source=source,
        options=replace(options, macros=macros, opt_level=OptLevel.O2),
        kernels=(kernel,) if kernel else (),
        other_launch=LaunchInputs(launch, numbers, tuple(arguments), "the search space"),
    )


def macro_text(value: Value) -> str:
    """A value as a macro has it."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def named_arguments(given: Sequence[Given], names: Sequence[str]) -> tuple[Argument, ...]:
    """Arguments by the names that the kernel has in their places."""
    found = list[Argument]()
    for place, each in enumerate(given):
        name = each.name or (names[place] if place < len(names) else "")
        if not name:
            continue
        if each.value is not None:
            found.append(Argument(name, Scalar(literal(each.value))))
        elif each.count is not None and each.element:
            found.append(Argument(name, Buffer(each.element, literal(each.count))))
    return tuple(found)


def parameter_names(requests: Sequence[AnalysisRequest]) -> tuple[str, ...]:
    """The names of the kernel's parameters: of the first of some requests that compiles."""
    for request in requests:
        try:
            unit = compile_unit(request)
            return tuple(a.name for a in choose_kernels(unit, request.kernels)[0].arguments)
        except DiagnosticError:
            continue
    return ()
