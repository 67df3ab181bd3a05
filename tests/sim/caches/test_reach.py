"""Accesses whose place memory decides, as far as the numbers in their addresses go."""

from __future__ import annotations

import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.symbolic.ranges import Known
from kcc.sim.estimate.facts import estimate_facts
from kcc.sim.estimate.result import Counts
from kcc.sim.estimate.subject import subject_of
from tests.sim.estimate.test_model import estimated

LOOKUP = """
__kernel void k(__global float *o, __global const {type} *a, __global const float *t) {{
  int i = get_global_id(0);
  {type} x = a[i];
  o[i] = {value};
}}
"""


def counts(value: str, args: str = "", type_: str = "uint") -> Counts:
    source = LOOKUP.format(value=value, type=type_)
    return estimated(source, "1048576", "256", "a100", args=args).estimate.counts


def drawn(pieces: int) -> float:
    """Different ones out of so many pieces that 32 lanes draw, in the mean."""
    return pieces * (1 - (1 - 1 / pieces) ** 32)


BOUNDED = [
    ("t[x]", "uchar", 256), ("t[x]", "char", 256), ("t[x & 63]", "uint", 64),
    ("t[x * 2654435761u >> 24]", "uint", 256), ("t[x % 100]", "uint", 100),
    ("t[min(x, 31u)]", "uint", 32), ("t[x & 15] + t[240 + (x & 15)]", "uint", 256),
]  # fmt: skip


@pytest.mark.parametrize(("value", "type_", "elements"), BOUNDED)
def test_an_array_is_as_large_as_its_indices_go(value: str, type_: str, elements: int) -> None:
    """As if it had been said."""
    found = counts(value, "", type_)
    said = counts(value, f"t=float[{elements}]", type_)
    assert found.dram_read_sectors == pytest.approx(said.dram_read_sectors)
    assert found.l2_read_sectors == pytest.approx(said.l2_read_sectors)
    assert found.dram_read_sectors < counts("t[x]").dram_read_sectors


def test_lanes_ask_for_the_sectors_that_they_can_reach() -> None:
    streams = counts("0.0f").l1_sectors
    asked = (counts("t[x & 63]").l1_sectors - streams) / 32768
    assert asked == pytest.approx(drawn(64 * 4 // 32) + 4, rel=0.01)  # and those of a


def test_a_variable_of_the_module_has_its_size() -> None:
    source = """__device__ float own[512];
__global__ void k(const int *a, float *o) { o[threadIdx.x] = own[a[threadIdx.x]]; }"""
    unit = compile_source(SourceText("k.cu", source, "."), BuildOptions(opt_level=OptLevel.O2))
    (kernel,) = unit.kernels
    facts = estimate_facts(kernel, unit.module, Known((64,), (64,)), {}, {})
    found = subject_of(kernel, facts, None, 0).streams
    assert [s.array_bytes for s in found if s.rows is None] == [2048]


def test_what_goes_anywhere_leaves_the_array_as_it_is() -> None:
    """Each access by itself comes to few sectors still."""
    anywhere = counts("t[x]")
    both = counts("t[x] + t[a[i + 7] & 63]")
    assert both.dram_read_sectors >= anywhere.dram_read_sectors
    assert both.l1_sectors < counts("t[x] + t[a[i + 7]]").l1_sectors
