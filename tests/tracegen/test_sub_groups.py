"""Functions of sub-groups and work-groups against NumPy, for warps and parts of warps."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute

ITEMS, GROUP = 240, 80

SOURCE = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel SIZE void sums(global const int *x, global int *o) {
    int i = get_global_id(0), v = x[i];
    global int *p = o + i * 12;
    p[0] = sub_group_reduce_add(v);
    p[1] = sub_group_reduce_min(v);
    p[2] = sub_group_scan_inclusive_add(v);
    p[3] = sub_group_scan_exclusive_max(v);
    p[4] = sub_group_broadcast(v, 3u);
    p[5] = work_group_reduce_max(v);
    p[6] = work_group_scan_exclusive_add(v);
    p[7] = work_group_scan_inclusive_min(v);
    p[8] = work_group_broadcast(v, (size_t)37);
    p[9] = (int)sub_group_reduce_max((half)(v & 63));
    p[10] = get_sub_group_id() * 1000 + get_sub_group_local_id();
    p[11] = get_num_sub_groups() * 1000 + get_sub_group_size();
}
kernel SIZE void lanes(global const int *x, global int *o) {
    int i = get_global_id(0), v = x[i], n = get_sub_group_local_id();
    global int *p = o + i * 12;
    for (int k = 0; k < 12; k++) p[k] = -1;
    if (get_local_id(0) >= 64) return;
    uint4 odd = sub_group_ballot(v & 1);
    p[0] = sub_group_ballot_bit_count(odd);
    p[1] = sub_group_ballot_exclusive_scan(odd);
    p[2] = sub_group_ballot_find_msb(sub_group_ballot(1));
    p[3] = sub_group_clustered_reduce_add(v, 4u);
    p[4] = sub_group_rotate(v, 3);
    p[5] = intel_sub_group_shuffle_down(v, -v, 5u);
    p[6] = sub_group_shuffle((short)v, (uint)(n ^ 1));
    p[7] = intel_sub_group_block_read((global const uint *)x);
    p[7] += sub_group_shuffle((int2)(v, 1), 2u).y;
    if (v & 1) {
        p[8] = sub_group_non_uniform_reduce_add(v);
        p[9] = sub_group_elect();
        p[10] = sub_group_broadcast_first(v);
        p[11] = sub_group_non_uniform_scan_inclusive_max(v);
    }
}
"""


@cache
def unit(attribute: str, width: int) -> CompiledUnit:
    text = SOURCE.replace("SIZE", attribute)
    options = BuildOptions(opt_level=OptLevel.O2, sub_group_size=width)
    return compile_source(SourceText("sub_groups.cl", text, "."), options)


SHAPES = [("", 32, 32), ("", 64, 64), ("__attribute__((intel_reqd_sub_group_size(16)))", 32, 16),
          ("__attribute__((intel_reqd_sub_group_size(8)))", 64, 8),
          ('__attribute__((qcom_reqd_sub_group_size("half")))', 64, 64)]  # fmt: skip


def run(attribute: str, width: int, kernel: int) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(3).integers(-50, 50, ITEMS).astype(np.int32)
    out = np.zeros((ITEMS, 12), np.int32)
    compiled = unit(attribute, width)
    done = execute(
        compiled, compiled.kernels[kernel], NDRange((ITEMS,), (GROUP,)), [x, out],
        ExecutionOptions(width=width),
    )  # fmt: skip
    return x, done.buffers[1]


def sub_groups(x: np.ndarray, size: int) -> list[tuple[int, int, np.ndarray]]:
    """Group, number in the group and values of each sub-group."""
    found = list[tuple[int, int, np.ndarray]]()
    for group, values in enumerate(x.reshape(-1, GROUP)):
        for number, start in enumerate(range(0, GROUP, size)):
            found.append((group, number, values[start : start + size]))
    return found


@pytest.mark.parametrize(("attribute", "width", "size"), SHAPES)
def test_reductions_and_scans(attribute: str, width: int, size: int) -> None:
    x, found = run(attribute, width, 0)
    rows = list[list[int]]()
    for group, number, values in sub_groups(x, size):
        whole = x[group * GROUP : (group + 1) * GROUP]
        for lane in range(len(values)):
            before = number * size + lane
            lowest = np.iinfo(np.int32).min
            rows.append([
                values.sum(), values.min(), values[: lane + 1].sum(),
                max([lowest, *values[:lane]]), values[3], whole.max(), whole[:before].sum(),
                whole[: before + 1].min(), whole[37], (values & 63).max(), number * 1000 + lane,
                -(-GROUP // size) * 1000 + len(values),
            ])  # fmt: skip
    np.testing.assert_array_equal(found, np.array(rows, np.int64).astype(np.int32))


@pytest.mark.parametrize(("attribute", "width", "size"), SHAPES)
def test_ballots_and_exchange(attribute: str, width: int, size: int) -> None:
    x, found = run(attribute, width, 1)
    place = 0
    for _, number, values in sub_groups(x, size):
        own = found[place : place + len(values)]
        place += len(values)
        if number * size >= 64:
            assert (own == -1).all()
            continue
        for lane, row in enumerate(own):
            odd = values & 1
            cluster = lane & ~3
            far = lane + 5
            wanted = [
                odd.sum(), odd[:lane].sum(), size - 1, values[cluster : cluster + 4].sum(),
                values[(lane + 3) % size], values[far] if far < size else -values[far - size],
                values[lane ^ 1], x[lane] + 1,
            ]  # fmt: skip
            taken = values[odd == 1]
            first = int(np.flatnonzero(odd)[0])
            votes = [-1] * 4
            if odd[lane]:
                highest = values[: lane + 1][odd[: lane + 1] == 1].max()
                votes = [taken.sum(), lane == first, values[first], highest]
            wanted += votes
            np.testing.assert_array_equal(row, np.array(wanted, np.int32))


def test_warps_of_another_width_are_refused() -> None:
    compiled = unit("", 32)
    with pytest.raises(DiagnosticError) as error:
        execute(
            compiled, compiled.kernels[0], NDRange((64,), (64,)),
            [np.zeros(64, np.int32), np.zeros(768, np.int32)], ExecutionOptions(width=64),
        )  # fmt: skip
    assert [d.code for d in error.value.diagnostics] == ["K424"]


def test_dot_products() -> None:
    text = """kernel void dots(global const uint *a, global const uint *b, global int *o) {
        int i = get_global_id(0);
        o[i * 4] = dot_4x8packed_uu_uint(a[i], b[i]);
        o[i * 4 + 1] = dot_acc_sat_4x8packed_ss_int(a[i], b[i], 2147483000);
        o[i * 4 + 2] = dot_4x8packed_us_int(a[i], b[i]);
        o[i * 4 + 3] = dot(as_char4(a[i]), as_char4(b[i]));
    }"""
    compiled = compile_source(SourceText("dots.cl", text, "."), BuildOptions())
    words = np.random.default_rng(5).integers(0, 1 << 32, (2, 64), dtype=np.uint64)
    a, b = words.astype(np.uint32)
    arguments = [a, b, np.zeros(256, np.int32)]
    found = execute(compiled, compiled.kernels[0], NDRange((64,), (32,)), arguments).buffers[2]
    au, bu = (v.view(np.uint8).reshape(-1, 4).astype(np.int64) for v in (a, b))
    as_, bs = (v.view(np.int8).reshape(-1, 4).astype(np.int64) for v in (a, b))
    signed = (as_ * bs).sum(1)
    wanted = np.stack(
        [(au * bu).sum(1), np.minimum(signed + 2147483000, 2147483647), (au * bs).sum(1), signed], 1
    )
    np.testing.assert_array_equal(found.reshape(-1, 4), wanted.astype(np.int32))
