"""Addresses that memory has a part in: what of them is known stays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import NDRange
from tests.tracegen.static.comparing import Static, static_trace, without_data


def traced(body: str, table: int = 4096, items: int = 256, group: int = 64) -> Static:
    """One load of ``t``, whose index ``body`` computes from ``i``, by each work-item ``g``."""
    text = f"""__kernel void k(__global const int *i, __global const int *t, __global int *out) {{
        int g = get_global_id(0), l = get_local_id(0);
        out[g] = t[{body}];
    }}"""
    unit = compile_source(SourceText("k.cl", text, ""), BuildOptions(opt_level=OptLevel.O2))
    sizes = [np.zeros(items, np.int32), np.zeros(table, np.int32), np.zeros(items, np.int32)]
    blind = without_data(unit.kernels[0], list(sizes))
    return static_trace(unit, unit.kernels[0], NDRange((items,), (group,)), blind)


def indices(static: Static, block: int, warp: int) -> NDArray[np.int64]:
    """Of a warp's load of ``t``: the index in each lane."""
    touches = [t for stop in static.program.stops for _, own in stop.segments for t in own]
    (number,) = (n for n, t in enumerate(touches) if t.inside is not None and t.inside.name == "t")
    table = touches[number].inside
    assert table is not None
    accesses = [row for event in static.warps[block, warp] for row in event[2]]
    return (np.array(accesses[number]) - table.address) // 4


def test_lanes_keep_their_part_of_an_index():
    static = traced("16 * i[g] + (l & 15)")
    for block in range(4):
        found = indices(static, block, 0)
        assert (found % 16 == np.arange(32) % 16).all()
        assert found.min() >= 0
        assert found.max() < 4096
        assert len(set(found // 16)) > 8


def test_what_is_read_from_one_address_is_the_same_in_lanes_and_warps():
    static = traced("64 * i[get_group_id(0)] + l")
    for block in range(4):
        first, second = indices(static, block, 0), indices(static, block, 1)
        assert (first == first[0] + np.arange(32)).all()
        assert (second == first + 32).all()
    assert len({int(indices(static, block, 0)[0]) for block in range(4)}) > 1


def test_an_index_stays_in_its_range():
    static = traced("i[g] & 24")
    found = np.concatenate([indices(static, b, w) for b in range(4) for w in (0, 1)])
    assert set(found.tolist()) == {0, 8, 16, 24}


def test_an_array_too_small_for_two_places_is_touched_anywhere():
    found = indices(traced("4096 * i[g] + l", table=64), 0, 0)
    assert found.min() >= 0
    assert found.max() < 64
