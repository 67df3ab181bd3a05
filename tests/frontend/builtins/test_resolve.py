"""Overload resolution, mostly against what clang and PoCL make of the same calls."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from kcc.frontend.builtins.overloads import names
from kcc.frontend.builtins.resolve import (
    Ambiguous,
    NoMatch,
    is_builtin,
    resolve,
    spell,
)
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.types import (
    BOOL,
    DOUBLE,
    EVENT,
    FLOAT,
    INT,
    LONG,
    SAMPLER,
    SHORT,
    UINT,
    VOID,
    AddressSpace,
    EnumType,
    ImageKind,
    ImageType,
    PointerType,
    QualType,
    RecordType,
    ScalarKind,
    Type,
    VectorType,
    element_kind,
)
from tests.frontend.builtins.clang_oracle import (
    FACTS,
    Call,
    clang_names,
    own_verdict,
    random_calls,
    read_fact,
    spelled,
)
from tests.frontend.builtins.pocl_values import opencl
from tests.pocl import build

FLOAT4 = VectorType(FLOAT, 4)
INT2 = VectorType(INT, 2)
IMAGE = ImageType(ImageKind.IMAGE2D)
COPY = "async_work_group_copy"
COPY_SYMBOL = "_Z21async_work_group_copyPU3AS3fPU3AS1Kfm9ocl_event"


def pointer(type_: Type, space: AddressSpace, *, const: bool = False) -> PointerType:
    return PointerType(QualType(type_, space, const=const))


GLOBAL_FLOAT = pointer(FLOAT, AddressSpace.GLOBAL)
LOCAL_FLOAT = pointer(FLOAT, AddressSpace.LOCAL)
GLOBAL_INT = pointer(INT, AddressSpace.GLOBAL)


def test_calls_mean_what_they_mean_to_clang() -> None:
    """The facts come from clang 22 (ziglang 0.17), see clang_oracle."""
    lines = FACTS.read_text().splitlines()
    wrong = [line for line in lines if own_verdict(read_fact(line)[0]) != read_fact(line)[1]]
    assert len(lines) > 1000
    assert wrong == []


# What clang 22 says of each, with integer constant expressions, enums, void and null pointers.
CASES: list[tuple[str, list[Type], dict[int, int], str]] = [
    ("max", [EnumType("e", UINT), INT], {1: 1}, "ambiguous"),
    ("max", [EnumType("e", UINT), UINT], {}, "_Z3maxjj"),
    ("max", [EnumType("e", INT), INT], {1: 1}, "_Z3maxii"),
    ("abs", [EnumType("e", UINT)], {}, "_Z3absj"),
    ("abs", [BOOL], {}, "_Z3absi"),
    ("select", [FLOAT, FLOAT, EnumType("e", UINT)], {}, "_Z6selectffj"),
    ("max", [RecordType("s", is_union=False)] * 2, {}, "no match"),
    (COPY, [LOCAL_FLOAT, GLOBAL_FLOAT, INT, INT], {2: 4, 3: 0}, COPY_SYMBOL),
    (COPY, [LOCAL_FLOAT, GLOBAL_FLOAT, INT, EVENT], {2: 4}, COPY_SYMBOL),
    (COPY, [LOCAL_FLOAT, GLOBAL_FLOAT, INT, INT], {2: 4, 3: 1}, "no match"),
    (COPY, [LOCAL_FLOAT, GLOBAL_FLOAT, INT, INT], {2: 4}, "no match"),
    ("wait_group_events", [INT, INT], {0: 1, 1: 0}, "_Z17wait_group_eventsiP9ocl_event"),
    ("vload4", [INT, INT], {0: 0, 1: 0}, "ambiguous"),
    ("vload4", [INT, pointer(VOID, AddressSpace.GLOBAL)], {0: 0}, "ambiguous"),
    ("vload4", [INT, pointer(FLOAT, AddressSpace.CONSTANT)], {0: 0}, "_Z6vload4mPU3AS2Kf"),
    (
        "vstore4",
        [FLOAT4, INT, pointer(FLOAT, AddressSpace.GLOBAL, const=True)],
        {1: 0},
        "_Z7vstore4Dv4_fmPU3AS1f",
    ),
    ("fract", [FLOAT, INT], {1: 0}, "ambiguous"),
    (
        "read_imagef",
        [IMAGE, INT, INT2],
        {1: 3},
        "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i",
    ),
    ("read_imagef", [IMAGE, INT, INT2], {}, "no match"),
    ("read_imagef", [IMAGE, SAMPLER, INT], {2: 0}, "ambiguous"),
    ("read_imagef", [IMAGE, INT], {1: 0}, "_Z11read_imagef14ocl_image2d_roDv2_i"),
    ("atomic_cmpxchg", [GLOBAL_INT, INT, INT], {1: 0, 2: 1}, "_Z14atomic_cmpxchgPU3AS1Viii"),
    ("atomic_add", [INT, INT], {0: 0, 1: 1}, "ambiguous"),
    ("prefetch", [INT, INT], {0: 0}, "ambiguous"),
    ("prefetch", [GLOBAL_INT, INT], {}, "_Z8prefetchPU3AS1Kim"),
    ("printf", [pointer(INT, AddressSpace.CONSTANT)], {}, "printf"),
]


@pytest.mark.parametrize(("name", "arguments", "constants", "verdict"), CASES)
def test_constants_enums_and_null_pointers(
    name: str, arguments: list[Type], constants: dict[int, int], verdict: str
) -> None:
    match resolve(name, arguments, constants):
        case ResolvedBuiltin(symbol=symbol):
            assert symbol == verdict
        case NoMatch():
            assert verdict == "no match"
        case Ambiguous():
            assert verdict == "ambiguous"


def test_the_result_and_the_parameters_are_those_of_the_overload() -> None:
    found = resolve("max", [FLOAT4, INT])
    assert isinstance(found, ResolvedBuiltin)
    assert (found.symbol, found.result) == ("_Z3maxDv4_ff", FLOAT4)
    assert [p.type for p in found.parameters] == [FLOAT4, FLOAT]
    assert spell(found) == "float4 max(float4, float)"


def test_candidates_of_a_failed_call_are_spelled() -> None:
    found = resolve("max", [INT, FLOAT])
    assert isinstance(found, Ambiguous)
    assert "float max(float, float)" in found.candidates
    missing = resolve("get_work_dim", [INT])
    assert missing == NoMatch(("uint get_work_dim(void)",))


def test_printf_takes_any_number_of_arguments() -> None:
    text = pointer(QualType(INT).type, AddressSpace.CONSTANT)
    found = resolve("printf", [text, FLOAT4, DOUBLE, LONG])
    assert isinstance(found, ResolvedBuiltin)
    assert found.variadic
    assert isinstance(resolve("printf", []), NoMatch)


def test_reinterpretation_takes_what_has_the_same_size() -> None:
    int3, float4 = VectorType(INT, 3), FLOAT4
    assert isinstance(resolve("as_int3", [float4]), ResolvedBuiltin)
    assert isinstance(resolve("as_float4", [int3]), ResolvedBuiltin)
    assert isinstance(resolve("as_float4", [VectorType(SHORT, 8)]), ResolvedBuiltin)
    assert isinstance(resolve("as_float", [DOUBLE]), NoMatch)
    assert isinstance(resolve("as_char", [BOOL]), NoMatch)
    assert isinstance(resolve("as_ulong", [GLOBAL_FLOAT]), NoMatch)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sin", True),
        ("convert_uchar16_sat_rtz", True),
        ("convert_float_sat", False),
        ("convert_bool", False),
        ("convert_int5", False),
        ("as_half", True),
        ("as_size_t", False),
        ("vload1", False),
        ("vec_step", False),
        ("foo", False),
    ],
)
def test_names(name: str, *, expected: bool) -> None:
    assert is_builtin(name) is expected


def test_an_unknown_name_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(KeyError):
        resolve("foo", [])


def _pocl_knows(call: Call) -> bool:
    """PoCL's CPU device has no halves, and OpenCL C 1.2 no read_write images."""
    name, types = call
    if name.endswith("imageh") or name == "nan":
        return False
    for type_ in types:
        inner = type_.pointee.type if isinstance(type_, PointerType) else type_
        if element_kind(inner) is ScalarKind.HALF or "read_write" in spelled(type_):
            return False
    return True


@pytest.mark.pocl
def test_calls_mean_what_they_mean_to_pocl(pocl_context: Any, *, full: bool) -> None:
    """Pointers differ in nothing but their address space: clang 14 ranks the others otherwise."""
    chance = random.Random(7)
    count = 60 if full else 4
    found = (c for n in clang_names() for c in random_calls(n, count, chance, spaces=True))
    calls = [c for c in dict.fromkeys(found) if _pocl_knows(c)]
    lines = [
        f"void f{n}({', '.join(f'{spelled(t)} a{i}' for i, t in enumerate(types)) or 'void'}) "
        f"{{ {name}({', '.join(f'a{i}' for i in range(len(types)))}); }}"
        for n, (name, types) in enumerate(calls)
    ]
    cl = opencl()
    with pytest.raises(cl.RuntimeError) as failure:
        build(pocl_context, "\n".join(lines), "-cl-std=CL1.2 -w")
    shown = re.findall(r"\.cl:(\d+):\d+[^\n]*?: (.*)", str(failure.value))
    errors = {int(line): message for line, message in shown}
    wrong = [
        (calls[n], own, errors.get(n + 1))
        for n, own in enumerate(own_verdict(c) for c in calls)
        if _shortened(own) != _pocl_verdict(errors.get(n + 1))
    ]
    assert wrong == []
    assert len(calls) > 400


def _shortened(verdict: str) -> str:
    return "accepted" if verdict.startswith("_Z") else verdict


def _pocl_verdict(error: str | None) -> str:
    if error is None:
        return "accepted"
    return "ambiguous" if "is ambiguous" in error else "no match"


def test_every_name_is_a_builtin() -> None:
    assert all(is_builtin(name) for name in names())
