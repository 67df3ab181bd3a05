"""Mangled names against those clang writes (more of them in clang_facts.txt, see test_resolve)."""

from __future__ import annotations

import pytest

from kcc.frontend.builtins.mangle import mangle
from kcc.frontend.types import (
    EVENT,
    FLOAT,
    INT,
    SAMPLER,
    SIZE_T,
    UINT,
    VOID,
    AddressSpace,
    ImageAccess,
    ImageKind,
    ImageType,
    PointerType,
    QualType,
    RecordType,
    Type,
    VectorType,
)

FLOAT4 = VectorType(FLOAT, 4)


def pointer(
    type_: Type, space: AddressSpace, *, const: bool = False, volatile: bool = False
) -> PointerType:
    return PointerType(QualType(type_, space, const=const, volatile=volatile))


GLOBAL = AddressSpace.GLOBAL
IMAGE = ImageType(ImageKind.IMAGE2D_ARRAY, ImageAccess.WRITE_ONLY)


@pytest.mark.parametrize(
    ("symbol", "name", "parameters"),
    [
        ("_Z12get_work_dimv", "get_work_dim", []),
        ("_Z13get_global_idj", "get_global_id", [UINT]),
        ("_Z3maxDv4_fS_", "max", [FLOAT4, FLOAT4]),
        ("_Z6vload4mPU3AS1Kf", "vload4", [SIZE_T, pointer(FLOAT, GLOBAL, const=True)]),
        ("_Z7vstore4Dv4_fmPU3AS1f", "vstore4", [FLOAT4, SIZE_T, pointer(FLOAT, GLOBAL)]),
        ("_Z10atomic_addPU3AS1Vii", "atomic_add", [pointer(INT, GLOBAL, volatile=True), INT]),
        ("_Z5fractDv4_fPS_", "fract", [FLOAT4, pointer(FLOAT4, AddressSpace.PRIVATE)]),
        (
            "_Z21async_work_group_copyPU3AS3Dv4_fPU3AS1KS_m9ocl_event",
            "async_work_group_copy",
            [
                pointer(FLOAT4, AddressSpace.LOCAL),
                pointer(FLOAT4, GLOBAL, const=True),
                SIZE_T,
                EVENT,
            ],
        ),
        (
            "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i",
            "read_imagef",
            [ImageType(ImageKind.IMAGE2D), SAMPLER, VectorType(INT, 2)],
        ),
        (
            "_Z12write_imagef20ocl_image2d_array_woDv4_iDv4_f",
            "write_imagef",
            [IMAGE, VectorType(INT, 4), FLOAT4],
        ),
        # clang 22 of an overloadable function declared with these parameters
        (
            "_Z1fPU3AS1KDv4_fS1_S_PS1_S_",
            "f",
            [
                pointer(FLOAT4, GLOBAL, const=True),
                pointer(FLOAT4, GLOBAL, const=True),
                FLOAT4,
                PointerType(QualType(pointer(FLOAT4, GLOBAL, const=True))),
                FLOAT4,
            ],
        ),
    ],
)
def test_names_are_those_of_clang(symbol: str, name: str, parameters: list[Type]) -> None:
    assert mangle(name, parameters) == symbol


def test_a_variadic_function_keeps_its_name() -> None:
    assert mangle("printf", [pointer(INT, AddressSpace.CONSTANT)], variadic=True) == "printf"


def test_many_components_are_numbered_in_base_36() -> None:
    """The 12th component (S_ is the first, S0_ the second) is SA_."""
    types: list[Type] = [VectorType(k, n) for k in (INT, UINT, FLOAT) for n in (2, 3, 4, 8)]
    assert mangle("f", [*types, types[-1], types[1]]).endswith("SA_S0_")


@pytest.mark.parametrize("type_", [RecordType("s", is_union=False)])
def test_other_types_have_no_name(type_: Type) -> None:
    with pytest.raises(ValueError, match="no built-in function takes"):
        mangle("f", [type_])


def test_void_is_no_parameter() -> None:
    assert mangle("f", [VOID]) == "_Z1fv"
