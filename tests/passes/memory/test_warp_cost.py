"""Sectors, lines and cycles of the banks against those that profiles count, and worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.passes.memory.warp_cost import bank_passes, pieces_touched
from kcc.tracegen.profiling.memory_native import touched, wavefronts

SIZES = (1, 2, 4, 8, 12, 16, 32, 64, 100)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(4))
def test_costs_are_those_of_a_profile(size: int, seed: int):
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 1 << 40, (50, 1)) * 4
    rows = base + rng.integers(0, (8, 60, 1000, 9000)[seed], (50, 32)) * rng.choice([1, 4, size])
    active = rng.random((50, 32)) < rng.random((50, 1)) + 0.1
    active[:, 3] = True
    masks = (
        (active * (np.uint64(1) << np.arange(32, dtype=np.uint64))).sum(axis=1).astype(np.uint64)
    )
    found = np.zeros(32 * 5, np.int64)
    for granule, shift in ((32, 5), (128, 7)):
        wanted = [touched(r, m, size, shift, found) for r, m in zip(rows, masks, strict=True)]
        assert pieces_touched(rows, size, granule, active).tolist() == wanted
    for banks, lanes in ((32, 32),):
        wanted = [wavefronts(r, m, size, banks, lanes) for r, m in zip(rows, masks, strict=True)]
        assert bank_passes(rows, size, active)[0].tolist() == wanted


LANES = np.arange(32, dtype=np.int64)

WORKED = [
    # addresses, element, sectors, lines, passes, worst passes of a phase
    (LANES * 4, 4, 4, 1, 1, 1),
    (LANES * 4 + 4, 4, 5, 2, 1, 1),
    (LANES * 0, 4, 1, 1, 1, 1),
    (LANES * 8, 4, 8, 2, 2, 2),
    (LANES * 128, 4, 32, 32, 32, 32),
    (LANES * 132, 4, 32, 32, 1, 1),
    (LANES * 8, 8, 8, 2, 2, 1),
    (LANES * 16, 16, 16, 4, 4, 1),
    (LANES * 128, 8, 32, 32, 32, 16),
    (LANES, 1, 1, 1, 1, 1),
    (LANES // 16 * 256 + LANES % 16 * 4, 4, 4, 2, 2, 2),
    (LANES // 16 * 68 + LANES % 16 * 4, 4, 5, 2, 2, 2),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(WORKED)))
def test_costs_worked_by_hand(case: int):
    row, size, sectors, lines, passes, worst = WORKED[case]
    rows = row[None, :]
    assert pieces_touched(rows, size, 32, None).tolist() == [sectors]
    assert pieces_touched(rows, size, 128, None).tolist() == [lines]
    found = bank_passes(rows, size, None)
    assert (found[0].tolist(), found[1].tolist()) == ([passes], [worst])
