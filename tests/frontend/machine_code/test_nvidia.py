"""The way through NVIDIA's tools, where they are installed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kcc.commands.machine_code import code_request
from kcc.frontend import compile_source
from kcc.frontend.machine_code.graph import MachineGraph
from kcc.frontend.machine_code.model import Space
from kcc.frontend.machine_code.numbering import Numbers
from kcc.frontend.machine_code.nvidia import NvidiaTools, nvidia_code
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from tests.passes.workloads import compiled

pytestmark = pytest.mark.nvidia


def tools(target: str, cache: Path | None = None) -> NvidiaTools:
    request = code_request("auto", None)
    assert request is not None
    assert request.tools is not None
    return replace(request.tools, target=target, cache=cache)


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90"])
def test_loads_and_stores_are_those_of_the_kernel(target: str):
    unit = compiled("saxpy", OptLevel.O2)
    code = nvidia_code(unit, tools(target))["saxpy"]
    numbers, rows = Numbers.of(unit.module), unit.module.functions["saxpy"].instructions
    touched = [
        (rows[index].opcode.name, i.is_store)
        for i in code.instructions
        if i.space is Space.GLOBAL
        if (index := numbers.index("saxpy", i.number)) is not None
    ]
    assert sorted(touched) == [("LOAD", False), ("LOAD", False), ("STORE", True)]
    assert code.reason == ""
    assert not code.spills
    assert all(i.control is not None for i in code.instructions)


def test_what_is_live_fits_the_registers():
    for code in nvidia_code(compiled("matmul", OptLevel.O2), tools("sm_80")).values():
        assert max(MachineGraph(code).live_words) <= code.registers


def test_the_cache_gives_the_same(tmp_path: Path):
    unit = compiled("saxpy", OptLevel.O2)
    own = tools("sm_80", tmp_path / "kept")
    first = nvidia_code(unit, own)
    (kept,) = (tmp_path / "kept").iterdir()
    assert nvidia_code(unit, own) == first
    kept.write_text("{", encoding="utf-8")
    assert nvidia_code(unit, own) == first


PRIVATE_ARRAY = """
kernel void sums(global const float *a, global float *out, int n) {
  float sum[32];
  for (int j = 0; j < 32; j++) sum[j] = 0.0f;
  for (int i = 0; i < n; i++) {
    float x = a[i];
#pragma unroll 4
    for (int j = 0; j < 32; j++) {
      sum[j] += native_rsqrt(x);
      x += 0.5f;
    }
  }
  for (int j = 0; j < 32; j++) out[32 * get_global_id(0) + j] = sum[j];
}
"""


def test_private_arrays_come_into_registers():
    """As with NVRTC 12.9, whose PTX joins the four accesses: 8 pieces of 16 bytes."""
    options = BuildOptions(opt_level=OptLevel.O2)
    unit = compile_source(SourceText("k.cl", PRIVATE_ARRAY, "."), options)
    code = nvidia_code(unit, tools("sm_75"))["sums"]
    assert code.stack_bytes == 0
    assert code.registers > 32
    # Denormal numbers are not scaled: one instruction for each root.
    roots = [i for i in code.instructions if i.opcode.startswith("MUFU")]
    assert len([i for i in code.instructions if i.opcode.startswith("FSETP")]) < len(roots)
