"""Local and private memory that a kernel asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    Alloca,
    Call,
    DebugLocation,
    GetElementPtr,
    Load,
    Store,
)
from kcc.frontend.ir.model import Function, Module
from kcc.frontend.ir.types import PtrTy, size_bytes
from kcc.frontend.ir.values import (
    ConstantAggregate,
    ConstantExpr,
    ConstantInt,
    ConstantVector,
    GlobalRef,
    InstructionRef,
    Value,
)
from kcc.frontend.kernel import Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.unknown import Unknown


@dataclass(frozen=True, slots=True)
class LocalArray:
    """A ``__local`` variable; ``offset_bytes`` as if all were laid out in order."""

    name: str
    symbol: str
    size_bytes: int
    alignment_bytes: int
    offset_bytes: int


@dataclass(frozen=True, slots=True)
class PrivateArray:
    """A private variable that stays in memory; ``is_volatile``: an access to it says so, and no
    compiler keeps it in a register."""

    name: str
    instruction: int
    size_bytes: int | Unknown
    alignment_bytes: int
    location: DebugLocation | None
    is_volatile: bool = False


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """``local_bytes`` is what the kernel's own ``__local`` variables take per thread block, laid
    out in the order of the module with padding for alignment; ``dynamic_locals`` are the
    arguments that bring more, of a size that the launch decides, and ``dynamic_arrays`` the
    names of CUDA's ``extern __shared__`` arrays, which all begin at the same place.
    ``private_bytes`` is what private variables in memory take per work-item.
    """

    local_bytes: int
    local_arrays: tuple[LocalArray, ...]
    dynamic_locals: tuple[str, ...]
    private_bytes: int | Unknown
    private_arrays: tuple[PrivateArray, ...]
    dynamic_arrays: tuple[str, ...] = ()

    def bytes_with(self, sizes: Mapping[str, int]) -> int:
        """Local memory of a thread block with dynamic memory of these ``sizes`` in bytes; what is
        not among them counts as nothing."""
        given = sum(sizes.get(name, 0) for name in self.dynamic_locals)
        return (
            self.local_bytes
            + given
            + max((sizes.get(name, 0) for name in self.dynamic_arrays), default=0)
        )

    def unsized(self, sizes: Mapping[str, int]) -> tuple[str, ...]:
        """Dynamic memory of which ``sizes`` say nothing."""
        arrays = () if any(name in sizes for name in self.dynamic_arrays) else self.dynamic_arrays
        return tuple(name for name in (*self.dynamic_locals, *arrays) if name not in sizes)


@dataclass(frozen=True, slots=True)
class MemoryUsePass:
    """Gives :class:`MemoryUse`."""

    name: str = "memory use"
    requires: tuple[type, ...] = ()

    def run(self, kernel: Kernel, facts: Facts) -> MemoryUse:
        function = kernel.function
        locals_ = _local_arrays(function, facts.module)
        volatile = {
            _object(function, i.pointer)
            for i in function.instructions
            if isinstance(i, Load | Store) and i.volatile
        }
        privates = tuple(
            _private(i, i.index in volatile) for i in function.instructions if isinstance(i, Alloca)
        )
        return MemoryUse(
            local_bytes=locals_[-1].offset_bytes + locals_[-1].size_bytes if locals_ else 0,
            local_arrays=locals_,
            dynamic_locals=tuple(
                argument.name
                for argument, parameter in zip(kernel.arguments, function.arguments, strict=True)
                if parameter.type == PtrTy(AddressSpace.LOCAL)
            ),
            private_bytes=_sum(privates),
            private_arrays=privates,
            dynamic_arrays=dynamic_arrays(function, facts.module),
        )


def dynamic_arrays(function: Function, module: Module) -> tuple[str, ...]:
    """The local arrays of a kernel whose size the launch gives: CUDA's ``extern __shared__``."""
    used = set(_globals_used(function, module))
    return tuple(
        each.name
        for each in module.globals.values()
        if each.space == AddressSpace.LOCAL and each.initialiser is None and each.name in used
    )


def _local_arrays(function: Function, module: Module) -> tuple[LocalArray, ...]:
    used = set(_globals_used(function, module)) - set(dynamic_arrays(function, module))
    arrays, end = list[LocalArray](), 0
    for variable in module.globals.values():
        if variable.space == AddressSpace.LOCAL and variable.name in used:
            offset = _aligned(end, variable.alignment_bytes)
            size = size_bytes(variable.type)
            name = variable.name.removeprefix(f"{function.name}.")
            arrays.append(LocalArray(name, variable.name, size, variable.alignment_bytes, offset))
            end = offset + size
    return tuple(arrays)


def _globals_used(function: Function, module: Module) -> Iterator[str]:
    """The globals that a function, or one it calls, names."""
    pending, seen = [function], {function.name}
    while pending:
        for instruction in pending.pop().instructions:
            yield from _named(instruction.operands)
            if isinstance(instruction, Call) and instruction.callee not in seen:
                seen.add(instruction.callee)
                if instruction.callee in module.functions:
                    pending.append(module.functions[instruction.callee])


def _named(values: Iterable[Value]) -> Iterator[str]:
    for value in values:
        match value:
            case GlobalRef():
                yield value.name
            case ConstantExpr():
                yield from _named(value.operands)
            case ConstantVector() | ConstantAggregate():
                yield from _named(value.elements)
            case _:
                pass


def _object(function: Function, pointer: Value) -> int | None:
    """The instruction that a pointer into an object begins at."""
    while isinstance(pointer, InstructionRef):
        instruction = function.instructions[pointer.index]
        if not isinstance(instruction, GetElementPtr):
            return pointer.index
        pointer = instruction.base
    return None


def _private(alloca: Alloca, is_volatile: bool) -> PrivateArray:
    count = alloca.count
    size = (
        count.unsigned * size_bytes(alloca.allocated_type)
        if isinstance(count, ConstantInt)
        else Unknown("the number of elements varies")
    )
    name = alloca.name.removesuffix(".var")
    return PrivateArray(
        name, alloca.index, size, alloca.alignment_bytes, alloca.location, is_volatile
    )


def _sum(arrays: Iterable[PrivateArray]) -> int | Unknown:
    end = 0
    for array in arrays:
        if isinstance(array.size_bytes, Unknown):
            return array.size_bytes
        end = _aligned(end, array.alignment_bytes) + array.size_bytes
    return end


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment
