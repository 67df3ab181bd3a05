"""Compilers' code as a program: of LLVM's AMDGPU back end, and of ptxas where it is installed."""

from __future__ import annotations

import pytest

from kcc.commands.machine_code import code_for
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.machine_code.numbering import Numbers
from kcc.frontend.options import OptLevel
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.symbolic.ranges import Known
from kcc.sim.estimate.facts import estimate_facts
from kcc.sim.flow.launch_flow import flow_of
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
            (flow.executions[block] / flow.warps * operation.slots, operation.bytes)
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
