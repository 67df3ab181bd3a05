"""A sample of benchmarks/estimate_monotone.py, which takes all kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.estimate_monotone import CHANGES, GPUS, KERNELS, Pair, pairs


def test_slower_is_by_more_than_two_percent() -> None:
    assert not Pair("k", "gpu", "sm_count", 100.0, 101.9).slower
    assert Pair("k", "gpu", "sm_count", 100.0, 102.1).slower


@pytest.mark.parametrize("name", ["saxpy", "transpose", "blackscholes"])
def test_more_of_anything_is_not_slower(name: str, tmp_path: Path) -> None:
    (source,) = (KERNELS / name).glob("*.cl")
    found = list(pairs(source, "small", tmp_path))
    kernels = {pair.kernel for pair in found}
    assert len(found) == len(kernels) * len(GPUS) * len(CHANGES) > 0
    assert [pair for pair in found if pair.slower] == []
