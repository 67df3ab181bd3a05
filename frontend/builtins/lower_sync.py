"""Definitions of atomics, fences and async copies (OpenCL C 1.2, sections 6.12.9 to 6.12.11).

Atomics of OpenCL 1.2 are relaxed: orderings are ``monotonic``, in the scope ``device`` for global
and ``workgroup`` for local memory; fences order the work-item's accesses within the work-group.
"""

from __future__ import annotations

from kcc.frontend.builtins.emitter import Emitter, ir_type
from kcc.frontend.ir.builder import Value, const_int
from kcc.frontend.ir.types import I1, I32, I64, PtrTy, StructTy, align_bytes
from kcc.frontend.types import UINT, AddressSpace, PointerType

_OPERATIONS = {
    "add": "add", "sub": "sub", "inc": "add", "dec": "sub", "and": "and", "or": "or", "xor": "xor",
    "xchg": "xchg", "min": "min", "max": "max",
}  # fmt: skip
"""The operation of ``atomicrmw`` by the end of the name."""

_FENCES = {"mem_fence": "acq_rel", "read_mem_fence": "acquire", "write_mem_fence": "release"}

_ALL_FENCES = 3
"""CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE."""


def atomic(e: Emitter) -> Value:
    """atomic_OP and atom_OP: the old value."""
    operation = e.builtin.name.partition("_")[2]
    pointer = e.args[0]
    assert isinstance(pointer.type, PtrTy)
    scope = "device" if pointer.type.space == AddressSpace.GLOBAL else "workgroup"
    tail = f'syncscope("{scope}") monotonic'
    align = f"align {align_bytes(e.result)}"
    if operation == "cmpxchg":
        pair = StructTy((e.result, I1))
        expected, new = e.args[1:]
        text = f"cmpxchg {pointer}, {expected}, {new} {tail} monotonic, {align}"
        return e.build.extract_value(e.build.value(pair, text), e.result, 0)
    word = _OPERATIONS[operation]
    if word in ("min", "max") and not _is_signed_pointer(e):
        word = f"u{word}"
    operand = e.args[1] if len(e.args) > 1 else const_int(e.result, 1)
    return e.build.value(e.result, f"atomicrmw {word} {pointer}, {operand} {tail}, {align}")


def _is_signed_pointer(e: Emitter) -> bool:
    return e.kind(1).signed


def fence(e: Emitter) -> Value:
    """mem_fence and its one-sided forms, whatever the flags."""
    e.build.emit(f'fence syncscope("workgroup") {_FENCES[e.builtin.name]}')
    return e.void()


def wait_group_events(e: Emitter) -> Value:
    """A barrier: the copies were made by all work-items."""
    return e.call("barrier", [UINT], [const_int(I32, _ALL_FENCES)])


def nothing(e: Emitter) -> Value:
    """Prefetch is a hint."""
    return e.void()


def async_copy(e: Emitter) -> Value:
    """async_work_group_copy and its strided form: work-items copy in turn, by their linear id.

    The stride counts elements of the side in global memory.
    """
    b = e.build
    destination, source, count = e.args[:3]
    pointer = e.builtin.parameters[0].type
    assert isinstance(pointer, PointerType)
    element = ir_type(pointer.pointee.type)
    stride = e.args[3] if "strided" in e.builtin.name else const_int(I64, 1)
    first, step = _linear_id(e)
    loop, body, done = b.new_label("loop"), b.new_label("body"), b.new_label("done")
    b.branch(loop)
    b.position_at(loop)
    index = b.value(I64, f"phi i64 [ {first.text}, %entry ], [ %next, %{body} ]")
    b.branch_if(b.compare("icmp", "ult", index, count), body, done)
    b.position_at(body)
    far = b.binary("mul", index, stride)
    to_local = pointer.pointee.space is AddressSpace.LOCAL
    read, written = (far, index) if to_local else (index, far)
    align = align_bytes(element)
    value = b.load(element, b.gep(element, source, [read]), align)
    b.store(value, b.gep(element, destination, [written]), align)
    b.emit(f"%next = add {index}, {step.text}")
    b.branch(loop)
    b.position_at(done)
    return e.args[-1]


def _linear_id(e: Emitter) -> tuple[Value, Value]:
    """The work-item's number within its group, and how many there are."""
    b = e.build

    def query(name: str, dimension: int) -> Value:
        return e.call(name, [UINT], [const_int(I32, dimension)])

    ids = [query("get_local_id", d) for d in range(3)]
    sizes = [query("get_local_size", d) for d in range(3)]
    plane = b.binary("add", b.binary("mul", ids[2], sizes[1]), ids[1])
    linear = b.binary("add", b.binary("mul", plane, sizes[0]), ids[0])
    return linear, b.binary("mul", b.binary("mul", sizes[0], sizes[1]), sizes[2])
