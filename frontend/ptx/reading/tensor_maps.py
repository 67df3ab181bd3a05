"""The time of copies by tensor maps (TMA; PTX ISA, cp.async.bulk.tensor, tensormap.replace).

How large a box is and where its rows lie stands in a map. Where the kernel makes the map itself the
PTX has all of it; of a map that the host makes, the bytes that a barrier is told to expect are
shared by the copies to it, and rows of the tensor lie :data:`PITCH` apart. A copy becomes one of
as many bytes in a row, each box at a place of its own: traffic is right, addresses within a box are
not, and so such kernels are not run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.frontend.ptx.reading.flatten import Flat
from kcc.frontend.ptx.reading.model import (
    Address,
    Instruction,
    Integer,
    Operand,
    Register,
    Several,
    Statement,
    Symbol,
)
from kcc.frontend.ptx.reading.tokens import Places

PITCH = 1 << 15
"""Bytes from a row of a tensor to the next where only the host knows them: rows of up to 16,384
elements of half precision do not overlap."""

INNER_BYTES = 128
"""Of a row of a box: the most with the widest swizzle (PTX ISA, "Swizzling modes")."""

ELEMENT_BYTES = {0: 1, 1: 2, 2: 4, 3: 4, 4: 8, 5: 8, 6: 2, 7: 4, 8: 4, 9: 8, 10: 2, 11: 4, 12: 4}
"""By ``.elemtype`` (PTX ISA, tensormap.replace, "Values for .elemtype")."""

RUNS_NOT = "tensormap.copies"
"""Stands at the beginning of a kernel with such copies."""


@dataclass(slots=True)
class _Map:
    """What the kernel puts into a map, or nothing of one that the host makes."""

    base: Operand
    element: int = 2
    box: dict[int, int] = field(default_factory=dict[int, int])
    strides: dict[int, Operand] = field(default_factory=dict[int, Operand])

    @property
    def bytes(self) -> int:
        """Of a box; 0 where it is not known."""
        total = self.element if self.box else 0
        for size in self.box.values():
            total *= size
        return total


def without_tensor_maps(flat: Flat, places: Places) -> str:
    """Put copies of constant size in the place of those by tensor maps. Gives what had to be
    assumed, empty where nothing was; raises :class:`DiagnosticError` (K431) for a map that is not
    found."""
    if not any(_is_tensor_copy(each) for each in flat.body):
        return ""
    return _Replacer(flat, places).run()


def _is_tensor_copy(item: Statement) -> bool:
    return isinstance(item, Instruction) and item.words[0] == "cp" and "tensor" in item.words


class _Replacer:
    def __init__(self, flat: Flat, places: Places) -> None:
        self.flat, self.places, self.count = flat, places, 0
        self.made = dict[str, Instruction]()
        for each in flat.body:
            if isinstance(each, Instruction) and len(each.operands) > 1:
                target = each.operands[0]
                if isinstance(target, Register):
                    self.made.setdefault(target.name, each)
        self.maps, self.of_host = dict[str, _Map](), set[str]()

    def run(self) -> str:
        for each in self.flat.body:
            if isinstance(each, Instruction):
                self.check(each)
        self.collect()
        sizes = self.expected()
        largest = max(sizes.values(), default=0)
        body, guessed = list[Statement](), False
        for number, each in enumerate(self.flat.body):
            if isinstance(each, Instruction) and _is_tensor_copy(each):
                found = self.map_of(each)
                size = found.bytes or sizes.get(number, 0) or largest
                if not size:
                    raise self.refuse(each, "how many bytes it copies is not known")
                guessed |= not found.box
                body += self.copied(each, found, size)
            elif isinstance(each, Instruction) and self.names_map(each):
                continue
            else:
                body.append(each)
        self.declare_hosts()
        first = next(e for e in body if isinstance(e, Instruction))
        mark = Instruction(tuple(RUNS_NOT.split(".")), None, (), first.at, first.line)
        self.flat.body[:] = [mark, *body]
        maps = ", ".join(sorted(self.of_host))
        return (
            f"boxes of the tensor maps {maps} are taken from what barriers expect, rows as "
            f"{PITCH} bytes apart: only the host knows them"
            if guessed
            else ""
        )

    def refuse(self, item: Instruction, why: str) -> DiagnosticError:
        message = f"'{item.opcode}': {why}"
        return DiagnosticError([Diagnostic("K431", message, self.places.span(item.at))])

    def check(self, item: Instruction) -> None:
        """Raise K430 for what has not the operands that the rest looks at."""
        tensors = [o for o in item.operands if isinstance(o, Address) and len(o.rest) == 1]
        own = [o for o in item.operands if isinstance(o, Address) and not o.rest]
        wrong = _is_tensor_copy(item) and (len(tensors) != 1 or not own)
        if item.words[0] == "tensormap":
            wrong = len(item.operands) < 2 or len(item.words) < 4
        if wrong or ("expect_tx" in item.words and not item.operands):
            message = f"'{item.opcode}' has another number of operands"
            raise DiagnosticError([Diagnostic("K430", message, self.places.span(item.at))])

    # maps

    def root(self, operand: Operand) -> Operand:
        """What a register is a copy of: another, or a parameter."""
        for _ in range(16):
            made = self.made.get(operand.name) if isinstance(operand, Register) else None
            if made is None or made.words[0] not in ("mov", "cvta", "cvt"):
                break
            operand = made.operands[1]
        return operand

    def number(self, operand: Operand) -> int | None:
        found = self.root(operand)
        return found.value if isinstance(found, Integer) else None

    def collect(self) -> None:
        """The maps that the kernel makes, by the register of their address in global memory."""
        current: _Map | None = None
        for each in self.flat.body:
            if not isinstance(each, Instruction) or each.words[0] != "tensormap":
                continue
            if each.words[1] == "replace":
                _, *values = each.operands
                name = each.words[3]
                if name == "global_address":
                    current = _Map(values[-1])
                if current is not None:
                    self.put(current, each, name, values)
            elif each.words[1] == "cp_fenceproxy" and current is not None:
                place = each.operands[0]
                if isinstance(place, Address):
                    self.maps[_key(self.root(place.base))] = current

    def put(self, found: _Map, item: Instruction, name: str, values: list[Operand]) -> None:
        number = self.number(values[-1])
        axis = self.number(values[0]) or 0
        if name == "box_dim":
            if number is None:
                raise self.refuse(item, "a box of a computed size is not supported")
            found.box[axis] = number
        elif name == "elemtype":
            found.element = ELEMENT_BYTES.get(number or 0, 2)
        elif name == "global_stride":
            found.strides[axis] = values[-1]

    def map_of(self, item: Instruction) -> _Map:
        place = next((o for o in item.operands if isinstance(o, Address) and o.rest), None)
        tiled = not any("im2col" in w or w.startswith(("multicast", "gather")) for w in item.words)
        if place is None or not tiled:
            raise self.refuse(item, "only boxes of tiled tensors are supported")
        root = self.root(place.base)
        if _key(root) in self.maps:
            return self.maps[_key(root)]
        parameters = {p.name for p in self.flat.kernel.parameters if p.is_array}
        if isinstance(root, Symbol) and root.name in parameters:
            self.of_host.add(root.name)
            return _Map(root)
        raise self.refuse(item, "where its tensor map comes from is not found")

    def names_map(self, item: Instruction) -> bool:
        """Whether an instruction only passes a map on, or makes one."""
        if item.words[0] == "tensormap" or "tensormap" in item.words:
            return True
        sources = item.operands[1:2] if item.words[0] in ("mov", "cvta") else ()
        root = self.root(sources[0]) if sources else None
        parameters = {p.name for p in self.flat.kernel.parameters if p.is_array}
        return isinstance(root, Symbol) and root.name in parameters

    def declare_hosts(self) -> None:
        """A map of the host as a pointer to its tensor."""
        kernel = self.flat.kernel
        pointer = {"type": "u64", "is_array": False, "count": 1, "pointee_space": "global"}
        self.flat.kernel = replace(
            kernel,
            parameters=tuple(
                replace(p, **pointer) if p.name in self.of_host else p for p in kernel.parameters
            ),
        )

    # copies

    def expected(self) -> dict[int, int]:
        """Bytes of loads by their places: what a barrier expects, shared by the loads after it."""
        found, total, open_ = dict[int, int](), 0, list[int]()
        for number, each in enumerate(self.flat.body):
            if not isinstance(each, Instruction):
                continue
            if each.words[0] == "mbarrier" and "expect_tx" in each.words:
                total, open_ = self.number(each.operands[-1]) or 0, []
            elif _is_tensor_copy(each) and any("mbarrier" in w for w in each.words):
                open_.append(number)
                found |= dict.fromkeys(open_, total // len(open_))
        return {number: size for number, size in found.items() if size}

    def copied(self, item: Instruction, found: _Map, size: int) -> Iterator[Instruction]:
        """The address of a box and its copy."""
        tensor = next(o for o in item.operands if isinstance(o, Address) and o.rest)
        shared = next(o for o in item.operands if isinstance(o, Address) and not o.rest)
        (inside,) = tensor.rest
        coordinates = inside.parts if isinstance(inside, Several) else (inside,)
        inner = found.element * found.box.get(0, INNER_BYTES // found.element)
        step = found.element * max(size // inner, 1)
        address = self.register()
        if isinstance(found.base, Symbol):
            place = Address(found.base)
            yield self.instruction(item, "ld.param.u64", address, place)
        else:
            yield self.instruction(item, "mov.u64", address, found.base)
        for axis, each in enumerate(coordinates):
            stride: Operand = Integer(step)
            if axis:
                stride = found.strides.get(axis - 1, Integer(PITCH << 10 * (axis - 1)))
            wide, moved, following = self.register(), self.register(), self.register()
            yield self.instruction(item, "cvt.s64.s32", wide, each)
            yield self.instruction(item, "mul.lo.s64", moved, wide, stride)
            yield self.instruction(item, "add.s64", following, address, moved)
            address = following
        to_shared = any("mbarrier" in w for w in item.words)
        words = "cp.async.bulk.shared::cta.global" if to_shared else "cp.async.bulk.global.shared"
        ends = (shared, Address(address)) if to_shared else (Address(address), shared)
        yield replace(item, words=tuple(words.split(".")), operands=(*ends, Integer(size)))

    def register(self) -> Register:
        self.count += 1
        name = f"%box.{self.count}"
        self.flat.registers[name] = "b64"
        return Register(name)

    def instruction(self, item: Instruction, opcode: str, *operands: Operand) -> Instruction:
        return Instruction(tuple(opcode.split(".")), None, operands, item.at, item.line)


def _key(operand: Operand) -> str:
    return operand.name if isinstance(operand, Register | Symbol) else ""
