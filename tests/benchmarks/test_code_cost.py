"""Seconds of stages and of processes that are still there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.code_cost import Clock, now

BUSY = """
import time
while time.process_time() < 0.4:
    pass
print(flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
def test_a_child_that_lives_counts():
    began = now()
    with subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        used = now() - began
        child.kill()
    assert 0.35 < used.cpu < 1.0
    assert used.wall > 0.35


def test_stages_of_one_name_are_kept_apart():
    clock = Clock()
    assert [clock("one", lambda n=n: n) for n in (1, 2)] == [1, 2]
    with pytest.raises(ZeroDivisionError):
        clock("one", lambda: 1 // 0)
    assert {name: len(found) for name, found in clock.stages.items()} == {"one": 3}
