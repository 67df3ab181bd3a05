"""What the front ends know about one overload of a built-in function."""

from __future__ import annotations

from enum import Enum

from kcc.base.records import dataclass
from kcc.frontend.types import QualType, Type


class Effect(Enum):
    """What a call may do, hence which attributes its declaration carries."""

    PURE = "pure"
    """Depends on its arguments (or on the work-item) alone: memory(none)."""
    READ = "read"
    """Reads memory through its arguments."""
    WRITE = "write"
    """Reads and writes memory through its arguments."""
    BARRIER = "barrier"
    """Convergent: must not be duplicated or moved across control flow."""
    OUTPUT = "output"
    """printf."""


@dataclass(frozen=True, slots=True)
class ResolvedBuiltin:
    """One overload, chosen: ``symbol`` is its mangled name in the canonical dialect."""

    name: str
    symbol: str
    result: Type
    parameters: tuple[QualType, ...]
    effect: Effect
    variadic: bool = False
