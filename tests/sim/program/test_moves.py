"""What is brought where it is wanted, beside what ptxas 12.9 makes for sm_80."""

from __future__ import annotations

from kcc.sim.machine.costs import Generation, Unit
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
    assert slots(new, Unit.CONTROL) == slots(old, Unit.CONTROL) + 1


def test_ptxas_takes_the_registers_that_are_free() -> None:
    """65,536 of them for the threads that an SM holds."""
    found = [free_registers(threads, Generation.VOLTA) for threads in (2048, 1536, 1024)]
    assert found == [32, 40, 64]
