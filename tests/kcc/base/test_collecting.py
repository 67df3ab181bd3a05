"""How often Python looks for garbage."""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest

from kcc.base.collecting import OBJECTS, OLD, YOUNG, collect_seldom


@pytest.fixture(autouse=True)
def restored() -> Generator[None]:
    """The process as it was before."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_seldom_from_what_python_does_by_itself() -> None:
    gc.set_threshold(700, 10, 10)
    collect_seldom()
    assert gc.get_threshold() == (OBJECTS, YOUNG, OLD)


@pytest.mark.parametrize("told", [(0, 10, 10), (2 * OBJECTS, 5, 5)])
def test_less_than_that_stays_as_it_is(told: tuple[int, int, int]) -> None:
    gc.set_threshold(*told)
    collect_seldom()
    assert gc.get_threshold() == told
