"""The engine computes what the references of kernels/ and PoCL say, on every workload."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kcc.frontend.options import OptLevel
from kcc.tracegen.execute import ExecutionOptions
from tests.kernels import pocl
from tests.kernels.case import Case, label
from tests.kernels.harness import Array, Launch
from tests.kernels.test_kernels import CASES
from tests.tracegen import engine
from tests.tracegen.ulps import apart

FLOAT_LIMIT = 8
"""How far floats may be from PoCL's, in units of the last place of the buffer's largest number.
Measured are 0 on most, 5 at most: PoCL fuses other products, and its exp and log are others."""
IMAGE_LIMIT = 64
"""The same of pixels that are interpolated; 55 measured."""


def name_of(number: int) -> str:
    return label(CASES[number])


@cache
def launched(number: int) -> tuple[Launch, dict[str, Array]]:
    """A case's launch, and the buffers that the engine leaves."""
    launch = CASES[number].launch()
    return launch, engine.run(launch)[1]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("number", range(len(CASES)), ids=name_of)
def test_workload(number: int):
    """Against the reference in NumPy."""
    CASES[number].check(lambda _: launched(number)[1])


@pytest.mark.sampled(9)
@pytest.mark.pocl
@pytest.mark.thinned(4)
@pytest.mark.parametrize("number", range(len(CASES)), ids=name_of)
def test_workload_on_pocl(number: int):
    """Where PoCL's floats are farther away than they may be, which depends on the processor, the
    reference decides: ours must be no farther from it than PoCL's."""
    case, (launch, kept) = CASES[number], launched(number)
    found, wanted = (case.settle(launch.arguments, b) for b in (kept, pocl.run(launch)))
    assert found.keys() == wanted.keys()
    limit = IMAGE_LIMIT if "imagefilter" in case.name else FLOAT_LIMIT
    for name, data in wanted.items():
        if np.issubdtype(data.dtype, np.integer):
            distance = np.abs(found[name].astype(np.int64) - data.astype(np.int64))
            assert distance.max(initial=0) <= case.levels, name
        elif apart(found[name], data) > limit:
            exact = case.expected(launch.arguments)[name]
            assert apart(found[name], exact) <= apart(data, exact), name


@pytest.mark.sampled(7)
@pytest.mark.parametrize("case", CASES[::4], ids=label)
def test_workload_with_the_control_flow_of_the_source(case: Case):
    def run(launch: Launch) -> dict[str, Array]:
        return engine.run(launch, level=OptLevel.O1)[1]

    case.check(run)


@pytest.mark.sampled(6)
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
