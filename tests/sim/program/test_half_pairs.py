"""What cuda_fp16.h does with both halves is one instruction since Volta, as HFMA2 is."""

from __future__ import annotations

import pytest

from kcc.passes.mix.instruction_classes import InstructionClass
from tests.sim.program.test_shuffles import rows_of

PAIRS = """
#include <cuda_fp16.h>
__global__ void k(const half2 *a, const half2 *b, half2 *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  half2 x = a[i], y = b[i];
  c[i] = RESULT;
}
"""


@pytest.mark.parametrize(
    "result",
    ["x + y", "__hmul2(x, y)", "__hfma2(x, y, x)", "__hmax2(x, y)", "__hadd2(x, y) - y * x"],
)
def test_both_halves_are_one_instruction(result: str) -> None:
    rows = [r for r in rows_of(PAIRS.replace("RESULT", result)) if r.kind is InstructionClass.FP16]
    assert sum(row.slots for row in rows) == (3 if "-" in result else 1)
