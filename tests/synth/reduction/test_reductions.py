"""Which reductions auto finds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kcc.synth.comparison.behaviour import Simulated
from kcc.synth.reduction.reductions import (
    Reduction,
    Trial,
    largest_blocks,
    largest_factors,
    smallest_within,
)
from kcc.synth.reduction.twins import followed, steps_to
from tests.synth.making import studied


def _ends(workload: str) -> tuple[Reduction, Reduction]:
    study = studied(workload)
    ones = largest_factors(study.kernels, study.launches, 1)
    most = largest_factors(study.kernels, study.launches, 1 << 30)
    return Reduction(ones), Reduction(most)


def _found(workload: str, trial: Trial, blocks: int = 1) -> Reduction:
    study = studied(workload)
    least, most = _ends(workload)
    return smallest_within(
        study.kernels, study.launches, trial, least, replace(most, blocks=blocks)
    )


def _size(reduction: Reduction) -> int:
    """Instructions of a kernel that is a loop only."""
    most = max((f for row in reduction.factors for f in row), default=1)
    return (1 << 20) // (most * reduction.blocks)


def test_all_loops_and_thread_blocks_where_that_is_good():
    assert _found("matmul", _size, 64) == replace(_ends("matmul")[1], blocks=64)


def test_thread_blocks_are_divided_as_far_as_there_are_any():
    study = studied("vecadd")
    most = max(x.launch.thread_blocks for x in study.launches)
    assert largest_blocks(study.kernels, study.launches, 1) == 1
    assert most // 2 < largest_blocks(study.kernels, study.launches, 1 << 20) <= most


def test_nothing_where_nothing_is_good():
    assert _found("kmeans", lambda _: None, 64).is_none


def test_nothing_where_only_what_is_smaller_is_good():
    """As the miniature without reduction is wrong, a smaller one is right by chance."""
    assert _found("kmeans", lambda r: None if r.is_none else 1, 64).is_none


def test_one_loop_is_cut_where_the_other_must_not_be():
    """The points' clusters and their features: whoever may cut the inner loop alone gets that."""
    study = studied("kmeans")
    number = next(n for n, k in enumerate(study.kernels) if len(k.info.loops) > 1)
    outer = next(x for x in study.kernels[number].info.loops if x.depth == 1)

    def keeps_outer(reduction: Reduction) -> int | None:
        return _size(reduction) if reduction.factors[number][outer.id] == 1 else None

    found = _found("kmeans", keeps_outer).factors
    assert found[number][outer.id] == 1
    largest = _ends("kmeans")[1].factors
    inner = [x.id for x in study.kernels[number].info.loops if x.depth > 1]
    assert all(found[number][n] == largest[number][n] for n in inner)


def test_the_order_that_leaves_fewer_instructions():
    """A bound on the product lets the first that is cut have all of it: here loops are worth more,
    since thread blocks can be divided by four at most."""

    def within(reduction: Reduction) -> int | None:
        factor = max(f for row in reduction.factors for f in row)
        return _size(reduction) if factor**2 * reduction.blocks <= 64 else None

    found = _found("nbody", within, 4)
    assert within(found) == _size(found)
    assert _size(found) == (1 << 20) // 16  # loops by 4 and blocks by 4; loops first: by 8 alone


def test_half_a_reduction():
    assert Reduction(((4, 1), (2,)), 8).larger == Reduction(((2, 1), (1,)), 8)
    assert Reduction(((1,),), 8).larger == Reduction(((1,),), 4)
    assert Reduction(((1,),)).larger.is_none
    assert Reduction(((4, 1), (2,)), 8).common_blocks == 8
    assert Reduction(((1,),), 8).common_blocks == 1


def test_a_smaller_one_for_the_same_larger_one():
    most = Reduction(((64, 4),), 8)
    trips = list(Reduction(((4, 1),)).further(most))
    assert trips == [Reduction(((4 << n, 1),), 1, 1, 2 << n) for n in (4, 3, 2, 1)]
    assert {one.larger for one in trips} == {Reduction(((2, 1),))}
    # The second loop has four trips.
    both = list(Reduction(((4, 2),)).further(most))
    assert both == [Reduction(((4 << n, 4),), 1, 1, 2 << n) for n in (4, 3, 2, 1)]
    blocks = list(Reduction(((1, 1),), 4).further(most))
    assert blocks == [Reduction(((1, 1),), 8, 1, 4)]
    assert blocks[0].larger == Reduction(((1, 1),), 2)
    assert blocks[0].alone == Reduction(((1, 1),), 8)
    on_part = Reduction(((1, 1),), 16, 8).further(Reduction(((64, 4),), 64))
    assert [one.larger.blocks for one in on_part] == [8, 8]


def test_a_line_through_two_miniatures():
    """100 cycles before and after, 2 for each instruction, 3 slots for two of these."""

    def ran(instructions: int) -> Simulated:
        return Simulated("g", 100 + 2 * instructions, 1.5 * instructions, instructions, {}, 1.0)

    found = followed(ran(50), ran(100), steps_to(1000, 50, 100))
    assert (found.cycles, found.issued) == (2100, 1500)
    assert (found.instructions, found.cpu_seconds) == (150, 2.0)
    assert steps_to(1000, 50, 50) == 1


@pytest.mark.parametrize("cycles", [300, 200])
def test_where_more_instructions_take_no_longer_the_gpu_has_room(cycles: float):
    small = Simulated("g", 300, 50, 50, {}, 1.0)
    found = followed(small, Simulated("g", cycles, 100, 100, {}, 1.0), 19)
    assert (found.cycles, found.issued, found.instructions) == (cycles, 1000, 150)
