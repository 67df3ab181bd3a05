"""What is brought where it is wanted, beside what ptxas 12.9 makes for sm_80."""

from __future__ import annotations

import pytest

from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.ends import IDLE_BEFORE_EXIT
from kcc.sim.program.registers import free_registers
from tests.sim.program.test_integer_arithmetic import program, slots

LOOP = (
    "__kernel void k(__global {0} *out, {0} n) {{"
    "for (int i = get_global_id(0); i < 100000; i += 7 * (int)get_global_size(0))"
    "out[i] = {1}; }}"
)


def moves(value: str, type_: str = "int") -> float:
    return slots(program(LOOP.format(type_, value)), Unit.EITHER)


def test_what_is_stored_is_moved_into_a_register_before_the_loop() -> None:
    """Nothing for zero, which has a register; MOV for a word."""
    none = moves("0")
    assert moves("5") == none + 1
    assert moves("n") == none + 1
    assert moves("5", "double") == none + 2


def test_the_descriptor_is_read_once_and_not_before_volta() -> None:
    source = "__kernel void k(__global int *a) { int i = get_global_id(0); a[i] = a[i + 9] + 1; }"
    new, old = (program(source, each) for each in (Generation.VOLTA, Generation.MAXWELL))
    idle = IDLE_BEFORE_EXIT[False]
    assert slots(new, Unit.CONTROL) == pytest.approx(slots(old, Unit.CONTROL) - idle + 1)


def test_hopper_brings_arguments_out_of_the_constant_bank() -> None:
    """Beside S2UR (ptxas 12.9, sm_90) ULDC for ``n`` and ``f``, LDC for the size of a thread
    block and for both arrays; a constant factor is an operand of IMAD.WIDE (MOV before)."""
    source = (
        "__kernel void k(__global float *a, __global const float *b, float f, int n) {"
        "int i = get_global_id(0); if (i < n) a[i] = f * b[i]; }"
    )
    new, old = (program(source, each) for each in (Generation.HOPPER, Generation.VOLTA))
    assert slots(new, Unit.CONTROL) == slots(old, Unit.CONTROL) + 5
    assert slots(new, Unit.EITHER) == slots(old, Unit.EITHER) - 1


def test_ptxas_takes_the_registers_that_are_free() -> None:
    """65,536 of them for the threads that an SM holds."""
    found = [free_registers(threads, Generation.VOLTA) for threads in (2048, 1536, 1024)]
    assert found == [32, 40, 64]
