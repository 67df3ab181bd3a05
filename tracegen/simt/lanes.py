"""Exchange between the lanes of a warp, and barriers that give a value."""

from __future__ import annotations

from kcc.frontend.builtins.matrix import ROW, WORD, moves_matrix
from kcc.frontend.builtins.primitives import Primitive
from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.ir.instructions import Call
from kcc.frontend.ir.types import I1, I32, IntTy, VecTy, size_bytes
from kcc.tracegen.simt.arithmetic import convert, type_suffix
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.memory import HOST_POINTER
from kcc.tracegen.simt.wide import Wide, parts_of


def write_lane_call(frame: WarpFrame, call: Call, primitive: Primitive) -> Wide | None:
    """A sub-group function; lanes that are not active neither give nor get a value."""
    match primitive.name:
        case "sub_group_barrier":
            return None
        case "sub_group_ballot":
            return _ballot(frame, call)
        case "sub_group_all" | "sub_group_any":
            return _vote(frame, call, everyone=primitive.name == "sub_group_all")
        case name if moves_matrix(name):
            return move_matrix(frame, call)
        case _:
            return _shuffle(frame, call, primitive.name.removeprefix("sub_group_shuffle"))


def _chosen(frame: WarpFrame, call: Call) -> Value:
    """The mask of active lanes whose argument is not zero."""
    lanes = frame.lanes(frame.operand(call.operands[0]).parts[0])
    hit = lanes
    if lanes.type != VecTy(frame.width, I1):
        hit = frame.code.compare("icmp", "ne", lanes, zero(lanes.type))
    return frame.code.binary("and", frame.bits(hit), frame.mask)


def _ballot(frame: WarpFrame, call: Call) -> Wide:
    """The mask in words of 32 lanes; words beyond the warp are 0."""
    mask, words = frame.widen(_chosen(frame, call)), list[Value]()
    for number, part in enumerate(parts_of(call.type)):
        assert isinstance(part, IntTy)
        if number * part.bits >= frame.width:
            words.append(zero(part))
            continue
        shifted = frame.code.binary("lshr", mask, const_int(mask.type, number * part.bits))
        words.append(frame.code.cast("trunc", shifted, part) if part.bits < 64 else shifted)
    return Wide(tuple(words))


def _vote(frame: WarpFrame, call: Call, *, everyone: bool) -> Wide:
    chosen = _chosen(frame, call)
    wanted = frame.mask if everyone else zero(chosen.type)
    flag = frame.code.compare("icmp", "eq" if everyone else "ne", chosen, wanted)
    (part,) = parts_of(call.type)
    return Wide((frame.code.cast("zext", flag, part),))


def _shuffle(frame: WarpFrame, call: Call, kind: str) -> Wide:
    """Each lane takes the value of the lane its second argument leads to."""
    code = frame.code
    distance = frame.lanes(frame.operand(call.operands[1]).parts[0])
    if distance.type != frame.vector_type(I32):
        distance = convert(frame, "trunc", distance, I32)
    own, limit = frame.iota(I32), const_int(distance.type, frame.width)
    match kind:
        case "_xor":
            source = code.binary("xor", own, distance)
        case "_up":
            source = code.binary("sub", own, distance)
        case "_down":
            source = code.binary("add", own, distance)
        case _:
            source = code.binary("and", distance, const_int(distance.type, frame.width - 1))
    inside = code.compare("icmp", "ult", source, limit)
    source = code.select(inside, source, own)
    values = frame.operand(call.operands[0])
    return Wide(tuple(_pick(frame, frame.lanes(p), source) for p in values.parts))


def move_matrix(frame: WarpFrame, call: Call) -> Wide:
    """What a lane gets of 8 x 8 matrices of 16 bits, see :mod:`kcc.frontend.builtins.matrix`."""
    code, lane = frame.code, frame.iota(I32)
    given = [frame.lanes(part) for part in frame.operand(call.operands[0]).parts]

    def constant(value: int) -> Value:
        return Value(lane.type, f"splat (i32 {value})")

    def chosen(values: list[Value], number: Value) -> Value:
        found = values[0]
        for n, value in enumerate(values[1:], 1):
            found = code.select(code.compare("icmp", "eq", number, constant(n)), value, found)
        return found

    if call.callee.startswith(WORD):
        matrix = int(call.callee.removeprefix(WORD))
        word = code.binary("and", lane, constant(3))
        row = code.binary("add", code.binary("lshr", lane, constant(2)), constant(8 * matrix))
        return Wide((chosen([_pick(frame, part, row) for part in given], word),))
    if call.callee.startswith(ROW):
        matrix = code.binary("lshr", lane, constant(3))
        first = code.binary("shl", code.binary("and", lane, constant(7)), constant(2))
        sources = [code.binary("add", first, constant(word)) for word in range(4)]
        return Wide(
            tuple(chosen([_pick(frame, part, s) for part in given], matrix) for s in sources)
        )
    # Column ``row`` of rows 2 * word and 2 * word + 1, each in lane 4 * r + column / 2.
    row, word = code.binary("lshr", lane, constant(2)), code.binary("and", lane, constant(3))
    first = code.binary("shl", word, constant(3))
    first = code.binary("add", first, code.binary("lshr", row, constant(1)))
    second = code.binary("add", first, constant(4))
    shift = code.binary("shl", code.binary("and", row, constant(1)), constant(4))
    low, high = (
        code.binary("and", code.binary("lshr", _pick(frame, given[0], s), shift), constant(65535))
        for s in (first, second)
    )
    return Wide((code.binary("or", low, code.binary("shl", high, constant(16))),))


def _pick(frame: WarpFrame, vector: Value, source: Value) -> Value:
    """``vector[source[i]]`` in lane i, by way of memory."""
    assert isinstance(vector.type, VecTy)
    code, part = frame.code, vector.type.element
    if part == I1:
        wide = convert(frame, "zext", vector, I32)
        return convert(frame, "trunc", _pick(frame, wide, source), I1)
    slot = code.alloca(vector.type, 64)
    code.store(vector, slot, 64)
    type_ = VecTy(frame.width, HOST_POINTER)
    pointers = code.value(type_, f"getelementptr {part}, {slot}, {source}")
    everywhere = Value(VecTy(frame.width, I1), "splat (i1 true)")
    name = f"llvm.masked.gather.{type_suffix(vector.type)}.v{frame.width}p0"
    frame.module.declare(
        name, f"declare {vector.type} @{name}({type_}, {everywhere.type}, {vector.type})"
    )
    where = f"{type_} align {size_bytes(part)} {pointers.text}"
    return code.value(
        vector.type, f"call {vector.type} @{name}({where}, {everywhere}, {zero(vector.type)})"
    )
