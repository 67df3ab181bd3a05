"""Pipelines that go with FMA at rates of their own: of which GPUs, and what is on them."""

from __future__ import annotations

import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.passes.mix.instruction_classes import InstructionClass as Kind
from kcc.sim.machine.costs import Unit
from kcc.sim.machine.fma_pipes import HALF, INTEGER, pipe_of
from kcc.sim.machine.pipeline_columns import machine_of
from kcc.sim.program.operations import MachineProgram
from tests.sim.program.test_integer_arithmetic import program, slots


@pytest.mark.parametrize(
    ("gpu", "pipes"),
    [
        ("v100", {}),  # 64 lanes of all three
        ("rtx2080ti", {}),
        ("a100", {HALF: 1.0}),
        ("a40", {INTEGER: 2.0, HALF: 2.0}),
        ("h100", {INTEGER: 2.0}),
        ("nvidia-b200", {INTEGER: 2.0, HALF: 2.0}),
        ("gtx1080", {}),
        ("mi210", {}),
        ("accelsim-sm86-rtx3070", {}),
    ],
)
def test_cycles_of_a_warp_instruction(gpu: str, pipes: dict[int, float]):
    machine = machine_of(GpuReader(load_gpu(gpu)))
    assert machine.pipes == pipes
    own = INTEGER if INTEGER in pipes else Unit.FMA
    assert pipe_of(Unit.FMA, Kind.INT_MUL, machine.pipes) == own
    assert pipe_of(Unit.FMA, Kind.FP32, machine.pipes) == Unit.FMA
    assert pipe_of(Unit.ALU, Kind.INT, machine.pipes) == Unit.ALU


def halves(lanes: int) -> MachineProgram:
    return program(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        f"__kernel void k(__global half{lanes} *a) {{"
        f" half{lanes} x = a[get_global_id(0)]; a[get_global_id(0)] = x * x + x; }}"
    )


def test_two_halves_are_one_instruction():
    one, two, eight = (slots(halves(lanes), Unit.FMA) for lanes in (2, 4, 8))
    assert two - one == one - (2 * one - two)
    assert eight - two == 2 * (two - one)


def test_a_product_with_what_is_one_more_is_one_instruction():
    def of(text: str) -> tuple[float, float]:
        found = program(
            "__kernel void k(__global int *out, __global const int *in) { int i = get_global_id(0);"
            f" int x = in[2 * i], y = in[2 * i + 1]; out[i] = {text}; }}"
        )
        return slots(found, Unit.FMA), slots(found, Unit.ALU)

    assert of("(x + 1) * y") == of("(x - 1) * y") == of("x * y")
    assert of("(x + 2) * y")[1] == of("x * y")[1] + 1


def test_a_high_half_that_nobody_wants_is_not_computed():
    def of(result: str) -> float:
        found = program(
            "__kernel void k(__global long *out, __global const long *in) {"
            " int i = get_global_id(0); long x = in[2 * i], y = in[2 * i + 1];"
            " for (int n = 0; n < 8; n++) { x = x * y + y; y = y * x + x; }"
            f" out[i] = {result}; }}"
        )
        return slots(found, Unit.FMA, Unit.ALU)

    assert of("(int)y") < of("y") / 2
    assert of("y >> 32") > of("y") * 0.95
