"""Addresses that a load computes for itself: CUDA's ``__ldg``."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import DiagnosticError, Span
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Generation
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Workshop

ROWS = """
__global__ void k(float *out, const float *in) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float s = 0;
  #pragma unroll
  for (int i = 0; i < 5; i++)
    #pragma unroll
    for (int j = 0; j < 5; j++) s += READ(in + (y + i) * 4110 + (x + j));
  out[y * 4096 + x] = s;
}
"""


def address_slots(read: str, source: str = ROWS) -> float:
    """Machine instructions that compute addresses, where ``READ`` is this."""
    at = Span("k.cu", 0)
    launch = LaunchRequest(parse_dimensions("1024,8", at), parse_dimensions("128,1", at))
    options = BuildOptions((MacroOption("READ(p)", read),), opt_level=OptLevel.O2)
    request = AnalysisRequest(
        source=SourceText("k.cu", source, "."), options=options, kernels=("k",),
        other_launch=LaunchInputs(launch, {}, (), "test"),
    )  # fmt: skip
    (prepared,) = Workshop().prepare(request)
    program = prepared.subject.program(Generation.VOLTA)
    rows = [program.operations[n] for block in program.blocks for n in block]
    return sum(row.slots for row in rows if row.kind is InstructionClass.ADDRESS)


def test_constants_stay_in_addresses_of_ldg():
    """With ``__ldg``, 25 addresses of three instructions (LEA, LEA.HI.X, IMAD.X) from five rows of
    one or two each; of plain loads, constants fold into two addresses (ptxas 12.9 for sm_80)."""
    plain, own = address_slots("(*(p))"), address_slots("__ldg(p)")
    assert plain <= 8
    assert 25 * 3 + 5 <= own <= 25 * 3 + 5 * 2 + 3


def test_offsets_after_an_address_stay_free():
    """``p[1]`` to ``p[4]`` of one address are offsets of the instruction, also with ``__ldg``."""
    source = ROWS.replace("(y + i) * 4110 + (x + j)", "y * 4110 + x + (5 * i + j)")
    assert address_slots("__ldg(p)", source) <= 8


def test_the_value_is_read_only_and_the_words_are_checked():
    text = "__global__ void k(float *a, const float4 *b, int n) { STATEMENT }"

    def compiled(statement: str) -> str:
        source = SourceText("k.cu", text.replace("STATEMENT", statement), ".")
        return compile_source(source, BuildOptions(), "builtin").ir

    assert "!nontemporal" in compiled("a[0] = __ldg(a + n) + __ldg(&b[n]).x;")
    assert "!nontemporal" not in compiled("a[0] = a[n];")
    for wrong in ("a[0] = __ldg(n);", "__ldg(a) = 1.0f;", "a[0] = __ldg(a, n);"):
        with pytest.raises(DiagnosticError):
            compiled(wrong)
