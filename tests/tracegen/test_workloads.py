"""The engine computes what the references of kernels/ say, on every workload."""

from __future__ import annotations

import pytest

from kcc.frontend.options import OptLevel
from kcc.tracegen.execute import ExecutionOptions
from tests.kernels.case import Case, label
from tests.kernels.harness import Array, Launch
from tests.kernels.test_kernels import CASES
from tests.tracegen import engine


@pytest.mark.parametrize("level", [OptLevel.O1, OptLevel.O2], ids=lambda level: level.value)
@pytest.mark.parametrize("case", CASES, ids=label)
def test_workload(case: Case, level: OptLevel):
    def run(launch: Launch) -> dict[str, Array]:
        return engine.run(launch, level=level)[1]

    case.check(run)


@pytest.mark.parametrize("case", CASES[::7], ids=label)
def test_wide_warps(case: Case):
    def run(launch: Launch) -> dict[str, Array]:
        return engine.run(launch, ExecutionOptions(width=64))[1]

    case.check(run)
