"""The sets of L1: lines in a row are spread evenly, and so are those a power of two apart."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize("sets", [4, 32, 64, 128])
@pytest.mark.parametrize("apart", [1, 2, 4, 8, 32, 128, 256, 1024])
def test_sets_are_alike_full(sets: int, apart: int):
    from kcc.sim.machine.l1_sets_native import set_of

    lines = [line * apart for line in range(4 * sets)]
    found = Counter(set_of(line, sets) for line in lines)
    assert max(found.values()) <= 4 * (1 if apart == 1 else 2)


@given(line=st.integers(0, 2**40), sets=st.integers(1, 300))
def test_a_line_is_in_one_of_the_sets(line: int, sets: int):
    from kcc.sim.machine.l1_sets_native import set_of

    assert 0 <= set_of(line, sets) < sets
