"""Code that appends to the trace: blocks as they run, and the addresses they touch.

The stream is a sequence of 32-bit words, read back by :mod:`kcc.tracegen.trace_stream`:

- When a warp begins to run or continues after a barrier: :data:`HEADER_MARK`, the thread block (two
  words, low first), the warp.
- For each segment it executes (a basic block, or the part of one before or after a barrier): the
  segment's number in the plan, and the mask of active lanes (one word per 32 lanes). With
  :data:`SAME_MASK` set in the number the mask is that of the segment before and not repeated.
- For each of the segment's memory instructions, in order, a word with a tag in its upper 3 bits and
  below them, signed, how far an address is from the one last written for the instruction. Tag 0
  means that it is too far: 64 bits follow with the tag in their upper 3 bits, the address below.

Tags of addresses, from which the lanes' addresses follow:

    1  by the pattern last written for the instruction: lane i has the address plus pattern[i]
    2  all active lanes have this address
    3  lane i has the address plus i times the size of the access
    4  a new pattern follows: for each active lane a signed 32-bit difference (0 in the others)

Addresses and patterns are kept per instruction and forgotten where a chunk of the trace begins.
"""

from __future__ import annotations

from kcc.frontend.ir.builder import FunctionBuilder, ModuleBuilder, Value, const_int, zero
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    AtomicRmw,
    CompareExchange,
    Store,
)
from kcc.frontend.ir.types import I8, I32, I64, VOID
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.layout import Worker
from kcc.tracegen.simt.memory import HOST_POINTER
from kcc.tracegen.simt.wide import Writer, access_bytes

TAG_FAR, TAG_SAME, TAG_UNIFORM, TAG_SEQUENTIAL, TAG_PATTERN = range(5)
TAG_SHIFT = 29
FAR_SHIFT = 61
REACH = 1 << 28
"""How far, less than this, an address may be from the last one to be written in one word."""

SAME_MASK = 1 << 30
"""Flag in a segment's number: its mask is that of the segment before."""

HEADER_MARK = 0xFFFF_FFFE
"""Stands where a segment would; then follow the thread block (64 bits) and the warp."""

HEADER_FUNCTION = "kcc.trace.warp"
SEGMENT_FUNCTION = "kcc.trace.segment"
ACCESS_FUNCTION = "kcc.trace.access"


def append_segment(frame: WarpFrame, segment: int) -> None:
    """Append the record of a segment, and make room for the records of its accesses."""
    if SEGMENT_FUNCTION not in frame.helpers.made:
        frame.helpers.made.add(SEGMENT_FUNCTION)
        _define_segment(frame)
    accesses = sum(frame.plan.segment_of[i] == segment for i in frame.plan.accesses)
    room = 4 + frame.width // 8
    if frame.trace_addresses:
        room += accesses * (12 + 4 * frame.width)
    arguments = [frame.worker, const_int(I32, segment), frame.mask, const_int(I64, room)]
    frame.code.call(SEGMENT_FUNCTION, VOID, arguments, convention="")


def append_access(frame: WarpFrame, instruction: AnyInstruction, address: Value) -> None:
    """Append the record of a memory instruction."""
    if ACCESS_FUNCTION not in frame.helpers.made:
        frame.helpers.made.add(ACCESS_FUNCTION)
        _define_access(frame)
    type_ = instruction.type
    if isinstance(instruction, (Store, AtomicRmw)):
        type_ = instruction.value.type
    elif isinstance(instruction, CompareExchange):
        type_ = instruction.new.type
    number = frame.plan.accesses.index(instruction.index)
    arguments = [
        frame.worker, const_int(I64, number), frame.lanes(address), frame.mask,
        const_int(I64, access_bytes(type_)),
    ]  # fmt: skip
    frame.code.call(ACCESS_FUNCTION, VOID, arguments, convention="")


def define_header(module: ModuleBuilder, width: int) -> None:
    """``kcc.trace.warp(worker, block, warp)``: marker, thread block (two words), warp."""
    code = FunctionBuilder(VOID)
    code.position_at("entry")
    writer, worker = Writer(module, code, width), Value(HOST_POINTER, "%worker")
    _room(writer, worker, const_int(I64, 16))
    next_ = writer.load_word(worker, Worker.TRACE_NEXT, HOST_POINTER)
    code.store(const_int(I32, HEADER_MARK), next_, 4)
    code.store(Value(I64, "%block"), code.gep(I8, next_, [const_int(I64, 4)]), 4)
    warp = code.cast("trunc", Value(I64, "%warp"), I32)
    writer.store_word(const_int(I64, 0), worker, Worker.LAST_MASK)
    code.store(warp, code.gep(I8, next_, [const_int(I64, 12)]), 4)
    writer.store_word(code.gep(I8, next_, [const_int(I64, 16)]), worker, Worker.TRACE_NEXT)
    code.ret()
    module.define(
        f"define internal void @{HEADER_FUNCTION}(ptr %worker, i64 %block, i64 %warp) nounwind",
        code,
    )


def _helper(frame: WarpFrame) -> Writer:
    code = FunctionBuilder(VOID)
    code.position_at("entry")
    return Writer(frame.module, code, frame.width)


def _room(writer: Writer, worker: Value, size_bytes: Value) -> None:
    """Make sure that so many bytes fit, emptying the buffer if need be."""
    code = writer.code
    next_ = writer.load_word(worker, Worker.TRACE_NEXT)
    limit = writer.load_word(worker, Worker.TRACE_LIMIT)
    after = code.binary("add", next_, size_bytes)
    code.branch_if(code.compare("icmp", "ugt", after, limit), "full", "room")
    code.position_at("full")
    writer.call_back(worker, Worker.FLUSH)
    code.branch("room")
    code.position_at("room")


def _define_segment(frame: WarpFrame) -> None:
    writer = _helper(frame)
    code, worker = writer.code, Value(HOST_POINTER, "%worker")
    mask = Value(writer.mask_type, "%mask")
    size = 4 + writer.width // 8
    _room(writer, worker, Value(I64, "%size"))
    next_ = writer.load_word(worker, Worker.TRACE_NEXT, HOST_POINTER)
    wide = writer.widen(mask)
    last = writer.load_word(worker, Worker.LAST_MASK)
    code.branch_if(code.compare("icmp", "eq", wide, last), "same", "other")
    code.position_at("same")
    flagged = code.binary("or", Value(I32, "%segment"), const_int(I32, SAME_MASK))
    code.store(flagged, next_, 4)
    writer.store_word(code.gep(I8, next_, [const_int(I64, 4)]), worker, Worker.TRACE_NEXT)
    code.ret()
    code.position_at("other")
    code.store(Value(I32, "%segment"), next_, 4)
    code.store(mask, code.gep(I8, next_, [const_int(I64, 4)]), 4)
    writer.store_word(wide, worker, Worker.LAST_MASK)
    writer.store_word(code.gep(I8, next_, [const_int(I64, size)]), worker, Worker.TRACE_NEXT)
    code.ret()
    frame.module.define(
        f"define internal void @{SEGMENT_FUNCTION}(ptr %worker, i32 %segment, {mask}, "
        "i64 %size) alwaysinline nounwind",
        code,
    )


def _define_access(frame: WarpFrame) -> None:
    writer = _helper(frame)
    _AccessRecord(writer).write()
    vector = writer.vector_type(I64)
    frame.module.define(
        f"define internal void @{ACCESS_FUNCTION}(ptr %worker, i64 %number, {vector} %addresses, "
        f"{writer.mask_type} %mask, i64 %size) noinline nounwind",
        writer.code,
    )


class _AccessRecord:
    """Writes the body of ``kcc.trace.access``: the shortest record that holds the addresses."""

    def __init__(self, writer: Writer) -> None:
        self.writer, self.code = writer, writer.code
        self.worker = Value(HOST_POINTER, "%worker")
        self.addresses = Value(writer.vector_type(I64), "%addresses")
        self.mask = Value(writer.mask_type, "%mask")
        self.size = Value(I64, "%size")

    def write(self) -> None:
        code, writer = self.code, self.writer
        self.next = writer.load_word(self.worker, Worker.TRACE_NEXT, HOST_POINTER)
        self.inactive = code.binary("xor", self.mask, writer.full_mask)
        self.lane = writer.widen(writer.first_lane(self.mask))
        self.first = code.extract_element(self.addresses, self.lane)
        skipped = code.binary("mul", self.lane, self.size)
        origin = code.binary("sub", self.first, skipped)
        steps = code.binary("mul", writer.iota(I64), writer.lanes(self.size))
        sequence = code.binary("add", writer.lanes(origin), steps)
        self._try("sequential", sequence, TAG_SEQUENTIAL, origin)
        self._try("uniform", writer.lanes(self.first), TAG_UNIFORM, self.first)
        self._write_pattern()

    def _try(self, name: str, expected: Value, tag: int, address: Value) -> None:
        """Where all active lanes have the expected addresses, a record of one word."""
        code = self.code
        equal = self.writer.bits(code.compare("icmp", "eq", self.addresses, expected))
        both = code.binary("or", equal, self.inactive)
        fits = code.compare("icmp", "eq", both, self.writer.full_mask)
        code.branch_if(fits, name, f"not.{name}")
        code.position_at(name)
        self._finish(self._write_address(tag, address))
        code.position_at(f"not.{name}")

    def _write_pattern(self) -> None:
        """By the pattern last written for the instruction, else by a new one."""
        code, writer = self.code, self.writer
        patterns = writer.load_word(self.worker, Worker.PATTERNS, HOST_POINTER)
        row = code.binary("mul", Value(I64, "%number"), const_int(I64, 4 * writer.width))
        pattern = code.gep(I8, patterns, [row])
        narrow = writer.vector_type(I32)
        old = code.cast("sext", code.load(narrow, pattern, 4), self.addresses.type)
        base = code.binary("sub", self.first, code.extract_element(old, self.lane))
        self._try("same", code.binary("add", old, writer.lanes(base)), TAG_SAME, base)
        apart = code.binary("sub", self.addresses, writer.lanes(self.first))
        known = writer.flags(self.mask)
        deltas = code.select(known, code.cast("trunc", apart, narrow), zero(narrow))
        code.store(deltas, pattern, 4)
        end = self._write_address(TAG_PATTERN, self.first)
        name = f"llvm.masked.compressstore.v{writer.width}i32"
        writer.module.declare(name, f"declare void @{name}({narrow}, ptr, {known.type})")
        code.emit(f"call void @{name}({deltas}, {end}, {known})")
        count = writer.call_intrinsic(f"llvm.ctpop.i{writer.width}", self.mask.type, [self.mask])
        size = code.binary("shl", writer.widen(count), const_int(I64, 2))
        self._finish(code.gep(I8, end, [size]))

    def _write_address(self, tag: int, address: Value) -> Value:
        """Write the tagged address, in one word if it is near the last one; gives the place after
        it."""
        code, writer = self.code, self.writer
        bases = writer.load_word(self.worker, Worker.BASES, HOST_POINTER)
        base = code.gep(I64, bases, [Value(I64, "%number")])
        apart = code.binary("sub", address, code.load(I64, base, 8))
        code.store(address, base, 8)
        shifted = code.binary("add", apart, const_int(I64, REACH))
        near = code.compare("icmp", "ult", shifted, const_int(I64, 2 * REACH))
        here, far, done = (code.new_label(f"write.{w}") for w in ("near", "far", "done"))
        code.branch_if(near, here, far)
        code.position_at(here)
        low = code.binary("and", apart, const_int(I64, (1 << TAG_SHIFT) - 1))
        word = code.binary("or", low, const_int(I64, tag << TAG_SHIFT))
        code.store(code.cast("trunc", word, I32), self.next, 4)
        short = code.gep(I8, self.next, [const_int(I64, 4)])
        code.branch(done)
        code.position_at(far)
        code.store(const_int(I32, TAG_FAR), self.next, 4)
        whole = code.binary("or", address, const_int(I64, tag << FAR_SHIFT))
        code.store(whole, code.gep(I8, self.next, [const_int(I64, 4)]), 4)
        long = code.gep(I8, self.next, [const_int(I64, 12)])
        code.branch(done)
        code.position_at(done)
        return code.phi(HOST_POINTER, [(short, here), (long, far)])

    def _finish(self, end: Value) -> None:
        self.writer.store_word(end, self.worker, Worker.TRACE_NEXT)
        self.code.ret()
