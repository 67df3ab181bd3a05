"""Which object a memory instruction may touch, and that it does.

Most pointers come from one argument, variable or array, and are compared with that one's range.
Where several are possible each is tried: an address in any of them is taken.
"""

from __future__ import annotations

from dataclasses import replace

from kcc.base.records import dataclass
from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    Call,
    Cast,
    GetElementPtr,
    Load,
    Phi,
    Select,
)
from kcc.frontend.ir.types import I64, PtrTy
from kcc.frontend.ir.values import ArgumentRef, ConstantExpr, GlobalRef, InstructionRef
from kcc.frontend.ir.values import Value as Operand
from kcc.frontend.types import AddressSpace
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.layout import PRIVATE_BASE, FaultKind, Worker
from kcc.tracegen.simt.plan import Object, Plan


@dataclass(frozen=True, slots=True)
class Target:
    """Where an access may go: first address and limit (size less access, plus one) of its object
    as values, and the window's address space. ``objects`` are those a pointer may lead to when it
    is not known which; the range is then that of the window."""

    low: Value
    limit: Value
    space: int
    objects: tuple[Target, ...] = ()


def find_target(host: WarpFrame, pointer: Operand, size: int) -> Target:
    """The object a pointer points to where it is known when the kernel is compiled; else the whole
    window, with the objects the pointer may lead to."""
    space = pointer.type.space if isinstance(pointer.type, PtrTy) else AddressSpace.GLOBAL
    if space == AddressSpace.GENERIC:  # of kernels that run: launch_checks.check_spaces
        space = AddressSpace.GLOBAL
    roots = sorted(find_roots(host.plan, pointer), key=str)
    known = [_known_object(host, root, size) for root in roots]
    objects = [o for o in known if o is not None]
    if len(roots) == len(objects) == 1:
        return objects[0]
    if len(objects) < len(roots):
        everything = (_known_object(host, root, size) for root in _all_roots(host.plan))
        objects = [o for o in everything if o is not None]
    mine = [o for o in objects if _same_window(o.space, space)]
    window = _window(host, space, size)
    return replace(window, objects=tuple(mine))


def _known_object(host: WarpFrame, root: Operand, size: int) -> Target | None:
    """The object of an argument, global or alloca; None for anything else."""
    known = None
    match root:
        case ArgumentRef():
            argument = host.plan.function.arguments[root.index]
            if not isinstance(argument.type, PtrTy):
                return None
            copy = host.plan.private_arguments.get(root.index)
            if copy is not None:
                return _fixed(copy, size)
            low, limit = _range(host, root.index, size)
            byval = argument.attributes.byval is not None
            space = 1 if byval else argument.type.space
            return Target(low, limit, space)
        case GlobalRef():
            known = host.plan.constants.get(root.name) or host.plan.locals.get(root.name)
        case InstructionRef():
            known = host.plan.allocas.get(root.index)
        case _:
            pass
    return _fixed(known, size) if known is not None else None


def _range(host: WarpFrame, argument: int, size: int) -> tuple[Value, Value]:
    """First address and limit of an argument's object, loaded once in a segment."""
    known = host.ranges
    for word in (0, 1):
        if (argument, word) not in known:
            known[argument, word] = host.load_word(host.objects, 2 * argument + word)
    if (argument, -size) not in known:
        known[argument, -size] = _limit(host, known[argument, 1], size)
    return known[argument, 0], known[argument, -size]


def _fixed(known: Object, size: int) -> Target:
    """An object whose place is known when the kernel is compiled."""
    room = max(known.size_bytes - size + 1, 0)
    return Target(const_int(I64, known.address), const_int(I64, room), known.space)


def _all_roots(plan: Plan) -> list[Operand]:
    """Everything that has an address."""
    names = (*plan.constants, *plan.locals)
    roots: list[Operand] = [a.ref for a in plan.function.arguments]
    roots += [GlobalRef(PtrTy(plan.module.globals[n].space), n) for n in names]
    roots += [InstructionRef(PtrTy(0), index, "") for index in plan.allocas]
    return roots


def _same_window(space: int, other: int) -> bool:
    """Buffers and constants share one."""
    return space == other or {space, other} <= {1, 2}


def check_objects(
    host: WarpFrame, instruction: AnyInstruction, address: Value, target: Target
) -> None:
    """Where a pointer may lead to several objects: it must lead to one of them."""
    if not target.objects:
        return
    if not isinstance(instruction, Load):
        fixed = _lanes_inside(host, address, [o for o in target.objects if o.space == 2])
        host.fail_lanes(FaultKind.CONSTANT_WRITE, instruction, fixed, address)
    inside = _lanes_inside(host, address, list(target.objects))
    outside = host.code.binary("and", host.code.binary("xor", inside, host.full_mask), host.mask)
    host.fail_lanes(FaultKind.OUT_OF_BOUNDS, instruction, outside, address)


def _lanes_inside(host: WarpFrame, address: Value, objects: list[Target]) -> Value:
    """The active lanes whose address lies in one of the objects."""
    lanes, found = host.lanes(address), zero(host.mask_type)
    for item in objects:
        offset = host.code.binary("sub", lanes, host.lanes(item.low))
        fits = host.code.compare("icmp", "ult", offset, host.lanes(item.limit))
        found = host.code.binary("or", found, host.bits(fits))
    return host.code.binary("and", found, host.mask)


def _window(host: WarpFrame, space: int, size: int) -> Target:
    """The whole window, for pointers that may lead to several objects."""
    low, room = {
        0: (const_int(I64, PRIVATE_BASE), host.load_word(host.worker, Worker.PRIVATE_BYTES)),
        3: (
            host.load_word(host.worker, Worker.LOCAL_LOW),
            host.load_word(host.worker, Worker.LOCAL_BYTES),
        ),
    }.get(space) or (
        host.load_word(host.worker, Worker.ARENA_LOW),
        host.load_word(host.worker, Worker.ARENA_BYTES),
    )
    return Target(low, _limit(host, room, size), space)


def _limit(host: WarpFrame, room: Value, size: int) -> Value:
    """``max(room - size + 1, 0)``."""
    less = const_int(I64, size - 1)
    name = "llvm.usub.sat.i64"
    return host.call_intrinsic(name, I64, [room, less])


def find_roots(plan: Plan, pointer: Operand) -> set[Operand]:
    """The arguments, globals and allocas a pointer may come from, and other values as they are."""
    roots, seen, pending = set[Operand](), set[Operand](), [pointer]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, ConstantExpr):
            pending += value.operands[:1]
            continue
        if not isinstance(value, InstructionRef):
            roots.add(value)
            continue
        match plan.function.instructions[value.index]:
            case GetElementPtr() as instruction:
                pending.append(instruction.base)
            case Cast() as instruction if isinstance(instruction.operand.type, PtrTy):
                pending.append(instruction.operand)
            case Phi() as instruction:
                pending += instruction.operands
            case Select() as instruction:
                pending += instruction.operands[1:]
            case Call() as instruction if instruction.callee.startswith("llvm.ptrmask."):
                pending.append(instruction.operands[0])
            case _:
                roots.add(value)
    return roots
