"""Counts of equal steps modulo a power of two, against counting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.frontend.ir.opcodes import IntPredicate
from kcc.passes.symbolic.first_hit import iterations
from kcc.passes.symbolic.folding import compare, wrap


def counted(predicate: IntPredicate, bits: int, start: int, step: int, bound: int) -> int | None:
    for k in range(1 << bits):
        if not compare(predicate, bits, wrap(start + k * step, bits), bound):
            return k
    return None


@pytest.mark.parametrize("bits", [2, 3])
def test_all_narrow_cases(bits: int):
    numbers = [wrap(n, bits) for n in range(1 << bits)]
    for predicate in IntPredicate:
        for start in numbers:
            for step in numbers:
                for bound in numbers:
                    found = iterations(predicate, bits, start, step, bound)
                    assert found == counted(predicate, bits, start, step, bound)


@given(
    st.sampled_from(IntPredicate), st.integers(-128, 127), st.integers(-128, 127),
    st.integers(-128, 127),
)  # fmt: skip
def test_bytes(predicate: IntPredicate, start: int, step: int, bound: int):
    found = iterations(predicate, 8, start, step, bound)
    assert found == counted(predicate, 8, start, step, bound)


def test_wide_numbers_take_no_longer():
    assert iterations(IntPredicate.ULT, 64, 0, 3, -1) == (2**64 - 1 + 2) // 3
    assert iterations(IntPredicate.NE, 64, 0, 2, 7) is None
    assert iterations(IntPredicate.NE, 32, 1, 3, 0) == 2863311530 // 2
