"""llvm.memset, memcpy and memmove, which the optimiser makes of loops, for a whole warp."""

from __future__ import annotations

from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.ir.instructions import Call
from kcc.frontend.ir.types import I64, IntTy, VecTy
from kcc.frontend.ir.values import ConstantInt
from kcc.frontend.ir.values import Value as Operand
from kcc.tracegen.simt import shadow
from kcc.tracegen.simt.access import load_part, store_part
from kcc.tracegen.simt.arithmetic import convert
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.memory import Shape
from kcc.tracegen.simt.target import find_target


def write_bulk(frame: WarpFrame, call: Call, kind: str) -> None:
    """Carry out one of the three; lanes may differ in size. A memmove whose target lies behind
    its source goes from the end to the start."""
    size = frame.lanes(frame.operand(call.operands[2]).parts[0])
    if size.type != frame.vector_type(I64):
        size = convert(frame, "zext", size, I64)
    step = _step(call)
    everyone = frame.mask
    if kind != "memmove":
        _loop(frame, call, size, step, backwards=False)
        return
    target, source = (frame.lanes(frame.operand(o).parts[0]) for o in call.operands[:2])
    behind = frame.bits(frame.code.compare("icmp", "ugt", target, source))
    for backwards in (True, False):
        chosen = behind if backwards else frame.code.binary("xor", behind, frame.full_mask)
        _with_mask(frame, frame.code.binary("and", chosen, everyone))
        _loop(frame, call, size, step, backwards=backwards)
    _with_mask(frame, everyone)


def _step(call: Call) -> int:
    """Bytes moved at a time: words where size and alignment allow."""
    size = call.operands[2]
    pointers = call.argument_attributes[: 1 if ".memset" in call.callee else 2]
    aligned = all((p.alignment_bytes or 1) % 4 == 0 for p in pointers)
    return 4 if aligned and isinstance(size, ConstantInt) and size.value % 4 == 0 else 1


def _with_mask(frame: WarpFrame, mask: Value) -> None:
    frame.mask = mask
    frame.forget_flags()


def _loop(frame: WarpFrame, call: Call, size: Value, step: int, *, backwards: bool) -> None:
    """``for k in range(0, size, step)`` with the lanes for which k is inside."""
    code, everyone = frame.code, frame.mask
    target = _Pointer(frame, call.operands[0], step)
    source = None if ".memset" in call.callee else _Pointer(frame, call.operands[1], step)
    fill = frame.operand(call.operands[1]).parts[0] if source is None else None
    head, body, end = (code.new_label(f"bulk.{w}") for w in ("head", "body", "end"))
    counter = code.alloca(I64, 8)
    code.store(const_int(I64, 0), counter, 8)
    code.branch(head)
    code.position_at(head)
    done = code.load(I64, counter, 8)
    place = frame.lanes(done)
    inside = frame.bits(code.compare("icmp", "ult", place, size))
    lanes = code.binary("and", inside, everyone)
    code.branch_if(frame.any_lane(lanes), body, end)
    code.position_at(body)
    _with_mask(frame, lanes)
    if backwards:
        place = code.binary("sub", code.binary("sub", size, place), const_int(place.type, step))
    part = IntTy(8 * step)
    if source is None:
        assert fill is not None
        value = frame.lanes(_repeated(frame, fill, step))
    else:
        value = load_part(frame, call, source.at(place), part, source.target)
    store_part(frame, call, target.at(place), part, target.target, value)
    if frame.precise:
        _copy_shadow(frame, place, part, target, source)
    code.store(code.binary("add", done, const_int(I64, step)), counter, 8)
    code.branch(head)
    code.position_at(end)
    _with_mask(frame, everyone)


def _copy_shadow(
    frame: WarpFrame, place: Value, part: IntTy, target: _Pointer, source: _Pointer | None
) -> None:
    """What was never written stays so where it is copied to."""
    shape = Shape(((part, 0),), part.bits // 8)
    values = [zero(frame.vector_type(part))]
    if source is not None:
        values = shadow.load(frame, source.at(place), shape, source.target)
    shadow.store(frame, target.at(place), shape, target.target, values)


class _Pointer:
    """A pointer operand with the object behind it."""

    def __init__(self, frame: WarpFrame, operand: Operand, step: int) -> None:
        self.frame = frame
        self.address = frame.operand(operand).parts[0]
        self.target = find_target(frame, operand, step)

    def at(self, place: Value) -> Value:
        return self.frame.code.binary("add", self.frame.lanes(self.address), place)


def _repeated(frame: WarpFrame, byte: Value, step: int) -> Value:
    """A byte in every byte of a word."""
    if step == 1:
        return byte
    wide = IntTy(8 * step)
    word = frame.code.cast(
        "zext", byte, VecTy(frame.width, wide) if isinstance(byte.type, VecTy) else wide
    )
    return frame.code.binary("mul", word, const_int(word.type, int("01" * step, 16)))
