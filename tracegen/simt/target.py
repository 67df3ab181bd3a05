"""Where an access may go."""

from __future__ import annotations

from dataclasses import dataclass

from kcc.frontend.ir.builder import Value


@dataclass(frozen=True, slots=True)
class Target:
    """Where an access may go: first address and limit (size less access, plus one) of its object
    as values, and the window's address space."""

    low: Value
    limit: Value
    space: int
