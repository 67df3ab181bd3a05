"""Exchange between lanes, votes, and barriers with a value."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute

SOURCE = """
kernel void exchange(global const int *x, global int *o) {
    int i = get_global_id(0), v = x[i];
    o[i * 8] = sub_group_shuffle(v, (uint)(i * 7));
    o[i * 8 + 1] = sub_group_shuffle_xor(v, 5u);
    o[i * 8 + 2] = sub_group_shuffle_up(v, 3u);
    o[i * 8 + 3] = sub_group_shuffle_down(v, 2u);
    o[i * 8 + 4] = sub_group_ballot(v & 1).x;
    o[i * 8 + 5] = sub_group_all(v >= 0) * 2 + sub_group_any(v > 90);
    o[i * 8 + 6] = work_group_reduce_add(v);
    o[i * 8 + 7] = work_group_all(v >= 0) + 2 * work_group_any(v > 98);
}
kernel void partial(global const int *x, global int *o) {
    int i = get_global_id(0);
    o[i] = -1;
    if (x[i] & 1) o[i] = sub_group_ballot(x[i] > 50).x;
}
"""


@pytest.fixture(scope="module")
def numbers() -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.random.default_rng(1).integers(0, 100, 256).astype(np.int32)


def run(kernel: int, numbers: np.ndarray[tuple[int], np.dtype[np.int32]], columns: int, width: int):
    text = SourceText("lanes.cl", SOURCE, ".")
    unit = compile_source(text, BuildOptions(opt_level=OptLevel.O2))
    out = np.zeros((256, columns), np.int32)
    options = ExecutionOptions(width=width)
    done = execute(unit, unit.kernels[kernel], NDRange((256,), (64,)), [numbers, out], options)
    return done.buffers[1]


@pytest.mark.parametrize("width", [32, 64])
def test_exchange(numbers: np.ndarray[tuple[int], np.dtype[np.int32]], width: int):
    found = run(0, numbers, 8, width)
    item = np.arange(256)
    lane, start = item % width, item // width * width
    warps, groups = numbers.reshape(-1, width), numbers.reshape(-1, 64)
    up = np.where(lane >= 3, numbers[item - 3], numbers)
    down = np.where(lane < width - 2, numbers[np.minimum(item + 2, 255)], numbers)
    ballots = [sum(int(v & 1) << i for i, v in enumerate(warp[:32])) for warp in warps]
    np.testing.assert_array_equal(found[:, 0], numbers[start + item * 7 % width])
    np.testing.assert_array_equal(found[:, 1], numbers[start + (lane ^ 5)])
    np.testing.assert_array_equal(found[:, 2], up)
    np.testing.assert_array_equal(found[:, 3], down)
    wanted = np.array(ballots, np.uint32)[item // width]
    np.testing.assert_array_equal(found[:, 4].astype(np.int32).view(np.uint32), wanted)
    np.testing.assert_array_equal(found[:, 5], 2 + (warps.max(1) > 90)[item // width])
    np.testing.assert_array_equal(found[:, 6], groups.sum(1)[item // 64])
    np.testing.assert_array_equal(found[:, 7], 1 + 2 * (groups.max(1) > 98)[item // 64])


def test_only_active_lanes_vote(numbers: np.ndarray[tuple[int], np.dtype[np.int32]]):
    found = run(1, numbers, 1, 32)[:, 0]
    for number, warp in enumerate(numbers.reshape(-1, 32)):
        votes = sum(1 << i for i, v in enumerate(warp) if v & 1 and v > 50)
        wanted = np.where(warp & 1, np.array(votes, np.uint32).view(np.int32), -1)
        np.testing.assert_array_equal(found[number * 32 : number * 32 + 32], wanted)
