"""Thread blocks of a launch that do different things."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.passes.access.taking import Region, TakingShares, refined, segments
from kcc.sim.flow.block_classes import alike_blocks, box_of, middle_of
from tests.sim.estimate.test_model import estimated
from tests.sim.flow.test_warp_classes import looked_at

GUARDED = """
__kernel void k(__global float *out, __global const float *in, int n) {
  int i = get_global_id(0);
  if (i < n) {
    float a = 0;
    for (int c = 0; c < 200; c++) a = a * 1.0001f + in[i] + c;
    out[i] = a;
  }
}
"""
"""Of a grid larger than the data."""


def times(sizes: tuple[int, ...], n: int) -> list[float]:
    return [
        estimated(GUARDED, str(size), "256", "a100", args=f"n={n}").estimate.time_us
        for size in sizes
    ]


def test_thread_blocks_that_exit_at_once_cost_their_launch() -> None:
    exact, four, eight = times((1 << 22, 1 << 24, 1 << 25), (1 << 22) - 100)
    assert exact < four < eight
    assert four < 1.1 * exact
    assert eight < 1.2 * exact


def test_of_a_few_rounds_too() -> None:
    exact, four = times((1 << 16, 1 << 18), 1 << 16)
    assert exact < four < 1.3 * exact


def test_counts_are_exact() -> None:
    found, _ = looked_at(GUARDED, 1 << 24, 1000007, 256)
    exits, works = sorted(found.flow.blocks, key=lambda each: each.region.counts.argmax() == 0)
    # Of the next one two of eight warps have work: it is with those that it is more like.
    assert works.region.blocks == 1000007 // 256
    assert works.grid == (works.region.blocks, 1, 1)
    assert exits.region.blocks == (1 << 16) - works.region.blocks
    inside = max(range(len(found.flow.executions)), key=lambda b: found.flow.executions[b])
    whole = [each.flow.executions[inside] for each in (found, works, exits)]
    assert whole[0] == pytest.approx(sum(whole[1:]))
    assert whole[0] % -(-1000007 // 32) == 0


@pytest.mark.parametrize("edge", [1, 5, 100_003, (1 << 20) - 2])
def test_a_change_is_found_wherever_it_is(edge: int) -> None:
    def holds(axes: list[np.ndarray]) -> np.ndarray:
        return (axes[0] < edge)[:, None]

    start = [np.unique(np.linspace(0, (1 << 20) - 1, 64).astype(np.int64))]
    found = refined(start, holds, 256)
    assert found is not None
    (axis,), taken = found
    starts, _ = segments(axis, taken)
    assert starts.tolist() == [0, edge]


def test_a_short_axis_is_not_left_for_a_long_one() -> None:
    """With few looks (large thread blocks): x changes far from any sample, y between two."""

    def holds(axes: list[np.ndarray]) -> np.ndarray:
        _, x, y = np.meshgrid(*axes, indexing="ij")
        part = np.where(y == 1, 25, 27 * (y == 0))[..., None] > np.arange(27)
        return (part & (x < 2083)[..., None]).transpose(2, 1, 0, 3).reshape(-1, 27)

    start = [np.arange(3), np.array([0, 3124, 6249]), np.array([0, 2, 4, 6, 9])]
    found = refined(start, holds, 75)
    assert found is not None
    (_, x, y), taken = found
    assert segments(y, np.moveaxis(taken, 0, 0))[0].tolist() == [0, 1, 2]
    assert segments(x, np.moveaxis(taken, 1, 0))[0].tolist() == [0, 2083]


def test_a_rectangle_of_the_grid_is_a_grid_itself() -> None:
    def shares(of_x: list[float], of_y: list[float]) -> TakingShares:
        table = np.array(of_y)[None, :, None, None] * np.array(of_x)[None, None, :, None]
        zero = np.zeros(1, np.int64)
        return TakingShares((np.array([0, 30]), np.array([0, 7]), zero), (100, 20, 1), table)

    inside, outside = sorted(
        alike_blocks([(shares([1.0, 0.0], [1.0, 0.0]), 210.0)], 20.0, (100, 20, 1)),
        key=lambda each: each.blocks,
    )
    assert (inside.blocks, outside.blocks) == (210, 1790)
    assert box_of(inside, (100, 20, 1)) == (30, 7, 1)
    assert box_of(outside, (100, 20, 1)) is None
    assert middle_of(inside, (100, 20, 1)) == (15, 3, 0)


def test_edges_that_count_for_little_are_no_class() -> None:
    table = np.array([0.5, 1.0, 0.5])[None, None, :, None]
    zero = np.zeros(1, np.int64)
    taking = TakingShares((np.array([0, 1, 999]), zero, zero), (1000, 1, 1), table)
    assert alike_blocks([(taking, 999.0)], 0.0, (1000, 1, 1)) == ()
    region = Region(taking.starts, np.array([[[1, 0, 1]]]))
    assert taking.over(region) == pytest.approx([0.5])
    assert taking.mean == pytest.approx(0.999)
