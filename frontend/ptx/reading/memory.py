"""Loads, stores, atomics, asynchronous copies (PTX ISA, "Data movement", "Parallel
synchronization": atom, red).

Cache operators and eviction priorities change no value. Copies of ``cp.async`` are done where they
stand: a program that waits for them as it must sees no difference.
"""

from __future__ import annotations

from kcc.frontend.ir.instructions import COPIES
from kcc.frontend.ptx.reading.arithmetic import Handler
from kcc.frontend.ptx.reading.model import (
    SIZES,
    Address,
    Instruction,
    Integer,
    Nothing,
    Operand,
    Register,
    Several,
    Symbol,
)
from kcc.frontend.ptx.reading.pointers import GLOBAL, SHARED, SPACES, space_of
from kcc.frontend.ptx.reading.typing import pointer_type
from kcc.frontend.ptx.reading.writer import BITS, Writer, ir_type, plain

_WATCHED = {"volatile", "relaxed", "acquire", "release", "mmio"}
"""Words of accesses that other threads may change meanwhile."""


def _element(w: Writer, item: Instruction, parts: tuple[Operand, ...]) -> str:
    """The type an access moves: that of the registers where it has their size."""
    type_ = ir_type(w, item.type)
    kinds = {w.types[p.name] for p in parts if isinstance(p, Register) and p.name in w.types}
    if len(kinds) == 1:
        (kind,) = kinds
        if kind.startswith("ptr"):
            return kind if BITS[type_] == 64 else type_
        if BITS[kind] == BITS[type_] and kind != "i1":
            return kind
    return type_


def _access(w: Writer, item: Instruction, value: Operand) -> tuple[tuple[Operand, ...], str, str]:
    """The registers, the type of each and the type of the whole access."""
    parts = value.parts if isinstance(value, Several) else (value,)
    vector = next((x for x in item.words if x in ("v2", "v4", "v8")), None)
    if (vector is None) != (len(parts) == 1) or (vector and int(vector[1]) != len(parts)):
        raise w.refuse("the operand has another number of registers than the access", "K430")
    element = _element(w, item, parts)
    if len(parts) > 1 and element.startswith("ptr"):
        element = "i64"
    return parts, element, element if len(parts) == 1 else f"<{len(parts)} x {element}>"


def load(w: Writer, item: Instruction) -> None:
    """``ld`` and ``ldu``."""
    target, place, *_ = w.operands(item, 2, 4)
    if any(x.split("::")[0] == "param" for x in item.words) and _scalar(w, item, target, place):
        return
    parts, element, whole = _access(w, item, target)
    pointer, space = w.pointer(place, space_of(item.words))
    size = SIZES[item.type] * len(parts)
    volatile = "volatile " if _WATCHED & set(item.words) else ""
    # CUDA's __ldg is assembly in its header, of whose address compilers take no constant apart
    is_apart = "nc" in item.words and isinstance(place, Address) and place.offset == 0
    value = w.value(
        f"load {volatile}{whole}, {pointer_type(space)} {pointer}, align {_alignment(size)}"
        f"{w.apart * is_apart}"
    )
    if len(parts) == 1:
        w.write(parts[0], element, value, signed=item.type[0] == "s")
        return
    value = w.value(f"freeze {whole} {value}")  # else LLVM makes it loads of single elements
    for number, part in enumerate(parts):
        if not isinstance(part, Nothing):
            one = w.value(f"extractelement {whole} {value}, i32 {number}")
            w.write(part, element, one, signed=item.type[0] == "s")


def _alignment(size: int) -> int:
    return min(size & -size, 16)


def _scalar(w: Writer, item: Instruction, target: Operand, place: Operand) -> bool:
    """A parameter that is passed as a value; whether it is one."""
    if not isinstance(place, Address) or not isinstance(place.base, Symbol):
        return False
    have = w.parameters.get(place.base.name)
    if have is None or have == "byval":
        return False
    if place.offset or isinstance(target, Several):
        raise w.refuse("a part of a parameter is not supported")
    value, type_ = f"%{plain(place.base.name)}", ir_type(w, item.type)
    if have.startswith("ptr"):
        w.write(target, have, value)
        return True
    w.write(target, type_, w.convert(value, have, type_), signed=item.type[0] == "s")
    return True


def store(w: Writer, item: Instruction) -> None:
    """``st``."""
    place, value, *_ = w.operands(item, 2, 3)
    if any(x.split("::")[0] == "param" for x in item.words):
        raise w.refuse("a kernel's parameter is stored to")
    parts, element, whole = _access(w, item, value)
    values = [w.read(p, element) for p in parts]
    pointer, space = w.pointer(place, space_of(item.words))
    size = SIZES[item.type] * len(parts)
    stored = values[0]
    if len(parts) > 1:
        stored = "poison"
        for number, one in enumerate(values):
            stored = w.value(f"insertelement {whole} {stored}, {element} {one}, i32 {number}")
    volatile = "volatile " if _WATCHED & set(item.words) else ""
    w.line(
        f"store {volatile}{whole} {stored}, {pointer_type(space)} {pointer}, "
        f"align {_alignment(size)}"
    )


_INTEGERS = {"add": "add", "and": "and", "or": "or", "xor": "xor", "exch": "xchg",
             "inc": "uinc_wrap", "dec": "udec_wrap"}  # fmt: skip


def atomic(w: Writer, item: Instruction) -> None:
    """Atom and red; red has no result."""
    operands = item.operands if item.words[0] == "atom" else (Nothing(), *item.operands)
    type_, word = item.type, next((x for x in item.words[1:] if x in _OPERATIONS), None)
    if word is None or any(x in ("v2", "v4", "v8") for x in item.words) or len(operands) < 3:
        raise w.refuse(f"'{item.opcode}' is not supported")
    want = ir_type(w, type_)
    pointer, space = w.pointer(operands[1], space_of(item.words))
    where = f"{pointer_type(space)} {pointer}"
    tail = f'syncscope("device") monotonic, align {SIZES[type_]}'
    if type_ in ("f16x2", "bf16x2", "bf16", "b128"):
        raise w.refuse(f"'{item.opcode}' is not supported")
    if word == "cas":
        bits = f"i{BITS[want]}"
        expected, new = (w.read(o, bits) for o in operands[2:4])
        pair = w.value(
            f'cmpxchg {where}, {bits} {expected}, {bits} {new} syncscope("device") monotonic '
            f"monotonic, align {SIZES[type_]}"
        )
        w.write(operands[0], bits, w.value(f"extractvalue {{ {bits}, i1 }} {pair}, 0"))
        return
    operation = _operation(w, item, word, type_)
    value = w.read(operands[2], want)
    w.write(operands[0], want, w.value(f"atomicrmw {operation} {where}, {want} {value} {tail}"))


_OPERATIONS = {*_INTEGERS, "min", "max", "cas"}


def _operation(w: Writer, item: Instruction, word: str, type_: str) -> str:
    if type_[0] == "f":
        if word not in ("add", "exch"):
            raise w.refuse(f"'{item.opcode}' is not supported")
        return "fadd" if word == "add" else "xchg"
    if word in ("min", "max"):
        return word if type_[0] == "s" else f"u{word}"
    return _INTEGERS[word]


def prefetch(w: Writer, item: Instruction) -> None:
    """No value changes."""
    del w, item


def copy_async(w: Writer, item: Instruction) -> None:
    """cp.async: 4, 8 or 16 bytes from global to shared memory; bytes beyond the source's size are
    zero. They are complete where they stand; groups and what waits for them are fences of their
    own, for the time it takes."""
    if "bulk" in item.words:
        _copy_bulk(w, item)
        return
    match item.words[2]:
        case "wait_all":
            w.wait(COPIES)
        case "wait_group":
            w.wait(COPIES, groups_left(w, item))
        case "commit_group":
            w.group(COPIES)
        case "mbarrier":
            w.group(COPIES)
        case _:
            _copy_small(w, item)


def groups_left(w: Writer, item: Instruction) -> int:
    """How many groups a wait leaves outstanding; of none, all copies are waited for, be they in a
    group or not."""
    (left,) = w.operands(item, 1)
    if not isinstance(left, Integer) or left.value < 0:
        raise w.refuse("a wait names the number of groups that it leaves", "K430")
    return left.value or -1


def _copy_small(w: Writer, item: Instruction) -> None:
    to, source, size, *more = w.operands(item, 3, 5)
    if not isinstance(size, Integer) or size.value not in (4, 8, 16):
        raise w.refuse("cp.async copies 4, 8 or 16 bytes", "K430")
    kind = {4: "i32", 8: "<2 x i32>", 16: "<4 x i32>"}[size.value]
    target, space = w.pointer(to, SHARED)
    where = f"{pointer_type(space)} {target}, align {size.value}"
    if not more or (isinstance(more[0], Integer) and more[0].value == size.value):
        _copy(w, (target, space), source, size.value)
        return
    count = w.read(more[0], "i32")
    some, none, end = w.fresh("copy"), w.fresh("clear"), w.fresh("copied")
    w.branch(w.compare("ne", "i32", count, 0), some, none)
    w.label(some)
    if _all_or_nothing(w, more[0], size.value):
        _copy(w, (target, space), source, size.value)
    else:
        value = _copied(w, source, kind, size.value)
        value = _first_bytes(w, value, kind, size.value, count)
        w.line(f"store {kind} {value}, {where}")
    w.jump(end)
    w.label(none)
    w.line(f"store {kind} zeroinitializer, {where}")
    w.jump(end)
    w.label(end)


def _copy_bulk(w: Writer, item: Instruction) -> None:
    """cp.async.bulk between global and shared memory of one block, of a size that is a constant."""
    if "commit_group" in item.words or "wait_group" in item.words:
        return
    if "tensor" in item.words or item.words[2] != "bulk" or "multicast::cluster" in item.words:
        raise w.refuse(f"'{item.opcode}': tensor maps and their kin (TMA) are not supported")
    to, source, size, *_ = w.operands(item, 3, 5)
    spaces = [SPACES[s] for x in item.words if (s := x.split("::")[0]) in ("global", "shared")]
    if len(spaces) != 2 or not isinstance(size, Integer):
        raise w.refuse(f"'{item.opcode}' of a size that is computed is not supported")
    target, into = w.pointer(to, spaces[0])
    _copy(w, (target, into), source, size.value, spaces[1], 16)


def _all_or_nothing(w: Writer, operand: Operand, size: int, depth: int = 0) -> bool:
    """Whether a source size is chosen between nothing and the whole."""
    if operand in (Integer(0), Integer(size)):
        return True
    if not isinstance(operand, Register) or depth > 4:
        return False
    found = [
        i for i in w.flat.body
        if isinstance(i, Instruction) and i.operands and i.operands[0] == operand
    ]  # fmt: skip
    return bool(found) and all(
        i.words[0] in ("selp", "mov")
        and all(_all_or_nothing(w, o, size, depth + 1) for o in i.operands[1:3])
        for i in found
    )


def _copy(
    w: Writer,
    to: tuple[str, int],
    source: Operand,
    size: int,
    space: int = GLOBAL,
    alignment: int = 0,
) -> None:
    """A copy that no register sees: volatile, so that it stays one."""
    target, into = to
    pointer, space = w.pointer(source, space)
    aligned = alignment or size
    kinds = [pointer_type(into), pointer_type(space)]
    symbol = f"llvm.memcpy.p{into}.p{space}.i64"
    w.declared[symbol] = f"declare void @{symbol}({kinds[0]}, {kinds[1]}, i64, i1 immarg)"
    w.line(
        f"call void @{symbol}({kinds[0]} align {aligned} {target}, "
        f"{kinds[1]} align {aligned} {pointer}, i64 {size}, i1 true)"
    )


def _copied(w: Writer, source: Operand, kind: str, size: int) -> str:
    pointer, space = w.pointer(source, GLOBAL)
    return w.value(f"load {kind}, {pointer_type(space)} {pointer}, align {size}")


def _first_bytes(w: Writer, value: str, kind: str, size: int, count: str) -> str:
    """The first bytes of a value, zeros after them."""
    bits = f"i{8 * size}"
    whole = w.cast("bitcast", kind, value, bits) if kind != bits else value
    kept = w.intrinsic("umin", "i32", count, str(size))
    away = w.binary("shl", "i32", w.binary("sub", "i32", str(size), kept), 3)
    none = w.compare("eq", "i32", away, 8 * size)
    safe = w.select(none, "i32", 0, away)
    mask = w.binary("lshr", bits, "-1", w.convert(safe, "i32", bits))
    mask = w.select(none, bits, 0, mask)
    result = w.binary("and", bits, whole, mask)
    return w.cast("bitcast", bits, result, kind) if kind != bits else result


UNRUN = "llvm.nvvm.fence.proxy.tensormap_generic.release.cta"
"""Called by kernels that copy by tensor maps, which are not run."""


def tensor_map(w: Writer, item: Instruction) -> None:
    """The mark of :mod:`~kcc.frontend.ptx.reading.tensor_maps`."""
    del item
    w.declared[UNRUN] = f"declare void @{UNRUN}()"
    w.line(f"call void @{UNRUN}()")


def copy(w: Writer, item: Instruction) -> None:
    """``cp``."""
    if item.words[1] == "async":
        copy_async(w, item)
        return
    raise w.refuse(f"'{item.opcode}' is not supported")


HANDLERS: dict[str, Handler] = {
    "ld": load, "ldu": load, "st": store, "atom": atomic, "red": atomic, "prefetch": prefetch,
    "prefetchu": prefetch, "discard": prefetch, "applypriority": prefetch, "cp": copy,
    "createpolicy": prefetch, "tensormap": tensor_map,
}  # fmt: skip
"""By the first word of the opcode."""
