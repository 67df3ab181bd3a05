"""L2 that begins with what the launch before left."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import replace

import numpy as np
import pytest

from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.commands.cache_options import add_cache_options, cache_options
from kcc.commands.errors import UsageError
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.caches.footprint import Traffic
from kcc.sim.caches.options import CacheOptions
from kcc.sim.caches.overflow import all_gone, missing_share
from kcc.sim.caches.streams import Stream
from kcc.sim.caches.warm_cache import DIRTY_SHARE, cooled, warmed
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Question, estimate_source


def stream(access: int, array: str, *, is_load: bool) -> Stream:
    rows = np.arange(32, dtype=np.int64).reshape(1, 32) * 4
    return Stream(
        access, array, is_load=is_load, size_bytes=4, executions=1000.0, lanes=1.0, rows=rows,
        groups=(128, 0, 0), loops={}, sectors=4.0, lines=1.0, passes=1.0,
    )  # fmt: skip


COLD = Traffic(sectors=4.0, lines=1.0, l2_sectors=4.0, dram_sectors=4.0, passes=1.0, known=True)
EACH = 1000 * 4 * 32
"""Bytes that an access moves from or to DRAM in a cold launch."""


@pytest.mark.parametrize(
    ("footprint", "share"), [(0.0, 0.0), (100.0, 0.0), (130.0, 0.5), (160.0, 1.0), (900.0, 1.0)]
)
def test_share(footprint: float, share: float):
    assert missing_share(footprint, 100.0) == pytest.approx(share)


@pytest.mark.parametrize(("gpu", "share"), [("rtx4090", 0.25), ("rtx5090", 0.15 / 0.16)])
def test_geforce_blackwell_keeps_less(gpu: str, share: float):
    gone = all_gone(load_gpu(gpu).capability)
    assert missing_share(115.0, 100.0, gone) == pytest.approx(share)


def test_without_l2_nothing_is_left():
    assert missing_share(10.0, 0.0) == 1.0


def test_arrays_add_up_and_what_is_read_and_written_counts_once():
    streams = (stream(0, "a", is_load=True), stream(1, "a", is_load=False))
    two = (*streams, stream(2, "b", is_load=True))
    traffic = dict.fromkeys(range(3), COLD)
    assert all(t.dram_sectors == 0.0 for t in warmed(traffic, streams, EACH).values())
    assert warmed(traffic, two, EACH) == traffic
    half = warmed(traffic, two, 2 * EACH / 1.3)
    assert half[2].dram_sectors == pytest.approx(2.0)
    assert half[2].l2_sectors == 4.0


def test_what_is_written_last_has_not_come_to_memory():
    """Lines read and lines written leave L2 alike; of an array that is read and written no more
    than half of L2 waits to be written."""
    apart = (stream(0, "a", is_load=True), stream(1, "b", is_load=False))
    same = (stream(0, "a", is_load=True), stream(1, "a", is_load=False))
    traffic = dict.fromkeys(range(2), COLD)
    for streams in (apart, same):
        cold = cooled(traffic, streams, EACH / 4)
        assert cold[0] == COLD
        assert cold[1].dram_sectors == pytest.approx(4.0 * (1 - DIRTY_SHARE / 4))
    assert cooled(traffic, apart, 2.0 * EACH)[1].dram_sectors == 0.0
    assert cooled(traffic, same, 0.0) == traffic
    atomic = (apart[0], replace(apart[1], is_atomic=True))
    assert cooled(traffic, atomic, EACH) == traffic
    loads = (stream(0, "a", is_load=True), stream(1, "b", is_load=True))
    assert cooled(traffic, loads, EACH) == traffic


@pytest.mark.parametrize(
    ("read", "written", "l2_bytes", "measured"),
    [
        (2_113_595, 2_097_182, 5_767_168, 2_019_397),  # a convolution on an RTX 2080 Ti
        (1_048_580, 1_048_576, 6_291_456, 950_303),  # fwtBatch1Kernel on a GV100
        (262_147, 131_072, 6_291_456, 66_263),  # calculate_temp there
    ],
)
def test_sectors_written_as_counters_have_them(
    read: int, written: int, l2_bytes: int, measured: int
):
    each = replace(COLD, dram_sectors=1.0)
    streams = (
        replace(stream(0, "a", is_load=True), executions=float(read)),
        replace(stream(1, "b", is_load=False), executions=float(written)),
    )
    found = cooled(dict.fromkeys(range(2), each), streams, l2_bytes)
    assert written * found[1].dram_sectors == pytest.approx(measured, rel=0.02)


COPY = """
__kernel void k(__global float *o, __global const float *a) {
  int i = get_global_id(0);
  o[i] = a[i];
}
"""


def test_what_something_else_has_written_makes_room_for_what_a_launch_writes():
    at = Span("test", 1)
    launch = LaunchRequest(parse_dimensions(str(2**20), at), parse_dimensions("256", at))
    request = AnalysisRequest(
        source=SourceText("k.cl", COPY, "."), options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (), "test"),
    )  # fmt: skip
    for written in (False, True):
        question = Question(analysis=CacheOptions(written=written))
        (found,) = estimate_source(request, [load_gpu("a100")], question)
        moved = found.estimate.counts.dram_write_sectors * 32
        assert moved == pytest.approx(2**22 if written else 0.0)


def test_l2_starts_with_one_thing():
    parser = ArgumentParser()
    add_cache_options(parser)
    assert cache_options(parser.parse_args(["--l2-written"])).written
    with pytest.raises(UsageError, match="one or the other"):
        cache_options(parser.parse_args(["--warm", "--l2-written"]))
