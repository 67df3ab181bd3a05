"""Code for the calls that ``undefined`` adds to a kernel: they read and write the shadow of memory,
whose bits are 1 where the memory's were never set, and stop where an undefined value is used."""

from __future__ import annotations

from kcc.frontend.ir.builder import Value, zero
from kcc.frontend.ir.instructions import Call
from kcc.frontend.ir.types import I1
from kcc.tracegen.simt import arithmetic, shadow
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.layout import FaultKind
from kcc.tracegen.simt.memory import Shape, raw_shape
from kcc.tracegen.simt.target import Target, find_target
from kcc.tracegen.simt.undefined import CALLS
from kcc.tracegen.simt.wide import Wide, parts_of


def write_watch(frame: WarpFrame, call: Call) -> Wide | None:
    """Write one of the calls; its access to memory, if it stands for one, has been checked."""
    kind = call.callee.removeprefix(CALLS).split(".")[0]
    if kind == "check":
        flag = frame.lanes(frame.operand(call.operands[0]).parts[0])
        lanes = frame.code.binary("and", frame.bits(flag), frame.mask)
        frame.fail_lanes(FaultKind.UNDEFINED, call, lanes, None)
        return None
    type_ = call.type if kind == "load" else call.operands[1].type
    (address,) = frame.operand(call.operands[0]).parts
    shape = raw_shape(type_)
    target = find_target(frame, call.operands[0], shape.size_bytes)
    if kind == "load":
        found = zip(_load(frame, address, shape, target), parts_of(type_), strict=True)
        return Wide(
            tuple(
                arithmetic.convert(frame, "trunc" if w == I1 else "bitcast", v, w) for v, w in found
            )
        )
    values = list[Value]()
    pairs = zip(frame.operand(call.operands[1]).parts, shape.parts, strict=True)
    for part, (memory, _) in pairs:
        word = "zext" if part.type == I1 or part.type == frame.vector_type(I1) else "bitcast"
        values.append(arithmetic.convert(frame, word, frame.lanes(part), memory))
    if target.space == 1:
        shadow.call_helper(
            frame, frame.arena_shadow, frame.helpers.store(shape), address, target, values
        )
    else:
        shadow.store(frame, address, shape, target, values)
    return None


def _load(frame: WarpFrame, address: Value, shape: Shape, target: Target) -> list[Value]:
    match target.space:
        case 0 | 3:
            return shadow.load(frame, address, shape, target)
        case 1:
            helper = frame.helpers.load(shape)
            return shadow.call_helper(frame, frame.arena_shadow, helper, address, target, [])[:-1]
        case _:
            return [zero(frame.vector_type(p)) for p, _ in shape.parts]
