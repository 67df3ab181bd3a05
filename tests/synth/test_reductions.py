"""Which factors auto finds."""

from __future__ import annotations

from kcc.synth.reductions import Factors, factors_within, largest_factors
from tests.synth.making import studied


def test_all_loops_at_once_where_that_is_good():
    study = studied("matmul")
    largest = largest_factors(study.kernels, study.launches, 1 << 30)
    assert factors_within(study.kernels, study.launches, lambda _: True) == largest


def test_nothing_where_nothing_is_good():
    study = studied("kmeans")
    ones = largest_factors(study.kernels, study.launches, 1)
    assert factors_within(study.kernels, study.launches, lambda _: False) == ones


def test_one_loop_is_cut_where_the_other_must_not_be():
    """The points' clusters and their features: whoever may cut the inner loop alone gets that."""
    study = studied("kmeans")
    number = next(n for n, k in enumerate(study.kernels) if len(k.info.loops) > 1)
    outer = next(x for x in study.kernels[number].info.loops if x.depth == 1)

    def keeps_outer(factors: Factors) -> bool:
        return factors[number][outer.id] == 1

    found = factors_within(study.kernels, study.launches, keeps_outer)
    assert found[number][outer.id] == 1
    largest = largest_factors(study.kernels, study.launches, 1 << 30)
    inner = [x.id for x in study.kernels[number].info.loops if x.depth > 1]
    assert all(found[number][n] == largest[number][n] for n in inner)
