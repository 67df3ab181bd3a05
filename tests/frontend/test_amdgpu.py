"""Register counts from LLVM's AMDGPU back end."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.amdgpu import AmdCount, amd_registers, parse_metadata
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.registers.counts import RegisterSource, amdgpu_registers
from tests.passes.workloads import compiled


def ir_of(text: str) -> str:
    options = BuildOptions(opt_level=OptLevel.O2)
    return compile_source(SourceText("k.cl", text, "."), options).ir


@pytest.mark.parametrize("target", ["gfx803", "gfx900", "gfx908", "gfx90a", "gfx1030", "gfx1100"])
def test_counts_of_every_generation(target: str):
    found = amdgpu_registers(compiled("matmul", OptLevel.O2), target)
    assert set(found) == {"matmul_naive", "matmul_tiled", "matmul_float4"}
    for registers in found.values():
        assert registers.source is RegisterSource.AMDGPU
        assert 8 <= registers.count <= 256
        assert registers.spill_bytes == 0
    assert found["matmul_float4"].count > found["matmul_naive"].count


@pytest.mark.parametrize("name", ["histogram", "stencil3d", "btree"])
def test_workloads(name: str):
    unit = compiled(name, OptLevel.O2)
    found = amd_registers(unit.ir, "gfx90a")
    assert set(found) == {kernel.symbol for kernel in unit.kernels}


def test_small_work_groups_may_take_more():
    text = "kernel void k(global float *a) {" + "".join(
        f"float v{i} = a[get_global_id(0) * {i + 3}];" for i in range(200)
    )
    text += "".join(f"a[{i}] = v{i} * v{199 - i};" for i in range(200)) + "}"
    ir = ir_of(text)
    large, small = amd_registers(ir, "gfx900", 1024)["k"], amd_registers(ir, "gfx900", 256)["k"]
    assert large.vgprs <= 64
    assert small.vgprs >= large.vgprs


def test_what_has_no_counterpart_is_named():
    with pytest.raises(DiagnosticError, match="no AMD code is known here for tgamma") as caught:
        amd_registers(ir_of("kernel void k(global float *a) { a[0] = tgamma(a[1]); }"), "gfx90a")
    assert caught.value.diagnostics[0].code == "K811"


def test_the_metadata():
    text = """.amdgpu_metadata
amdhsa.kernels:
  - .agpr_count:     0
    .name:           first
    .sgpr_count:     14
    .sgpr_spill_count: 0
    .symbol:         first.kd
    .vgpr_count:     8
    .vgpr_spill_count: 2
    .wavefront_size: 64
"""
    assert parse_metadata(text) == {"first": AmdCount(8, 14, 2)}
