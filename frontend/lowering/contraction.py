"""Where ``a * b + c`` may be fused: the ``FP_CONTRACT`` pragma (OpenCL C 1.2, section 6.12.2)."""

from __future__ import annotations

from collections.abc import Iterable

from kcc.base.diagnostics import Span
from kcc.base.records import dataclass
from kcc.frontend.preprocessor.pragmas import Pragma
from kcc.frontend.tree import Function


@dataclass(frozen=True, slots=True)
class Contraction:
    """The pragmas of a unit, in the order of the source; without one contraction is on."""

    marks: tuple[tuple[Span, bool], ...] = ()

    def within(self, function: Function, functions: Iterable[Function]) -> FunctionContraction:
        """The rule for the body of ``function``: a pragma inside of a function holds to its end,
        any other for everything after it.
        """
        state, inner = True, list[tuple[int, bool]]()
        for span, on in self.marks:
            owner = next((f for f in functions if _encloses(f, span)), None)
            if owner is function:
                inner.append((span.line, on))
            elif owner is None and not _is_after(span, function.span):
                state = on
        return FunctionContraction(state, tuple(inner))


@dataclass(frozen=True, slots=True)
class FunctionContraction:
    """The rule at the start of a function and the lines where it changes."""

    start: bool = True
    changes: tuple[tuple[int, bool], ...] = ()

    def at(self, span: Span) -> bool:
        """Whether products at ``span`` may be fused."""
        state = self.start
        for line, on in self.changes:
            if line <= span.line:
                state = on
        return state


def contraction_of(pragmas: Iterable[Pragma]) -> Contraction:
    """What the pragmas of a unit say."""
    return Contraction(
        tuple(
            (pragma.span, pragma.words[2] != "OFF")
            for pragma in pragmas
            if pragma.words[1:2] == ("FP_CONTRACT",) and len(pragma.words) > 2
        )
    )


def _encloses(function: Function, span: Span) -> bool:
    start, end = function.span, function.end
    return end is not None and span.file == start.file and start.line <= span.line <= end.line


def _is_after(span: Span, place: Span) -> bool:
    """Text of another file was included before: nothing is known of it but that."""
    return span.file == place.file and span.line > place.line
