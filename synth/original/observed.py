"""What is known of an original before its miniature is made: kernels, launches, contents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kcc.base.profile.model import KernelInfo, LaunchProfile
from kcc.base.records import dataclass
from kcc.base.trace.launches import TraceLaunch
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    AtomicRmw,
    Cast,
    CompareExchange,
    CondBranch,
    GetElementPtr,
    IntCompare,
    Load,
    Store,
    Switch,
)
from kcc.frontend.ir.model import Function, Module, users
from kcc.frontend.ir.opcodes import IntPredicate
from kcc.frontend.ir.types import FloatTy, IntTy
from kcc.frontend.ir.values import ConstantInt, InstructionRef, Value
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.passes.memory.arrays import Array, ArrayFinder, ArrayKind
from kcc.synth.assembly.fields import field_bytes
from kcc.synth.assembly.model import Fill
from kcc.synth.original.contents import Coding, Use
from kcc.synth.original.keys import Keys, keys_of
from kcc.synth.original.roles import Roles, roles_of


@dataclass(frozen=True, slots=True, eq=False)
class KernelFacts:
    """A kernel that was launched; ``ir`` is the text of its module.

    ``access_of`` gives an instruction's number among the accesses; ``leaves_of`` the loads that
    the address of an access waits for, by instruction, for those that wait for any. ``filled`` are
    the leaves that read integers of a buffer, with its argument, and ``refilled`` the stores of
    data to such a buffer.
    """

    kernel: Kernel
    function: Function
    module: Module
    ir: str
    info: KernelInfo
    roles: Roles
    access_of: Mapping[int, int]
    leaves_of: Mapping[int, frozenset[int]]
    filled: Mapping[int, int]
    refilled: Mapping[int, int]
    meets: Mapping[int, int | None]
    keys: Keys

    @property
    def by_contents(self) -> frozenset[int]:
        """Blocks whose condition is decided by what is found in memory."""
        found = set[int]()
        for block in self.function.blocks:
            match block.terminator:
                case CondBranch(condition=value) | Switch(value=value):
                    if self.roles.is_decided(value) and not self.roles.is_known(value):
                        found.add(block.index)
                case _:
                    pass
        return frozenset(found)

    def without_contents(self) -> KernelFacts:
        """The same with nothing decided by what is found in memory."""
        return replace(self, roles=roles_of(self.function))

    def without_data(self) -> KernelFacts:
        """The same with nothing filled in either: addresses out of memory are drawn."""
        keys = replace(self.keys, compared={})
        return replace(self.without_contents(), filled={}, refilled={}, keys=keys)

    @property
    def use_of(self) -> Mapping[int, Use]:
        """What is done with the integers that ``filled`` loads read."""
        addressing = frozenset(leaf for leaves in self.leaves_of.values() for leaf in leaves)
        used_by = users(self.function)
        return {leaf: self._use(leaf, leaf in addressing, used_by) for leaf in self.filled}

    def _use(self, leaf: int, addresses: bool, used_by: Sequence[Sequence[AnyInstruction]]) -> Use:
        made = self.function.instructions[leaf]
        marks = frozenset(_tested(made, used_by))
        return Use(leaf in self.roles.deciding, addresses, field_bytes(made, used_by), marks)

    def codings(self, launch: TraceLaunch) -> dict[int, Coding]:
        """By argument of a buffer, what stands for its integers in a launch."""
        data = {s.argument: bytes.fromhex(s.data) for s in launch.scalars}
        found = dict[int, Coding]()
        for argument, own in self.keys.compared.items():
            signed = not own.is_unsigned
            numbers = {
                int.from_bytes(data[s], "little", signed=signed) for s in own.scalars if s in data
            }
            numbers |= {own.number(self.function, *each) for each in own.constants}
            found[argument] = Coding(tuple(sorted(numbers)), own.is_unsigned)
        return found

    @property
    def drawn(self) -> frozenset[int]:
        """Accesses whose addresses come from what the kernel itself makes, or data and a key."""
        filled = frozenset(self.filled)
        return frozenset(
            i
            for i, leaves in self.leaves_of.items()
            if not leaves <= filled or self.keys.veiled & _way(self.function, self.roles, i)
        )


def _tested(load: AnyInstruction, used_by: Sequence[Sequence[AnyInstruction]]) -> Iterator[int]:
    """The constants that a loaded integer is compared with for equality."""
    for user in used_by[load.index]:
        match user:
            case IntCompare(
                predicate=IntPredicate.EQ | IntPredicate.NE, right=ConstantInt(value=value)
            ):
                yield value
            case _:
                pass


@dataclass(frozen=True, slots=True, eq=False)
class LaunchFacts:
    """A launch: its profile, the addresses that accesses with data in them went to (lowest and
    highest), and what stands in for the contents of arguments."""

    kernel: int
    launch: TraceLaunch
    profile: LaunchProfile
    spans: Mapping[int, tuple[int, int]]
    fills: Mapping[int, tuple[Fill, ...]]
    images: Mapping[int, tuple[int, ...]]


def kernel_facts(
    kernel: Kernel, function: Function, unit: CompiledUnit, info: KernelInfo,
    accesses: Sequence[int], meets: Sequence[int | None],
) -> KernelFacts:  # fmt: skip
    """The facts of a kernel, whatever the launch. ``accesses`` are its accesses' instructions,
    ``meets`` is by block where lanes reconverge."""
    given = steady(kernel, function)
    roles = roles_of(function, given)
    keys = _keys(kernel, function, roles)
    if keys.unwanted:
        roles = roles_of(function, given, keys.unwanted)
        keys = replace(_keys(kernel, function, roles), unwanted=keys.unwanted)
    leaves = dict(_leaves_of(function, roles))
    filled = dict(_filled(kernel, function, roles))
    stores = dict(_refilled(kernel, function, roles, frozenset(filled.values())))
    return KernelFacts(
        kernel=kernel,
        function=function,
        module=unit.module,
        ir=unit.ir,
        info=info,
        roles=roles,
        access_of={instruction: n for n, instruction in enumerate(accesses)},
        leaves_of=leaves,
        filled=filled,
        refilled=stores,
        meets=dict(enumerate(meets)),
        keys=keys,
    )


def _keys(kernel: Kernel, function: Function, roles: Roles) -> Keys:
    filled, used_by = dict(_filled(kernel, function, roles)), users(function)
    others = set(dict(_refilled(kernel, function, roles, frozenset(filled.values()))).values())
    for leaves in dict(_leaves_of(function, roles)).values():
        others |= {filled[leaf] for leaf in leaves if leaf in filled}
    others |= {n for i, n in filled.items() if field_bytes(function.instructions[i], used_by)}
    return keys_of(function, roles, used_by, filled, others)


def _way(function: Function, roles: Roles, access: int) -> frozenset[int]:
    """The arithmetic on data that an address is made by."""
    pointer = pointer_of(function.instructions[access])
    pending = [pointer] if isinstance(pointer, InstructionRef) else []
    seen = set[int]()
    while pending:
        value = pending.pop()
        if value.index in seen or value.index in roles.known or value.index not in roles.index:
            continue
        seen.add(value.index)
        operands = function.instructions[value.index].operands
        pending += [o for o in operands if isinstance(o, InstructionRef)]
    return frozenset(seen)


def pointer_of(instruction: object) -> Value | None:
    """The address of an access."""
    if isinstance(instruction, Load | Store | AtomicRmw | CompareExchange):
        return instruction.pointer
    return None


def _leaves_of(function: Function, roles: Roles) -> Iterator[tuple[int, frozenset[int]]]:
    for instruction in function.instructions:
        pointer = pointer_of(instruction)
        if pointer is None or roles.is_known(pointer):
            continue
        yield instruction.index, frozenset(_leaves(function, roles, pointer))


def _leaves(function: Function, roles: Roles, pointer: Value) -> Iterator[int]:
    """What data an address waits for; what is neither arithmetic nor a load counts too."""
    pending, seen = [pointer], {pointer}
    while pending:
        value = pending.pop()
        if not isinstance(value, InstructionRef) or value.index in roles.known:
            continue
        if value.index in roles.leaves or value.index not in roles.index:
            yield value.index
            continue
        fresh = [o for o in function.instructions[value.index].operands if o not in seen]
        pending += fresh
        seen.update(fresh)


def _filled(kernel: Kernel, function: Function, roles: Roles) -> Iterator[tuple[int, int]]:
    finder = ArrayFinder(kernel)
    for index in sorted(roles.leaves | roles.deciding):
        leaf = function.instructions[index]
        if not isinstance(leaf, Load | AtomicRmw) or not _is_number(leaf):
            continue
        argument = _argument(finder.array(leaf.pointer))
        if argument is not None:
            yield index, argument


def steady(kernel: Kernel, function: Function) -> frozenset[int]:
    """Loads of numbers from buffers that the kernel does not change, or only where it has just
    read, each thread its own."""
    finder = ArrayFinder(kernel)
    written = dict[int, list[Value | None]]()
    for instruction in function.instructions:
        if isinstance(instruction, Store | AtomicRmw | CompareExchange):
            array = finder.array(instruction.pointer)
            if not isinstance(array, Array):
                return frozenset()
            argument = _argument(array)
            if argument is not None:
                pointer = instruction.pointer if isinstance(instruction, Store) else None
                written.setdefault(argument, []).append(pointer)
    found = set[int]()
    for instruction in function.instructions:
        if isinstance(instruction, Load) and _is_number(instruction):
            argument = _argument(finder.array(instruction.pointer))
            if argument is None:
                continue
            if all(pointer == instruction.pointer for pointer in written.get(argument, ())):
                found.add(instruction.index)
    return frozenset(found)


def _is_number(made: AnyInstruction) -> bool:
    """Whether something is an integer of whole bytes or a float. Floats from zero on are in the
    order of the integers that their bits are, and described as these."""
    return isinstance(made.type, IntTy | FloatTy) and made.type.bits >= 8


def _refilled(
    kernel: Kernel, function: Function, roles: Roles, arguments: frozenset[int]
) -> Iterator[tuple[int, int]]:
    """Stores of data to arrays that addresses are taken from."""
    finder = ArrayFinder(kernel)
    for instruction in function.instructions:
        if isinstance(instruction, Store) and isinstance(instruction.value.type, IntTy):
            argument = _argument(finder.array(instruction.pointer))
            if argument in arguments and not roles.is_known(instruction.value):
                assert argument is not None
                yield instruction.index, argument


def _argument(array: object) -> int | None:
    if isinstance(array, Array) and array.kind is ArrayKind.ARGUMENT:
        return int(array.symbol)
    return None


def anchor_of(facts: KernelFacts, instruction: int) -> Value:
    """The value that a drawn address waits for: of the integers that make it out of data the one
    with most arithmetic behind it, so that what the original computes is computed; where none is
    data, what is."""
    function = facts.function
    pointer = pointer_of(function.instructions[instruction])
    assert pointer is not None
    found = [v for v in _steps(function, pointer) if not facts.roles.is_known(v)]
    if found:
        return max(found, key=lambda v: len(_arithmetic_of(function, v)))
    for leaf in sorted(facts.leaves_of.get(instruction, ()), reverse=True):
        made = function.instructions[leaf]
        return InstructionRef(made.type, leaf, made.name)
    return pointer


def _steps(function: Function, pointer: Value) -> Iterator[InstructionRef]:
    """The integers by which an address goes on from its array, without their conversions."""
    seen = set[Value]()
    while isinstance(pointer, InstructionRef) and pointer not in seen:
        seen.add(pointer)
        made = function.instructions[pointer.index]
        if not isinstance(made, GetElementPtr):
            return
        for index in made.indices:
            value: Value = index
            while isinstance(cast := function.definition(value), Cast):
                if not isinstance(cast.operands[0].type, IntTy):
                    break
                value = cast.operands[0]
            if isinstance(value, InstructionRef) and isinstance(value.type, IntTy):
                yield value
        pointer = made.base


def _arithmetic_of(function: Function, value: Value) -> set[int]:
    """The instructions that a value is made by, up to memory."""
    pending, found = [value], set[int]()
    while pending:
        value = pending.pop()
        if isinstance(value, InstructionRef) and value.index not in found:
            found.add(value.index)
            made = function.instructions[value.index]
            if not isinstance(made, Load | AtomicRmw | CompareExchange):
                pending += made.operands
    return found
