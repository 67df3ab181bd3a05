"""Registers that instructions read, in kcc's own lowering: counted by hand, and against ptxas."""

from __future__ import annotations

import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.sim.machine.costs import Unit
from kcc.sim.machine.pipeline_columns import machine_of
from kcc.sim.program.operand_reads import OTHERS, REUSED
from tests.sim.program.test_integer_arithmetic import program

LOOP = """__kernel void k(__global float *o, __global const float *a, float s) {{
  int i = get_global_id(0); float {variables};
  for (int n = 0; n < 4096; n++) {{ {body} }}
  o[i] = {result};
}}"""


def most(source: str) -> float:
    """Registers of a bank that an instruction reads in the block of most arithmetic."""
    found = program(source)
    sizes = [sum(found.operations[n].unit is Unit.FMA for n in part) for part in found.blocks]
    return found.reads[sizes.index(max(sizes))]


@pytest.mark.parametrize(
    ("product", "registers"),
    [
        ("{0} = {0} * {1} - {2}", 3),
        ("{0} = {0} * {1} - s", 2),  # an argument is an operand of its own
        ("{0} = {0} * 1.5f - s", 1),
    ],
)
def test_an_operand_that_is_no_register_is_not_read(product: str, registers: int):
    names = [[f"{letter}{n}" for letter in "xyz"] for n in range(8)]
    every = [each for own in names for each in own]
    variables = ", ".join(f"{each} = a[i + {n}]" for n, each in enumerate(every))
    body = "".join(product.format(*own) + ";" for own in names)
    found = most(
        LOOP.format(variables=variables, body=body, result="+".join(own[0] for own in names))
    )
    assert found == pytest.approx(registers / 2, rel=0.06)  # less what counts iterations


def test_neighbours_with_an_operand_in_common_find_it_in_the_reuse_cache():
    names = [f"x{n}" for n in range(8)]
    variables = ", ".join(
        f"{each} = a[i + {n}]" for n, each in enumerate([*names, "y", *"pqrstuvw"])
    )
    body = "".join(f"{x} = {x} * y - {z};" for x, z in zip(names, "pqrstuvw", strict=True))
    found = most(LOOP.format(variables=variables, body=body, result="+".join(names)).replace(
        ", float s)", ")"))  # fmt: skip
    assert found == pytest.approx((3 - REUSED) / 2, rel=0.06)
    assert OTHERS < 3 - REUSED


@pytest.mark.parametrize(
    ("gpu", "reads"), [("v100", 1.0), ("a40", 1.0), ("h100", 1.0), ("gtx1080", 0.0), ("mi100", 0.0)]
)
def test_which_gpus_have_two_banks(gpu: str, reads: float):
    assert machine_of(GpuReader(load_gpu(gpu))).bank_reads == reads
