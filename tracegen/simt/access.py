"""Memory instructions of a whole warp: which object, which window, checks, then the transfer."""

from __future__ import annotations

from math import gcd

from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    AtomicRmw,
    Cast,
    CompareExchange,
    GetElementPtr,
    Load,
    Select,
    Store,
)
from kcc.frontend.ir.types import I1, I8, I64, PtrTy, StructTy, VecTy, size_bytes
from kcc.frontend.ir.values import ArgumentRef, GlobalRef, InstructionRef
from kcc.frontend.ir.values import Value as Operand
from kcc.tracegen.simt import arithmetic, shadow
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.layout import PRIVATE_BASE, FaultKind
from kcc.tracegen.simt.memory import Shape, raw_shape
from kcc.tracegen.simt.plan import Plan
from kcc.tracegen.simt.private import PrivateWords
from kcc.tracegen.simt.target import Target, check_objects, find_target
from kcc.tracegen.simt.tracing import append_access
from kcc.tracegen.simt.wide import Part, Wide, access_bytes, memory_parts, parts_of

Access = Load | Store | AtomicRmw | CompareExchange


def write_access(host: WarpFrame, instruction: Access) -> Wide | None:
    """Check and carry out a memory instruction."""
    (address,) = host.operand(instruction.pointer).parts
    type_ = (
        instruction.value.type if isinstance(instruction, (Store, AtomicRmw)) else instruction.type
    )
    if isinstance(instruction, CompareExchange):
        type_ = instruction.new.type
    shape = raw_shape(type_)
    if isinstance(instruction, (AtomicRmw, CompareExchange)):
        shape = Shape(tuple(memory_parts(type_)), access_bytes(type_))
    if instruction.pointer.type == PtrTy(2) and not isinstance(instruction, Load):
        host.fail_if(const_int(I1, 1), FaultKind.CONSTANT_WRITE, instruction, host.mask, address)
    _check_alignment(host, instruction, address)
    target = find_target(host, instruction.pointer, shape.size_bytes)
    check_objects(host, instruction, address, target)
    if host.trace_addresses:
        append_access(host, instruction, address)
    if target.space == 0:
        return _private(host, instruction, address, shape, target)
    match instruction:
        case Load():
            return _load(host, instruction, address, shape, target)
        case Store():
            values = _to_memory(host, host.operand(instruction.value), shape)
            if _is_quick(host, address, shape, target):
                _quick_store(host, instruction, address, shape, target, values)
            else:
                _call(host, instruction, host.helpers.store(shape), address, target, values)
            shadow.mark(host, instruction, address, shape, target)
            return None
        case AtomicRmw():
            operation = instruction.operation.value
            values = [host.lanes(p) for p in host.operand(instruction.value).parts]
            helper = host.helpers.atomic(shape, operation)
            old = _call(host, instruction, helper, address, target, values)
            _note_exchange(host, instruction, address, shape, target, old)
            return _from_memory(host, old, parts_of(instruction.type))
        case CompareExchange():
            values = [
                host.lanes(p)
                for o in (instruction.expected, instruction.new)
                for p in host.operand(o).parts
            ]
            helper = host.helpers.atomic(shape, "cmpxchg")
            old = _call(host, instruction, helper, address, target, values)
            _note_exchange(host, instruction, address, shape, target, old[:1])
            return Wide(tuple(old))


def _note_exchange(
    host: WarpFrame,
    instruction: AtomicRmw | CompareExchange,
    address: Value,
    shape: Shape,
    target: Target,
    old: list[Value],
) -> None:
    """An atomic access reads, unless it puts a new value there whatever the old one is."""
    if not (isinstance(instruction, AtomicRmw) and instruction.operation.value == "xchg"):
        shadow.watch(host, instruction, target, old)
        shadow.check(host, instruction, address, shape, target)
    shadow.mark(host, instruction, address, shape, target)


def _check_alignment(host: WarpFrame, instruction: Access, address: Value) -> None:
    """Addresses must be multiples of what the instruction promises; nothing is written where the
    way the address is computed shows it."""
    wanted = instruction.alignment_bytes
    if known_alignment(host.plan, instruction.pointer) % wanted == 0:
        return
    low_bits = host.code.binary("and", address, const_int(address.type, wanted - 1))
    wrong = host.code.compare("icmp", "ne", low_bits, zero(address.type))
    if isinstance(wrong.type, VecTy):
        lanes = host.code.binary("and", host.bits(wrong), host.mask)
        host.fail_lanes(FaultKind.MISALIGNED, instruction, lanes, address)
    else:
        host.fail_if(wrong, FaultKind.MISALIGNED, instruction, host.mask, address)


def known_alignment(plan: Plan, pointer: Operand, depth: int = 0) -> int:
    """A power of two (at most 256) that every address the pointer takes is a multiple of."""
    if depth > 8:
        return 1
    match pointer:
        case ArgumentRef():
            return plan.function.arguments[pointer.index].attributes.alignment_bytes or 256
        case GlobalRef():
            return 256
        case InstructionRef():
            instruction = plan.function.instructions[pointer.index]
        case _:
            return 1
    match instruction:
        case Alloca():
            return instruction.alignment_bytes
        case Cast():
            return known_alignment(plan, instruction.operand, depth + 1)
        case GetElementPtr():
            known = known_alignment(plan, instruction.base, depth + 1)
            return gcd(known, arithmetic.common_stride(instruction))
        case Select():
            return gcd(*(known_alignment(plan, o, depth + 1) for o in instruction.operands[1:]))
        case _:
            return 1


def _load(host: WarpFrame, instruction: Load, address: Value, shape: Shape, target: Target) -> Wide:
    wanted = parts_of(instruction.type)
    if not isinstance(address.type, VecTy):
        offset = host.code.binary("sub", address, target.low)
        beyond = host.code.compare("icmp", "uge", offset, target.limit)
        host.fail_if(beyond, FaultKind.OUT_OF_BOUNDS, instruction, host.mask, address)
        base = host.code.gep(I8, host.bases[target.space], [address], inbounds=False)
        found = list[Value]()
        for part, place in shape.parts:
            pointer = host.code.gep(I8, base, [const_int(I64, place)])
            found.append(host.code.load(part, pointer, size_bytes(part)))
        shadow.watch(host, instruction, target, found)
    elif _is_quick(host, address, shape, target):
        found = [_quick_load(host, instruction, address, shape, target)]
    else:
        watched = not host.precise and shadow.is_watched(host, instruction, target)
        helper = host.helpers.load(shape, watched=watched)
        found = _call(host, instruction, helper, address, target, [])
    shadow.check(host, instruction, address, shape, target)
    return _from_memory(host, found, wanted)


def _is_quick(host: WarpFrame, address: Value, shape: Shape, target: Target) -> bool:
    """Whether the usual case is worth code of its own: lanes side by side in a buffer."""
    is_vector = isinstance(address.type, VecTy)
    return is_vector and host.helpers.inline and target.space != 3 and len(shape.parts) == 1


def _side_by_side(host: WarpFrame, address: Value, size: int, target: Target) -> Value:
    """Whether active lanes are contiguous and a whole warp from where lane 0 would be fits in
    the object; i1."""
    code = host.code
    origin = code.extract_element(address, 0)
    expected = code.binary("add", host.lanes(origin), host.iota(I64, size))
    differs = host.bits(code.compare("icmp", "ne", address, expected))
    apart = code.binary("and", differs, host.mask)
    room = const_int(I64, size * (host.width - 1))
    limit = host.call_intrinsic("llvm.usub.sat.i64", I64, [target.limit, room])
    inside = code.compare("icmp", "ult", code.binary("sub", origin, target.low), limit)
    return code.binary("and", code.compare("icmp", "eq", apart, zero(apart.type)), inside)


def _quick_load(
    host: WarpFrame, instruction: AnyInstruction, address: Value, shape: Shape, target: Target
) -> Value:
    """A vector load where lanes are contiguous; the helper for all other cases."""
    code, part = host.code, shape.parts[0][0]
    near, far, done = (code.new_label(f"load.{w}") for w in ("near", "far", "done"))
    code.branch_if(_side_by_side(host, address, shape.size_bytes, target), near, far)
    code.position_at(near)
    pointer = _lane_zero(host, address, target)
    quick = code.load(host.vector_type(part), pointer, shape.size_bytes)
    code.branch(done)
    code.position_at(far)
    (slow,) = _call(host, instruction, host.helpers.load(shape), address, target, [])
    far = host.here
    code.branch(done)
    code.position_at(done)
    return code.phi(quick.type, [(quick, near), (slow, far)])


def _quick_store(
    host: WarpFrame,
    instruction: AnyInstruction,
    address: Value,
    shape: Shape,
    target: Target,
    values: list[Value],
) -> None:
    """The counterpart, for warps all of whose lanes are active."""
    code = host.code
    near, far, done = (code.new_label(f"store.{w}") for w in ("near", "far", "done"))
    full = code.compare("icmp", "eq", host.mask, host.full_mask)
    beside = _side_by_side(host, address, shape.size_bytes, target)
    code.branch_if(code.binary("and", full, beside), near, far)
    code.position_at(near)
    code.store(values[0], _lane_zero(host, address, target), shape.size_bytes)
    code.branch(done)
    code.position_at(far)
    _call(host, instruction, host.helpers.store(shape), address, target, values)
    code.branch(done)
    code.position_at(done)


def _lane_zero(host: WarpFrame, address: Value, target: Target) -> Value:
    """Where on the host the address of lane 0 lies."""
    first = host.code.extract_element(address, 0)
    return host.code.gep(I8, host.bases[target.space], [first], inbounds=False)


def _call(
    host: WarpFrame,
    instruction: AnyInstruction,
    helper: tuple[str, StructTy],
    address: Value,
    target: Target,
    values: list[Value],
) -> list[Value]:
    """Call a helper; stop when it reports lanes out of bounds. Gives its other results."""
    name, result = helper
    arguments = [
        host.worker, host.bases[target.space], host.lanes(address), host.mask, target.low,
        target.limit, *values,
    ]  # fmt: skip
    answer = host.code.call(name, result, arguments, convention="")
    fields = result.fields
    bad = host.code.extract_value(answer, fields[-1], len(fields) - 1)
    host.fail_recorded(bad, instruction)
    return [host.code.extract_value(answer, t, i) for i, t in enumerate(fields[:-1])]


def _from_memory(host: WarpFrame, found: list[Value], wanted: tuple[Part, ...]) -> Wide:
    """Booleans are bytes in memory; other parts may come as integers."""
    pairs = zip(found, wanted, strict=True)
    return Wide(
        tuple(arithmetic.convert(host, "trunc" if w == I1 else "bitcast", v, w) for v, w in pairs)
    )


def _to_memory(host: WarpFrame, value: Wide, shape: Shape) -> list[Value]:
    parts = list[Value]()
    for part, (memory, _) in zip(value.parts, shape.parts, strict=True):
        lanes = host.lanes(part)
        assert isinstance(lanes.type, VecTy)
        word = "zext" if lanes.type.element == I1 else "bitcast"
        parts.append(arithmetic.convert(host, word, lanes, memory))
    return parts


# private memory: words of 4 bytes, lane after lane


def _private(
    host: WarpFrame, instruction: Access, address: Value, shape: Shape, target: Target
) -> Wide | None:
    words = _private_words(host, instruction, address, target)
    match instruction:
        case Load():
            found = [words.load(part, byte) for part, byte in shape.parts]
            shadow.watch(host, instruction, target, found)
            shadow.check(host, instruction, address, shape, target)
            return _from_memory(host, found, parts_of(instruction.type))
        case Store():
            values = _to_memory(host, host.operand(instruction.value), shape)
            for (part, byte), value in zip(shape.parts, values, strict=True):
                words.store(part, byte, value)
            shadow.mark(host, instruction, address, shape, target)
            return None
        case AtomicRmw():
            part, byte = shape.parts[0]
            old = words.load(part, byte)
            value = host.lanes(host.operand(instruction.value).parts[0])
            words.store(part, byte, combine(host, instruction, old, value))
            _note_exchange(host, instruction, address, shape, target, [old])
            return _from_memory(host, [old], parts_of(instruction.type))
        case CompareExchange():
            part, byte = shape.parts[0]
            old = words.load(part, byte)
            expected = host.lanes(host.operand(instruction.expected).parts[0])
            new = host.lanes(host.operand(instruction.new).parts[0])
            same = host.code.compare("icmp", "eq", old, expected)
            words.store(part, byte, host.code.select(same, new, old))
            _note_exchange(host, instruction, address, shape, target, [old])
            return Wide((old, same))


def _private_words(
    host: WarpFrame, instruction: AnyInstruction, address: Value, target: Target
) -> PrivateWords:
    """Private memory, checked. It is interleaved: word i of all lanes lies side by side, so that
    lanes with the same offset touch one run of bytes."""
    offset = host.code.binary("sub", address, host.splat_like(target.low, address))
    beyond = host.code.compare("icmp", "uge", offset, host.splat_like(target.limit, address))
    if isinstance(beyond.type, VecTy):
        lanes = host.code.binary("and", host.bits(beyond), host.mask)
        host.fail_lanes(FaultKind.OUT_OF_BOUNDS, instruction, lanes, address)
    else:
        host.fail_if(beyond, FaultKind.OUT_OF_BOUNDS, instruction, host.mask, address)
    place = host.code.binary("sub", address, const_int(address.type, PRIVATE_BASE))
    return PrivateWords(host, place)


def combine(host: WarpFrame, instruction: AtomicRmw, old: Value, value: Value) -> Value:
    """The new value of a read-modify-write where no other thread can interfere."""
    operation = instruction.operation.value
    if operation == "xchg":
        return value
    if operation in ("add", "sub", "and", "or", "xor", "fadd", "fsub"):
        return host.code.binary(operation, old, value)
    table: dict[str, str] = {"max": "sgt", "min": "slt", "umax": "ugt", "umin": "ult"}
    keep = host.code.compare("icmp", table[operation], old, value)
    return host.code.select(keep, old, value)
