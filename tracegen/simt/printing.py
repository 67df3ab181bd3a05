"""printf: the arguments of each active lane go to a function of the Python side, lane by lane."""

from __future__ import annotations

from kcc.frontend.ir.builder import Value, const_int
from kcc.frontend.ir.instructions import Call
from kcc.frontend.ir.types import I32, I64, ArrayTy, FloatTy, VecTy
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.layout import Worker
from kcc.tracegen.simt.wide import Wide


def write_printf(frame: WarpFrame, call: Call) -> Wide:
    """Call back with the record, the instruction's index and one 64-bit word for each part of the
    arguments (floats as doubles); printf gives 0."""
    code = frame.code
    parts = [p for o in call.operands for p in frame.operand(o).parts]
    words = code.alloca(ArrayTy(max(len(parts), 1), I64), 8)
    left = code.alloca(frame.mask_type, 8)
    code.store(frame.mask, left, 8)
    head, end = code.new_label("print"), code.new_label("print.end")
    code.branch(head)
    code.position_at(head)
    mask = code.load(frame.mask_type, left, 8)
    lane = frame.widen(frame.first_lane(mask))
    for place, part in enumerate(parts):
        value = code.extract_element(part, lane) if isinstance(part.type, VecTy) else part
        code.store(_word(frame, value), code.gep(I64, words, [const_int(I64, place)]), 8)
    frame.call_back(frame.worker, Worker.PRINT, const_int(I64, call.index), words, lane)
    rest = code.binary("and", mask, code.binary("sub", mask, const_int(mask.type, 1)))
    code.store(rest, left, 8)
    code.branch_if(frame.any_lane(rest), head, end)
    code.position_at(end)
    return Wide((const_int(I32, 0),))


def _word(frame: WarpFrame, value: Value) -> Value:
    """A scalar as 64 bits."""
    if isinstance(value.type, FloatTy):
        wide = value if value.type.bits == 64 else frame.code.cast("fpext", value, FloatTy(64))
        return frame.code.cast("bitcast", wide, I64)
    return frame.code.cast("sext", value, I64)
