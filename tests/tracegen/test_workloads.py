"""The engine computes what the references of kernels/ say, on every workload."""

from __future__ import annotations

import pytest

from kcc.frontend.options import OptLevel
from kcc.tracegen.execute import ExecutionOptions
from tests.kernels.case import Case, label
from tests.kernels.harness import Array, Launch
from tests.kernels.test_kernels import CASES
from tests.tracegen import engine


@pytest.mark.parametrize("case", CASES, ids=label)
def test_workload(case: Case):
    def run(launch: Launch) -> dict[str, Array]:
        return engine.run(launch)[1]

    case.check(run)


@pytest.mark.parametrize("case", CASES[::4], ids=label)
def test_workload_with_the_control_flow_of_the_source(case: Case):
    def run(launch: Launch) -> dict[str, Array]:
        return engine.run(launch, level=OptLevel.O1)[1]

    case.check(run)


@pytest.mark.parametrize("case", CASES[1::10], ids=label)
def test_wide_warps_and_two_workers(case: Case):
    def run(launch: Launch) -> dict[str, Array]:
        return engine.run(launch, ExecutionOptions(width=64, workers=2))[1]

    case.check(run)


@pytest.mark.full
@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("case", CASES, ids=label)
def test_workload_at_o1(case: Case, width: int):
    def run(launch: Launch) -> dict[str, Array]:
        return engine.run(launch, ExecutionOptions(width=width), level=OptLevel.O1)[1]

    case.check(run)
