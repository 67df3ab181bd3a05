"""Constants: values, not only texts, since the execution engine computes with them."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import (
    DOUBLE,
    FLOAT,
    HALF,
    I1,
    I8,
    I32,
    I64,
    ArrayTy,
    FloatTy,
    IntTy,
    PtrTy,
    StructTy,
    VecTy,
)
from kcc.frontend.ir.values import (
    Constant,
    ConstantAggregate,
    ConstantBytes,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantVector,
    GlobalRef,
    Poison,
    Undef,
    Zero,
)
from tests.frontend.ir.llvm_oracle import check_module, printed


def initialiser(text: str, others: str = "") -> Constant:
    """The constant ``text`` (with its type) as the reader finds it in LLVM's print."""
    module = check_module(printed(f"{others}\n@x = global {text}\n"))
    value = module.globals["x"].initialiser
    assert value is not None
    return value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i1 true", ConstantInt(I1, 1)),
        ("i1 false", ConstantInt(I1, 0)),
        ("i8 255", ConstantInt(I8, -1)),
        ("i32 -2147483648", ConstantInt(I32, -(2**31))),
        ("i64 9223372036854775807", ConstantInt(I64, 2**63 - 1)),
        ("i128 -1", ConstantInt(IntTy(128), -1)),
        ("ptr null", Zero(PtrTy(0))),
        ("ptr addrspace(3) null", Zero(PtrTy(3))),
        ("i32 undef", Undef(I32)),
        ("<2 x float> poison", Poison(VecTy(2, FLOAT))),
        ("[4 x i8] zeroinitializer", Zero(ArrayTy(4, I8))),
        ("<3 x i32> zeroinitializer", ConstantVector(VecTy(3, I32), (ConstantInt(I32, 0),) * 3)),
        ("<2 x i32> splat (i32 -7)", ConstantVector(VecTy(2, I32), (ConstantInt(I32, -7),) * 2)),
        (
            "<2 x i1> <i1 true, i1 undef>",
            ConstantVector(VecTy(2, I1), (ConstantInt(I1, 1), Undef(I1))),
        ),
        (
            r'[6 x i8] c"a\22\5C\0A;\00"',
            ConstantBytes(ArrayTy(6, I8), b'a"\\\n;\0'),
        ),
        (
            "<{ i8, [2 x i32] }> <{ i8 1, [2 x i32] [i32 2, i32 3] }>",
            ConstantAggregate(
                StructTy((I8, ArrayTy(2, I32)), packed=True),
                (
                    ConstantInt(I8, 1),
                    ConstantAggregate(
                        ArrayTy(2, I32), (ConstantInt(I32, 2), ConstantInt(I32, 3))
                    ),
                ),
            ),
        ),
    ],
)  # fmt: skip
def test_constant(text: str, expected: Constant):
    assert initialiser(text) == expected


def test_named_types_are_expanded():
    types = "%inner = type { i16, [3 x i8] }\n%outer = type { %inner, float }\n"
    value = initialiser("%outer { %inner { i16 5, [3 x i8] zeroinitializer }, float 2.0 }", types)
    assert isinstance(value, ConstantAggregate)
    assert str(value.type) == "{ { i16, [3 x i8] }, float }"
    assert str(value) == (
        "{ { i16, [3 x i8] } { i16 5, [3 x i8] zeroinitializer }, float 2.000000e+00 }"
    )


def test_constant_expressions():
    table = "@t = addrspace(3) global [8 x i32] undef\n"
    offset = initialiser(
        "ptr addrspace(3) getelementptr inbounds nuw (i8, ptr addrspace(3) @t, i64 12)", table
    )
    assert isinstance(offset, ConstantExpr)
    assert (offset.opcode, offset.source_type) == (Opcode.GETELEMENTPTR, I8)
    assert offset.flags == Flags.INBOUNDS | Flags.NUW
    assert offset.operands == (GlobalRef(PtrTy(3), "t"), ConstantInt(I64, 12))
    cast = initialiser("ptr addrspacecast (ptr addrspace(3) @t to ptr)", table)
    assert cast == ConstantExpr(
        PtrTy(0), Opcode.ADDRSPACECAST, (GlobalRef(PtrTy(3), "t"),), None, Flags.NONE
    )
    number = initialiser("i64 add (i64 ptrtoint (ptr addrspace(3) @t to i64), i64 4)", table)
    assert str(number) == "add (i64 ptrtoint (ptr addrspace(3) @t to i64), i64 4)"


def test_quoted_names():
    value = initialiser('ptr @"a \\22b\\22"', '@"a \\22b\\22" = global i32 0\n')
    assert value == GlobalRef(PtrTy(0), 'a "b"')
    assert str(value) == '@"a \\22b\\22"'


WIDTHS: dict[FloatTy, str] = {HALF: "<e", FLOAT: "<f", DOUBLE: "<d"}


def pattern(type_: FloatTy, value: float) -> int:
    return int.from_bytes(struct.pack(WIDTHS[type_], value), "little")


@given(st.sampled_from([HALF, FLOAT, DOUBLE]), st.data())
def test_every_floating_point_pattern_is_kept(type_: FloatTy, data: st.DataObject):
    """NaN payloads, signed zeros, subnormals: read(print(x)) has the bits of x."""
    bits = data.draw(st.integers(0, 2**type_.bits - 1))
    constant = ConstantFloat(type_, bits)
    assert initialiser(f"{type_} {constant}") == constant


@given(
    st.sampled_from([HALF, FLOAT, DOUBLE]),
    st.floats(width=16, allow_nan=False),
)
def test_value_of_a_float(type_: FloatTy, value: float):
    found = initialiser(f"{type_} {ConstantFloat(type_, pattern(type_, value))}")
    assert isinstance(found, ConstantFloat)
    assert found.value == value
    assert math.copysign(1, found.value) == math.copysign(1, value)


@given(st.sampled_from([1, 8, 16, 32, 64, 100]), st.data())
def test_integers_of_any_width(bits: int, data: st.DataObject):
    value = data.draw(st.integers(0, 2**bits - 1))
    found = initialiser(f"i{bits} {value}")
    assert isinstance(found, ConstantInt)
    assert found.unsigned == value
    assert (found.value - value) % 2**bits == 0
    assert found.value in ((0, 1) if bits == 1 else range(-(2 ** (bits - 1)), 2 ** (bits - 1)))
