"""Calls of constants, folded: what the engine computes, and what a compiler would make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kcc.frontend.constant_math import fold_math
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import OptLevel
from kcc.tracegen.execute import NDRange, execute
from tests.frontend.compiling import compiled, texts

ONE = ("cos", "exp", "exp10", "exp2", "log", "log10", "log2", "rsqrt", "sin", "tan")
DOMAIN: dict[str, tuple[Any, int]] = {"float": (np.float32, 1), "double": (np.float64, 4)}
"""How far engine and folding may be apart: floats are computed in double and rounded once by both,
doubles have errors of at most 2 ulp in the engine (docs/explanation/execution.md)."""


def calls_of(type_: str, rng: np.random.Generator, count: int) -> list[str]:
    """Calls of every function with constants of its own."""
    suffix = "f" if type_ == "float" else ""
    names = [*ONE, *(f"native_{n}" for n in (*ONE, "recip", "sqrt") if type_ == "float")]

    def number() -> str:
        return f"{np.exp(rng.uniform(-3, 3))!r}".split("(")[-1].rstrip(")") + suffix

    found = [f"{name}({number()})" for name in names for _ in range(count)]
    found += [f"{n}({number()}, {number()})" for n in ("pow", "powr") for _ in range(count)]
    found += [f"pown({number()}, {rng.integers(-8, 9)})" for _ in range(count)]
    found += [f"pow({base}{suffix}, {power}{suffix})" for base, power in (("-2.0", "3.0"),)]
    return found


def outcome(unit: CompiledUnit, count: int, dtype: Any) -> np.ndarray[Any, Any]:
    out = np.zeros(count, dtype)
    return execute(unit, unit.kernels[0], NDRange((1,), (1,)), [out]).buffers[0]


@pytest.mark.parametrize("type_", ["float", "double"])
def test_constants_are_what_the_engine_computes(type_: str, full: bool):
    dtype, limit = DOMAIN[type_]
    calls = calls_of(type_, np.random.default_rng(5), 64 if full else 1)
    lines = "\n".join(f"  o[{i}] = {call};" for i, call in enumerate(calls))
    plain = compiled(f"kernel void k(global {type_} *o) {{\n{lines}\n}}", OptLevel.O2)
    folded = fold_math(plain)
    assert texts(plain, "call", "_Z")
    assert texts(folded, "call", "_Z") == []
    ours, engines = (outcome(u, len(calls), dtype) for u in (folded, plain))
    apart = np.abs(ours.astype(np.float64) - engines) / np.spacing(np.abs(engines))
    worst = int(apart.argmax())
    assert apart[worst] <= limit, f"{calls[worst]}: {ours[worst]!r}, engine {engines[worst]!r}"


REDUCTION = """
kernel void k(global float *w, local float *m) {
  int t = get_local_id(0);
  m[t] = w[t];
  for (int i = 1; i <= native_log2(16.0f); i++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int p = native_powr(2.0f, i);
    if (t % p == 0) m[t] += m[t + p / 2];
  }
  w[t] = m[t];
}
"""


def test_a_loop_bounded_by_a_function_is_unrolled():
    plain = compiled(REDUCTION, OptLevel.O2)
    folded = fold_math(plain)
    assert len(texts(plain, "call", "barrier")) == 1
    assert len(texts(folded, "call", "barrier")) == 4
    assert texts(folded, "call", "native") == []
    # Each round has a remainder by its own power of two, as in nvcc's code.
    assert len(texts(folded, "srem")) == 4
    assert len(texts(folded, "select i1 true, float")) == 4
    # What comes of that power but for the remainder is known: itself and half of it as integers.
    assert texts(folded, "call", "fptosi") == texts(folded, "sdiv") == []
    divisors = [line.rpartition(", ")[2] for line in texts(folded, "srem")]
    assert all(divisor.startswith("%") for divisor in divisors)
    assert [len(texts(folded, f"select i1 true, i32 {n}, i32 {n}")) for n in (1, 2, 8, 16)] == [
        1, 2, 2, 1,
    ]  # fmt: skip


@pytest.mark.parametrize("call", ["log(-1.0f)", "powr(-2.0f, 2.0f)", "exp(x)", "pow(x, 2.5f)",
                                  "native_recip(0.0f)", "fmod(3.0f, 2.0f)"])  # fmt: skip
def test_other_calls_stay(call: str):
    unit = compiled(f"kernel void k(global float *o, float x) {{ *o = {call}; }}", OptLevel.O2)
    assert fold_math(unit) is unit


def test_code_as_the_source_has_it_stays():
    unit = compiled("kernel void k(global float *o) { *o = log2(16.0f); }", OptLevel.O1)
    assert fold_math(unit) is unit
