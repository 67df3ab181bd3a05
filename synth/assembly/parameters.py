"""The parameters of a miniature kernel, and where their values come from."""

from __future__ import annotations

from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ir.types import IrType
from kcc.synth.assembly.model import Parameter, ParameterKind


@dataclass(frozen=True, slots=True)
class RateOf:
    """A parameter that is the rate of the first ``targets`` of a block's ways."""

    block: int
    targets: tuple[int, ...]
    factor: int


@dataclass(frozen=True, slots=True)
class TripsOf:
    """A parameter that is a loop's trips, the same in all threads or by shares of its entries
    (``halves``: which halve where a few are long); ``early``: the trips after which threads leave
    it by one of these ways from a block to another, or, ``rest``, those after which the others
    do."""

    loop: int
    factor: int
    halves: bool = False
    early: tuple[tuple[int, int], ...] = ()
    rest: bool = False


@dataclass(frozen=True, slots=True)
class CutOf:
    """A parameter that says which thread blocks of a dimension are left out, in work-items where
    ``by_items``."""

    dimension: int
    by_items: bool


@dataclass(frozen=True, slots=True)
class SpanOf:
    """A parameter that says among how many elements addresses are drawn, by launch."""

    counts: tuple[tuple[int, int], ...]


Source = int | RateOf | TripsOf | CutOf | SpanOf | None
"""Where a parameter's value comes from: the original's argument, its profile, the thread blocks
that are kept, where its accesses go, or the seed."""


@dataclass(slots=True)
class Parameters:
    """The parameters of a miniature kernel, as they are found to be needed."""

    rows: list[Parameter] = field(default_factory=list[Parameter])
    sources: list[Source] = field(default_factory=list[Source])

    def add(self, kind: ParameterKind, type_: IrType, source: Source, **more: object) -> int:
        """One more; gives its number."""
        number = len(self.rows)
        self.rows.append(Parameter(number, kind, type_, **more))  # type: ignore[arg-type]
        self.sources.append(source)
        return number
