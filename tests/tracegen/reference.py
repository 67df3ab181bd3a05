"""A second, slow interpreter of kernels, to check the engine with.

It runs work-item by work-item on Python values, one warp's basic block after another, with the
textbook stack of reconvergence points. It shares nothing with ``tracegen/`` but the statement of a
launch. It gives the buffers and, for each warp, the sequence of blocks with the active lanes.

Addresses are ``object number << 32 | offset``; every access is asserted to lie in its object.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    AtomicRmw,
    Binary,
    Branch,
    Call,
    Cast,
    CompareExchange,
    CondBranch,
    ExtractElement,
    ExtractValue,
    Fence,
    FloatCompare,
    GetElementPtr,
    InsertElement,
    InsertValue,
    IntCompare,
    Load,
    Phi,
    Return,
    Select,
    ShuffleVector,
    Store,
    Switch,
    Terminator,
    Unary,
    Unreachable,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import (
    ArrayTy,
    IntTy,
    IrType,
    PtrTy,
    StructTy,
    VecTy,
    field_offsets,
    size_bytes,
)
from kcc.frontend.ir.values import (
    ArgumentRef,
    ConstantAggregate,
    ConstantBytes,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantVector,
    GlobalRef,
    InstructionRef,
    MetadataOperand,
    Poison,
    Undef,
    Value,
    Zero,
)
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.tracegen.execute import LocalMemory, NDRange
from tests.tracegen import reference_values as ops
from tests.tracegen.reference_operations import (
    atomic,
    bitcast,
    computed,
    intrinsic_name,
    rearranged,
    replaced,
)
from tests.tracegen.reference_values import Data

Array = NDArray[np.generic]
Step = tuple[int, tuple[int, ...]]
"""A block with the lanes that execute it."""

EXIT = -1
OBJECT_BITS = 32

IGNORED = ("llvm.lifetime.", "llvm.assume", "llvm.experimental.noalias", "llvm.dbg.")


@dataclass(slots=True)
class Outcome:
    """Buffers by argument index, and what each warp did, by thread block and warp."""

    buffers: dict[int, Array]
    steps: dict[tuple[int, int], list[Step]]


@dataclass(slots=True)
class _Entry:
    """Lanes that run together from ``block`` on until they come to ``reconvergence``."""

    block: int
    lanes: tuple[int, ...]
    reconvergence: int


def reconvergence_points(function: Function) -> dict[int, int]:
    """Each block's immediate post-dominator, by sets: of those that post-dominate a block the one
    that is post-dominated by all others. Ways that end in ``unreachable`` do not count: a block
    keeps all blocks as its post-dominators until a way to the end shows otherwise."""
    blocks = [b.index for b in function.blocks]
    after: dict[int, set[int]] = {b: {*blocks, EXIT} for b in blocks}
    after[EXIT] = {EXIT}
    changed = True
    while changed:
        changed = False
        for block in reversed(function.blocks):
            if isinstance(block.terminator, Unreachable):
                continue
            targets = block.successors or (EXIT,)
            new = set(after[targets[0]])
            for target in targets[1:]:
                new &= after[target]
            new.add(block.index)
            changed |= new != after[block.index]
            after[block.index] = new
    return {b: max(after[b] - {b}, key=lambda p: len(after[p])) for b in blocks}


class Reference:
    """One launch."""

    def __init__(
        self, unit: CompiledUnit, kernel: Kernel, launch: NDRange,
        arguments: list[Array | int | float | LocalMemory], width: int,
    ) -> None:  # fmt: skip
        self.function, self.launch, self.width = kernel.function, launch, width
        self.module = unit.module
        self.reconvergence = reconvergence_points(kernel.function)
        self.shared = dict[int, bytearray]()
        self.addresses = dict[str, int]()
        self.local_sizes = dict[int, int]()
        self.arguments = [self._argument(i, a) for i, a in enumerate(arguments)]
        self.given = arguments
        for item in unit.module.globals.values():
            number = self._new_object()
            self.addresses[item.name] = number << OBJECT_BITS
            if item.space == 3:
                self.local_sizes[number] = size_bytes(item.type)
            elif item.initialiser is not None:
                data = ops.encode(item.type, self.constant(item.initialiser))
                self.shared[number] = bytearray(data)
        self.first_alloca = self._new_object()
        self.global_size: tuple[int, ...] = (*launch.global_size, 1, 1)[:3]
        self.local_size: tuple[int, ...] = (*launch.local_size, 1, 1)[:3]
        sizes = zip(self.global_size, self.local_size, strict=True)
        self.groups = tuple(a // b for a, b in sizes)

    def _new_object(self) -> int:
        self._objects = getattr(self, "_objects", 0) + 1
        return self._objects

    def _argument(self, index: int, value: Array | float | LocalMemory) -> Data:
        type_ = self.function.arguments[index].type
        if isinstance(value, LocalMemory):
            number = self._new_object()
            self.local_sizes[number] = value.size_bytes
            return number << OBJECT_BITS
        if isinstance(value, np.ndarray) and isinstance(type_, PtrTy):
            number = self._new_object()
            self.shared[number] = bytearray(value.tobytes())
            return number << OBJECT_BITS
        if isinstance(value, (np.ndarray, np.generic)):
            return ops.decode(type_, value.tobytes())
        if isinstance(type_, IntTy):
            return ops.wrap(value, type_.bits)  # type: ignore[arg-type]
        # An image is a thing that no instruction looks into.
        return self._new_object() << OBJECT_BITS if isinstance(type_, PtrTy) else float(value)

    def run(self) -> Outcome:
        steps = dict[tuple[int, int], list[Step]]()
        for block in range(math.prod(self.groups)):
            local = {n: bytearray(b"\xcb" * size) for n, size in self.local_sizes.items()}
            count = math.prod(self.local_size)
            warps = [
                _Warp(self, block, number, min(self.width, count - number * self.width), local)
                for number in range(-(-count // self.width))
            ]
            waiting = [(w, w.run()) for w in warps]
            while waiting:
                waiting = [(w, g) for w, g in waiting if next(g, None) is not None]
            steps.update({(block, w.number): w.steps for w in warps})
        return Outcome(
            {i: self._buffer(i) for i in range(len(self.given)) if self._is_buffer(i)}, steps
        )

    def _is_buffer(self, index: int) -> bool:
        is_pointer = isinstance(self.function.arguments[index].type, PtrTy)
        return isinstance(self.given[index], np.ndarray) and is_pointer

    def _buffer(self, index: int) -> Array:
        given = self.given[index]
        assert isinstance(given, np.ndarray)
        data = self.shared[self.arguments[index] >> OBJECT_BITS]
        return np.frombuffer(bytes(data), given.dtype).reshape(given.shape)

    def constant(self, value: Value) -> Data:
        match value:
            case ConstantInt():
                return value.unsigned
            case ConstantFloat():
                return value.value
            case ConstantVector() | ConstantAggregate():
                return [self.constant(e) for e in value.elements]
            case ConstantBytes():
                return list(value.data)
            case Zero() | Undef() | Poison():
                return ops.nothing(value.type)
            case GlobalRef():
                return self.addresses[value.name]
            case ConstantExpr():
                return self._expression(value)
            case InstructionRef() | ArgumentRef() | MetadataOperand():
                raise AssertionError(value)

    def _expression(self, value: ConstantExpr) -> Data:
        operands = [self.constant(o) for o in value.operands]
        if value.opcode is Opcode.GETELEMENTPTR:
            assert value.source_type is not None
            types = [o.type for o in value.operands[1:]]
            return element_address(operands[0], value.source_type, operands[1:], types)
        if len(operands) == 1:
            return ops.cast(value.opcode, value.operands[0].type, value.type, operands[0])
        return ops.binary(value.opcode, value.type, *operands)


def element_address(
    base: int, source: IrType, indices: list[Data], types: list[IrType]
) -> int:  # fmt: skip
    """What getelementptr computes."""
    offset, type_ = 0, source
    for place, (index, index_type) in enumerate(zip(indices, types, strict=True)):
        assert isinstance(index_type, IntTy)
        number = ops.signed(index, index_type.bits)
        if place == 0:
            offset += number * size_bytes(type_)
        elif isinstance(type_, StructTy):
            offset += field_offsets(type_)[number]
            type_ = type_.fields[number]
        else:
            assert isinstance(type_, (ArrayTy, VecTy))
            type_ = type_.element
            offset += number * size_bytes(type_)
    return ops.wrap(base + offset, 64)


@dataclass(slots=True)
class _Warp:
    """The work-items of one warp; ``values[i][lane]`` is the result of instruction i."""

    launch: Reference
    thread_block: int
    number: int
    size: int
    local: dict[int, bytearray]
    steps: list[Step] = field(default_factory=list[Step])
    values: dict[int, list[Data]] = field(default_factory=dict[int, list[Data]])
    private: list[dict[int, bytearray]] = field(default_factory=list[dict[int, bytearray]])

    def __post_init__(self) -> None:
        self.private = [{} for _ in range(self.size)]
        for instruction in self.launch.function.instructions:
            self.values[instruction.index] = [None] * self.size

    def run(self) -> Iterator[int]:
        """Yields at each barrier."""
        function = self.launch.function
        everyone = tuple(range(self.size))
        stack = [_Entry(0, everyone, EXIT)]
        while stack:
            top = stack[-1]
            if top.block in (top.reconvergence, EXIT):
                stack.pop()
                continue
            block = function.blocks[top.block]
            self.steps.append((block.index, top.lanes))
            for instruction in block.instructions:
                if isinstance(instruction, Call) and "barrier" in instruction.callee:
                    assert top.lanes == everyone, "barrier under divergence"
                    yield instruction.index
                elif instruction is not block.terminator and not isinstance(instruction, Phi):
                    for lane in top.lanes:
                        self.values[instruction.index][lane] = self.result(instruction, lane)
            self._leave(stack, block.terminator)

    def _leave(self, stack: list[_Entry], terminator: Terminator) -> None:
        """Follow the terminator: lanes that part are put on the stack, the first way on top."""
        top = stack[-1]
        ways: dict[int, list[int]] = {t: [] for t in self._targets(terminator)}
        for lane in top.lanes:
            ways[self._target(terminator, lane)].append(lane)
        taken = {target: tuple(lanes) for target, lanes in ways.items() if lanes}
        for target, lanes in taken.items():
            self._move_phis(terminator.block, target, lanes)
        if len(taken) == 1:
            (top.block,) = taken
            return
        reconvergence = self.launch.reconvergence[terminator.block]
        top.block = reconvergence
        for target, lanes in reversed(taken.items()):
            if target != reconvergence:
                stack.append(_Entry(target, lanes, reconvergence))

    def _targets(self, terminator: Terminator) -> list[int]:
        match terminator:
            case Switch():
                return [*(b for _, b in terminator.cases), terminator.default]
            case Return() | Unreachable():
                return [EXIT]
            case Branch() | CondBranch():
                return list(terminator.targets)

    def _target(self, terminator: Terminator, lane: int) -> int:
        match terminator:
            case Branch():
                return terminator.target
            case CondBranch():
                taken = self.operand(terminator.condition, lane)
                return terminator.then if taken else terminator.otherwise
            case Switch():
                assert isinstance(terminator.value.type, IntTy)
                value = self.operand(terminator.value, lane)
                number = ops.signed(value, terminator.value.type.bits)
                return dict(terminator.cases).get(number, terminator.default)
            case Return():
                return EXIT
            case Unreachable():
                raise AssertionError("control reached an impossible place")

    def _move_phis(self, source: int, target: int, lanes: tuple[int, ...]) -> None:
        if target == EXIT:
            return
        phis = list(self.launch.function.blocks[target].phis)
        for lane in lanes:
            news = [self.operand(p.operands[p.incoming.index(source)], lane) for p in phis]
            for phi, new in zip(phis, news, strict=True):
                self.values[phi.index][lane] = new

    def operand(self, value: Value, lane: int) -> Data:
        match value:
            case InstructionRef():
                return self.values[value.index][lane]
            case ArgumentRef():
                return self.launch.arguments[value.index]
            case _:
                return self.launch.constant(value)

    def result(self, instruction: AnyInstruction, lane: int) -> Data:
        """What an instruction computes in a lane; memory is changed."""
        given = [
            self.operand(o, lane)
            for o in instruction.operands
            if not isinstance(o, MetadataOperand)
        ]
        match instruction:
            case Alloca() | Load() | Store() | AtomicRmw() | CompareExchange():
                return self._memory(instruction, given, lane)
            case GetElementPtr():
                types = [o.type for o in instruction.indices]
                return element_address(given[0], instruction.source_type, given[1:], types)
            case Cast():
                return self._cast(instruction, given[0])
            case Call():
                return self._call(instruction, given, lane)
            case Fence():
                return None
            case Binary() | Unary() | IntCompare() | FloatCompare() | Select():
                return computed(instruction, given)
            case ExtractElement() | InsertElement() | ShuffleVector():
                return rearranged(instruction, given)
            case ExtractValue():
                value = given[0]
                for index in instruction.indices:
                    value = value[index]
                return value
            case InsertValue():
                return replaced(given[0], instruction.indices, given[1])
            case Phi() | Branch() | CondBranch() | Switch() | Return() | Unreachable():
                raise AssertionError(instruction)
            case _:
                assert_never(instruction)

    def _cast(self, cast: Cast, value: Data) -> Data:
        source, target = cast.operand.type, cast.type
        if cast.opcode is Opcode.BITCAST:
            return bitcast(source, target, value)
        a, b = ops.element_of(source), ops.element_of(target)
        return ops.each(target, lambda v: ops.cast(cast.opcode, a, b, v), value)

    # memory

    def bytes_at(self, address: int, size: int, lane: int) -> tuple[bytearray, int]:
        """The object an access goes to, and the offset in it."""
        number, offset = address >> OBJECT_BITS, address & ((1 << OBJECT_BITS) - 1)
        for home in (self.launch.shared, self.local, self.private[lane]):
            if number in home:
                assert offset + size <= len(home[number]), "out of bounds"
                return home[number], offset
        raise AssertionError(f"no object at {address:x}")

    def load(self, type_: IrType, address: int, lane: int) -> Data:
        size = ops.stored_bytes(type_)
        data, offset = self.bytes_at(address, size, lane)
        return ops.decode(type_, bytes(data[offset : offset + size]))

    def store(self, type_: IrType, address: int, value: Data, lane: int) -> None:
        new = ops.encode(type_, value)
        data, offset = self.bytes_at(address, len(new), lane)
        data[offset : offset + len(new)] = new

    def _memory(
        self,
        instruction: Alloca | Load | Store | AtomicRmw | CompareExchange,
        given: list[Data],
        lane: int,
    ) -> Data:
        match instruction:
            case Alloca():
                number = self.launch.first_alloca + instruction.index
                size = size_bytes(instruction.allocated_type) * given[0]
                self.private[lane][number] = bytearray(b"\xcb" * size)
                return number << OBJECT_BITS
            case Load():
                return self.load(instruction.type, given[0], lane)
            case Store():
                return self.store(instruction.value.type, given[1], given[0], lane)
            case AtomicRmw():
                old = self.load(instruction.type, given[0], lane)
                new = atomic(instruction.operation, instruction.type, old, given[1])
                self.store(instruction.type, given[0], new, lane)
                return old
            case CompareExchange():
                type_ = instruction.new.type
                old = self.load(type_, given[0], lane)
                if old == given[1]:
                    self.store(type_, given[0], given[2], lane)
                return [old, int(old == given[1])]

    # calls

    def _call(self, call: Call, given: list[Data], lane: int) -> Data:
        if call.callee.startswith(IGNORED):
            return None
        if call.is_intrinsic:
            name = intrinsic_name(call.callee)
            if name in ("memset", "memcpy", "memmove"):
                return self._bulk(name, given, lane)
            return ops.intrinsic(name, call.type, [o.type for o in call.operands], given)
        match = re.match(r"_Z(\d+)", call.callee)
        assert match, call.callee
        start = match.end()
        name = call.callee[start : start + int(match[1])]
        value = self._query(name, given, lane)
        assert isinstance(call.type, IntTy)
        return ops.wrap(value, call.type.bits)

    def _bulk(self, name: str, given: list[Data], lane: int) -> None:
        target, source, size = given[:3]
        if size == 0:
            return
        data, offset = self.bytes_at(target, size, lane)
        if name == "memset":
            data[offset : offset + size] = bytes([source]) * size
            return
        other, place = self.bytes_at(source, size, lane)
        data[offset : offset + size] = bytes(other[place : place + size])

    def _query(self, name: str, given: list[Data], lane: int) -> int:
        launch = self.launch
        item = self.number * launch.width + lane
        x, y, _ = launch.local_size
        local = (item % x, item // x % y, item // (x * y))
        nx, ny, _ = launch.groups
        group = (
            self.thread_block % nx, self.thread_block // nx % ny, self.thread_block // (nx * ny),
        )  # fmt: skip
        offset = (*launch.launch.offset, 0, 0, 0)[:3]
        if name == "get_work_dim":
            return launch.launch.dimensions
        dimension: int = given[0]
        if dimension > 2:
            return int("size" in name or "num" in name)
        match name:
            case "get_global_id":
                size = launch.local_size[dimension]
                return group[dimension] * size + local[dimension] + offset[dimension]
            case "get_local_id":
                return local[dimension]
            case "get_group_id":
                return group[dimension]
            case "get_local_size":
                return launch.local_size[dimension]
            case "get_global_size":
                return launch.global_size[dimension]
            case "get_num_groups":
                return launch.groups[dimension]
            case "get_global_offset":
                return offset[dimension]
            case _:
                raise AssertionError(f"no function {name}")


def interpret(
    unit: CompiledUnit,
    kernel: Kernel,
    launch: NDRange,
    arguments: list[Array | int | float | LocalMemory],
    width: int = 32,
) -> Outcome:
    """Run a launch on the reference."""
    return Reference(unit, kernel, launch, arguments, width).run()
