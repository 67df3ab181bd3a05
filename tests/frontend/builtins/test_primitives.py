"""The list of primitives is closed: everything else has a definition that leaves only them."""

from __future__ import annotations

import re

from kcc.frontend.builtins.lower import definitions, is_lowered
from kcc.frontend.builtins.lowerings import lowering_of
from kcc.frontend.builtins.overloads import names, overloads_of
from kcc.frontend.builtins.primitives import (
    INTRINSICS,
    PRIMITIVES,
    SAMPLER_INITIALISER,
    PrimitiveClass,
    is_primitive,
    primitive_of,
    primitives,
)
from kcc.frontend.types import VectorType


def test_every_overload_is_a_primitive_or_lowered() -> None:
    for name in names():
        for overload in overloads_of(name):
            assert is_primitive(overload) != (lowering_of(overload) is not None), overload.symbol


def test_the_list() -> None:
    """The number pins the list: the execution engine has to implement what is added."""
    assert len(primitives()) == 270
    assert len(PRIMITIVES) == 107


def test_every_primitive_is_a_builtin() -> None:
    assert {p.name for p in primitives()} == set(PRIMITIVES)


def test_math_primitives_are_scalar() -> None:
    for primitive in primitives():
        if PRIMITIVES[primitive.name].scalars:
            assert not isinstance(primitive.result, VectorType)


def test_classes_by_symbol() -> None:
    expected = {
        "_Z3sinf": PrimitiveClass.MATH,
        "_Z10native_sinf": PrimitiveClass.SPECIAL,
        "_Z5rsqrtd": PrimitiveClass.SPECIAL,
        "_Z7barrierj": PrimitiveClass.BARRIER,
        "_Z12get_local_idj": PrimitiveClass.WORK_ITEM,
        "_Z11read_imagef14ocl_image2d_roDv2_i": PrimitiveClass.IMAGE_READ,
        "printf": PrimitiveClass.PRINTF,
        SAMPLER_INITIALISER: PrimitiveClass.SAMPLER,
    }
    for symbol, class_ in expected.items():
        found = primitive_of(symbol)
        assert found is not None
        assert found.primitive_class is class_


def test_what_is_lowered_is_no_primitive() -> None:
    for symbol in ("_Z3sinDv4_f", "_Z3sinDh", "_Z3maxii", "_Z6vload4mPU3AS1Kf", "main"):
        assert primitive_of(symbol) is None
    assert is_lowered("_Z3sinDv4_f")
    assert not is_lowered("_Z3sinf")


def test_definitions_call_nothing_else() -> None:
    symbols = [o.symbol for name in names() for o in overloads_of(name) if is_lowered(o.symbol)]
    text = definitions(symbols)
    declared = re.findall(r"^declare .*?@([\w.]+)\(", text, flags=re.MULTILINE)
    intrinsics = {name for name in declared if name.startswith("llvm.")}
    stems = {re.sub(r"(\.(v\d+)?[if]\d+)+$", "", name[len("llvm.") :]) for name in intrinsics}
    # Only conversions to unsigned integers use it, which are not in this list.
    assert stems == set(INTRINSICS) - {"fptoui.sat"}
    assert all(primitive_of(name) for name in set(declared) - intrinsics)
