"""Declarations and definitions as text."""

from __future__ import annotations

import random

import llvmlite.binding as llvm
import pytest

from kcc.frontend.builtins.lower import declaration, definitions, is_lowered, symbol_info
from kcc.frontend.builtins.notation import TYPE_NAMES
from kcc.frontend.builtins.overloads import names, overloads_of
from kcc.frontend.builtins.resolve import resolve
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.ir.builder import ModuleBuilder
from kcc.frontend.types import ScalarKind, ScalarType, VectorType

_MAXIMUM = (
    "declare spir_func <3 x float> @_Z3maxDv3_fS_(<3 x float>, <3 x float>) "
    "nounwind willreturn memory(none)"
)

_ATOMIC = (
    "declare spir_func i32 @_Z10atomic_addPU3AS1Vii(ptr addrspace(1), i32) nounwind willreturn"
)

_READ = (
    "declare spir_func <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f"
    "(ptr addrspace(1), ptr addrspace(2), <2 x float>) nounwind willreturn memory(read)"
)


def conversions() -> list[ResolvedBuiltin]:
    """Every convert_ and as_ overload."""
    targets = [
        name
        for name, type_ in TYPE_NAMES.items()
        if isinstance(type_, (ScalarType, VectorType))
        and type_ != ScalarType(ScalarKind.BOOL)
        and not name.endswith("_t")
    ]
    found = list[ResolvedBuiltin]()
    for name in targets:
        for saturation in ("", "_sat"):
            for rounding in ("", "_rte", "_rtz", "_rtp", "_rtn"):
                found += overloads_of(f"convert_{name}{saturation}{rounding}")
        casts = [resolve(f"as_{name}", [TYPE_NAMES[source]]) for source in targets]
        found += [c for c in casts if isinstance(c, ResolvedBuiltin)]
    return found


def everything() -> list[str]:
    """Symbols of all overloads that have a definition."""
    overloads = [o for name in names() for o in overloads_of(name)] + conversions()
    return [o.symbol for o in overloads if is_lowered(o.symbol)]


def verify(text: str) -> list[str]:
    """Parse and verify as a module; names of what it defines."""
    module = llvm.parse_assembly(ModuleBuilder().text() + text)
    module.verify()
    return [f.name for f in module.functions if not f.is_declaration]


def test_definitions_are_valid(*, full: bool) -> None:
    symbols = everything()
    assert len(symbols) > 11000
    if not full:
        symbols = random.Random(3).sample(symbols, 1200)
    assert set(symbols) <= set(verify(definitions(symbols)))


@pytest.mark.parametrize(
    ("symbol", "line"),
    [
        (
            "_Z13get_global_idj",
            "declare spir_func i64 @_Z13get_global_idj(i32) nounwind willreturn memory(none)",
        ),
        ("_Z7barrierj", "declare spir_func void @_Z7barrierj(i32) convergent nounwind"),
        (
            "_Z3maxDv3_fS_",
            _MAXIMUM,
        ),
        (
            "_Z10atomic_addPU3AS1Vii",
            _ATOMIC,
        ),
        (
            "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f",
            _READ,
        ),
        ("printf", "declare spir_func i32 @printf(ptr addrspace(2), ...) nounwind"),
    ],
)
def test_declarations(symbol: str, line: str) -> None:
    builtin = symbol_info(symbol)
    assert builtin is not None
    assert declaration(builtin) == line
    verify(line)


def test_what_a_definition_calls_comes_along() -> None:
    """Length of halves is that of floats, which needs intrinsics; no primitive stays undeclared."""
    text = definitions(["_Z6lengthDv3_Dh", "_Z3sinDv2_f"])
    assert verify(text) == ["_Z3sinDv2_f", "_Z6lengthDv3_Dh", "_Z6lengthDv3_f"]
    assert text.count("declare spir_func float @_Z3sinf(float)") == 1


def test_what_exists_is_not_declared_again() -> None:
    existing = {"_Z3sinf", "llvm.fabs.f32"}
    text = definitions(["_Z3sinDv2_f", "_Z5isinff"], existing)
    assert "declare" not in text
    assert verify(definitions(["_Z3sinDv2_f", "_Z5isinff"])) == ["_Z5isinff", "_Z3sinDv2_f"]


def test_primitives_and_strangers_have_no_definition() -> None:
    assert definitions(["_Z3sinf", "main", "_Z3fooi"]) == ""


def test_definitions_are_internal_and_inlined() -> None:
    head = "define internal spir_func i32 @_Z3maxii(i32 %a0, i32 %a1) alwaysinline "
    head += "nounwind willreturn memory(none) {"
    assert head in definitions(["_Z3maxii"]).splitlines()


def test_symbols_of_clang_are_known() -> None:
    found = symbol_info("_Z8shuffle2Dv4_fS_Dv2_j")
    assert found is not None
    assert (found.name, str(found.result)) == ("shuffle2", "float2")
    assert symbol_info("_Z8as_int4Dv4_f") is None
    cast = symbol_info("_Z7as_int4Dv4_f")
    assert cast is not None
    assert str(cast.result) == "int4"
