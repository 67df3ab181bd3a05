"""Nothing a kernel does crashes or hangs the process: damaged programs, each batch in a process."""

from __future__ import annotations

import subprocess
import sys

import pytest

SAMPLE = 8
BATCH = 25
BATCHES = [pytest.param(b, BATCH, marks=pytest.mark.full) for b in range(SAMPLE, 400, BATCH)]


@pytest.mark.slow
@pytest.mark.parametrize(("first", "count"), [(0, SAMPLE), *BATCHES])
def test_damaged_programs(first: int, count: int):
    command = [sys.executable, "-m", "tests.tracegen.hostile", str(first), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=40 * count, check=False)
    assert done.returncode == 0, f"{done.stdout[-200:]}\n{done.stderr[-2000:]}"
    outcomes = [line.split() for line in done.stdout.splitlines()]
    assert [int(seed) for seed, _ in outcomes] == list(range(first, first + count))
    assert all(code == "fine" or code < "K721" for _, code in outcomes)
