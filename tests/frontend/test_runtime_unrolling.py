"""Loops of unknown trip counts are unrolled as NVVM unrolls them: copies in PTX of NVRTC 12.9.

LLVM counts a call as two instructions, so that the limits are one product lower here."""

from __future__ import annotations

import pytest

from kcc.frontend import compile_source
from kcc.frontend.ir.instructions import Call, CondBranch
from kcc.frontend.options import BuildOptions, OptLevel, SourceText

LOOPS = {
    "plain": ("for (int j = 0; j < n; j++) { BODY }", {1: 4, 47: 4, 49: 2, 91: 2}),
    "load": ("for (int j = 0; j < n; j++) { a = p[j]; BODY }", {1: 4, 44: 4, 46: 2}),
    "condition": ("for (int j = 0; j < n; j++) { if (t + j < w) s = a; BODY }", {1: 4}),
    "down": ("for (int j = n; j > 0; j--) { BODY }", {1: 4}),
    "to what memory holds": ("for (int j = (int)p[0]; j < (int)p[1]; j++) { BODY }", {1: 4}),
    "halves": ("for (int j = n; j > 0; j >>= 1) { BODY }", {1: 1}),
    "two ends": ("for (int j = 0; j < n; j++) { if (p[j] < s) break; BODY }", {1: 1}),
    "of a value": ("while (s < n) { BODY }", {1: 1}),
    "asked not to": ("_Pragma(\"unroll 1\") for (int j = 0; j < n; j++) { BODY }", {1: 1}),
}  # fmt: skip


def sines(loop: str, products: int) -> int:
    body = "s = s * a;" * products + " s = __sinf(s);"
    text = f"""__global__ void k(float *o, const float *p, int n, float a, int w) {{
        float s = 0; int t = threadIdx.x; {loop.replace("BODY", body)} o[t] = s; }}"""
    unit = compile_source(SourceText("k.cu", text, "."), BuildOptions(opt_level=OptLevel.O2))
    (kernel,) = unit.kernels
    return sum(
        isinstance(each, Call) and "native_sin" in each.callee
        for each in kernel.function.instructions
    )


@pytest.mark.parametrize(
    ("loop", "products", "times"),
    [
        pytest.param(loop, products, times, id=f"{name}, {products}")
        for name, (loop, counts) in LOOPS.items() for products, times in counts.items()
    ],
)  # fmt: skip
def test_copies(loop: str, products: int, times: int):
    left_over = 1 if times > 1 else 0
    assert sines(loop, products) == times + left_over


def test_a_loop_that_holds_another_is_not_unrolled():
    inner = "for (int i = 0; i <= (w & 7); i++) s += p[i] * a;"
    assert sines(f"for (int j = 0; j < n; j++) {{ {inner} BODY }}", 1) == 1


def test_only_what_nvvm_marks_is_marked():
    """``nounroll`` for iterations left over, and not for the loop, which ptxas unrolls further."""
    text = """__global__ void k(float *o, const float *p, int n) {
        float s = 0; for (int j = 0; j < n; j++) s += p[j]; o[threadIdx.x] = s; }"""
    unit = compile_source(SourceText("k.cu", text, "."), BuildOptions(opt_level=OptLevel.O2))
    ends = [block.terminator for block in unit.kernels[0].function.blocks]
    marks = [end.loop for end in ends if isinstance(end, CondBranch) and end.loop is not None]
    assert sorted(mark.unroll or 0 for mark in marks) == [0, 1]
