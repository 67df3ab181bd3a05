"""Writes LLVM IR text: typed values in, instructions out.

Text instead of an object model, because everything that is written is read back by LLVM at once
(its verifier is the check) and text is several times faster to make. Used by the lowering of both
the source language and the built-in library, and by the execution engine.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ir.types import (
    DATA_LAYOUT,
    I1,
    I32,
    I64,
    TRIPLE,
    VOID,
    FloatTy,
    IntTy,
    IrType,
    PtrTy,
    VecTy,
)


@dataclass(frozen=True, slots=True)
class Value:
    """An operand: its type and how it is written (``%7``, ``42``, ``splat (i32 1)``, ``@x``)."""

    type: IrType
    text: str

    def __str__(self) -> str:
        return f"{self.type} {self.text}"


def const_int(type_: IrType, value: int) -> Value:
    """An integer constant, wrapped to the width; a vector type gives a splat."""
    if isinstance(type_, VecTy):
        return Value(type_, f"splat ({const_int(type_.element, value)})")
    assert isinstance(type_, IntTy)
    if type_ == I1:
        return Value(type_, "true" if value & 1 else "false")
    wrapped = value & ((1 << type_.bits) - 1)
    if wrapped >> (type_.bits - 1):
        wrapped -= 1 << type_.bits
    return Value(type_, str(wrapped))


def const_float(type_: IrType, value: float) -> Value:
    """A floating-point constant rounded to the type; a vector type gives a splat."""
    if isinstance(type_, VecTy):
        return Value(type_, f"splat ({const_float(type_.element, value)})")
    assert isinstance(type_, FloatTy)
    return Value(type_, float_text(type_, value))


def float_text(type_: FloatTy, value: float) -> str:
    """The hexadecimal form LLVM reads without rounding (halves as 0xH, others as doubles)."""
    code = {16: "e", 32: "f", 64: "d"}[type_.bits]
    try:
        packed = struct.pack(f">{code}", value)
    except OverflowError:
        packed = struct.pack(f">{code}", float("inf") if value > 0 else float("-inf"))
    if type_.bits == 16:
        return f"0xH{packed.hex().upper()}"
    (rounded,) = struct.unpack(f">{code}", packed)
    return f"0x{struct.pack('>d', rounded).hex().upper()}"


def zero(type_: IrType) -> Value:
    """The all-zero value of any type."""
    match type_:
        case IntTy():
            return const_int(type_, 0)
        case FloatTy():
            return const_float(type_, 0.0)
        case PtrTy():
            return Value(type_, "null")
        case _:
            return Value(type_, "zeroinitializer")


def poison(type_: IrType) -> Value:
    """The poison value of any type."""
    return Value(type_, "poison")


def const_vector(type_: VecTy, elements: Sequence[Value]) -> Value:
    """A vector constant of constants of the element type."""
    return Value(type_, "<" + ", ".join(str(e) for e in elements) + ">")


@dataclass(slots=True)
class FunctionBuilder:
    """Builds the body of one function, block by block.

    ``location`` (a metadata reference such as ``!12``) is attached to every instruction.
    Blocks appear in the text in the order in which they were first positioned at.
    """

    result: IrType
    blocks: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    allocas: list[str] = field(default_factory=list[str])
    location: str | None = None
    current: str | None = None
    _counter: int = 0
    _labels: dict[str, int] = field(default_factory=dict[str, int])

    # blocks

    def new_label(self, stem: str) -> str:
        """A label not used before in this function."""
        seen = self._labels.get(stem, 0)
        self._labels[stem] = seen + 1
        return f"{stem}.{seen}" if seen else stem

    def position_at(self, label: str) -> None:
        """Append to block ``label`` from now on, creating it if it is new."""
        self.blocks.setdefault(label, [])
        self.current = label

    @property
    def terminated(self) -> bool:
        """Whether the current block has its terminator (or there is no current block)."""
        if self.current is None:
            return True
        lines = self.blocks[self.current]
        return bool(lines) and lines[-1].lstrip().startswith(
            ("br ", "ret ", "switch ", "unreachable")
        )

    def emit(self, text: str) -> None:
        """Append one instruction without a result."""
        assert self.current is not None
        dbg = f", !dbg {self.location}" if self.location else ""
        self.blocks[self.current].append(f"  {text}{dbg}")

    def value(self, type_: IrType, text: str) -> Value:
        """Append one instruction with a result of the given type."""
        name = f"%v{self._counter}"
        self._counter += 1
        self.emit(f"{name} = {text}")
        return Value(type_, name)

    # arithmetic

    def binary(self, opcode: str, left: Value, right: Value, flags: str = "") -> Value:
        """``opcode`` is LLVM's (add, fmul, lshr ...); ``flags`` such as ``nsw`` or ``contract``."""
        words = f"{opcode} {flags}" if flags else opcode
        return self.value(left.type, f"{words} {left}, {right.text}")

    def negate_float(self, operand: Value, flags: str = "") -> Value:
        return self.value(operand.type, f"fneg {flags + ' ' if flags else ''}{operand}")

    def compare(self, opcode: str, predicate: str, left: Value, right: Value) -> Value:
        """``opcode`` is icmp or fcmp; the result is i1 or a vector of i1."""
        type_ = VecTy(left.type.lanes, I1) if isinstance(left.type, VecTy) else I1
        return self.value(type_, f"{opcode} {predicate} {left}, {right.text}")

    def select(self, condition: Value, then: Value, otherwise: Value) -> Value:
        return self.value(then.type, f"select {condition}, {then}, {otherwise}")

    def cast(self, opcode: str, operand: Value, to: IrType) -> Value:
        """trunc, zext, sext, fptrunc, fpext, fptosi, sitofp, bitcast, ptrtoint, addrspacecast..."""
        return operand if operand.type == to else self.value(to, f"{opcode} {operand} to {to}")

    # memory

    def alloca(self, type_: IrType, align: int, name: str = "") -> Value:
        """A stack slot in the entry block (private address space); SSA values keep its name."""
        if name:
            name = f"%{self.new_label(name)}"
        else:
            name = f"%s{self._counter}"
            self._counter += 1
        self.allocas.append(f"  {name} = alloca {type_}, align {align}")
        return Value(PtrTy(0), name)

    def load(self, type_: IrType, pointer: Value, align: int, *, volatile: bool = False) -> Value:
        word = "load volatile" if volatile else "load"
        return self.value(type_, f"{word} {type_}, {pointer}, align {align}")

    def store(self, value: Value, pointer: Value, align: int, *, volatile: bool = False) -> None:
        word = "store volatile" if volatile else "store"
        self.emit(f"{word} {value}, {pointer}, align {align}")

    def gep(
        self, source: IrType, pointer: Value, indices: Sequence[Value], *, inbounds: bool = True
    ) -> Value:
        word = "getelementptr inbounds" if inbounds else "getelementptr"
        return self.value(
            pointer.type, f"{word} {source}, {pointer}, {', '.join(str(i) for i in indices)}"
        )

    # vectors and aggregates

    def extract_element(self, vector: Value, index: Value | int) -> Value:
        assert isinstance(vector.type, VecTy)
        place = const_int(I64, index) if isinstance(index, int) else index
        return self.value(vector.type.element, f"extractelement {vector}, {place}")

    def insert_element(self, vector: Value, element: Value, index: Value | int) -> Value:
        place = const_int(I64, index) if isinstance(index, int) else index
        return self.value(vector.type, f"insertelement {vector}, {element}, {place}")

    def shuffle(self, left: Value, right: Value | None, mask: Sequence[int | None]) -> Value:
        """``mask`` indexes the concatenation of both vectors; None gives poison in that lane."""
        assert isinstance(left.type, VecTy)
        other = right or poison(left.type)
        shown = ", ".join("i32 poison" if m is None else f"i32 {m}" for m in mask)
        type_ = VecTy(len(mask), left.type.element)
        return self.value(type_, f"shufflevector {left}, {other}, <{len(mask)} x i32> <{shown}>")

    def splat(self, scalar: Value, lanes: int) -> Value:
        """A vector with the scalar in every lane."""
        assert isinstance(scalar.type, (IntTy, FloatTy, PtrTy))
        type_ = VecTy(lanes, scalar.type)
        if not scalar.text.startswith("%"):
            return Value(type_, f"splat ({scalar})")
        one = self.insert_element(poison(type_), scalar, 0)
        return self.shuffle(one, None, [0] * lanes)

    def extract_value(self, aggregate: Value, type_: IrType, index: int) -> Value:
        return self.value(type_, f"extractvalue {aggregate}, {index}")

    def insert_value(self, aggregate: Value, element: Value, index: int) -> Value:
        return self.value(aggregate.type, f"insertvalue {aggregate}, {element}, {index}")

    # calls, atomics, control

    def call(
        self, symbol: str, result: IrType, arguments: Iterable[Value], *,
        convention: str = "spir_func", attributes: str = "", signature: str | None = None,
    ) -> Value:  # fmt: skip
        """A direct call; ``signature`` spells a variadic function type. void gives a void value."""
        shown = ", ".join(str(a) for a in arguments)
        words = [w for w in ("call", convention, signature or str(result)) if w]
        text = f"{' '.join(words)} @{symbol}({shown}){' ' + attributes if attributes else ''}"
        if result == VOID:
            self.emit(text)
            return Value(VOID, "void")
        return self.value(result, text)

    def intrinsic(self, name: str, result: IrType, arguments: Iterable[Value]) -> Value:
        """A call of ``llvm.NAME``; the caller declares it."""
        return self.call(name, result, arguments, convention="")

    def branch(self, label: str, metadata: str = "") -> None:
        self.emit(f"br label %{label}{metadata}")

    def branch_if(self, condition: Value, then: str, otherwise: str) -> None:
        self.emit(f"br {condition}, label %{then}, label %{otherwise}")

    def switch(self, value: Value, default: str, cases: Sequence[tuple[int, str]]) -> None:
        rows = " ".join(
            f"{const_int(value.type, number)}, label %{label}" for number, label in cases
        )
        self.emit(f"switch {value}, label %{default} [ {rows} ]")

    def phi(self, type_: IrType, incoming: Sequence[tuple[Value, str]]) -> Value:
        rows = ", ".join(f"[ {value.text}, %{label} ]" for value, label in incoming)
        return self.value(type_, f"phi {type_} {rows}")

    def ret(self, value: Value | None = None) -> None:
        self.emit("ret void" if value is None else f"ret {value}")

    def unreachable(self) -> None:
        self.emit("unreachable")

    def body(self) -> str:
        """The text between the braces; allocas go to the top of the first block."""
        parts = list[str]()
        for number, (label, lines) in enumerate(self.blocks.items()):
            parts.append(f"{label}:")
            parts += self.allocas if number == 0 else ()
            parts += lines
        return "\n".join(parts)


@dataclass(slots=True)
class ModuleBuilder:
    """Collects globals, declarations, function definitions and metadata into a module's text."""

    globals: list[str] = field(default_factory=list[str])
    declarations: dict[str, str] = field(default_factory=dict[str, str])
    functions: list[str] = field(default_factory=list[str])
    named_metadata: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    _nodes: list[str] = field(default_factory=list[str])
    _unique: dict[str, str] = field(default_factory=dict[str, str])

    def node(self, text: str, *, distinct: bool = False) -> str:
        """A metadata node; equal texts share one node unless ``distinct``. Gives ``!N``."""
        if not distinct and text in self._unique:
            return self._unique[text]
        name = f"!{len(self._nodes)}"
        self._nodes.append(f"{name} = {'distinct ' if distinct else ''}{text}")
        if not distinct:
            self._unique[text] = name
        return name

    def loop_node(self, parts: Iterable[str]) -> str:
        """A distinct node that starts with itself, as LLVM wants the identity of a loop."""
        name = f"!{len(self._nodes)}"
        return self.node(f"!{{{', '.join((name, *parts))}}}", distinct=True)

    def declare(self, symbol: str, text: str) -> None:
        """Add ``text`` (a whole ``declare`` line) once per symbol."""
        self.declarations.setdefault(symbol, text)

    def define(self, header: str, builder: FunctionBuilder) -> None:
        """Add a function; ``header`` is everything from ``define`` up to the brace."""
        self.functions.append(f"{header} {{\n{builder.body()}\n}}")

    def text(self) -> str:
        head = [f'target datalayout = "{DATA_LAYOUT}"', f'target triple = "{TRIPLE}"', ""]
        named = [
            f"!{name} = !{{{', '.join(nodes)}}}" for name, nodes in self.named_metadata.items()
        ]
        parts = [
            *head,
            *self.globals,
            *self.declarations.values(),
            *self.functions,
            *named,
            *self._nodes,
        ]
        return "\n".join(parts) + "\n"


__all__ = [
    "I1", "I32", "FunctionBuilder", "ModuleBuilder", "Value", "const_float", "const_int",
    "const_vector", "float_text", "poison", "zero",
]  # fmt: skip
