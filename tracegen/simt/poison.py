"""What memory that was never written holds, and finding it in what a load gives."""

from __future__ import annotations

from kcc.frontend.ir.builder import Value, const_int
from kcc.frontend.ir.types import I64, IntTy, VecTy, size_bytes
from kcc.tracegen.simt import arithmetic
from kcc.tracegen.simt.layout import Worker
from kcc.tracegen.simt.wide import Writer

POISON_BYTE = 0xCB
"""What memory that was never written is filled with; 0xCBCBCBCB is -2.67e7 as a float and an
unlikely integer, so that reading it is nearly always a mistake."""


def all_poison(writer: Writer, values: list[Value]) -> Value:
    """Whether all parts have the pattern, by lane unless they are scalars."""
    result: Value | None = None
    for value in values:
        part = value.type.element if isinstance(value.type, VecTy) else value.type
        bits = IntTy(8 * size_bytes(part))
        pattern = int.from_bytes(bytes([POISON_BYTE] * size_bytes(part)), "little", signed=True)
        number = arithmetic.convert(writer, "bitcast", value, bits)
        equal = writer.code.compare("icmp", "eq", number, const_int(number.type, pattern))
        result = equal if result is None else writer.code.binary("and", result, equal)
    assert result is not None
    return result


def raise_flag(writer: Writer, worker: Value, mask: Value, found: list[Value]) -> None:
    """Set the worker's flag when an active lane has found nothing but the pattern."""
    code = writer.code
    poisoned = all_poison(writer, found)
    if isinstance(poisoned.type, VecTy):
        poisoned = writer.any_lane(code.binary("and", writer.bits(poisoned), mask))
    seen, clear = code.new_label("poison"), code.new_label("clear")
    code.branch_if(poisoned, seen, clear)
    code.position_at(seen)
    writer.store_word(const_int(I64, 1), worker, Worker.SUSPECT)
    code.branch(clear)
    code.position_at(clear)
