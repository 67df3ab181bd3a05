"""Memory whose contents are known before a run: constant arrays, private copies of them, and
structs by value."""

from __future__ import annotations

from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    Call,
    Cast,
    GetElementPtr,
    Load,
)
from kcc.frontend.ir.model import Function, Module, users
from kcc.frontend.ir.types import size_bytes
from kcc.frontend.ir.values import ConstantInt, GlobalRef
from kcc.frontend.types import AddressSpace
from kcc.passes.graph.dominance import Dominators
from kcc.passes.mix.classify import intrinsic_stem
from kcc.passes.symbolic.algebra import Algebra
from kcc.passes.symbolic.expr import Node, Number, SymbolKind
from kcc.passes.symbolic.nodes import base_of


class Contents:
    """What loads read from arrays that nothing ever changes."""

    def __init__(
        self, function: Function, module: Module, dominators: Dominators, algebra: Algebra
    ) -> None:
        self._function, self._module, self._dominators = function, module, dominators
        self._algebra, self._structures = algebra, algebra.known.structures
        self._users = users(function)
        self._copies: dict[int, tuple[str, AnyInstruction] | None] = {}

    def of_structure(self, load: Load, address: Node) -> tuple[bytes, int] | None:
        """The struct by value that a load reads from, and where in it, if its bytes are known."""
        base = base_of(address)
        if load.volatile or base is None or base.kind is not SymbolKind.POINTER:
            return None
        assert isinstance(base.index, int)
        found = self._structures.get(base.index)
        place = self._algebra.subtract(address, base)
        if found is None or not isinstance(place, Number):
            return None
        inside = 0 <= place.value <= len(found) - size_bytes(load.type)
        return (found, place.value) if inside else None

    def table(self, load: Load, address: Node) -> tuple[str, Node] | None:
        """The constant variable that a load reads from and the symbol of its address's base."""
        if load.volatile or load.ordering is not None:
            return None
        base = base_of(address)
        if base is None:
            return None
        if base.kind is SymbolKind.GLOBAL:
            name = str(base.index)
            return (name, base) if self._is_constant(name) else None
        if base.kind is SymbolKind.PRIVATE:
            assert isinstance(base.index, int)
            copy = self._copy(base.index)
            if copy is not None and self._before(copy[1], load):
                return copy[0], base
        return None

    def _is_constant(self, name: str) -> bool:
        variable = self._module.globals.get(name)
        return (
            variable is not None
            and variable.initialiser is not None
            and not variable.written_by_host
            and (variable.constant or variable.space == AddressSpace.CONSTANT)
        )

    def _copy(self, alloca: int) -> tuple[str, AnyInstruction] | None:
        """The constant variable whose copy a private array is, and what copies it."""
        if alloca not in self._copies:
            self._copies[alloca] = self._find_copy(alloca)
        return self._copies[alloca]

    def _find_copy(self, alloca: int) -> tuple[str, AnyInstruction] | None:
        variable = self._function.instructions[alloca]
        assert isinstance(variable, Alloca)
        copies, pending = list[Call](), [alloca]
        while pending:
            index = pending.pop()
            for user in self._users[index]:
                match user:
                    case Load():
                        pass
                    case GetElementPtr() | Cast():
                        pending.append(user.index)
                    case Call() if index == alloca and _copies_into(user, alloca):
                        copies.append(user)
                    case Call() if user.callee.startswith("llvm.lifetime."):
                        pass
                    case _:
                        return None
        if len(copies) != 1:
            return None
        (copy,) = copies
        source, length = copy.operands[1], copy.operands[2]
        if not isinstance(source, GlobalRef) or not self._is_constant(source.name):
            return None
        count = variable.count
        if not (isinstance(length, ConstantInt) and isinstance(count, ConstantInt)):
            return None
        whole = length.value == size_bytes(variable.allocated_type) * count.value
        return (source.name, copy) if whole else None

    def _before(self, first: AnyInstruction, second: AnyInstruction) -> bool:
        if first.block == second.block:
            return first.index < second.index
        return self._dominators.dominates(first.block, second.block)


def _copies_into(call: Call, alloca: int) -> bool:
    stem = intrinsic_stem(call.callee) if call.is_intrinsic else None
    target = call.operands[0]
    return (
        stem in ("memcpy", "memcpy.inline", "memmove")
        and getattr(target, "index", None) == alloca
        and isinstance(call.operands[1], GlobalRef)
    )
