"""What functions that numba compiles do with single instructions of the host. It imports numba:
:mod:`kcc.base.native` names them for modules that are to be imported without it."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


@intrinsic
def trailing_zeros(_: Any, word: Any) -> Any:  # noqa: ARG001 -- its type is known
    """The number of the lowest bit of a word of 64 bits that is set, 64 if there is none."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.int64(types.int64), generate


@intrinsic
def ones(_: Any, word: Any) -> Any:  # noqa: ARG001 -- its type is known
    """How many bits of a word of 64 bits are set."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def equal_of_16(_: Any, array: Any, index: Any, word: Any) -> Any:
    """Which of 16 numbers of 32 bits from ``index`` on are ``word``, as bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        data = context.make_array(kind)(context, builder, arguments[0])
        place = cgutils.get_item_pointer(
            context, builder, kind, data, [arguments[1]], wraparound=False
        )
        lane = ir.IntType(32)
        lanes = ir.VectorType(lane, 16)
        numbers = builder.load(builder.bitcast(place, lanes.as_pointer()), align=4)
        first = ir.Constant(lanes, ir.Undefined)
        first = builder.insert_element(first, builder.trunc(arguments[2], lane), lane(0))
        wanted = builder.shuffle_vector(first, first, ir.Constant(lanes, [0] * 16))
        found = builder.icmp_signed("==", numbers, wanted)
        return builder.zext(builder.bitcast(found, ir.IntType(16)), ir.IntType(64))

    return types.int64(array, index, word), generate


@intrinsic
def near_of_16(_: Any, array: Any, index: Any, word: Any, span: Any) -> Any:
    """Which of 16 numbers of 64 bits from ``index`` on differ from ``word`` by less than ``span``,
    a power of two, in no higher bit: as bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers, _ = _lanes(context, builder, signature.args[0], arguments)
        differing = builder.xor(numbers, _in_all(builder, arguments[2]))
        found = builder.icmp_unsigned("<", differing, _in_all(builder, arguments[3]))
        return builder.zext(builder.bitcast(found, ir.IntType(16)), ir.IntType(64))

    return types.int64(array, index, word, span), generate


@intrinsic
def put_first_of_16(_: Any, array: Any, index: Any, word: Any, place: Any) -> Any:
    """Of 16 numbers of 64 bits from ``index`` on, those before ``place`` move on by one, over the
    one that is there, and ``word`` comes first."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers, pointer = _lanes(context, builder, signature.args[0], arguments)
        order = ir.Constant(ir.VectorType(ir.IntType(32), 16), [16, *range(15)])
        moved = builder.shuffle_vector(numbers, _in_all(builder, arguments[2]), order)
        lanes = ir.Constant(numbers.type, list(range(16)))
        changes = builder.icmp_unsigned("<=", lanes, _in_all(builder, arguments[3]))
        builder.store(builder.select(changes, moved, numbers), pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, index, word, place), generate


def _lanes(context: Any, builder: Any, kind: Any, arguments: Any) -> Any:
    """16 numbers of an array from an index on, and where they are."""
    data = context.make_array(kind)(context, builder, arguments[0])
    place = cgutils.get_item_pointer(context, builder, kind, data, [arguments[1]], wraparound=False)
    pointer = builder.bitcast(place, ir.VectorType(ir.IntType(64), 16).as_pointer())
    return builder.load(pointer, align=8), pointer


def _in_all(builder: Any, word: Any) -> Any:
    """16 lanes that hold one number."""
    lanes, lane = ir.VectorType(ir.IntType(64), 16), ir.IntType(32)
    first = builder.insert_element(ir.Constant(lanes, ir.Undefined), word, lane(0))
    zeros = ir.Constant(ir.VectorType(lane, 16), [0] * 16)
    return builder.shuffle_vector(first, first, zeros)


@intrinsic
def prefetch(_: Any, array: Any, index: Any) -> Any:
    """Ask the host for an element of an array that will be read soon: one of many streams, each
    read in order but all in turn, is nothing that it would see by itself."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        data = context.make_array(kind)(context, builder, arguments[0])
        place = cgutils.get_item_pointer(
            context, builder, kind, data, [arguments[1]], wraparound=False
        )
        word, pointer = ir.IntType(32), cgutils.voidptr_t
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.VoidType(), [pointer, word, word, word]),
            "llvm.prefetch.p0",
        )  # fmt: skip
        reads, near, data_cache = word(0), word(3), word(1)
        builder.call(function, [builder.bitcast(place, pointer), reads, near, data_cache])
        return context.get_dummy_value()

    return types.void(array, index), generate
