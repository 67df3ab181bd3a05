"""Numbers as lines: every instruction has its own, and the module stays a module."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from kcc.frontend.ir.reader import read_module
from kcc.frontend.machine_code.numbering import Numbers, numbered
from kcc.frontend.options import OptLevel
from tests.passes.workloads import compiled


@pytest.mark.parametrize("name", ["matmul", "histogram", "reduction", "nbody"])
@pytest.mark.parametrize("level", [OptLevel.O1, OptLevel.O2])
def test_every_instruction_has_its_number(name: str, level: OptLevel):
    unit = compiled(name, level)
    with llvm.parse_assembly(numbered(unit.ir, unit.module), llvm.create_context()) as module:
        module.verify()
        again = read_module(str(module))
    numbers = Numbers.of(unit.module)
    for symbol, function in again.functions.items():
        assert [i.opcode for i in function.instructions] == [
            i.opcode for i in unit.module.functions[symbol].instructions
        ]
        for instruction in function.instructions:
            assert instruction.location is not None
            assert numbers.index(symbol, instruction.location.line) == instruction.index


def test_numbers_of_other_functions_are_none():
    unit = compiled("matmul", OptLevel.O2)
    numbers = Numbers.of(unit.module)
    first, second, *_ = unit.module.functions
    assert numbers.index(first, numbers.first[second]) is None
    assert numbers.index(first, 0) is None
