"""What operations cost: each row with its origin, divisions as compilers make them."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.machine import costs as machine_costs
from kcc.sim.machine.costs import Cost, Unit
from kcc.sim.machine.function_costs import function_cost
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import estimate_source

KERNEL = """
__kernel void k(__global const TYPE *x, __global TYPE *y, TYPE n) {
  int i = get_global_id(0);
  y[i] = x[i] OP;
}
"""


def rows() -> list[Cost]:
    tables = (
        machine_costs.COSTS, *machine_costs.OLDER.values(), machine_costs.DIVISIONS,
        machine_costs.BY_CONSTANT, machine_costs.BY_POWER_OF_TWO,
    )  # fmt: skip
    return [row for table in tables for row in table.values()]


def instructions(type_: str, operation: str, gpu: str = "v100") -> float:
    """Of a warp."""
    at = Span("test", 1, 1)
    launch = LaunchRequest(parse_dimensions("1048576", at), parse_dimensions("256", at))
    text = KERNEL.replace("TYPE", type_).replace("OP", operation)
    request = AnalysisRequest(
        source=SourceText("k.cl", text, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (), "test"),
    )
    (found,) = estimate_source(request, [load_gpu(gpu)])
    return found.estimate.counts.warp_instructions / (1048576 / 32)


def test_every_row_has_its_origin() -> None:
    assert len(rows()) > 40
    assert not [row for row in rows() if len(row.origin) < 3]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("type_", "operation", "beyond"),
    [
        # ptxas 13.0 for sm_75, sm_80, sm_86 and sm_90, beyond a kernel that loads and stores: 24
        # for div.s32, 22 for rem.s32, 18 for div.u32, 17 for rem.u32.
        ("int", "/ n", 24), ("int", "% n", 22), ("uint", "/ n", 18), ("uint", "% n", 17),
        ("ulong", "/ n", 22), ("int", "/ 7", 4),
    ],
)  # fmt: skip
def test_divisions(type_: str, operation: str, beyond: float) -> None:
    found = instructions(type_, operation) - instructions(type_, "")
    assert found == pytest.approx(beyond, abs=0.01)


@pytest.mark.parametrize(
    ("operation", "whole", "beyond"), [("%", 22, 16), ("/", 24, 18)], ids=["remainder", "quotient"]
)
def test_divisions_by_what_is_known_late(operation: str, whole: float, beyond: float) -> None:
    """As a loop over powers of two by a fast function leaves them; counted in code of ptxas 12.9
    for sm_75, sm_80 and sm_90: 15.5 to 16 more for a remainder, 17.5 to 18.5 for a quotient."""

    def of(rounds: int) -> float:
        bound = f"native_log2({1 << rounds}.0f)"
        loop = f"for (int j = 1; j <= {bound}; j++) s ^= (x[i] + j) {operation} (int)P;"
        text = f"; int s = 0; {loop.replace('P', 'native_powr(2.0f, j)')} y[i] = s"
        return instructions("int", text)

    each = (of(8) - of(4)) / 4
    assert each == pytest.approx(beyond + 1.5, abs=0.01)  # an addition, half an exclusive or
    assert each < whole


@pytest.mark.parametrize(("gpu", "beyond"), [("gtx1080", 30), ("k40", 18)])
def test_gpus_before_volta_have_the_row_of_their_class(gpu: str, beyond: float) -> None:
    plain = instructions("int", "", gpu)
    assert instructions("int", "% n", gpu) - plain == pytest.approx(beyond, abs=0.01)
    wide = instructions("ulong", "/ n", gpu) - instructions("ulong", "", gpu)
    assert wide == pytest.approx(beyond + 4, abs=0.01)


@pytest.mark.parametrize(
    ("operation", "beyond"),
    [
        # NVRTC 12.9 and ptxas 12.9 for sm_86, by hand from the listing: expf 12 without a branch.
        ("; y[i] = exp(y[i])", 12), ("; y[i] = native_exp(y[i])", 2), ("; y[i] = rsqrt(y[i])", 4),
        ("; y[i] = pow(y[i], n)", 84),
    ],
)  # fmt: skip
def test_functions(operation: str, beyond: float) -> None:
    plain = instructions("float", "; y[i] = y[i] * y[i]")
    assert instructions("float", operation) - plain == pytest.approx(beyond - 1, abs=0.01)


def test_double_precision_has_units_of_its_own() -> None:
    """Of pow's 159 instructions 100 compute in double precision."""
    found = function_cost("pow", is_double=True)
    assert found is not None
    assert (found.main, found.slots[Unit.FP64], sum(found.slots.values())) == (Unit.FP64, 100, 159)
    assert function_cost("floor", is_double=True) is None
