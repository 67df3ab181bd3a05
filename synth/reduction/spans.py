"""Addresses that are drawn: accesses whose addresses come from data that the kernel itself makes,
so that no filled array can stand for them."""

from __future__ import annotations

from dataclasses import dataclass

from kcc.frontend.ir.values import Value
from kcc.synth.assembly.model import Input, Operand, Place, Spread


@dataclass(frozen=True, slots=True)
class Span:
    """Where an access goes: ``count`` elements of ``element_bytes`` from ``low_bytes`` after the
    array that ``base`` is, once ``anchor`` is known."""

    base: Value
    anchor: Value
    low_bytes: int
    count: int
    element_bytes: int

    def operand(self, base: Input | Place, anchor: Operand) -> Spread:
        """The drawn address; the elements are as many as the largest power of two that fits."""
        bits = max(self.count, 1).bit_length() - 1
        return Spread(base, anchor, self.anchor.type, self.low_bytes, bits, self.element_bytes)
