"""Which array a pointer points into: its root argument, global or private variable."""

from __future__ import annotations

from enum import Enum

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    Call,
    Cast,
    GetElementPtr,
    Load,
    Phi,
    Select,
    Store,
    Unary,
)
from kcc.frontend.ir.model import users
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import PtrTy
from kcc.frontend.ir.values import (
    ArgumentRef,
    ConstantExpr,
    GlobalRef,
    InstructionRef,
    Poison,
    Undef,
    Value,
    Zero,
)
from kcc.frontend.kernel import Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.unknown import Unknown


class ArrayKind(Enum):
    """What kind of object an array is."""

    ARGUMENT = "argument"
    GLOBAL = "global"
    """A ``__local`` or ``__constant`` variable."""
    PRIVATE = "private"


@dataclass(frozen=True, slots=True)
class Array:
    """An object that accesses go to.

    ``name`` is as in the source. ``symbol`` identifies it: the index of an argument, the name of
    a global, the index of an alloca.
    """

    name: str
    kind: ArrayKind
    symbol: int | str
    space: AddressSpace


class ArrayFinder:
    """Finds the arrays of the pointers of one kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self._names = [argument.name for argument in kernel.arguments]
        self._function = kernel.function
        self._users = users(kernel.function)
        self._stored: dict[int, list[Value] | None] = {}

    def array(self, pointer: Value) -> Array | Unknown:
        """The only array that ``pointer`` can point into, else why there is none."""
        found, reasons = set[Array](), list[str]()
        pending, seen = [pointer], {pointer}
        while pending:
            step = self._step(pending.pop())
            match step:
                case Array():
                    found.add(step)
                case Unknown(reason):
                    reasons.append(reason)
                case _:
                    pending += [value for value in step if value not in seen]
                    seen.update(step)
        if reasons:
            return Unknown(reasons[0])
        if len(found) == 1:
            return found.pop()
        names = sorted(array.name for array in found)
        return Unknown(f"one of {', '.join(names)}" if names else "the pointer is null")

    def _step(self, pointer: Value) -> Array | Unknown | list[Value]:
        """The array, or the values the pointer is made from."""
        match pointer:
            case ArgumentRef():
                return self._argument(pointer)
            case GlobalRef():
                return self._global(pointer)
            case InstructionRef():
                return self._instruction(self._function.instructions[pointer.index])
            case ConstantExpr():
                if pointer.opcode is Opcode.INTTOPTR:
                    return Unknown("the pointer is made from an integer")
                return [pointer.operands[0]]
            case Zero() | Undef() | Poison():
                return []
            case _:
                return Unknown("the pointer is a constant")

    def _argument(self, argument: ArgumentRef) -> Array | Unknown:
        if not isinstance(argument.type, PtrTy):
            return Unknown("the pointer is made from an integer")
        return Array(argument.name, ArrayKind.ARGUMENT, argument.index, _space(argument.type.space))

    def _global(self, variable: GlobalRef) -> Array:
        name = variable.name.removeprefix(f"{self._function.name}.")
        return Array(name, ArrayKind.GLOBAL, variable.name, _space(variable.type.space))

    def _instruction(self, instruction: AnyInstruction) -> Array | Unknown | list[Value]:
        match instruction:
            case Alloca():
                name = instruction.name.removesuffix(".var")
                return Array(name, ArrayKind.PRIVATE, instruction.index, AddressSpace.PRIVATE)
            case GetElementPtr():
                return [instruction.base]
            case Phi():
                return list(instruction.operands)
            case Select():
                return [instruction.then, instruction.otherwise]
            case Cast() if instruction.opcode is not Opcode.INTTOPTR:
                return [instruction.operand]
            case Cast():
                return Unknown("the pointer is made from an integer")
            case Unary():
                return [instruction.operand]
            case Load():
                return self._loaded(instruction)
            case Call():
                return Unknown(f"the pointer is what {instruction.callee} returns")
            case _:
                return Unknown("the pointer comes out of a structure")

    def _loaded(self, load: Load) -> Unknown | list[Value]:
        """A pointer in memory: known if it is a variable's that is only loaded and stored."""
        definition = self._function.definition(load.pointer)
        if isinstance(definition, Alloca):
            stored = self._stored_in(definition)
            if stored is not None:
                return stored
        where = f" in line {load.line}" if load.line else ""
        return Unknown(f"the pointer is loaded from memory{where}")

    def _stored_in(self, variable: Alloca) -> list[Value] | None:
        """What is ever stored in a variable; None if its address goes elsewhere."""
        if variable.index not in self._stored:
            values: list[Value] | None = []
            for user in self._users[variable.index]:
                if isinstance(user, Store) and isinstance(user.value.type, PtrTy):
                    escapes = user.value == user.pointer
                    values = None if values is None or escapes else [*values, user.value]
                elif not isinstance(user, Load):
                    values = None
            self._stored[variable.index] = values
        return self._stored[variable.index]


def _space(number: int) -> AddressSpace:
    return AddressSpace(number) if number <= AddressSpace.GENERIC else AddressSpace.GENERIC
