"""Passes through banks: what the simulators count, one access at a time, is what passes count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kcc.base.native import native
from kcc.passes.memory.warp_cost import bank_passes, lone_passes
from kcc.sim.machine.banks_native import MOST_BANKS, local_passes

Ints = Any
SIZES = (1, 2, 4, 8, 12, 16, 32, 64)


@native
def counted(
    addresses: Ints, masks: Ints, size: int, lone: bool, banks: int, together: int, pairs: bool
) -> Ints:  # fmt: skip
    words, per_bank = np.empty(addresses.shape[1] * 5, np.int64), np.empty(MOST_BANKS, np.int64)
    found = np.empty(len(addresses), np.int64)
    for row in range(len(addresses)):
        found[row] = local_passes(
            addresses[row], masks[row], size, lone, banks, together, pairs, words, per_bank
        )
    return found


def passes(
    addresses: Ints, size: int, *, masks: Ints | None = None, banks: int = 32, lone: bool = False,
    pairs: bool = False,
) -> list[int]:  # fmt: skip
    lanes = addresses.shape[1]
    full = (1 << lanes) - 1
    masks = np.full(len(addresses), full, np.uint64) if masks is None else masks
    return counted(addresses, masks, size, lone, banks, min(lanes, banks), pairs).tolist()


def drawn(random: np.random.Generator, lanes: int, size: int) -> Ints:
    """Accesses of all kinds: rows with gaps, places in a small array, one address, anywhere."""
    steps = np.arange(lanes) * size * random.integers(0, 40, (40, 1))
    anywhere = random.integers(0, 1 << 12, (40, lanes)) * size
    few = random.integers(0, 8, (40, lanes)) * size
    shifted = steps + random.integers(0, 64, (40, 1)) * size
    return np.concatenate([steps, anywhere, few, shifted]).astype(np.int64)


@pytest.mark.parametrize("lanes", [32, 64])
@pytest.mark.parametrize("banks", [16, 32])
def test_random_accesses(lanes: int, banks: int):
    random: Any = np.random.default_rng(lanes + banks)
    bits: Any = 1 << np.arange(lanes, dtype=np.uint64)
    for size in SIZES:
        addresses = drawn(random, lanes, size)
        shares: Ints = random.choice([0.1, 0.6, 1.0], (160, 1))
        each: Ints = random.random(addresses.shape)
        active: Ints = np.less(each, shares)
        masks: Ints = np.sum(active * bits, axis=1, dtype=np.uint64)
        expected, _ = bank_passes(addresses, size, active, banks=banks)
        assert passes(addresses, size, masks=masks, banks=banks) == np.maximum(expected, 1).tolist()


def test_a_wide_load_goes_in_pieces():
    """Lanes side by side with 32 bytes each: eight lanes take two passes for 16 bytes each, as
    lanes n and n + 4 lie a bank's turn apart: four times eight lanes, two pieces."""
    side_by_side = np.arange(32)[None] * 32
    assert passes(side_by_side, 32) == [16]
    assert passes(np.zeros((1, 32), np.int64), 32) == [8]


def test_pairs_of_lanes():
    """Lanes two by two at one address: 16 bytes a lane take two passes, not four."""
    twos = np.repeat(np.arange(16), 2)[None] * 16
    assert passes(twos, 16) == [4]
    assert passes(twos, 16, pairs=True) == [2]
    assert passes(np.arange(32)[None] * 16, 16, pairs=True) == [4]


def test_atomics_for_one_word_are_serialised():
    random = np.random.default_rng(3)
    words = random.integers(0, 40, (60, 32)) * 4
    assert passes(words, 4, lone=True) == lone_passes(words).tolist()
    assert passes(np.zeros((1, 32), np.int64), 4, lone=True) == [32]
