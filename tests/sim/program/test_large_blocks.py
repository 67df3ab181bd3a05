"""Blocks that a compiler may leave in the order of the source, what is spilled then, and what loops
cost whose iterations are left over."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.estimate.result import Estimate
from kcc.sim.machine.costs import Unit
from kcc.sim.program.large_blocks import LARGE_BLOCK, excess_of, may_spill
from kcc.sim.program.operations import MachineOperation, Memory
from kcc.sim.program.spills import spilled_once
from tests.sim.estimate.test_model import estimated

NOTHING = frozenset[int]()

SUMS = """
#define SUMS %d
__kernel void k(__global const float *x, __constant float *c, __global float *y) {
  __local float tile[1024];
  int l = get_local_id(0);
  for (int i = l; i < 1024; i += 128) tile[i] = x[get_group_id(0) * 256 + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  float s[SUMS];
  #pragma unroll
  for (int k = 0; k < SUMS; k++) s[k] = 0.0f;
  #pragma unroll
  for (int j = 0; j < 240; j++)
    #pragma unroll
    for (int k = 0; k < SUMS; k++) s[k] += tile[l + j + 24 * k] * c[j];
  #pragma unroll
  for (int k = 0; k < SUMS; k++) y[(get_group_id(0) * SUMS + k) * 128 + l] = s[k];
}
"""
"""Sums of 240 products whose factors they share: one value serves ten of them, 24 rounds apart."""

LOOP = """
__kernel void k(__global float *x) {
  float s = 0;
  for (int i = get_local_id(0); i < %d; i += 64) s = s * 0.5f + x[i];
  x[get_global_id(0)] = s;
}
"""


def operation(*needs: int) -> MachineOperation:
    return MachineOperation(
        Unit.FMA, InstructionClass.FP32, 1.0, 1.0, needs, Memory.NONE, -1, 4, 0, -1
    )


def pairs(count: int) -> list[MachineOperation]:
    """So many values, and then an operation for each that wants it."""
    return [*(operation() for _ in range(count)), *(operation(n) for n in range(count))]


def sums(count: int, gpu: str) -> Estimate:
    return estimated(SUMS % count, "65536", "128", gpu).estimate


def test_a_large_block_takes_what_lives_at_once_in_its_order() -> None:
    rows = pairs(LARGE_BLOCK)
    words = [1] * LARGE_BLOCK + [0] * LARGE_BLOCK
    assert excess_of(rows, range(len(rows)), words, NOTHING, 200) == LARGE_BLOCK - 200
    few = pairs(LARGE_BLOCK // 2)
    assert excess_of(few, range(len(few)), words, NOTHING, 200) == 0


def test_what_is_too_much_goes_to_memory_once_and_comes_back_once() -> None:
    rows = pairs(10)
    part = [n for pair in zip(range(10), range(10, 20), strict=True) for n in pair]
    rows[5] = replace(rows[5], needs=(0,))
    spilled = spilled_once(rows, part, range(20), [1] * 10 + [0] * 10, 3, 64)
    kinds = Counter(rows[n].memory for n in spilled.block)
    assert (kinds[Memory.PRIVATE_STORE], kinds[Memory.PRIVATE], spilled.words) == (3, 3, 3)
    assert [n for n in spilled.block if n < 20] == part
    places = Counter(rows[n].place for n in spilled.block if n >= 20)
    assert places == {64: 2, 68: 2, 72: 2}


@pytest.mark.parametrize(
    ("capability", "whether"), [(None, False), ((7, 5), False), ((8, 0), True), ((9, 0), True)]
)
def test_compilers_from_ampere_on_are_in_doubt(
    capability: tuple[int, int] | None, whether: bool
) -> None:
    assert may_spill(capability) is whether


@pytest.mark.slow
def test_the_time_of_a_block_in_doubt_is_between_both() -> None:
    doubtful, sure = sums(24, "rtx3090"), sums(10, "rtx3090")
    assert (sure.doubt, "possible_spills" in sure.cpi_stack) == (1.0, False)
    assert doubtful.doubt > 1.2
    assert sum(doubtful.cpi_stack.values()) == pytest.approx(doubtful.cpi)
    low, high = doubtful.range_us
    assert low * doubtful.doubt**2 < high


def test_iterations_left_over_pay_for_themselves() -> None:
    """Four iterations are one, unrolled; of three two are one, and the third is one."""

    def issued(iterations: int) -> float:
        found = estimated(LOOP % (64 * iterations), "65536", "64", "rtx2080ti").estimate
        return found.counts.warp_instructions

    assert issued(4) < issued(3)
    assert issued(8) < issued(7)
    assert issued(8) - issued(4) == pytest.approx(issued(12) - issued(8))
    assert issued(6) - issued(5) < issued(5) - issued(4)


@pytest.mark.slow
def test_a_block_of_many_work_items_does_not_fit_when_all_registers_are_taken() -> None:
    for gpu in ("rtx3090", "rtx2080ti"):  # ptxas 12.9 gives 254 registers for sm_75
        wide = estimated(SUMS % 20, "196608", "384", gpu).estimate
        assert wide.invalid == "no thread block fits on an SM: registers"
    bounded = (SUMS % 20).replace(
        "__kernel", "__kernel __attribute__((reqd_work_group_size(384, 1, 1)))"
    )
    assert not estimated(bounded, "196608", "384", "rtx3090").estimate.invalid
