"""Every kernel of kernels/ computes on PoCL what its reference computes in NumPy."""

from __future__ import annotations

import pytest

from tests.kernels import (
    cases_collections,
    cases_dense,
    cases_graphs,
    cases_grids,
    cases_particles,
    cases_signals,
)
from tests.kernels.case import Case, label
from tests.kernels.harness import WORKLOADS, load

CASES: list[Case] = [
    *cases_dense.CASES,
    *cases_grids.CASES,
    *cases_graphs.CASES,
    *cases_collections.CASES,
    *cases_particles.CASES,
    *cases_signals.CASES,
]


def test_every_kernel_has_a_case():
    present = {(name, kernel) for name in WORKLOADS for kernel in load(name).launches}
    assert {(case.name, case.kernel) for case in CASES} == present


@pytest.mark.sampled(4)
@pytest.mark.thinned(8)
@pytest.mark.pocl
@pytest.mark.parametrize("case", CASES, ids=label)
def test_kernel(case: Case):
    case.check()
