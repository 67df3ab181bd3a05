"""The way from a source to a report, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from kcc.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.frontend.options import BuildOptions, SourceText
from kcc.launch import LaunchRequest

if TYPE_CHECKING:
    from kcc.arguments import Argument
    from kcc.expressions import Value
    from kcc.frontend.kernel import CompiledUnit, Kernel
    from kcc.report.model import Analysis

T = TypeVar("T")


class Stage(Protocol):
    """Called with a stage's name and its work; gives what the work gives.

    Whoever wants to time, trace or check the stages passes one of their own.
    """

    def __call__(self, stage: str, work: Callable[[], T]) -> T: ...


def run_stage(_stage: str, work: Callable[[], T]) -> T:
    """The :class:`Stage` that only does the work."""
    return work()


@dataclass(frozen=True, slots=True)
class LaunchInputs:
    """What is known of a kernel's launch; ``origin`` says from where, in words."""

    request: LaunchRequest = field(default_factory=LaunchRequest)
    names: Mapping[str, Value] = field(default_factory=dict[str, "Value"])
    arguments: tuple[Argument, ...] = ()
    origin: str = ""


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """A source and what is asked about it. ``kernels`` are the names to look at, all if empty;
    ``launches`` go by kernel name, ``other_launch`` is for the rest."""

    source: SourceText
    options: BuildOptions
    frontend: str = "auto"
    kernels: tuple[str, ...] = ()
    launches: Mapping[str, LaunchInputs] = field(default_factory=dict[str, LaunchInputs])
    other_launch: LaunchInputs = field(default_factory=LaunchInputs)
    remarks: tuple[str, ...] = ()


def analyze(request: AnalysisRequest, stage: Stage = run_stage) -> Analysis:
    """The report on the kernels of a source.

    Raises :class:`DiagnosticError` for bad input of any stage.
    """
    unit = compile_unit(request, stage)
    kernels = choose_kernels(unit, request.kernels)
    launches = stage("launches", lambda: [resolve(kernel, request) for kernel in kernels])
    facts = stage("passes", lambda: [find_facts(unit, kernel) for kernel in kernels])
    return stage("report", lambda: build_analysis(request, unit, kernels, facts, launches))


def compile_unit(request: AnalysisRequest, stage: Stage = run_stage) -> CompiledUnit:
    """The source as compiled; raises :class:`DiagnosticError` for bad input."""
    from kcc.frontend import compile_source

    return stage(
        "frontend", lambda: compile_source(request.source, request.options, request.frontend)
    )


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
    wanted = dict.fromkeys(names)
    known = [kernel.name for kernel in unit.kernels]
    missing = [_no_kernel(unit.name, name, known) for name in wanted if name not in known]
    if missing:
        raise DiagnosticError(missing)
    return tuple(kernel for kernel in unit.kernels if not wanted or kernel.name in wanted)


def _no_kernel(source: str, name: str, known: list[str]) -> Diagnostic:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"its kernels are {', '.join(known)}"
    return Diagnostic("K005", f"there is no kernel '{name}'", Span(source, 0), hint=hint)
