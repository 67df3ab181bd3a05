"""``__launch_bounds__`` from the source to the compilers and the models."""

from __future__ import annotations

from functools import cache

import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.frontend import compile_source
from kcc.frontend.amdgpu import amd_assembly
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.machine_code.numbering import numbered
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.frontend.ptx.emit import PtxOptions, emit_ptx
from kcc.sim.machine.costs import Generation
from kcc.sim.program.registers import register_limit, resident_on, with_kept_bounds

SOURCE = """
template <int B> __global__ void __launch_bounds__(B, 4) both(float *a) { a[threadIdx.x] = 1; }
template __global__ void both<1024 / 8>(float *);
__global__ __launch_bounds__(512) void one(float *a) { a[threadIdx.x] = 1; }
__global__ void none(float *a) { a[threadIdx.x] = 1; }
__device__ __attribute__((annotate("another's"))) float other;
"""


@cache
def unit(level: OptLevel = OptLevel.O2) -> CompiledUnit:
    return compile_source(SourceText("k.cu", SOURCE, "."), BuildOptions(opt_level=level))


@pytest.mark.parametrize("level", list(OptLevel))
def test_they_are_read_at_every_level(level: OptLevel) -> None:
    found = {kernel.name: kernel.function.launch_bounds for kernel in unit(level).kernels}
    assert sorted(found.values()) == [(0, 0), (128, 4), (512, 0)]
    assert found["none"] == (0, 0)


def test_ptx_has_them() -> None:
    lines = emit_ptx(unit().ir, PtxOptions("sm_80")).splitlines()
    assert [line for line in lines if line.startswith((".maxntid", ".minnctapersm"))] == [
        ".maxntid 128", ".minnctapersm 4", ".maxntid 512",
    ]  # fmt: skip


def test_amd_s_code_is_made_for_them() -> None:
    text = amd_assembly(numbered(unit().ir, unit().module), "gfx90a", 1024)
    sizes = [line.split()[-1] for line in text.splitlines() if "max_flat_workgroup_size" in line]
    assert sorted(map(int, sizes)) == [128, 512, 1024]


def test_registers_are_as_few_as_let_the_blocks_run() -> None:
    limits = {k.name.partition("<")[0]: register_limit(k, Generation.VOLTA) for k in unit().kernels}
    # 65,536 registers: of four blocks of 128 threads, of one of 512, and no bound
    assert limits == {"both": 128, "one": 128, "none": 255}


def test_bounds_that_no_sm_can_keep_are_ignored() -> None:
    (both,) = (k for k in unit().kernels if k.function.launch_bounds == (128, 4))
    roomy, small = ((32, 2048, 255), (32, 511, 255))
    assert with_kept_bounds(both, roomy) is both
    for resident in (small, (3, 2048, 255)):
        kept = with_kept_bounds(both, resident)
        assert kept.function.launch_bounds == (128, 0)
        assert register_limit(kept, Generation.VOLTA) == 255
    few = with_kept_bounds(both, (3, 2048, 63))
    assert few.function.launch_bounds == (128, 0)
    assert register_limit(few, Generation.VOLTA) == 63  # Kepler's first, and machines of texts
    assert resident_on(load_gpu("a100")) == (32, 2048, 255)
    assert resident_on(load_gpu("rtx3090")) == (16, 1536, 255)
