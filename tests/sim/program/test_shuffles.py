"""What lanes of a warp give each other is an instruction of the load/store unit in all models."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import Span
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.operations import MachineOperation, Memory
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Workshop

REDUCTION = """
__global__ void k(const T *a, T *c) {
  T v = a[blockIdx.x * blockDim.x + threadIdx.x];
  #pragma unroll
  for (int mask = 16; mask; mask >>= 1) v += __shfl_xor_sync(~0u, v, mask);
  if (__any_sync(~0u, v > 100)) v = 0;
  c[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
"""


def rows_of(source: str) -> list[MachineOperation]:
    at = Span("k.cu", 0)
    launch = LaunchRequest(parse_dimensions("1024", at), parse_dimensions("256", at))
    request = AnalysisRequest(
        source=SourceText("k.cu", source, "."), options=BuildOptions(opt_level=OptLevel.O2),
        kernels=("k",), other_launch=LaunchInputs(launch, {}, (), "test"),
    )  # fmt: skip
    (prepared,) = Workshop().prepare(request)
    program = prepared.subject.program(Generation.VOLTA)
    return [program.operations[n] for block in program.blocks for n in block]


@pytest.mark.parametrize(("kind", "words"), [("float", 1), ("int", 1), ("double", 2), ("half", 1)])
def test_each_word_of_a_shuffle_is_one_instruction(kind: str, words: int) -> None:
    source = "#include <cuda_fp16.h>\n" + REDUCTION.replace("T ", f"{kind} ")
    rows = rows_of(source.replace("v > 100", f"v > ({kind})100"))
    shuffles = [row for row in rows if row.memory is Memory.SHUFFLE]
    assert [row.slots for row in shuffles] == [words] * 5
    assert {row.unit for row in shuffles} == {Unit.MEMORY}


def test_a_vote_is_an_instruction_of_the_alu() -> None:
    votes = [
        row for row in rows_of(REDUCTION.replace("T ", "float "))
        if row.kind is InstructionClass.LOGIC and row.unit is Unit.ALU
    ]  # fmt: skip
    assert len(votes) == 1
