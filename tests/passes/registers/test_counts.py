"""The register estimate: its parts by hand and by a plain reference, its sum against ptxas."""

from __future__ import annotations

import csv
import statistics
from pathlib import Path

import pytest

from kcc.frontend import compile_source
from kcc.frontend.ir.instructions import AnyInstruction, Phi
from kcc.frontend.ir.model import Block, Function
from kcc.frontend.ir.values import InstructionRef
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.registers.counts import (
    RegisterFeatures,
    RegisterSource,
    count_from,
    estimate_registers,
)
from kcc.passes.registers.pressure import (
    address_units,
    block_pressure,
    frugal_order,
    graph_of,
    latency_order,
    least_pressure,
    live_out,
    pressures,
)
from kcc.passes.registers.scratch import scratch_units
from kcc.passes.registers.values import RegisterValues, register_values
from tests.passes.workloads import NAMES, compiled, sampled

TABLE = Path(__file__).parents[3] / "benchmarks" / "data" / "ptxas_registers.csv"


def function_of(text: str) -> Function:
    unit = compile_source(SourceText("k.cl", text, "."), BuildOptions(opt_level=OptLevel.O2))
    (kernel,) = unit.kernels
    return kernel.function


def function_of_ir(text: str) -> Function:
    """A function of LLVM IR, as it is written."""
    unit = compile_source(SourceText("k.ll", text, "."), BuildOptions(opt_level=OptLevel.O0))
    (kernel,) = unit.kernels
    return kernel.function


def units_by_name(text: str) -> list[tuple[str, int]]:
    function = function_of(text)
    values = register_values(function)
    return [(i.opcode.word, values.units[i.index]) for i in function.instructions]


def test_what_takes_registers():
    units = units_by_name(
        """kernel void k(global double *d, global float4 *v, local int *l, int n) {
             int i = get_global_id(0);
             d[i] += n;
             v[i] = v[i + 1];
             if (l[i] > get_local_size(0)) l[0] = 1;
           }"""
    )
    assert ("load", 2) in units  # a double
    assert ("load", 4) in units  # a float4
    assert ("load", 1) in units
    assert {n for word, n in units if word in ("getelementptr", "icmp", "trunc", "sext")} == {0}
    calls = [n for word, n in units if word == "call"]
    assert sorted(calls) == [0, 1]  # the launch's size lies with the arguments


def test_folded_values_live_in_what_they_are_made_of():
    function = function_of(
        "kernel void k(global float *a) { a[get_global_id(0)] = a[get_global_id(1) + 7]; }"
    )
    values = register_values(function)
    for instruction in function.instructions:
        if instruction.opcode.word == "getelementptr":
            roots = values.roots[instruction.index]
            assert [function.instructions[root].opcode.word for root in roots] == ["call"]


def test_addresses_a_constant_apart_share_a_register():
    function = function_of(
        "kernel void k(global float *a) { int i = get_local_id(0); a[i] = a[i + 1] + a[i + 2]; }"
    )
    kept = register_values(function, fold_addresses=False)
    addresses = [i for i in function.instructions if i.opcode.word == "getelementptr"]
    assert len(addresses) >= 3
    assert sum(kept.units[i.index] for i in addresses) == 2


def reference_pressure(order: list[AnyInstruction], out: set[int], values: RegisterValues) -> int:
    """Live sets as sets, walked from the end."""
    live, most = set(out), sum(values.units[i] for i in out)
    for instruction in reversed(order):
        if isinstance(instruction, Phi):
            continue
        me = instruction.index
        if values.units[me] and me not in live:
            most = max(most, sum(values.units[i] for i in live) + values.units[me])
        live.discard(me)
        if not values.roots[me] or values.roots[me] == (me,):
            for operand in instruction.operands:
                if isinstance(operand, InstructionRef):
                    live.update(values.roots[operand.index])
        beside = address_units(instruction, values) + scratch_units(instruction)
        most = max(most, sum(values.units[i] for i in live) + beside)
    return most


def bits(mask: int) -> set[int]:
    return {i for i in range(mask.bit_length()) if mask >> i & 1}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", sampled(NAMES))
def test_pressure_is_that_of_plain_live_sets(name: str):
    for kernel in compiled(name, OptLevel.O2).kernels:
        function = kernel.function
        for fold in (True, False):
            values = register_values(function, fold_addresses=fold)
            out = live_out(function, values)
            for block in function.blocks:
                for order in orders(block, out[block.index], values):
                    expected = reference_pressure(order, bits(out[block.index]), values)
                    assert block_pressure(order, out[block.index], values) == expected


def orders(block: Block, out: int, values: RegisterValues) -> list[list[AnyInstruction]]:
    graph = graph_of(block)
    found = [list(block.instructions), latency_order(graph), frugal_order(graph, out, values)]
    for order in found[1:]:
        check_order(block, order)
    return found


def check_order(block: Block, order: list[AnyInstruction]) -> None:
    """A permutation in which every value is made before it is read, and the terminator is last."""
    assert sorted(i.index for i in order) == [i.index for i in block.instructions]
    assert order[-1] is block.terminator
    place = {instruction.index: number for number, instruction in enumerate(order)}
    for instruction in order:
        for operand in instruction.operands:
            if isinstance(operand, InstructionRef) and not isinstance(instruction, Phi):
                source = place.get(operand.index, -1)
                assert source < place[instruction.index]


@pytest.mark.parametrize("name", sampled(NAMES))
def test_what_is_live_out_of_a_block_reaches_a_use(name: str):
    """Every value live out of a block is read on some way from there before it is made anew."""
    for kernel in compiled(name, OptLevel.O2).kernels:
        function = kernel.function
        values = register_values(function)
        out = live_out(function, values)
        for block in function.blocks:
            for value in bits(out[block.index]):
                assert reaches_use(function, values, block.index, value)


def reaches_use(function: Function, values: RegisterValues, start: int, value: int) -> bool:
    seen, pending = set[tuple[int, int]](), [(start, s) for s in function.blocks[start].successors]
    while pending:
        edge = pending.pop()
        if edge in seen:
            continue
        seen.add(edge)
        source, target = edge
        block = function.blocks[target]
        for phi in block.phis:
            for operand, incoming in zip(phi.operands, phi.incoming, strict=True):
                if incoming == source and value in values.roots_of(operand):
                    return True
        made = False
        for instruction in block.instructions:
            if isinstance(instruction, Phi):
                made = made or instruction.index == value
                continue
            roots = values.roots[instruction.index]
            if roots in ((), (instruction.index,)) and any(
                value in values.roots_of(operand) for operand in instruction.operands
            ):
                if not made:
                    return True
                break
            made = made or instruction.index == value
        if not made:
            pending += [(target, successor) for successor in block.successors]
    return False


def test_loads_are_started_together_when_latency_is_hidden():
    function = function_of(
        """kernel void k(global const float *a, local float *b) {
             float s = 0;
             #pragma unroll
             for (int i = 0; i < 8; i++) s += a[get_local_id(0) + 64 * i] * b[i];
             b[get_local_id(0)] = s;
           }"""
    )
    values = register_values(function)
    (block,), out = function.blocks, live_out(function, values)
    source, latency, frugal = pressures(orders(block, out[0], values), out * 3, values)
    assert frugal <= source
    assert latency >= 16


def test_constants_to_counts():
    assert count_from(RegisterFeatures(0, 0, 0, 0, 5)) == 8
    wanted = count_from(RegisterFeatures(15, 15, 12, 12, 100))
    assert 8 < wanted < 32
    assert count_from(RegisterFeatures(60, 60, 10, 40, 100)) == 32
    assert count_from(RegisterFeatures(90, 90, 70, 40, 100)) == 80


@pytest.mark.slow
def test_estimates_against_ptxas():
    """The figures of docs/reference/gpus.md, with a little room."""
    errors: dict[str, list[float]] = {"sm_70": [], "sm_80": [], "sm_90": []}
    with TABLE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = {row["folder"] for row in rows} & set(NAMES[::2])
    for name in names:
        for kernel in compiled(name, OptLevel.O2).kernels:
            estimate = estimate_registers(kernel.function)
            assert estimate.source is RegisterSource.ESTIMATE
            for row in rows:
                if (row["folder"], row["kernel"]) == (name, kernel.name):
                    true = int(row["registers"])
                    errors[row["target"]].append(abs(estimate.count - true) / true)
    for found in errors.values():
        assert len(found) > 10
        assert statistics.median(found) <= 0.15


def test_constants_at_known_addresses_are_operands():
    text = """@w = external addrspace(2) constant [8 x float]
define spir_kernel void @k(ptr addrspace(1) %a, i64 %i) {
  %known = load float, ptr addrspace(2) getelementptr (i8, ptr addrspace(2) @w, i64 8)
  %p = getelementptr float, ptr addrspace(2) @w, i64 %i
  %found = load float, ptr addrspace(2) %p
  %s = fadd float %known, %found
  store float %s, ptr addrspace(1) %a
  ret void
}
"""
    function = function_of_ir(text)
    units = register_values(function).units
    assert [units[i.index] for i in function.instructions if i.opcode.word == "load"] == [0, 1]


def test_sums_that_share_operands_advance_together():
    """Three sums of 48 products, each a row of eight further down 64 values: one after the other
    they keep what the next sum reads too, abreast two rows."""
    lines = ["define spir_kernel void @k(ptr addrspace(3) %t, ptr addrspace(1) %o) {"]
    for v in range(64):
        lines += [f"  %p{v} = getelementptr float, ptr addrspace(3) %t, i64 {v}"]
        lines += [f"  %x{v} = load float, ptr addrspace(3) %p{v}"]
    for s in range(3):
        for n in range(48):
            before = f"%s{s}.{n - 1}" if n else "0.0"
            lines += [f"  %m{s}.{n} = fmul float %x{8 * s + n}, 2.0"]
            lines += [f"  %s{s}.{n} = fadd float %m{s}.{n}, {before}"]
    for s in range(3):
        lines += [f"  %q{s} = getelementptr float, ptr addrspace(1) %o, i64 {s}"]
        lines += [f"  store float %s{s}.47, ptr addrspace(1) %q{s}"]
    function = function_of_ir("\n".join([*lines, "  ret void", "}"]))
    (block,), values = function.blocks, register_values(function)
    graph, out = graph_of(block), live_out(function, values)[0]
    one_by_one = block_pressure(frugal_order(graph, out, values), out, values)
    assert one_by_one > 40
    assert least_pressure(graph, out, values) <= 2 * 8 + 3 + 5
