"""Demangling as the inverse of mangling, and on names that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.frontend.builtins.demangle import Demangled, demangle
from kcc.frontend.builtins.mangle import mangle
from kcc.frontend.builtins.notation import TYPE_NAMES
from kcc.frontend.builtins.overloads import names, overload_of_symbol, overloads_of
from kcc.frontend.types import AddressSpace, PointerType, QualType, Type

_VALUES = st.sampled_from(sorted(set(TYPE_NAMES) - {"void"})).map(lambda name: TYPE_NAMES[name])


def _pointer(type_: Type, space: AddressSpace, qualifiers: tuple[bool, bool]) -> Type:
    const, volatile = qualifiers
    return PointerType(QualType(type_, space, const=const, volatile=volatile))


def _pointers(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    qualifiers = st.tuples(st.booleans(), st.booleans())
    return st.builds(_pointer, inner, st.sampled_from(AddressSpace), qualifiers)


_TYPES = st.recursive(_VALUES, _pointers, max_leaves=3)


def test_every_overload_comes_back() -> None:
    overloads = [o for name in names() for o in overloads_of(name) if not o.variadic]
    assert len(overloads) > 5000
    for overload in overloads:
        parameters = tuple(p.type for p in overload.parameters)
        assert demangle(overload.symbol) == Demangled(overload.name, parameters)
        assert overload_of_symbol(overload.symbol) == overload


@given(
    st.text("abcnz_019", min_size=1, max_size=20).map("f{}".format), st.lists(_TYPES, max_size=6)
)
def test_any_function_comes_back(name: str, parameters: list[Type]) -> None:
    symbol = mangle(name, parameters)
    assert demangle(symbol) == Demangled(name, tuple(parameters))


@given(st.text("_ZPUKVSDvfij0123456789ASoclmn", max_size=60))
def test_nonsense_is_refused_or_read(text: str) -> None:
    found = demangle("_Z" + text)
    assert found is None or found.name in text


@pytest.mark.parametrize(
    "symbol",
    [
        "main",
        "_Z",
        "_Z3ma",
        "_Z3maxS_",
        "_Z3maxDv5_f",
        "_Z3maxQ",
        "_Z3maxvi",
        "_Z1fP",
        "_Z1fU3AS9i",
        "_Z1f" + "P" * 5000 + "i",
        "_ZN1a1bEi",
    ],
)
def test_other_names_are_refused(symbol: str) -> None:
    assert demangle(symbol) is None
