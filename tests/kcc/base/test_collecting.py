"""How often Python looks for garbage, and what it keeps of memory that is free."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
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


ARRAYS = """
import resource
from kcc.base.collecting import keep_freed_memory
keep_freed_memory()
for _ in range(50):
    arrays = [bytearray(1 << 20) for _ in range(4)]
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt * resource.getpagesize() >> 20)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc learns")
def test_what_is_freed_is_used_again() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", ARRAYS], check=True, capture_output=True, text=True
    )
    assert int(done.stdout) < 50  # MiB, of 200 that were asked for
