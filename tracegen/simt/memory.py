"""Loads, stores and atomics of a whole warp: bounds first, then the cheapest way to the bytes.

Data moves in helper functions, one per access shape, so that a kernel with many accesses stays
small. A helper gets the host base of the window, the lanes' virtual addresses, the mask and the
range of the object; it gives the values and whether lanes are out of bounds (then nothing is
touched and the worker's record says which). Lanes whose addresses follow one another move as one
vector, others one by one; where lanes write the same address the highest wins.
"""

from __future__ import annotations

from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ir.builder import FunctionBuilder, Value, const_int, poison, zero
from kcc.frontend.ir.types import I1, I64, IntTy, IrType, PtrTy, StructTy, VecTy, size_bytes
from kcc.tracegen.simt.arithmetic import type_suffix
from kcc.tracegen.simt.gather import (
    WINDOW_BYTES,
    can_permute,
    permute,
    read_lanes,
    window_test,
)
from kcc.tracegen.simt.layout import FaultKind
from kcc.tracegen.simt.notes import note_fault
from kcc.tracegen.simt.poison import raise_flag
from kcc.tracegen.simt.wide import Part, Writer, access_bytes, memory_parts

HOST_POINTER = PtrTy(0)
WORKER = Value(HOST_POINTER, "%worker")
INLINE_LIMIT = 32
"""Up to this many accesses of a kernel contiguous lanes are served without a call; with
more, code that is twice as long costs more to compile than it saves."""

SINGLE_LOADS = 4
"""Up to this many parts of an access are loaded lane by lane; more would be long code."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What one access moves: the parts with their byte offsets, and the bytes they span."""

    parts: tuple[tuple[Part, int], ...]
    size_bytes: int

    @property
    def name(self) -> str:
        return "_".join(f"{type_suffix(p)}at{o}" for p, o in self.parts)

    @property
    def is_dense(self) -> bool:
        """Equal parts side by side without holes: a lane's bytes are one run."""
        first = self.parts[0][0]
        step = size_bytes(first)
        return all(p == first and o == i * step for i, (p, o) in enumerate(self.parts))


def raw_shape(type_: IrType) -> Shape:
    """What a load or store of the type moves, as integers: one helper serves all types of a
    size."""
    parts = ((IntTy(8 * size_bytes(p)), offset) for p, offset in memory_parts(type_))
    return Shape(tuple(parts), access_bytes(type_))


@dataclass(slots=True)
class Helpers:
    """Makes the helper functions of a module, each once."""

    writer: Writer
    inline: bool
    made: set[str]

    def load(self, shape: Shape, *, watched: bool = False) -> tuple[str, StructTy]:
        """``load(worker, base, addresses, mask, low, limit) -> { parts..., bad }``; ``watched``
        raises the flag for what was never written."""

        def write(maker: _Body) -> None:
            _write_load(maker, watched=watched)

        return self._helper("load.watched" if watched else "load", shape, write)

    def store(self, shape: Shape) -> tuple[str, StructTy]:
        """``store(worker, base, addresses, mask, low, limit, parts...) -> { bad }``."""
        return self._helper("store", shape, _write_store)

    def atomic(self, shape: Shape, operation: str) -> tuple[str, StructTy]:
        """``atomic(worker, base, addresses, mask, low, limit, value) -> { old, bad }``; for
        cmpxchg the arguments end in expected, new, and the result is { old, swapped, bad }."""

        def write(maker: _Body) -> None:
            _write_atomic(maker, operation)

        return self._helper(f"atomic.{operation}", shape, write)

    def _helper(self, kind: str, shape: Shape, write: object) -> tuple[str, StructTy]:
        name = f"kcc.{kind}.{shape.name}"
        vectors = tuple(self.writer.vector_type(p) for p, _ in shape.parts)
        extra: tuple[IrType, ...] = ()
        if kind.startswith("load"):
            result = StructTy((*vectors, I1))
        elif kind == "store":
            result, extra = StructTy((I1,)), vectors
        elif kind == "atomic.cmpxchg":
            result = StructTy((vectors[0], self.writer.vector_type(I1), I1))
            extra = (vectors[0], vectors[0])
        else:
            result, extra = StructTy((vectors[0], I1)), vectors
        if name not in self.made:
            self.made.add(name)
            body = _Body(self.writer, self.made, shape, result, extra)
            write(body)  # type: ignore[operator]
            parameters = ", ".join(str(v) for v in body.parameters)
            header = f"define internal {result} @{name}({parameters}) noinline nounwind"
            self.writer.module.define(header, body.code)
        return name, result


@dataclass(slots=True)
class _Body:
    """The body of one helper under construction."""

    outer: Writer
    made: set[str]
    shape: Shape
    result: StructTy
    extra: tuple[IrType, ...]
    code: FunctionBuilder = None  # type: ignore[assignment]
    writer: Writer = None  # type: ignore[assignment]
    found: list[tuple[tuple[Value, ...], str]] = field(
        default_factory=list[tuple[tuple[Value, ...], str]]
    )

    def __post_init__(self) -> None:
        self.code = FunctionBuilder(self.result)
        self.writer = Writer(self.outer.module, self.code, self.outer.width)
        self.code.position_at("entry")

    @property
    def base(self) -> Value:
        return Value(HOST_POINTER, "%base")

    @property
    def addresses(self) -> Value:
        return Value(self.writer.vector_type(I64), "%addresses")

    @property
    def mask(self) -> Value:
        return Value(self.writer.mask_type, "%mask")

    @property
    def low(self) -> Value:
        return Value(I64, "%low")

    @property
    def limit(self) -> Value:
        """The last offset from ``low`` at which the access still fits, plus one."""
        return Value(I64, "%limit")

    @property
    def values(self) -> tuple[Value, ...]:
        return tuple(Value(t, f"%value{i}") for i, t in enumerate(self.extra))

    @property
    def parameters(self) -> tuple[Value, ...]:
        usual = (WORKER, self.base, self.addresses, self.mask, self.low, self.limit)
        return (*usual, *self.values)

    def host(self, address: Value, offset: int = 0) -> Value:
        """Host pointer(s) of virtual address(es)."""
        if offset:
            address = self.code.binary("add", address, const_int(address.type, offset))
        if isinstance(address.type, VecTy):
            type_ = VecTy(self.writer.width, HOST_POINTER)
            return self.code.value(type_, f"getelementptr i8, {self.base}, {address}")
        return self.code.gep(IntTy(8), self.base, [address], inbounds=False)

    def give(self, *parts: Value) -> None:
        result: Value = poison(self.result)
        for number, part in enumerate(parts):
            result = self.code.insert_value(result, part, number)
        self.code.ret(result)

    def find(self, *parts: Value) -> None:
        """Go where what a load has found is given."""
        self.found.append((parts, self.writer.here))
        self.code.branch("give")

    def give_found(self, *, watched: bool) -> None:
        """Return what was found, by whichever way."""
        self.code.position_at("give")
        kinds = self.result.fields[:-1]
        parts = [
            self.code.phi(t, [(values[i], label) for values, label in self.found])
            for i, t in enumerate(kinds)
        ]
        if watched:
            raise_flag(self.writer, WORKER, self.mask, parts)
        self.give(*parts, const_int(I1, 0))

    def check_lanes(self, good: str, label: str) -> None:
        """Branch to ``good`` when every active lane is in bounds, else return the bad lanes."""
        low = self.writer.lanes(self.low)
        offset = self.code.binary("sub", self.addresses, low)
        beyond = self.code.compare("icmp", "uge", offset, self.writer.lanes(self.limit))
        bad = self.code.binary("and", self.writer.bits(beyond), self.mask)
        fail = self.code.new_label(label)
        self.code.branch_if(self.writer.any_lane(bad), fail, good)
        self.code.position_at(fail)
        note_fault(self.writer, self.made, WORKER, FaultKind.OUT_OF_BOUNDS, bad, self.addresses)
        self.give(*(zero(t) for t in self.result.fields[:-1]), const_int(I1, 1))

    def split_contiguous(self) -> Value:
        """Split the flow by whether active lanes are contiguous. Goes on in the contiguous
        block, in bounds, with the address lane 0 has (or would have); "scattered" is the other
        block, not yet checked."""
        code, writer = self.code, self.writer
        size = self.shape.size_bytes
        has_first = code.compare(
            "icmp",
            "ne",
            code.binary("and", self.mask, const_int(self.mask.type, 1)),
            zero(self.mask.type),
        )
        code.branch_if(has_first, "first", "late")
        code.position_at("late")
        lane = writer.first_lane(self.mask)
        wide_lane = writer.widen(lane)
        picked = code.extract_element(self.addresses, wide_lane)
        skipped = code.binary("mul", wide_lane, const_int(I64, size))
        late = code.binary("sub", picked, skipped)
        code.branch("test")
        code.position_at("first")
        first = code.extract_element(self.addresses, 0)
        code.branch("test")
        code.position_at("test")
        origin = code.phi(I64, [(first, "first"), (late, "late")])
        expected = code.binary("add", writer.lanes(origin), writer.iota(I64, size))
        equal = writer.bits(code.compare("icmp", "eq", self.addresses, expected))
        inactive = code.binary("xor", self.mask, writer.full_mask)
        all_equal = code.compare("icmp", "eq", code.binary("or", equal, inactive), writer.full_mask)
        code.branch_if(all_equal, "contiguous", "scattered")
        code.position_at("contiguous")
        return origin

    def check_span(self, origin: Value, good: str) -> None:
        """Bounds of a contiguous access: first and last active lane decide."""
        code, writer = self.code, self.writer
        size = self.shape.size_bytes
        first = writer.widen(writer.first_lane(self.mask))
        name = f"llvm.ctlz.i{writer.width}"
        leading = writer.call_intrinsic(name, writer.mask_type, [self.mask, const_int(I1, 1)])
        last = code.binary("sub", const_int(I64, writer.width - 1), writer.widen(leading))
        start = code.binary("sub", origin, self.low)
        lowest = code.binary("add", start, code.binary("mul", first, const_int(I64, size)))
        highest = code.binary("add", start, code.binary("mul", last, const_int(I64, size)))
        fine = code.binary(
            "and",
            code.compare("icmp", "ult", lowest, self.limit),
            code.compare("icmp", "ult", highest, self.limit),
        )
        code.branch_if(fine, good, "suspect")
        code.position_at("suspect")
        self.check_lanes(good, "outside")


def _write_load(body: _Body, *, watched: bool) -> None:
    code, writer, shape = body.code, body.writer, body.shape
    origin = body.split_contiguous()
    body.check_span(origin, "move")
    code.position_at("move")
    if shape.is_dense:
        part, count = shape.parts[0][0], len(shape.parts)
        whole = VecTy(writer.width * count, part)
        data = code.load(whole, body.host(origin), size_bytes(part))
        places = [[lane * count + i for lane in range(writer.width)] for i in range(count)]
        body.find(*(data if count == 1 else code.shuffle(data, None, p) for p in places))
    else:
        _find_gathered(body)
    code.position_at("scattered")
    if len(shape.parts) == 1 and can_permute(shape.size_bytes, writer.width):
        _write_window(body)
    body.check_lanes("gather", "bad")
    code.position_at("gather")
    _find_gathered(body)
    body.give_found(watched=watched)


def _write_window(body: _Body) -> None:
    """Where lanes read close together, starting with the first active one: permute."""
    code, writer, size = body.code, body.writer, body.shape.size_bytes
    part = body.shape.parts[0][0]
    assert isinstance(part, IntTy)
    first = code.extract_element(body.addresses, writer.widen(writer.first_lane(body.mask)))
    fits = window_test(writer, body.addresses, first, body.mask, size)
    code.branch_if(fits, "window", "apart")
    code.position_at("window")
    start = code.binary("sub", first, body.low)
    end = code.binary("add", start, const_int(I64, WINDOW_BYTES - size))
    inside = [code.compare("icmp", "ult", v, body.limit) for v in (start, end)]
    code.branch_if(code.binary("and", inside[0], inside[1]), "permute", "edge")
    code.position_at("edge")
    body.check_lanes("permute", "beyond")
    code.position_at("permute")
    data = permute(writer, body.host(first), body.addresses, first, part)
    body.find(data)
    code.position_at("apart")


def _find_gathered(body: _Body) -> None:
    """Give what single loads find, or, of long structs, what masked gathers find."""
    writer, parts = body.writer, body.shape.parts
    if len(parts) <= SINGLE_LOADS:
        integers = [(IntTy(8 * size_bytes(p)), o) for p, o in parts]
        words = read_lanes(writer, body.base, body.addresses, body.mask, integers)
        kinds = [writer.vector_type(p) for p, _ in parts]
        pairs = zip(words, kinds, strict=True)
        body.find(*(writer.code.cast("bitcast", w, k) for w, k in pairs))
        return
    lanes = writer.flags(body.mask)
    found = list[Value]()
    for part, offset in parts:
        pointers = body.host(body.addresses, offset)
        type_ = writer.vector_type(part)
        name = f"llvm.masked.gather.{type_suffix(type_)}.v{writer.width}p0"
        body.outer.module.declare(
            name, f"declare {type_} @{name}({pointers.type}, {lanes.type}, {type_})"
        )
        where = f"{pointers.type} align {size_bytes(part)} {pointers.text}"
        text = f"call {type_} @{name}({where}, {lanes}, {zero(type_)})"
        found.append(writer.code.value(type_, text))
    body.find(*found)


def _write_store(body: _Body) -> None:
    code, writer, shape = body.code, body.writer, body.shape
    none = const_int(I1, 0)
    if len(shape.parts) == 1:
        origin = body.split_contiguous()
        body.check_span(origin, "move")
        code.position_at("move")
        full = code.compare("icmp", "eq", body.mask, writer.full_mask)
        code.branch_if(full, "whole", "masked")
        code.position_at("whole")
        align = size_bytes(shape.parts[0][0])
        code.store(body.values[0], body.host(origin), align)
        body.give(none)
        code.position_at("masked")
        _masked_store(body, origin, align)
        body.give(none)
        code.position_at("scattered")
    body.check_lanes("scatter", "bad")
    code.position_at("scatter")
    lanes = writer.flags(body.mask)
    for (part, offset), value in zip(shape.parts, body.values, strict=True):
        pointers = body.host(body.addresses, offset)
        name = f"llvm.masked.scatter.{type_suffix(value.type)}.v{writer.width}p0"
        body.outer.module.declare(
            name, f"declare void @{name}({value.type}, {pointers.type}, {lanes.type})"
        )
        where = f"{pointers.type} align {size_bytes(part)} {pointers.text}"
        code.emit(f"call void @{name}({value}, {where}, {lanes})")
    body.give(none)


def _masked_store(body: _Body, origin: Value, align: int) -> None:
    writer, value = body.writer, body.values[0]
    lanes = writer.flags(body.mask)
    name = f"llvm.masked.store.{type_suffix(value.type)}.p0"
    body.outer.module.declare(name, f"declare void @{name}({value.type}, ptr, {lanes.type})")
    pointer = body.host(origin)
    body.code.emit(f"call void @{name}({value}, ptr align {align} {pointer.text}, {lanes})")


def _write_atomic(body: _Body, operation: str) -> None:
    """One lane after another, lowest first; each is a host atomic, so workers may share memory."""
    code, writer, shape = body.code, body.writer, body.shape
    body.check_lanes("start", "bad")
    code.position_at("start")
    part = shape.parts[0][0]
    vector = writer.vector_type(part)
    old = code.alloca(vector, 64)
    swapped = code.alloca(writer.vector_type(I1), 64)
    code.store(zero(vector), old, 64)
    code.store(zero(writer.vector_type(I1)), swapped, 64)
    code.branch("lane")
    code.position_at("lane")
    left = Value(writer.mask_type, "%left")
    code.blocks["lane"].append(f"  %left = phi {left.type} [ %mask, %start ], [ %rest, %lane ]")
    number = writer.widen(writer.first_lane(left))
    pointer = body.host(code.extract_element(body.addresses, number))
    operands = [code.extract_element(v, number) for v in body.values]
    if operation == "cmpxchg":
        pair = StructTy((part, I1))
        text = f"cmpxchg {pointer}, {operands[0]}, {operands[1]} monotonic monotonic"
        text = f"{text}, align {size_bytes(part)}"
        result = code.value(pair, text)
        before = code.extract_value(result, part, 0)
        done = code.extract_value(result, I1, 1)
        flags = code.load(writer.vector_type(I1), swapped, 64)
        code.store(code.insert_element(flags, done, number), swapped, 64)
    else:
        text = f"atomicrmw {operation} {pointer}, {operands[0]} monotonic, align {size_bytes(part)}"
        before = code.value(part, text)
    values = code.load(vector, old, 64)
    code.store(code.insert_element(values, before, number), old, 64)
    less = code.binary("sub", left, const_int(left.type, 1))
    code.blocks["lane"].append(f"  %rest = and {left}, {less.text}")
    more = writer.any_lane(Value(left.type, "%rest"))
    code.branch_if(more, "lane", "done")
    code.position_at("done")
    result_old = code.load(vector, old, 64)
    none = const_int(I1, 0)
    if operation == "cmpxchg":
        body.give(result_old, code.load(writer.vector_type(I1), swapped, 64), none)
    else:
        body.give(result_old, none)
