"""Compilers' code as a program: of LLVM's AMDGPU back end, and of ptxas where it is installed."""

from __future__ import annotations

import pytest

from kcc.commands.machine_code import code_for
from kcc.frontend import compile_source
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.machine_code.model import Space
from kcc.frontend.machine_code.numbering import Numbers
from kcc.frontend.options import BuildOptions, Costs, OptLevel, SourceText
from kcc.frontend.ptx.reading import compile_ptx
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.symbolic.ranges import Known
from kcc.sim.estimate.facts import estimate_facts
from kcc.sim.flow.launch_flow import flow_of
from kcc.sim.machine.load_port import PIECE_BYTES
from kcc.sim.program.compiled.lowering import CompiledProgram, compiled_program
from kcc.sim.program.operations import Memory
from kcc.stages.machine_code import machine_code
from tests.passes.workloads import compiled

KNOWN = Known((1024, 1024), (16, 16), {3: 1024, 4: 1024, 5: 1024})


def programs(unit: CompiledUnit, target: str, known: Known) -> dict[str, CompiledProgram]:
    found = dict[str, CompiledProgram]()
    codes = machine_code(unit, code_for(target))
    for kernel in unit.kernels:
        facts = estimate_facts(kernel, unit.module, known, {}, {})
        flow, numbers = flow_of(kernel, facts), Numbers.of(unit.module)
        code = codes[kernel.symbol]
        program = compiled_program(kernel, facts, code, numbers, flow.executions, flow.warps)
        assert program is not None
        found[kernel.name] = program
        loads = [
            (
                flow.executions[block]
                / flow.warps
                * (operation.slots if operation.bytes <= PIECE_BYTES else 1.0),
                operation.bytes,
            )
            for block, part in enumerate(program.program.blocks)
            for operation in (program.program.operations[n] for n in part)
            if operation.memory is Memory.GLOBAL_LOAD and operation.access >= 0
        ]
        moved = sum(times * size for times, size in loads)
        accesses = facts[MemoryAccesses].accesses
        wanted = sum(
            flow.executions[a.block] / flow.warps * int(str(a.element_bytes))
            for a in accesses if a.op.value == "load" and a.space.name == "GLOBAL"
        )  # fmt: skip
        assert moved == pytest.approx(wanted, rel=0.01)
    return found


@pytest.mark.parametrize("target", [
    "gfx90a", pytest.param("sm_80", marks=pytest.mark.nvidia),
    pytest.param("sm_90", marks=pytest.mark.nvidia),
])  # fmt: skip
def test_loads_move_what_the_kernel_asks_for(target: str):
    """Whatever was unrolled or joined."""
    found = programs(compiled("matmul", OptLevel.O2), target, KNOWN)
    for each in found.values():
        # AMD's structured control flow runs blocks whose lanes are all off.
        assert each.misfit < (0.08 if target.startswith("gfx") else 0.05)
        operations = each.program.operations
        assert all(-1 < need < len(operations) for row in operations for need in row.needs)
        placed = sorted(n for part in each.program.blocks for n in part)
        assert placed == list(range(len(operations)))
    assert found["matmul_naive"].program.private_bytes == 0


SPILLED = """
__global__ void reversed(const float *from, float *to) {
  __shared__ float own[4096];
  for (int i = threadIdx.x; i < 4096; i += 1024)
    own[i] = from[i];
  __syncthreads();
  float kept[200];
#pragma unroll
  for (int i = 0; i < 200; ++i)
    kept[i] = own[(threadIdx.x + 17 * i) & 4095];
  __syncthreads();
  own[threadIdx.x] = 0.0f;
  __syncthreads();
  float sum = own[1023 - threadIdx.x];
#pragma unroll
  for (int i = 0; i < 200; ++i)
    sum = sum * sum + kept[199 - i];
  to[threadIdx.x] = sum;
}
"""
"""More values live at the barrier than the 128 registers that a thread block of 1,024 leaves."""


def test_each_spilled_value_goes_to_memory_by_itself_and_comes_back_later():
    options = BuildOptions(opt_level=OptLevel.O2, costs=Costs.AMD)
    unit = compile_source(SourceText("k.cu", SPILLED, "."), options)
    symbol = unit.kernels[0].symbol
    code = machine_code(unit, code_for("gfx1030"))[symbol]
    scratch = [each for each in code.instructions if each.space is Space.LOCAL]
    found = programs(unit, "gfx1030", Known((1024,), (1024,), {}))["reversed"].program
    block = max(found.blocks, key=len)
    rows = [found.operations[n] for n in block]
    places = {
        memory: [row.place for row in rows if row.memory is memory]
        for memory in (Memory.PRIVATE, Memory.PRIVATE_STORE)
    }
    stores = sum(each.is_store for each in scratch)
    assert stores > 50
    assert len(set(places[Memory.PRIVATE_STORE])) == len(places[Memory.PRIVATE_STORE]) == stores
    assert sum(row.slots for row in rows if row.memory is Memory.PRIVATE_STORE) == stores
    assert len(places[Memory.PRIVATE]) == len(scratch) - stores
    order = [(row.memory, row.place) for row in rows]
    barrier = max(n for n, row in enumerate(rows) if row.memory is Memory.BARRIER)
    for place in places[Memory.PRIVATE]:
        stored = order.index((Memory.PRIVATE_STORE, place))
        assert stored < barrier < order.index((Memory.PRIVATE, place))


ROWS = """
__kernel void rows(__global const float *restrict vector, __global const int *restrict columns,
                   __global const int *restrict ends, __global float *restrict to) {
  int row = get_global_id(0), end = ends[row + 1];
  float sum = 0.0f;
#pragma unroll 8
  for (int j = ends[row]; j < end; ++j)
    sum += vector[columns[j]];
  to[row] = sum;
}
"""


@pytest.mark.parametrize("target", ["gfx90a", "gfx1030", "gfx1100"])
def test_of_loads_joined_to_several_each_is_executed_as_often_as_the_loop(target: str):
    """Eight iterations load 32 bytes by two loads of 16, with the number of the first of eight:
    one access in two slots."""
    options = BuildOptions(opt_level=OptLevel.O2, costs=Costs.AMD)
    unit = compile_source(SourceText("k.cl", ROWS, "."), options)
    found = programs(unit, target, Known((1 << 16,), (256,), {}))["rows"]
    assert found.misfit < 0.01
    rows = found.program.operations
    wide = [row for row in rows if row.memory is Memory.GLOBAL_LOAD and row.bytes > 8]
    assert [(row.bytes, row.slots) for row in wide] == [(32, 2.0)]


BYTES = """
__kernel void widened(__global const uchar *restrict from, __global float *restrict to) {
  int i = get_global_id(0);
  to[i] = (float)from[i] + (float)from[i + 4096] * 2.0f;
}
"""


@pytest.mark.parametrize("target", ["gfx90a", "gfx1030"])
def test_a_load_that_extends_is_the_access_before_the_conversion(target: str):
    options = BuildOptions(opt_level=OptLevel.O2, costs=Costs.AMD)
    unit = compile_source(SourceText("k.cl", BYTES, "."), options)
    found = programs(unit, target, Known((1 << 16,), (256,), {}))["widened"]
    loads = [row for row in found.program.operations if row.memory is Memory.GLOBAL_LOAD]
    assert [row.bytes for row in loads] == [1, 1]
    assert len({row.access for row in loads}) == 2
    assert min(row.access for row in loads) >= 0


LOOP = """.version 8.0
.target sm_80
.address_size 64
.visible .entry sum(.param .u64 sum_param_0, .param .u32 sum_param_1)
{
\t.reg .pred %p<2>; .reg .f32 %f<3>; .reg .b32 %r<4>; .reg .b64 %rd<5>;
\tld.param.u64 %rd1, [sum_param_0];
\tld.param.u32 %r1, [sum_param_1];
\tcvta.to.global.u64 %rd2, %rd1;
\tmov.u32 %r2, %tid.x;
\tmul.wide.u32 %rd3, %r2, 4;
\tadd.s64 %rd4, %rd2, %rd3;
\tmov.f32 %f2, 0f00000000;
\tmov.u32 %r3, 0;
again:
\tld.global.f32 %f1, [%rd4];
\tfma.rn.f32 %f2, %f1, %f1, %f2;
\tadd.s64 %rd4, %rd4, 1024;
\tadd.s32 %r3, %r3, 1;
\tsetp.ne.s32 %p1, %r3, %r1;
\t@%p1 bra again;
\tst.global.f32 [%rd2], %f2;
\tret;
}
"""


@pytest.mark.nvidia
@pytest.mark.parametrize("trips", [1, 3, 1000])
def test_a_loop_of_ptx_is_loaded_as_often_as_it_says(trips: int):
    unit = compile_ptx(SourceText("sum.ptx", LOOP, ""), BuildOptions(opt_level=OptLevel.O2))
    found = programs(unit, "sm_80", Known((1024, 1), (256, 1), {1: trips}))["sum"]
    assert found.misfit < 0.01


@pytest.mark.nvidia
def test_a_sum_in_a_register_counts_by_its_additions() -> None:
    """What counts the iterations of a loop that ptxas unrolls has the number of its addition too,
    once: 16 iterations had been 370 instructions of a warp."""
    text = """__global__ void k(float *r, int n) {
        unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
        for (unsigned i = t * n; i < (t + 1) * n; i++) r[t] += i % 2;
    }"""
    unit = compile_source(
        SourceText("k.cu", text, "."), BuildOptions(opt_level=OptLevel.O2, costs=Costs.NVIDIA)
    )
    kernel = unit.kernels[0]
    facts = estimate_facts(kernel, unit.module, Known((1024,), (128,), {1: 16}), {}, {})
    flow, code = flow_of(kernel, facts), machine_code(unit, code_for("sm_80"))[kernel.symbol]
    numbers = Numbers.of(unit.module)
    found = compiled_program(kernel, facts, code, numbers, flow.executions, flow.warps)
    assert found is not None
    issued = sum(
        flow.executions[block] / flow.warps * found.program.operations[n].slots
        for block, part in enumerate(found.program.blocks) for n in part
    )  # fmt: skip
    assert 30 < issued < 120


VECTORS = """
#pragma OPENCL FP_CONTRACT OFF
__kernel void k(__global float4 *out, int n) {
  const int i = get_global_id(0);
  float4 x = i + (float4)(0.0f, 1.0f, 2.0f, 3.0f);
  for (int s = 0; s < n && any(islessequal(x, (float4)(4.0f))); ++s) x = x * x - 0.25f * x;
  out[i] = x;
}
"""


@pytest.mark.parametrize("target", ["gfx90a", pytest.param("sm_80", marks=pytest.mark.nvidia)])
def test_lanes_of_a_vector_are_no_copies_of_a_loop(target: str):
    """Four machine instructions do one operation of four lanes, in an iteration that is as often
    executed as the loop says."""
    unit = compile_source(SourceText("k.cl", VECTORS, "."), BuildOptions(opt_level=OptLevel.O2))
    (kernel,) = unit.kernels
    facts = estimate_facts(kernel, unit.module, Known((1024,), (256,), {1: 1024}), {}, {})
    flow = flow_of(kernel, facts)
    code = machine_code(unit, code_for(target))[kernel.symbol]
    found = compiled_program(
        kernel, facts, code, Numbers.of(unit.module), flow.executions, flow.warps
    )
    assert found is not None
    rows = kernel.function.instructions
    multiplications = [
        (flow.executions[block] / flow.warps, operation.slots)
        for block, part in enumerate(found.program.blocks)
        for operation in (found.program.operations[n] for n in part)
        if rows[operation.instruction].opcode is Opcode.FMUL and operation.instruction >= 0
    ]
    packed = 2 if target.startswith("gfx") else 1
    assert found.misfit < 0.01
    assert sum(slots for _, slots in multiplications) * packed == pytest.approx(8, rel=0.05)
    assert all(times > 1.0 for times, _ in multiplications)


SOBEL = """
__constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
__kernel void k(__read_only image2d_t a, __write_only image2d_t b) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= get_image_width(b)) return;
  const float4 d = read_imagef(a, s, (int2)(x - 1, y)) - read_imagef(a, s, (int2)(x + 1, y));
  float4 v = hypot(d, 2.0f * d);
  v.w = 1.0f;
  write_imagef(b, (int2)(x, y), v);
}
"""


@pytest.mark.nvidia
@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
def test_images_say_how_often_code_runs(target: str):
    """Three lanes of four are computed, which says nothing of how often; two reads and a write do,
    whichever lines ptxas gives them."""
    unit = compile_source(SourceText("k.cl", SOBEL, "."), BuildOptions(opt_level=OptLevel.O2))
    (kernel,) = unit.kernels
    facts = estimate_facts(kernel, unit.module, Known((64, 64), (16, 16), {}), {}, {})
    flow = flow_of(kernel, facts)
    code = machine_code(unit, code_for(target))[kernel.symbol]
    found = compiled_program(
        kernel, facts, code, Numbers.of(unit.module), flow.executions, flow.warps
    )
    assert found is not None
    assert found.misfit < 0.01
    images = [
        (flow.executions[block] / flow.warps, operation.slots)
        for block, part in enumerate(found.program.blocks)
        for operation in (found.program.operations[n] for n in part)
        if operation.memory is Memory.IMAGE
    ]
    share = images[0][0]
    assert sum(times * slots for times, slots in images) == pytest.approx(3 * share)
