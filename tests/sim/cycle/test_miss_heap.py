"""The times at which misses are done, least first, against Python's heap."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kcc.sim.cycle.load_store_native import heap_add, heap_drop, make_room


def as_python(function: Any) -> Any:
    """The function itself, so that nothing is compiled but what it calls."""
    return function.py_func


ADD, DROP, ROOM = as_python(heap_add), as_python(heap_drop), as_python(make_room)
SM, ENTRIES = 1, 64

STEPS = st.lists(st.one_of(st.none(), st.integers(0, 50)), max_size=ENTRIES)
"""A time to add, or the least to be taken away."""


def filled(steps: list[int | None]) -> tuple[np.ndarray[Any, Any], list[int]]:
    """What the steps leave here and in Python's heap, the least the same after each."""
    heap, twin = np.zeros((SM + 1, ENTRIES), np.int64), list[int]()
    for step in steps:
        if step is not None:
            ADD(heap, SM, len(twin), step)
            heapq.heappush(twin, step)
        elif twin:
            DROP(heap, SM, len(twin))
            heapq.heappop(twin)
        assert not twin or heap[SM, 0] == twin[0]
    assert sorted(heap[SM, : len(twin)]) == sorted(twin)
    return heap, twin


@given(steps=STEPS)
def test_the_least_is_first(steps: list[int | None]) -> None:
    heap, _ = filled(steps)
    assert not heap[:SM].any()


@given(steps=STEPS, later=st.integers(0, 50))
def test_room_is_made_of_what_is_done(steps: list[int | None], later: int) -> None:
    heap, twin = filled(steps)
    if twin:
        time = twin[0] + later
        left = ROOM(heap, SM, len(twin), time)
        kept = sorted(heap[SM, :left])
        assert left < len(twin)
        assert kept == sorted(twin)[len(twin) - left :]
        assert left == len(twin) - 1 or min(kept, default=time + 1) > time
        assert not left or heap[SM, 0] == kept[0]
