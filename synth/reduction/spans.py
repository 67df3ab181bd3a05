"""Addresses that are drawn: accesses whose addresses come from data that the kernel itself makes,
so that no filled array can stand for them."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir.values import Value


@dataclass(frozen=True, slots=True)
class Span:
    """Where an access goes: elements of ``element_bytes`` from ``low_bytes`` after the array that
    ``base`` is, once ``anchor`` is known. ``counts`` says how many by launch."""

    base: Value
    anchor: Value
    low_bytes: int
    counts: tuple[tuple[int, int], ...]
    element_bytes: int
