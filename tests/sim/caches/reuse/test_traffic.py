"""What the reuse analysis makes of rates of hits: sectors that accesses ask of L2 and of DRAM."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.sim.caches.footprint import CacheShape, Traffic
from kcc.sim.caches.reuse.analysis import Rate, Reuse, ReuseStudy
from kcc.sim.caches.reuse.program import local_bytes
from kcc.sim.caches.reuse.traffic import hierarchy_of, local_traffic, reuse_traffic
from kcc.sim.caches.streams import Stream
from tests.sim.machine.test_l2_path import estimated

SHAPE = CacheShape(l1_bytes=1 << 15, l2_bytes=1 << 20, sms=4, resident=2, banks=32, grid=(64, 1, 1))


def stream(access: int, array: str = "a", **more: Any) -> Stream:
    """A load of four sectors of a line, 100 times by warps."""
    known: dict[str, Any] = {
        "is_load": True, "rows": np.zeros((1, 32), np.int64), "sectors": 4.0, "lines": 1.0,
        "passes": 1.0,
    }  # fmt: skip
    return Stream(
        access=access, array=array, size_bytes=4, executions=100.0, lanes=1.0, groups=(128, 0, 0),
        loops={}, **(known | more),
    )  # fmt: skip


def reuse(sectors: float = 4.0, l1: float = 0.0, dram: float = 0.0, pending: float = 0.0) -> Reuse:
    return Reuse(sectors, Rate(l1, 0.0), Rate(0.0, 0.0), Rate(dram, 0.0), pending, 1.0 - l1)


def traffic(streams: list[Stream], found: dict[int, Reuse]) -> dict[int, Traffic]:
    flow: Any = SimpleNamespace(warps=64, trips=(), width=32)
    subject: Any = SimpleNamespace(streams=tuple(streams), flow=flow)
    return reuse_traffic(subject, SHAPE, ReuseStudy(found, 0, 0, 0, cut=False))


def test_a_load_asks_l2_for_what_l1_lacks():
    """Of four sectors a quarter hits L1, an eighth comes from DRAM."""
    (own,) = traffic([stream(0)], {0: reuse(l1=0.25, dram=0.125, pending=0.5)}).values()
    assert (own.sectors, own.l2_sectors, own.dram_sectors) == (4.0, 3.0, 0.5)
    assert (own.pending, own.known) == (0.5, True)


def test_a_store_goes_through_l1():
    """Whatever it hits there."""
    (own,) = traffic([stream(0, is_load=False)], {0: reuse(l1=0.75, dram=0.5)}).values()
    assert (own.l2_sectors, own.dram_sectors) == (4.0, 2.0)


def test_what_l2_did_not_see_is_as_another_access_to_the_array():
    """Half of what L2 is asked for by the other comes from DRAM; of this one it is asked for half
    as much. Of an access alone only what it has to bring at least is known."""
    unseen = replace(reuse(l1=0.5), unseen=True)
    both = traffic([stream(0), stream(1)], {0: unseen, 1: reuse(dram=0.5)})
    assert both[0].dram_sectors == 4 * 0.5 * 0.5
    assert both[0].l2_sectors == 2.0
    alone = traffic([stream(0), stream(1, "b")], {0: unseen, 1: reuse(dram=0.5)})
    assert alone[0].dram_sectors < both[0].dram_sectors


def test_local_memory_that_l2_did_not_see_is_gone_where_it_has_no_room():
    """Each of 32 work-items has 64 words at a time, of which it stores and loads 48 and loads 16
    again: 6,144 bytes a warp. Eight thread blocks of two warps have as much as a tenth of L2 or,
    where that is a tenth of this, ten times as much."""
    code: Any = SimpleNamespace(
        loops=np.array([[48], [16]]), groups=np.array([[0] * 4 + [1], [0] * 4 + [1], [0] * 5]),
        accesses=np.array([[0, 4, 0, 0, 0, 0, 0], [0, 4, 0, 0, 1, 0, 128], [0, 4, 0, 0, 0, 0, 0]]),
        moves=np.array([[128, 0], [0, 128], [4096, 0]]), rows=np.arange(32)[None] * 4,
    )  # fmt: skip
    program: Any = SimpleNamespace(code=code)
    assert local_bytes(program) == 48 * 128
    subject: Any = SimpleNamespace(streams=(), reuse=program, block_warps=2)
    study = ReuseStudy({-2: replace(reuse(), unseen=True), -3: reuse(dram=0.25)}, 0, 0, 0, cut=True)
    at_once = 6144 * 2 * 8
    for l2_bytes, gone in ((10 * at_once, 0.0), (at_once // 10, 1.0)):
        found = local_traffic(subject, study, replace(SHAPE, l2_bytes=l2_bytes))
        assert found[-2].dram_sectors == 4.0 * gone
        assert found[-3].dram_sectors == 1.0


def test_sectors_are_those_that_were_seen():
    (own,) = traffic([stream(0)], {0: reuse(sectors=2.0, l1=0.5)}).values()
    assert (own.sectors, own.l2_sectors) == (2.0, 1.0)


def test_the_nearest_access_like_it_stands_for_one_that_no_warp_came_to():
    """Accesses 3 and 9 are loads of the array, 4 is a store, 5 of another array."""
    streams = [
        stream(3), stream(4, is_load=False), stream(5, "b"), stream(6), stream(9),
    ]  # fmt: skip
    found = {
        3: reuse(l1=0.75), 4: reuse(l1=0.1), 5: reuse(l1=0.2), 6: reuse(sectors=0.0),
        9: reuse(l1=0.5),
    }  # fmt: skip
    assert traffic(streams, found)[6].l2_sectors == 1.0  # as 3, which is three away, not as 9
    found[3] = reuse(sectors=0.0)
    assert traffic(streams, found)[6].l2_sectors == 2.0


def test_an_array_that_l2_has_room_for_is_brought_once():
    """1,600 bytes are 50 sectors; two loads of places that are not certain would bring 100 times
    4 and 100 times 2 sectors: a twelfth of that comes from DRAM. A certain one is left alone."""
    uncertain: dict[str, Any] = {"assumed": True, "array_bytes": 1600}
    streams = [stream(0, **uncertain), stream(1, **uncertain), stream(2, array_bytes=1600)]
    found = {0: reuse(dram=1.0), 1: reuse(dram=0.5), 2: reuse(dram=1.0)}
    own = traffic(streams, found)
    assert own[0].dram_sectors == pytest.approx(4.0 / 12.0)
    assert own[1].dram_sectors == pytest.approx(2.0 / 12.0)
    assert own[2].dram_sectors == 4.0
    assert own[0].l2_sectors == 4.0


def test_an_array_beyond_l2_is_brought_as_often_as_it_is_asked_for():
    own = traffic([stream(0, assumed=True, array_bytes=1 << 21)], {0: reuse(dram=1.0)})
    assert own[0].dram_sectors == 4.0


def test_a_small_part_of_an_array_is_not_made_more():
    """What is brought is less than the array."""
    own = traffic([stream(0, assumed=True, array_bytes=1 << 19)], {0: reuse(dram=0.25)})
    assert own[0].dram_sectors == 1.0


def test_local_memory_asks_nothing_of_caches():
    (own,) = traffic([stream(0, is_local=True, passes=2.0)], {}).values()
    assert (own.l2_sectors, own.dram_sectors, own.passes) == (0.0, 0.0, 2.0)


def test_caches_of_a_gpu():
    """V100: an L1 of 32 KiB has 256 lines; L2 writes back unless a description says otherwise."""
    found = hierarchy_of(GpuReader(load_gpu("v100", [])), SHAPE)
    assert found.l1.sets * found.l1.ways == 256
    lines = (1 << 20) // 128  # of 24 ways, so that a few are left over
    assert lines - 24 < found.l2.sets * found.l2.ways <= lines
    assert (found.sms, found.resident, found.write_back) == (4, 2, True)
    through = load_gpu("v100", ["l2.write_policy=write-through"])
    assert not hierarchy_of(GpuReader(through), SHAPE).write_back
    past: Any = CacheShape(0, 0, 4, 2, 32, (64, 1, 1))
    none = hierarchy_of(GpuReader(load_gpu("v100", [])), past)
    assert (none.l1.sets, none.l2.sets) == (0, 0)


COLUMNS = """__kernel void k(__global const float4 *a, __global float4 *o) {
  int line = get_global_size(0) + 8, at = get_global_id(0) + line * get_global_id(1);
  float4 sum = 0;
  for (int r = 0; r < 9; r++) sum += a[at + r * line];
  o[at] = sum;
}"""


def test_loads_that_wait_for_nothing_follow_each_other():
    """Of nine rows in work-groups of 64 x 4 a quarter of twelve are asked of L2, though those of
    all the work-groups on a CU are six times its L1: rocprof has 1,758 MB of an MI250X for 537 MB
    of such floats (3.27), where warps taking turns load by load would ask for all nine."""
    found = estimated(COLUMNS, "512,512", "64,4", "mi250x-gcd").estimate
    own = 512 * 512 * 16 / 32
    assert found.counts.l2_read_sectors / own == pytest.approx(3, rel=0.05)
