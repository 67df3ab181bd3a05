"""Compares what the reader makes of a module with what LLVM itself says of it.

LLVM's side comes from llvmlite's object model (opcodes, types, names, numbers of operands) and
from the line LLVM prints for each instruction, which ``str`` of ours has to equal but for
metadata, names of blocks, and calls (whose attributes ours does not print).
"""

from __future__ import annotations

import re
import struct

import llvmlite.binding as llvm

from kcc.frontend.ir.instructions import (
    AnyInstruction,
    Branch,
    Call,
    CondBranch,
    Phi,
    Switch,
)
from kcc.frontend.ir.model import Function, Module
from kcc.frontend.ir.reader import read_module

_METADATA = re.compile(r"(, ![\w.]+ ![0-9]+)+$")
_HEXADECIMAL = re.compile(r"\b0x[0-9A-F]{1,16}\b")
_INCOMING = re.compile(r'%([-\w.$]+|"[^"]*") \]')


def printed(text: str) -> llvm.ModuleRef:
    """A module as LLVM takes it in, verified."""
    module = llvm.parse_assembly(text, llvm.create_context())
    module.verify()
    return module


def read(text: str) -> Module:
    """What the reader makes of LLVM's print of ``text``."""
    return read_module(str(printed(text)))


def check_module(theirs: llvm.ModuleRef) -> Module:
    """Assert that both sides agree on everything; gives our module.

    Types are compared where the module has no named ones, which ours expands.
    """
    text = str(theirs)
    ours = read_module(text)
    has_names = " = type " in text or "target(" in text
    functions = {f.name: f for f in theirs.functions}
    variables = {g.name: g for g in theirs.global_variables}
    assert set(functions) == {*ours.functions, *ours.declarations}
    assert set(variables) == set(ours.globals)
    for name, variable in ours.globals.items():
        if not has_names:
            assert str(variables[name].global_value_type) == str(variable.type)
    for name, function in ours.functions.items():
        _check_function(functions[name], function, has_names)
    return ours


def _check_function(theirs: llvm.ValueRef, ours: Function, has_names: bool) -> None:
    assert [a.name for a in theirs.arguments] == [_shown(a.name) for a in ours.arguments]
    if not has_names:
        assert [str(a.type) for a in theirs.arguments] == [str(a.type) for a in ours.arguments]
    blocks = list(theirs.blocks)
    assert [b.name for b in blocks] == [_shown(b.label) for b in ours.blocks]
    index = 0
    for number, (block, mine) in enumerate(zip(blocks, ours.blocks, strict=True)):
        assert mine.index == number
        for their, our in zip(block.instructions, mine.instructions, strict=True):
            assert (our.index, our.block) == (index, number)
            assert ours.instructions[index] is our
            _check_instruction(their, our, ours, has_names)
            index += 1
    assert index == len(ours.instructions)


def _shown(name: str) -> str:
    """How LLVM names a value: not at all when ours is a number."""
    return "" if name.isdecimal() else name


def _check_instruction(
    theirs: llvm.ValueRef, ours: AnyInstruction, function: Function, has_names: bool
) -> None:
    line = str(theirs).strip()
    assert theirs.opcode == ours.opcode.word, line
    assert theirs.name == _shown(ours.name), line
    operands = list(theirs.operands)
    assert len(operands) == _operand_count(ours, len(operands)), line
    if not has_names:
        assert str(theirs.type) == str(ours.type), line
        for operand, value in zip(operands, ours.operands, strict=False):
            if not isinstance(ours, Branch | CondBranch | Switch | Call):
                assert str(operand.type) == str(value.type), line
    if not has_names and not isinstance(ours, Branch | CondBranch | Switch | Call):
        assert _decimal(_by_index(_METADATA.sub("", line), ours, function)) == _decimal(str(ours))


def _operand_count(ours: AnyInstruction, theirs: int) -> int:
    match ours:
        case Branch():
            return 1
        case CondBranch():
            return 3
        case Switch():
            return 2 + len(ours.cases)
        case Call(callee="llvm.assume"):
            return theirs
        case Call():
            return len(ours.operands) + 1
        case _:
            return len(ours.operands)


def _by_index(line: str, ours: AnyInstruction, function: Function) -> str:
    """A phi with the indices of its blocks instead of their names."""
    if not isinstance(ours, Phi):
        return line
    indices = {block.label: block.index for block in function.blocks}
    return _INCOMING.sub(lambda m: f"#{indices[m[1].strip(chr(34))]} ]", line)


def _decimal(line: str) -> str:
    """LLVM prints some numbers in hexadecimal that six decimals give exactly, others without
    leading zeros.
    """

    def shown(match: re.Match[str]) -> str:
        digits = match[0][2:].zfill(16)
        (value,) = struct.unpack(">d", bytes.fromhex(digits))
        decimal = f"{value:.6e}"
        return decimal if "n" not in decimal and float(decimal) == value else f"0x{digits}"

    return _HEXADECIMAL.sub(shown, line)
