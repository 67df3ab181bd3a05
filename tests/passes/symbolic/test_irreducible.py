"""Loops that are entered in their middle: what they compute is unknown, nothing more."""

from __future__ import annotations

import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.control.divergence import Divergence
from kcc.passes.graph.loops import Loops
from kcc.passes.table import analyse

INTO_A_LOOP = """
__kernel void duff(__global int *out, int n) {
  int s = 0, r = (n + 4) / 4;
  switch ((n + 1) % 4) {
    case 0:
      do {
        for (int turn = 0; turn < 33; ++turn) s += turn;
    case 3: s += 10;
    case 2: s += 100;
    case 1: s += 1000;
      } while (--r > 0);
  }
  out[get_global_id(0)] = s;
}
"""


@pytest.mark.parametrize("level", list(OptLevel))
def test_a_loop_around_a_loop_may_be_entered_in_its_middle(level: OptLevel) -> None:
    """Mutant 7784 of tests/robustness: a phi within such a loop, outside the loop in it."""
    unit = compile_source(SourceText("k.cl", INTO_A_LOOP, "."), BuildOptions(opt_level=level))
    (kernel,) = unit.kernels
    facts = analyse(kernel, unit.module)
    assert facts[Loops].irreducible
    assert len(facts[Divergence].branches) >= 2
