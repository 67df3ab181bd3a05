"""A kernel's canonical IR in the spelling of LLVM 14, which oclgrind 21.10 reads.

There pointers have types. Here all are ``i8*``; where an instruction needs another, a bitcast is
put before it, and after a getelementptr: :func:`inserted_casts` says how many. Nothing else is
added, dropped or moved. Promises (nsw, fast-math, metadata) are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeGuard

from kcc.frontend.ir.instructions import (
    AnyInstruction,
    Binary,
    Branch,
    Call,
    Cast,
    CondBranch,
    ExtractElement,
    FloatCompare,
    GetElementPtr,
    InsertElement,
    IntCompare,
    Load,
    Phi,
    Return,
    Select,
    ShuffleVector,
    Store,
    Switch,
    Unary,
)
from kcc.frontend.ir.model import Block, Function, Global, Module
from kcc.frontend.ir.types import VOID, ArrayTy, IrType, PtrTy, StructTy, VecTy
from kcc.frontend.ir.values import (
    ArgumentRef,
    ConstantAggregate,
    ConstantInt,
    ConstantVector,
    GlobalRef,
    InstructionRef,
    Value,
)

OTHER_NAMES = {
    "llvm.fma.f32": "_Z3fmafff",
    "llvm.sqrt.f32": "_Z4sqrtf",
}
"""Intrinsics that oclgrind lacks, by OpenCL built-ins that do the same."""

LEFT_OUT = frozenset({"llvm.assume"})
"""Calls that oclgrind does not know and that do nothing."""

LAYOUT = "e-p:64:64:64-i64:64:64-v16:16:16-v32:32:32-v64:64:64-v96:128:128-v128:128:128"


def inserted_casts(instruction: AnyInstruction) -> int:
    """Bitcasts of pointers written around an instruction."""
    match instruction:
        case GetElementPtr():
            return 2
        case Load() | Store():
            return 1
        case _:
            return 0


@dataclass(slots=True)
class TypedWriter:
    """Writes one kernel of a module."""

    module: Module
    function: Function
    lines: list[str] = field(default_factory=list[str])
    declared: dict[str, str] = field(default_factory=dict[str, str])
    casts: int = 0

    def write(self) -> str:
        """The whole module as text."""
        for block in self.function.blocks:
            self._block(block)
        parameters = ", ".join(f"{typed(a.type)} %a{a.index}" for a in self.function.arguments)
        head = f"define spir_kernel void @{self.function.name}({parameters}) {self._tags()} {{"
        names = {o.name for i in self.function.instructions for o in i.operands if _is_global(o)}
        objects = [self._object(g) for g in self.module.globals.values() if g.name in names]
        notes = [f"!{i} = !{{{', '.join(row)}}}" for i, row in enumerate(self._argument_notes())]
        top = [f'target datalayout = "{LAYOUT}"', 'target triple = "spir64-unknown-unknown"']
        body = [*top, *objects, *self.declared.values(), head, *self.lines, "}", *notes]
        return "\n".join(body) + "\n"

    def _object(self, item: Global) -> str:
        start = "undef" if item.initialiser is None else self._value(item.initialiser)
        kind = "constant" if item.constant else "global"
        rest = f"{kind} {typed(item.type)} {start}, align {item.alignment_bytes}"
        return f"@{item.name} = internal addrspace({item.space}) {rest}"

    def _tags(self) -> str:
        kinds = ("addr_space", "access_qual", "type", "base_type", "type_qual")
        return " ".join(f"!kernel_arg_{kind} !{i}" for i, kind in enumerate(kinds))

    def _argument_notes(self) -> list[list[str]]:
        arguments = self.function.arguments
        spaces = [f"i32 {a.type.space if isinstance(a.type, PtrTy) else 0}" for a in arguments]
        types = ['!"char*"' if isinstance(a.type, PtrTy) else '!"int"' for a in arguments]
        return [spaces, ['!"none"'] * len(arguments), types, types, ['!""'] * len(arguments)]

    def _block(self, block: Block) -> None:
        self.lines.append(f"b{block.index}:")
        for instruction in block.instructions:
            if isinstance(instruction, Call) and instruction.callee in LEFT_OUT:
                continue
            text = self._text(instruction)
            name = f"%v{instruction.index} = " if instruction.type != VOID else ""
            self.lines.append(f"  {name}{text}")

    def _value(self, value: Value) -> str:
        """A value without its type."""
        match value:
            case GlobalRef():
                type_ = self.module.globals[value.name].type
                source = f"{typed(type_)} addrspace({value.type.space})* @{value.name}"
                return f"bitcast ({source} to {typed(value.type)})"
            case ConstantVector():
                return f"<{', '.join(self._operand(e) for e in value.elements)}>"
            case ConstantAggregate():
                inner = ", ".join(self._operand(e) for e in value.elements)
                return f"[{inner}]" if isinstance(value.type, ArrayTy) else f"{{ {inner} }}"
            case InstructionRef():
                return f"%v{value.index}"
            case ArgumentRef():
                return f"%a{value.index}"
            case _:
                return str(value)

    def _operand(self, value: Value) -> str:
        return f"{typed(value.type)} {self._value(value)}"

    def _operands(self, values: tuple[Value, ...]) -> str:
        return ", ".join(self._operand(v) for v in values)

    def _cast(self, pointer: Value, to: IrType) -> str:
        """Write a bitcast of a pointer to one to another type; gives the operand."""
        assert isinstance(pointer.type, PtrTy)
        self.casts += 1
        wanted = f"{typed(to)} addrspace({pointer.type.space})*"
        self.lines.append(f"  %c{self.casts} = bitcast {self._operand(pointer)} to {wanted}")
        return f"{wanted} %c{self.casts}"

    def _text(self, instruction: AnyInstruction) -> str:
        word = instruction.opcode.word
        match instruction:
            case Binary():
                left, right = instruction.operands
                return f"{word} {self._operand(left)}, {self._value(right)}"
            case IntCompare() | FloatCompare():
                left, right = instruction.operands
                relation = instruction.predicate.value
                return f"{word} {relation} {self._operand(left)}, {self._value(right)}"
            case Cast():
                return f"{word} {self._operand(instruction.operand)} to {typed(instruction.type)}"
            case Unary() | Select() | ExtractElement() | InsertElement():
                return f"{word} {self._operands(instruction.operands)}"
            case ShuffleVector():
                mask = ", ".join("i32 undef" if m is None else f"i32 {m}" for m in instruction.mask)
                vectors = self._operands(instruction.operands)
                return f"{word} {vectors}, <{len(instruction.mask)} x i32> <{mask}>"
            case Phi():
                ways = zip(instruction.operands, instruction.incoming, strict=True)
                rows = ", ".join(f"[ {self._value(v)}, %b{b} ]" for v, b in ways)
                return f"phi {typed(instruction.type)} {rows}"
            case Call():
                return self._call(instruction)
            case GetElementPtr() | Load() | Store():
                return self._memory(instruction)
            case Branch() | CondBranch() | Switch() | Return():
                return self._leave(instruction)
            case _:
                raise ValueError(f"no spelling of {word}")

    def _memory(self, instruction: GetElementPtr | Load | Store) -> str:
        match instruction:
            case Load():
                place = self._cast(instruction.pointer, instruction.type)
                align = instruction.alignment_bytes
                return f"load {typed(instruction.type)}, {place}, align {align}"
            case Store():
                place = self._cast(instruction.pointer, instruction.value.type)
                align = instruction.alignment_bytes
                return f"store {self._operand(instruction.value)}, {place}, align {align}"
            case GetElementPtr():
                place = self._cast(instruction.base, instruction.source_type)
                source, indices = typed(instruction.source_type), instruction.indices
                found = f"%g{instruction.index}"
                text = f"getelementptr {source}, {place}, {self._operands(indices)}"
                self.lines.append(f"  {found} = {text}")
                kind = self._reached(instruction)
                return f"bitcast {kind} {found} to {typed(instruction.type)}"

    def _reached(self, instruction: GetElementPtr) -> str:
        """The type LLVM 14 gives a getelementptr."""
        reached: IrType = instruction.source_type
        for index in instruction.indices[1:]:
            match reached:
                case StructTy(fields):
                    assert isinstance(index, ConstantInt)
                    reached = fields[index.value]
                case ArrayTy(_, element) | VecTy(_, element):
                    reached = element
                case _:
                    raise ValueError(f"no elements in {reached}")
        assert isinstance(instruction.type, PtrTy)
        return f"{typed(reached)} addrspace({instruction.type.space})*"

    def _call(self, call: Call) -> str:
        name = OTHER_NAMES.get(call.callee, call.callee)
        kinds = ", ".join(typed(o.type) for o in call.operands)
        self.declared[name] = f"declare {typed(call.type)} @{name}({kinds})"
        return f"call {typed(call.type)} @{name}({self._operands(call.operands)})"

    def _leave(self, terminator: Branch | CondBranch | Switch | Return) -> str:
        match terminator:
            case Branch():
                return f"br label %b{terminator.target}"
            case CondBranch():
                condition = self._operand(terminator.condition)
                return f"br {condition}, label %b{terminator.then}, label %b{terminator.otherwise}"
            case Switch():
                type_ = typed(terminator.value.type)
                rows = " ".join(f"{type_} {n}, label %b{b}" for n, b in terminator.cases)
                value = self._operand(terminator.value)
                return f"switch {value}, label %b{terminator.default} [ {rows} ]"
            case Return():
                return "ret void"


def _is_global(value: Value) -> TypeGuard[GlobalRef]:
    return isinstance(value, GlobalRef)


def typed(type_: IrType) -> str:
    """A type as LLVM 14 spells it."""
    match type_:
        case PtrTy(space):
            return f"i8 addrspace({space})*"
        case VecTy(lanes, element):
            return f"<{lanes} x {typed(element)}>"
        case _:
            return str(type_)
