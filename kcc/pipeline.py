"""The way from a source to a report, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from kcc.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.frontend.options import BuildOptions, SourceText
from kcc.launch import Launch, LaunchRequest, resolve_launch

if TYPE_CHECKING:
    from kcc.arguments import Argument
    from kcc.expressions import Value
    from kcc.frontend.kernel import CompiledUnit, Kernel
    from kcc.report.model import Analysis

T = TypeVar("T")


class Stage(Protocol):
    """Called with a stage's name and its work; gives what the work gives.

    Whoever wants to time, trace or check stages passes one of their own.
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
