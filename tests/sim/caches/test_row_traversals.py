"""Rows that begin where memory says, of an assumed length: as rows that begin where it is known."""

from __future__ import annotations

import pytest

from kcc.base.assumptions import parse_assumptions
from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_argument, parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.caches.row_traversals import Step, traversals_of
from kcc.sim.estimate.result import Counts
from kcc.sim.machine.load_port import lines_at_once
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import estimate_source

LENGTH = 80
ROWS = """
__kernel void k(__global const int *begin, __global const float *x, __global float *y, int n) {
  int row = get_global_id(0);
  int first = FIRST, last = first + LENGTH;
  float s = 0.0f;
  #pragma unroll 8
  for (int j = first; j < last; j++)
    s += x[j];
  y[row] = s;
}
"""

SPARSE = ROWS.replace("x, ", "x, __global const int *c, ").replace("x[j]", "x[c[j]]")
SIDE_BY_SIDE = SPARSE.replace("first = FIRST", "first = row").replace(
    "last = first + LENGTH", "last = row + n"
)


def counted(
    first: str, length: str, gpu: str, items: int = 4096, text: str = ROWS, iterations: int = LENGTH
) -> Counts:
    at = Span("test", 1, 1)
    launch = LaunchRequest(parse_dimensions(str(items), at), parse_dimensions("64", at))
    request = AnalysisRequest(
        source=SourceText("k.cl", text.replace("FIRST", first).replace("LENGTH", length), "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (parse_argument(f"n={LENGTH}", at),), "test"),
        assumptions=parse_assumptions([(f"loop@7={iterations}", at)]),
    )
    (found,) = estimate_source(request, [load_gpu(gpu, [])])
    return found.estimate.counts


@pytest.mark.parametrize("gpu", ["v100", "k40"])
def test_rows_of_memory_are_as_those_that_are_known(gpu: str) -> None:
    known = counted("row * 96", "n", gpu)
    told = counted("begin[row]", "begin[row + 1]", gpu)
    assert told.warp_instructions == pytest.approx(known.warp_instructions, rel=0.2)
    assert told.dram_read_sectors == pytest.approx(known.dram_read_sectors, rel=0.2)
    assert told.l2_read_sectors == pytest.approx(known.l2_read_sectors, rel=0.2)


def test_caches_need_room_for_lines_where_each_lane_has_one() -> None:
    """Of 2,048 work-items of an SM each is in a line of its own: 256 KB, where the L1 of a V100 has
    128 KB, and on 80 SMs 21 MB, where its L2 has 6. Of rows of two numbers 16 share a line."""
    few, many = (
        counted("begin[row]", "begin[row + 1]", "v100", items=n) for n in (1 << 14, 1 << 18)
    )
    assert few.dram_read_sectors == pytest.approx((1 << 14) * LENGTH / 8, rel=0.2)
    assert many.dram_read_sectors > 0.8 * (1 << 18) * LENGTH
    short = counted("begin[row]", "begin[row + 1]", "v100", items=1 << 18, iterations=2)
    assert short.dram_read_sectors < (1 << 18) * 2 * 0.3


def test_loads_of_many_lines_let_other_warps_in_between() -> None:
    """Rows whose beginnings are known: the eight loads of an unrolled loop find one sector where L1
    has room for the lines of all lanes, and on GPUs before Volta."""
    few, many = (
        counted("row * 97", "n", "v100", items=n).l2_read_sectors / (n * LENGTH)
        for n in (80 * 256, 1 << 18)
    )
    assert few == pytest.approx(1 / 8, rel=0.3)
    assert many > 3 / 8
    assert lines_at_once((7, 0)) < 32 < lines_at_once((5, 2))


def test_accesses_that_share_a_beginning_share_its_sectors() -> None:
    unrolled = {access: Step("row", 32, 0) for access in range(8)}
    found = traversals_of({**unrolled, 8: Step("row", 4, 1), 9: Step("other", 256, 0)}, {})
    assert [found[access].fresh for access in range(10)] == [1 / 8] * 9 + [1.0]
    assert len({traversal.group for traversal in found.values()}) == 3


@pytest.mark.parametrize("gpu", ["k40", "gtx1080"])
def test_lanes_that_read_by_rows_of_their_own_have_a_sector_each(gpu: str) -> None:
    """An index and what it is for, of each lane, in each iteration, and nothing in L1."""
    told = counted("begin[row]", "begin[row + 1] - first", gpu, text=SPARSE)
    assert told.l2_read_sectors == pytest.approx(2 * LENGTH * 4096, rel=0.02)


def test_lanes_that_read_by_indices_side_by_side_have_half_as_many() -> None:
    told = counted("", "", "k40", text=SIDE_BY_SIDE)
    assert told.l2_read_sectors == pytest.approx((1 / 2 + 1 / 8) * LENGTH * 4096, rel=0.05)


def test_iterations_left_over_by_unrolling_are_counted() -> None:
    """Of 15 of an assumed loop that is unrolled by 8 seven are not in the unrolled one."""
    whole = counted("begin[row]", "begin[row + 1] - first", "k40", iterations=16)
    left = counted("begin[row]", "begin[row + 1] - first", "k40", iterations=15)
    assert left.l2_read_sectors == pytest.approx(15 / 16 * whole.l2_read_sectors, rel=0.1)


GATHER = """
typedef struct { float x, y, z, w, more[8]; } Body;
__kernel void k(__global const int *index, __global const Body *bodies, __global float *out) {
  int i = get_global_id(0);
  __global const Body *b = bodies + index[i];
  out[i] = SUM;
}
"""


def gathered(members: str) -> Counts:
    at = Span("test", 1, 1)
    launch = LaunchRequest(parse_dimensions("262144", at), parse_dimensions("256", at))
    request = AnalysisRequest(
        source=SourceText("k.cl", GATHER.replace("SUM", members), "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (), "test"),
    )
    (found,) = estimate_source(request, [load_gpu("v100", [])])
    return found.estimate.counts


def test_members_of_a_struct_share_its_sectors() -> None:
    one, four = gathered("b->x"), gathered("b->x * b->y - b->z * b->w")
    assert four.dram_read_sectors == pytest.approx(one.dram_read_sectors, rel=0.1)
    apart = gathered("b->x * b->more[7]")  # the first and the last of 48 bytes: two sectors
    indices = 262144 * 4 / 32
    assert apart.dram_read_sectors - indices == pytest.approx(
        2 * (one.dram_read_sectors - indices), rel=0.1
    )


def test_a_word_of_memory_byte_by_byte() -> None:
    """The sum that unsigned indices make may wrap, and is taken not to."""
    text = """
__kernel void k(__global const int *begin, __global const uchar *x, __global ulong *y, uint n) {
  int row = get_global_id(0);
  __global const uchar *p = x + begin[row];
  ulong sum = 0;
  for (uint b = 0; b < n; b++) {
    ulong word = 0;
    for (uint j = 0; j < 8; j++) word |= (ulong)p[8 * b + j] << (8 * j);
    sum = sum * 31 + word;
  }
  y[row] = sum;
}
"""
    found = counted("", "", "v100", items=1 << 14, text=text, iterations=16)
    rows = (1 << 14) * (8 * LENGTH + 4) / 32
    assert found.dram_read_sectors == pytest.approx(rows, rel=0.2)
