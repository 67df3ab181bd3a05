"""What lowering knows while it works: about the module, and about the function at hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field

from kcc.base.diagnostics import Span
from kcc.base.records import dataclass
from kcc.frontend.ir import types as ir
from kcc.frontend.ir.builder import FunctionBuilder, ModuleBuilder, Value
from kcc.frontend.lowering.aliasing import AliasTags
from kcc.frontend.lowering.arithmetic import FloatRules
from kcc.frontend.lowering.contraction import Contraction, FunctionContraction
from kcc.frontend.lowering.debug import DebugInfo, Scope, escape
from kcc.frontend.lowering.layout import alignment, memory_type
from kcc.frontend.lowering.places import Memory, Place
from kcc.frontend.tree import Expr, Function, Initialiser, Storage, Variable
from kcc.frontend.types import (
    CHAR,
    AddressSpace,
    ArrayType,
    QualType,
    SamplerType,
    Type,
    align_of,
)

NOTHING = Value(ir.VOID, "void")
"""What an expression of type void gives."""

_TEMPORARY = re.compile(r"[vs]\d+|entry|return")
"""Names a function builder gives values and blocks itself."""


@dataclass(slots=True)
class ModuleContext:
    """A module being written."""

    module: ModuleBuilder
    debug: DebugInfo
    rules: FloatRules
    contraction: Contraction
    aliasing: AliasTags
    globals: dict[Variable, Memory] = field(default_factory=dict[Variable, Memory])
    samplers: dict[Variable, Initialiser] = field(default_factory=dict[Variable, Initialiser])
    """Samplers at program scope have no object: each use makes one of its constant."""
    called_kernels: dict[Function, str] = field(default_factory=dict[Function, str])
    """Kernels that other functions call, with the symbol of what is called: LLVM allows no call
    of a kernel, so their body is there a second time."""
    _symbols: dict[str, int] = field(default_factory=dict[str, int])
    _strings: dict[bytes, Memory] = field(default_factory=dict[bytes, Memory])

    def symbol(self, stem: str) -> str:
        """A global name not used before."""
        seen = self._symbols.get(stem, 0)
        self._symbols[stem] = seen + 1
        return f"{stem}.{seen}" if seen else stem

    def callee(self, function: Function) -> str:
        """The symbol that a call of ``function`` names."""
        if not function.is_kernel:
            return function.name
        if function not in self.called_kernels:
            self.called_kernels[function] = self.symbol(f"{function.name}.callee")
        return self.called_kernels[function]

    def string(self, data: bytes) -> Memory:
        """The constant array that holds a string literal."""
        found = self._strings.get(data)
        if found is None:
            type_ = ir.ArrayTy(len(data), ir.I8)
            symbol = self.symbol(".str")
            self.module.globals.append(
                f"@{symbol} = internal unnamed_addr addrspace(2) constant {type_} "
                f'c"{escape(data)}", align 1'
            )
            quals = QualType(
                ArrayType(QualType(CHAR, AddressSpace.CONSTANT, const=True), len(data)),
                AddressSpace.CONSTANT,
                const=True,
            )
            found = self._strings[data] = Memory(quals, Value(ir.PtrTy(2), f"@{symbol}"), 1)
        return found


@dataclass(slots=True)
class Jumps:
    """Where ``break`` and ``continue`` go, and the ``case`` labels of the innermost switch."""

    on_break: str
    on_continue: str | None
    cases: list[tuple[int, str]] | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True)
class ExpressionRules:
    """How the modules for parts of expressions reach the whole: see
    :mod:`kcc.frontend.lowering.expressions`.
    """

    value: Callable[[FunctionContext, Expr], Value]
    place: Callable[[FunctionContext, Expr], Place]
    aggregate: Callable[[FunctionContext, Expr], Memory]


@dataclass(slots=True)
class FunctionContext:
    """A function being lowered."""

    module: ModuleContext
    expressions: ExpressionRules
    build: FunctionBuilder
    scope: Scope
    function: Function
    contraction: FunctionContraction
    memory: dict[Variable, Memory] = field(default_factory=dict[Variable, Memory])
    result: Memory | None = None
    """Where a returned value waits; None in a void function."""
    jumps: list[Jumps] = field(default_factory=list[Jumps])
    labels: dict[str, str] = field(default_factory=dict[str, str])
    _last: Span | None = None

    def value(self, expr: Expr) -> Value:
        """Compute an expression whose type is not an aggregate."""
        return self.expressions.value(self, expr)

    def place(self, expr: Expr) -> Place:
        """The object an lvalue denotes."""
        return self.expressions.place(self, expr)

    def aggregate(self, expr: Expr) -> Memory:
        """Where the value of an aggregate lies."""
        return self.expressions.aggregate(self, expr)

    @property
    def rules(self) -> FloatRules:
        return self.module.rules

    def at(self, span: Span) -> None:
        """Instructions from now on come from ``span``."""
        if span is not self._last:
            self._last = span
            self.build.location = self.scope.location(span)

    def slot(self, type_: QualType, name: str, extra_alignment: int = 0) -> Memory:
        """A new private object."""
        align = alignment(type_.type, extra_alignment)
        name = f"{name}.var" if _TEMPORARY.fullmatch(name) else name
        pointer = self.build.alloca(memory_type(type_.type), align, name)
        return Memory(type_, pointer, align)

    def variable(self, variable: Variable) -> Memory:
        """Where a variable lives; an automatic one gets its slot when first asked for."""
        if variable.storage in (Storage.LOCAL, Storage.CONSTANT):
            return self.module.globals[variable]
        found = self.memory.get(variable)
        if found is None:
            found = self.slot(variable.type, variable.name, variable.alignment_bytes)
            self.memory[variable] = found
        return found

    def sampler(self, variable: Variable) -> Initialiser | None:
        """The initialiser of a sampler at program scope."""
        is_sampler = isinstance(variable.type.type, SamplerType)
        return self.module.samplers.get(variable) if is_sampler else None

    def label(self, name: str) -> str:
        """The block of a label of the source."""
        if name not in self.labels:
            self.labels[name] = self.build.new_label(f"label.{name}")
        return self.labels[name]


def argument_name(name: str) -> str:
    """How a parameter is called in the IR: as written, but for names a builder uses."""
    return f"{name}.arg" if _TEMPORARY.fullmatch(name) or not name else name


def pointee_memory(pointer: Value, type_: QualType) -> Memory:
    """The object a pointer points to, aligned as its type asks."""
    return Memory(type_, pointer, align_of(type_.type))


def private(type_: Type) -> QualType:
    """The type of a nameless private object."""
    return QualType(type_)
