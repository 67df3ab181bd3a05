"""Addresses of the copies of an unrolled body, against NVRTC 12.9's code for sm_80: words in a row
have one (offsets are the accesses'), words so many apart one sum (IMAD.WIDE) each."""

from __future__ import annotations

import pytest

from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.program.operations import MachineProgram, Memory
from tests.sim.program.test_integer_arithmetic import program

SUM = """kernel void k(global float *o, global const float *p, int n, int w) {
  int t = get_global_id(0); float s = 0;
  for (int j = 0; j < n; j++) s += p[INDEX];
  o[t] = s;
}"""


def of_the_copies(found: MachineProgram, kind: InstructionClass) -> float:
    """Instructions in the block of four loads."""
    (block,) = (
        part for part in found.blocks
        if sum(found.operations[n].memory is Memory.GLOBAL_LOAD for n in part) == 4
    )  # fmt: skip
    return sum(found.operations[n].slots for n in block if found.operations[n].kind is kind)


@pytest.mark.parametrize(
    ("index", "addresses"),
    [("t * n + j", 1.0), ("j", 1.0), ("j * w + t", 4.0)],
)
def test_addresses_of_four_copies(index: str, addresses: float):
    found = program(SUM.replace("INDEX", index))
    assert of_the_copies(found, InstructionClass.ADDRESS) <= addresses
    # The counter, and what is added to indices: a quarter of an instruction each, at most.
    assert of_the_copies(found, InstructionClass.INT) <= 1.5
