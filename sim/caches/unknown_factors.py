"""Numbers that memory holds, the same for all lanes, of addresses that stay inside an array.

In `in[sample + (unsigned)(dm * shift[channel])]` lanes of different `dm` lie apart by what the
shift of the channel is. Where the size of the array is known, so is the most that it can be: the
launch comes to no address after the end. Half of that is taken, the mean of what is possible.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence

from kcc.frontend.ir.types import FloatTy, IntTy
from kcc.passes.control.divergence import Judge
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Expr, Loaded, Node, Number, Opaque, SymbolKind
from kcc.passes.symbolic.memory import base_of
from kcc.passes.symbolic.reasons import everything

LARGEST, LEAST = 40, -40
"""Powers of two that are tried."""

Span = Callable[[Expr], tuple[int, int] | None]
"""The lowest and the highest place that a launch comes to, by its address."""


def power_inside(
    values: SymbolicValues, address: Expr, loaded: Sequence[Loaded], span: Span, end: int
) -> int | None:
    """The largest power of two in the place of what memory holds with which a launch stays below
    ``end`` and not below 0; None where none would do."""

    def fits(power: int) -> bool:
        found = span(placed_at(values, address, loaded, power))
        return found is not None and found[0] >= 0 and found[1] <= end

    if not fits(LEAST):
        return None
    low, high = LEAST, LARGEST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def placed_at(values: SymbolicValues, address: Expr, loaded: Iterable[Loaded], power: int) -> Expr:
    """The address with two to a power in the place of what memory holds."""
    numbers: dict[Node, Node] = {each: _number(values, each, power) for each in loaded}
    return values.algebra.substitute(address, numbers)


def with_fills(values: SymbolicValues, address: Expr) -> Expr:
    """The address with what buffers hold that are filled with one number."""
    filled, numbers = values.algebra.known.filled, dict[Node, Node]()
    for each in values.causes(address) if filled else ():
        base = base_of(each.address) if isinstance(each, Loaded) and each.address else None
        if base is None or base.kind is not SymbolKind.POINTER or not isinstance(each.type, IntTy):
            continue
        assert isinstance(base.index, int)
        if base.index in filled:
            numbers[each] = values.algebra.number(filled[base.index], each.type)
    return values.algebra.substitute(address, numbers) if numbers else address


def loaded_by_all(values: SymbolicValues, judge: Judge, address: Expr) -> list[Loaded]:
    """What is loaded that an address depends on; nothing if lanes of a warp differ in it."""
    inside = everything(values, address)
    loaded = [each for each in inside if isinstance(each, Loaded)]
    unclear = any(isinstance(each, Opaque) for each in inside)
    if unclear or any(judge.uniformity(each).is_divergent for each in loaded):
        return []
    return loaded


def _number(values: SymbolicValues, loaded: Loaded, power: int) -> Number:
    """Two to a power, as what is loaded; 0 for a fraction that is an integer."""
    match loaded.type:
        case FloatTy(bits=64):
            (bits,) = struct.unpack("<Q", struct.pack("<d", 2.0**power))
            return values.algebra.float_number(bits, loaded.type)
        case FloatTy():
            (bits,) = struct.unpack("<I", struct.pack("<f", 2.0**power))
            return values.algebra.float_number(bits, loaded.type)
        case IntTy(bits=width):
            return values.algebra.number(1 << power if 0 <= power < width - 1 else 0, loaded.type)
