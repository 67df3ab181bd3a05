"""Machine code from LLVM's AMDGPU back end."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.machine_code.amd import amd_code, read_assembly
from kcc.frontend.options import BuildOptions, Costs, MacroOption, OptLevel, SourceText
from tests.kernels.harness import KERNELS
from tests.passes.workloads import compiled


def unit_of(text: str) -> CompiledUnit:
    options = BuildOptions(opt_level=OptLevel.O2)
    return compile_source(SourceText("k.cl", text, "."), options)


@pytest.mark.parametrize("target", ["gfx900", "gfx90a", "gfx1030"])
def test_counts_of_every_generation(target: str):
    found = amd_code(compiled("matmul", OptLevel.O2), target)
    assert set(found) == {"matmul_naive", "matmul_tiled", "matmul_float4"}
    for registers in found.values():
        assert registers.compiler.endswith(f"({target})")
        assert 8 <= registers.registers <= 256
        assert not registers.spills
    assert found["matmul_float4"].registers > found["matmul_naive"].registers


@pytest.mark.parametrize("name", ["histogram", "stencil3d", "btree"])
def test_workloads(name: str):
    unit = compiled(name, OptLevel.O2)
    found = amd_code(unit, "gfx90a")
    assert set(found) == {kernel.symbol for kernel in unit.kernels}


def test_small_work_groups_may_take_more():
    text = "kernel void k(global float *a) {" + "".join(
        f"float v{i} = a[get_global_id(0) * {i + 3}];" for i in range(100)
    )
    text += "".join(f"a[{i}] = v{i} * v{99 - i};" for i in range(100)) + "}"
    unit = unit_of(text)
    large, small = amd_code(unit, "gfx900", 1024)["k"], amd_code(unit, "gfx900", 256)["k"]
    assert large.registers <= 64
    assert small.registers >= large.registers


def test_what_has_no_counterpart_is_named():
    with pytest.raises(DiagnosticError, match="no AMD code is known here for tgamma") as caught:
        amd_code(unit_of("kernel void k(global float *a) { a[0] = tgamma(a[1]); }"), "gfx90a")
    assert caught.value.diagnostics[0].code == "K811"


@pytest.mark.parametrize("name", ["matmul", "hotspot"])
def test_kernels_are_optimised_by_the_costs_of_amd(name: str):
    """Where LLVM's AMDGPU passes stop at an assertion (matmul), by those of NVPTX."""
    source = (KERNELS / name / f"{name}.cl").read_text()
    options = BuildOptions(
        opt_level=OptLevel.O2, costs=Costs.AMD,
        macros=tuple(MacroOption(m, "16") for m in ("TILE", "BLOCK_SIZE")),
    )  # fmt: skip
    unit = compile_source(SourceText(f"{name}.cl", source, str(KERNELS / name)), options)
    assert unit.costs is Costs.AMD
    assert set(amd_code(unit, "gfx90a")) == {kernel.symbol for kernel in unit.kernels}


LISTING = """k:                                      ; @k
; %bb.0:
\ts_load_dwordx2 s[0:1], s[4:5], 0x0
\ts_load_dword s2, s[4:5], 0x8
\tglobal_load_dword v1, v0, s[0:1]
\t.loc\t1 7 0
\tglobal_load_dword v2, v0, s[0:1] offset:4
\tglobal_load_dword v3, v0, s[2:3]
.LBB0_1:
\tglobal_load_dword v4, v0, s[2:3] offset:4
\tbuffer_gl0_inv
\ts_endpgm
.Lfunc_end0:
\t.amdgpu_metadata
---
amdhsa.kernels:
    .sgpr_count:     8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .symbol:         k.kd
    .vgpr_count:     5
    .vgpr_spill_count: 0
    .wavefront_size: 32
"""


def test_loads_of_one_base_that_follow_each_other_stand_in_a_clause():
    (code,) = read_assembly(LISTING, "llvm amdgpu 22.1.0 (gfx1030)").values()
    opcodes = [each.opcode.partition("_load")[0] for each in code.instructions]
    assert opcodes == [
        "s_clause", "s", "s", "s_clause", "global", "global", "global", "global",
        "buffer_gl0_inv", "s_endpgm",
    ]  # fmt: skip
    assert [each.address for each in code.instructions] == list(range(10))
    assert [each.number for each in code.instructions[4:6]] == [0, 7]
    assert [code.instructions[n].operands for n in (0, 3)] == ["0x1", "0x1"]
    assert code.labels == {".LBB0_1": 7}
    assert code.instructions[8].space is None


def test_loads_with_other_operands_are_read():
    odd = LISTING.replace("v3, v0, s[2:3]", "v3").replace("s2, s[4:5], 0x8", "s2")
    (code,) = read_assembly(odd, "llvm amdgpu 22.1.0 (gfx1030)").values()
    assert sum(each.opcode == "s_clause" for each in code.instructions) == 1


def test_older_gpus_have_no_clauses():
    (code,) = read_assembly(LISTING, "llvm amdgpu 22.1.0 (gfx90a)").values()
    assert all(each.opcode != "s_clause" for each in code.instructions)
