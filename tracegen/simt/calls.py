"""Calls of a whole warp: work-item queries, LLVM intrinsics, math primitives."""

from __future__ import annotations

from collections.abc import Callable

from kcc.frontend.builtins.primitives import Primitive, PrimitiveClass, primitive_of
from kcc.frontend.ir import intrinsics
from kcc.frontend.ir.builder import Value, const_int
from kcc.frontend.ir.instructions import Call
from kcc.frontend.ir.types import DOUBLE, HALF, I1, I32, I64, IntTy, StructTy, VecTy, scalar_of
from kcc.frontend.ir.values import ConstantInt
from kcc.tracegen.simt.arithmetic import (
    align_shapes,
    convert,
    masked_count,
    to_half,
    type_suffix,
)
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.images import write_image_call
from kcc.tracegen.simt.lanes import write_lane_call
from kcc.tracegen.simt.layout import Worker
from kcc.tracegen.simt.matrices import write_matrix_product
from kcc.tracegen.simt.printing import write_printf
from kcc.tracegen.simt.undefined import CALLS
from kcc.tracegen.simt.watching import write_watch
from kcc.tracegen.simt.wide import Wide, parts_of


def write_call(frame: WarpFrame, call: Call) -> Wide | None:
    """The result of a call that is not a barrier; None for a call without one."""
    if call.is_intrinsic:
        return None if call.callee.startswith(intrinsics.IGNORED) else _intrinsic(frame, call)
    if call.callee.startswith(CALLS):
        return write_watch(frame, call)
    primitive = primitive_of(call.callee)
    assert primitive is not None, f"no implementation of {call.callee}"
    match primitive.primitive_class:
        case PrimitiveClass.WORK_ITEM | PrimitiveClass.SUBGROUP:
            return _query(frame, call, primitive.name)
        case PrimitiveClass.MATH | PrimitiveClass.SPECIAL:
            return _math(frame, call, primitive)
        case PrimitiveClass.SAMPLER:
            (bits,) = frame.operand(call.operands[0]).parts
            return Wide((frame.code.cast("zext", bits, I64),))
        case PrimitiveClass.SHUFFLE | PrimitiveClass.BALLOT | PrimitiveClass.LANES:
            return write_lane_call(frame, call, primitive)
        case PrimitiveClass.PRINTF:
            return write_printf(frame, call)
        case PrimitiveClass.MATRIX:
            return write_matrix_product(frame, call)
        case _:
            return write_image_call(frame, call, primitive)


# work-item queries

_PER_DIMENSION = {
    "get_group_id": (Worker.GROUP_X, 0),
    "get_num_groups": (Worker.GROUPS_X, 1),
    "get_local_size": (Worker.LOCAL_X, 1),
    "get_enqueued_local_size": (Worker.LOCAL_X, 1),
    "get_global_size": (Worker.GLOBAL_X, 1),
    "get_global_offset": (Worker.OFFSET_X, 0),
}
"""First word of the three, and what a dimension beyond the third gives (OpenCL C 6.12.1)."""


def _query(frame: WarpFrame, call: Call, name: str) -> Wide:
    (part,) = parts_of(call.type)
    value = _query_value(frame, call, name)
    wanted = frame.vector_type(part) if isinstance(value.type, VecTy) else part
    source = scalar_of(value.type)
    assert isinstance(source, IntTy)
    assert isinstance(part, IntTy)
    word = "trunc" if source.bits > part.bits else "zext"
    return Wide((frame.code.cast(word, value, wanted),))


def _query_value(frame: WarpFrame, call: Call, name: str) -> Value:
    if name in _PER_DIMENSION:
        first, otherwise = _PER_DIMENSION[name]
        return _dimension(
            frame, call, lambda d: frame.load_word(frame.worker, first + d), otherwise
        )
    match name:
        case "get_local_id":
            return _dimension(frame, call, lambda d: local_id(frame, d), 0)
        case "get_global_id":
            return _dimension(frame, call, lambda d: _global_id(frame, d), 0)
        case "get_work_dim":
            return frame.load_word(frame.worker, Worker.WORK_DIM)
        case "get_sub_group_size":
            live = frame.narrow(frame.load_word(frame.state, 6))
            return frame.call_intrinsic(f"llvm.ctpop.i{frame.width}", frame.mask_type, [live])
        case "get_max_sub_group_size":
            return const_int(I64, frame.width)
        case "get_num_sub_groups":
            return frame.load_word(frame.worker, Worker.WARPS)
        case "get_sub_group_id":
            return frame.load_word(frame.worker, Worker.WARP)
        case "get_sub_group_local_id":
            return frame.iota(I32)
        case _:
            raise AssertionError(f"no work-item query {name}")


def _dimension(frame: WarpFrame, call: Call, of: Callable[[int], Value], otherwise: int) -> Value:
    """A query by dimension, which need not be a constant."""
    (dimension,) = call.arguments
    if isinstance(dimension, ConstantInt):
        return of(dimension.value) if 0 <= dimension.value < 3 else const_int(I64, otherwise)
    index = frame.operand(dimension).parts[0]
    shown = [of(d) for d in range(3)]
    result: Value = const_int(I64, otherwise)
    for number, value in enumerate(shown):
        hit = frame.code.compare("icmp", "eq", index, const_int(index.type, number))
        source = scalar_of(value.type)
        if source != I64:
            to = frame.vector_type(I64) if isinstance(value.type, VecTy) else I64
            value = frame.code.cast("zext", value, to)
        then, rest = align_shapes(frame, Wide((value,)), Wide((result,)))
        if isinstance(hit.type, VecTy):
            then, rest = (Wide((frame.lanes(v.parts[0]),)) for v in (then, rest))
        result = frame.code.select(hit, then.parts[0], rest.parts[0])
    return result


def local_id(frame: WarpFrame, dimension: int) -> Value:
    """The lanes' local ids: a vector of 32-bit integers from the table of the launch."""
    vector = frame.vector_type(I32)
    warp = frame.load_word(frame.worker, Worker.WARP)
    row = frame.code.binary("mul", warp, const_int(I64, 3))
    row = frame.code.binary("add", row, const_int(I64, dimension))
    return frame.code.load(vector, frame.code.gep(vector, frame.local_ids, [row]), 64)


def _global_id(frame: WarpFrame, dimension: int) -> Value:
    """Offset plus group times size plus local id. Launches stay below 2^31 work-items in each
    dimension, so 32 bits are enough before the offset."""
    group = frame.load_word(frame.worker, Worker.GROUP_X + dimension)
    size = frame.load_word(frame.worker, Worker.LOCAL_X + dimension)
    start = frame.code.binary("mul", group, size)
    offset = frame.load_word(frame.worker, Worker.OFFSET_X + dimension)
    start = frame.code.cast("trunc", frame.code.binary("add", start, offset), I32)
    return frame.code.binary("add", frame.lanes(start), local_id(frame, dimension))


# intrinsics


def _intrinsic(frame: WarpFrame, call: Call) -> Wide | None:
    base = intrinsics.intrinsic_base(call.callee)
    if base in intrinsics.ELEMENTWISE:
        return _elementwise(frame, call, "llvm.fma" if base == "fmuladd" else f"llvm.{base}")
    if base in intrinsics.OVERFLOWING:
        return _with_overflow(frame, call, base)
    if base in intrinsics.REARRANGING:
        return _rearranged(frame, call, base)
    if base in intrinsics.UNCHANGED:
        return frame.operand(call.operands[0])
    match base.split("."):
        case ["vector", "reduce", kind]:
            return _reduce(frame, call, intrinsics.REDUCTIONS[kind] or kind)
        case ["ptrmask"]:
            address, mask = align_shapes(frame, *(frame.operand(o) for o in call.operands))
            return Wide((frame.code.binary("and", address.parts[0], mask.parts[0]),))
        case _:
            raise AssertionError(f"no implementation of {call.callee}")


def _rearranged(frame: WarpFrame, call: Call, base: str) -> Wide:
    """Parts of vectors in another order or number."""
    vector = frame.operand(call.operands[0]).parts
    if base == "vector.reverse":
        return Wide(vector[::-1])
    count, place = len(parts_of(call.type)), call.operands[-1]
    assert isinstance(place, ConstantInt)
    if base == "vector.extract":
        return Wide(vector[place.value : place.value + count])
    new = frame.operand(call.operands[1]).parts
    return Wide(vector[: place.value] + new + vector[place.value + len(new) :])


def _elementwise(frame: WarpFrame, call: Call, name: str) -> Wide:
    """The intrinsic on each part. ``immarg`` operands (a last i1) stay scalars."""
    operands = [frame.operand(o) for o in call.operands]
    flags = [
        o for o in call.operands if isinstance(o, ConstantInt) and _is_immediate(name, o, call)
    ]
    values = operands[: len(operands) - len(flags)]
    values = list(align_shapes(frame, *values))
    parts = list[Value]()
    results = parts_of(call.type)
    for number, result in enumerate(results):
        arguments = [v.parts[number] for v in values]
        if name in ("llvm.sshl.sat", "llvm.ushl.sat"):
            arguments[1] = masked_count(frame, arguments[1])
        wide = isinstance(arguments[0].type, VecTy)
        if name == "llvm.fma" and result == HALF:
            parts.append(_half_fma(frame, arguments))
            continue
        type_ = frame.vector_type(result) if wide else result
        suffixes = [type_suffix(type_)]
        if name in ("llvm.fptosi.sat", "llvm.fptoui.sat"):
            suffixes.append(type_suffix(arguments[0].type))
        elif name == "llvm.ldexp":
            suffixes.append(type_suffix(arguments[1].type))
        elif name in ("llvm.scmp", "llvm.ucmp"):
            suffixes.append(type_suffix(arguments[0].type))
        elif name == "llvm.is.fpclass":
            suffixes = [type_suffix(arguments[0].type)]
        arguments += [const_int(f.type, f.value) for f in flags]
        parts.append(frame.call_intrinsic(f"{name}.{'.'.join(suffixes)}", type_, arguments))
    return Wide(tuple(parts))


def _half_fma(frame: WarpFrame, arguments: list[Value]) -> Value:
    """By way of double, where the product is exact and the sum is never rounded to halfway between
    two halves: LLVM's library call for it is not there when code is compiled at run time."""
    doubles = [convert(frame, "fpext", each, DOUBLE) for each in arguments]
    type_ = doubles[0].type
    return to_half(frame, frame.call_intrinsic(f"llvm.fma.{type_suffix(type_)}", type_, doubles))


def _is_immediate(name: str, operand: ConstantInt, call: Call) -> bool:
    if name in ("llvm.abs", "llvm.ctlz", "llvm.cttz"):
        return operand is call.operands[-1] and operand.type == I1
    return name == "llvm.is.fpclass" and operand is call.operands[-1]


def _with_overflow(frame: WarpFrame, call: Call, base: str) -> Wide:
    """``{ result, overflowed }`` for each part."""
    left, right = align_shapes(frame, *(frame.operand(o) for o in call.operands))
    results, flags = list[Value](), list[Value]()
    for a, b in zip(left.parts, right.parts, strict=True):
        flag = VecTy(frame.width, I1) if isinstance(a.type, VecTy) else I1
        pair = frame.call_intrinsic(
            f"llvm.{base}.{type_suffix(a.type)}", StructTy((a.type, flag)), [a, b]
        )
        results.append(frame.code.extract_value(pair, a.type, 0))
        flags.append(frame.code.extract_value(pair, flag, 1))
    return Wide((*results, *flags))


def _reduce(frame: WarpFrame, call: Call, kind: str) -> Wide:
    """Over the parts of a vector, from the first to the last, by an instruction or intrinsic."""
    operands = [frame.operand(o) for o in call.operands]
    parts = [p for o in operands for p in o.parts]
    total = parts[0]
    for part in parts[1:]:
        a, b = align_shapes(frame, Wide((total,)), Wide((part,)))
        left, right = a.parts[0], b.parts[0]
        if kind in intrinsics.REDUCTIONS and not intrinsics.REDUCTIONS[kind]:
            total = frame.code.binary(kind, left, right)
        else:
            total = frame.call_intrinsic(
                f"llvm.{kind}.{type_suffix(left.type)}", left.type, [left, right]
            )
    return Wide((total,))


# math


def _math(frame: WarpFrame, call: Call, primitive: Primitive) -> Wide:
    """A primitive of the math library, on all lanes at once; each vector width has its own copy.
    Uniform operands are computed in a vector of the warp's width too, so that equal values give
    equal bits whichever way they come. fmod is exact, hence LLVM's."""
    if primitive.name == "fmod":
        (left,), (right,) = (
            p.parts for p in align_shapes(frame, *map(frame.operand, call.operands))
        )
        return Wide((frame.code.binary("frem", left, right),))
    operands = [[frame.lanes(p) for p in frame.operand(o).parts] for o in call.operands]
    uniform = all(frame.operand(o).is_uniform for o in call.operands)
    (part,) = parts_of(call.type)
    vector = frame.vector_type(part)
    name = f"kcc.{call.callee}.v{frame.width}"
    frame.math.add(call.callee)
    arguments = [p for parts in operands for p in parts]
    result = frame.code.call(name, vector, arguments, convention="")
    return Wide((frame.code.extract_element(result, 0) if uniform else result,))
