"""Warps and thread blocks (PTX ISA, "Parallel synchronization and communication"; shfl).

Masks are taken to name the active lanes, as PTX demands of programs.
"""

from __future__ import annotations

from kcc.frontend.ir.instructions import COPIES
from kcc.frontend.ptx.reading.arithmetic import Handler
from kcc.frontend.ptx.reading.flatten import Flat
from kcc.frontend.ptx.reading.model import Instruction, Integer, Nothing, Operand, Register, Several
from kcc.frontend.ptx.reading.writer import Writer, ir_type

_EFFECT = "convergent nounwind"
LANES = 32


def ballot(w: Writer, predicate: str) -> str:
    """The mask of active lanes where an i1 is true."""
    flag = w.cast("zext", "i1", predicate, "i32")
    vector = w.call("<4 x i32>", "_Z16sub_group_balloti", f"i32 {flag}", "i32", _EFFECT)
    return w.value(f"extractelement <4 x i32> {vector}, i32 0")


def shuffled(w: Writer, value: str, type_: str, lane: str, kind: str = "") -> str:
    """sub_group_shuffle and its kin, on words of 32 or 64 bits."""
    name, code = f"sub_group_shuffle{kind}", {"i32": "j", "i64": "m", "float": "f"}[type_]
    symbol = f"_Z{len(name)}{name}{code}j"
    return w.call(type_, symbol, f"{type_} {value}, i32 {lane}", f"{type_}, i32", _EFFECT)


def shuffle(w: Writer, item: Instruction) -> None:
    """shfl: PTX ISA's rule for the lane read, with clamp and segment mask."""
    target, source, lane, clamp, *_ = w.operands(item, 4, 5)
    first, second = (
        target.parts if isinstance(target, Several) and target.paired else (target, Nothing())
    )
    mode = next((x for x in ("up", "down", "bfly", "idx") if x in item.words), None)
    if mode is None or item.type not in ("b32", "b64"):
        raise w.refuse(f"'{item.opcode}' is not supported")
    type_ = _shuffle_type(w, item, first)
    value, distance = w.read(source, type_), w.read(lane, "i32")
    whole = 0 if mode == "up" else 31
    if isinstance(clamp, Integer) and clamp.value & 0x1F1F == whole and mode != "idx":
        kind = {"up": "_up", "down": "_down", "bfly": "_xor"}[mode]
        w.write(first, type_, shuffled(w, value, type_, distance, kind))
        if not isinstance(second, Nothing):
            w.write(second, "i1", _in_range(w, mode, distance, clamp)[1])
        return
    if isinstance(clamp, Integer) and clamp.value & 0x1F1F == whole:
        w.write(first, type_, shuffled(w, value, type_, w.binary("and", "i32", distance, 31)))
        if not isinstance(second, Nothing):
            w.write(second, "i1", "true")
        return
    place, inside = _in_range(w, mode, distance, clamp)
    chosen = w.select(inside, "i32", place, w.lane())
    w.write(first, type_, shuffled(w, value, type_, chosen))
    if not isinstance(second, Nothing):
        w.write(second, "i1", inside)


def _shuffle_type(w: Writer, item: Instruction, target: Operand) -> str:

    have = w.types.get(target.name, "") if isinstance(target, Register) else ""
    return "float" if have == "float" and item.type == "b32" else ir_type(w, item.type)


def _in_range(w: Writer, mode: str, distance: str, clamp: Operand) -> tuple[str, str]:
    """The lane to read and whether it is within the segment (PTX ISA, shfl.sync, semantics)."""
    bits, lane = w.read(clamp, "i32"), w.lane()
    limit = w.binary("and", "i32", bits, 31)
    segment = w.binary("and", "i32", w.binary("lshr", "i32", bits, 8), 31)
    outside = w.binary("xor", "i32", segment, -1)
    least = w.binary("and", "i32", lane, segment)
    most = w.binary("or", "i32", least, w.binary("and", "i32", limit, outside))
    steps = w.binary("and", "i32", distance, 31)
    match mode:
        case "up":
            place = w.binary("sub", "i32", lane, steps)
            return place, w.compare("sge", "i32", place, most)
        case "down":
            place = w.binary("add", "i32", lane, steps)
        case "bfly":
            place = w.binary("xor", "i32", lane, steps)
        case _:
            place = w.binary("or", "i32", least, w.binary("and", "i32", steps, outside))
    return place, w.compare("sle", "i32", place, most)


def vote(w: Writer, item: Instruction) -> None:
    """vote.all, any, uni, ballot."""
    target, source, *_ = w.operands(item, 2, 3)
    value = w.read(source, "i1")
    match item.words[2] if item.words[1] == "sync" else item.words[1]:
        case "ballot":
            w.write(target, "i32", ballot(w, value))
        case "any" | "all" as kind:
            w.write(target, "i1", _voted(w, kind, value))
        case "uni":
            yes = _voted(w, "all", value)
            no = _voted(w, "all", w.binary("xor", "i1", value, "true"))
            w.write(target, "i1", w.binary("or", "i1", yes, no))
        case _:
            raise w.refuse(f"'{item.opcode}' is not supported")


def _voted(w: Writer, kind: str, value: str) -> str:
    flag = w.cast("zext", "i1", value, "i32")
    symbol = f"_Z13sub_group_{kind}i"
    result = w.call("i32", symbol, f"i32 {flag}", "i32", _EFFECT)
    return w.compare("ne", "i32", result, 0)


def active_mask(w: Writer, item: Instruction) -> None:
    """``activemask``."""
    (target,) = w.operands(item, 1)
    w.write(target, "i32", ballot(w, "true"))


def match_lanes(w: Writer, item: Instruction) -> None:
    """match.any: the lanes with this lane's value; match.all: all lanes, if all agree."""
    target, source, *_ = w.operands(item, 2, 3)
    type_ = ir_type(w, item.type)
    value = w.read(source, type_)
    active = ballot(w, "true")
    if "all" in item.words:
        first = w.intrinsic("cttz", "i32", active, extra="i1 false")
        equal = w.compare("eq", type_, value, shuffled(w, value, type_, first))
        everyone = _voted(w, "all", equal)
        parts = target.parts if isinstance(target, Several) else (target, Nothing())
        w.write(parts[0], "i32", w.select(everyone, "i32", active, 0))
        if not isinstance(parts[1], Nothing):
            w.write(parts[1], "i1", everyone)
        return
    total = "0"
    for lane in range(LANES):
        other = shuffled(w, value, type_, str(lane))
        bit = w.select(w.compare("eq", type_, value, other), "i32", w.number(1 << lane, "i32"), 0)
        total = w.binary("or", "i32", total, bit)
    w.write(target, "i32", w.binary("and", "i32", total, active))


_REDUCTIONS = {"add": "add", "and": "and", "or": "or", "xor": "xor"}


def reduce(w: Writer, item: Instruction) -> None:
    """redux: over the active lanes, by halves of the warp."""
    target, source, *_ = w.operands(item, 2, 3)
    word, type_ = item.words[2], ir_type(w, item.type)
    if type_ != "i32":
        raise w.refuse(f"'{item.opcode}' is not supported")
    value, active = w.read(source, "i32"), ballot(w, "true")
    total, neutral = None, _neutral(word, item.type)
    for lane in range(LANES):
        other = shuffled(w, value, "i32", str(lane))
        here = w.binary("and", "i32", active, w.number(1 << lane, "i32"))
        there = w.compare("ne", "i32", here, 0)
        other = w.select(there, "i32", other, neutral)
        if total is None:
            total = other
        elif word in _REDUCTIONS:
            total = w.binary(_REDUCTIONS[word], "i32", total, other)
        else:
            total = w.intrinsic(("s" if item.type[0] == "s" else "u") + word, "i32", total, other)
    assert total is not None
    w.write(target, "i32", total)


def _neutral(word: str, type_: str) -> int:
    signed = type_[0] == "s"
    match word:
        case "and":
            return -1
        case "min":
            return 0x7FFFFFFF if signed else -1
        case "max":
            return -0x80000000 if signed else 0
        case _:
            return 0


# barriers


def barrier(w: Writer, item: Instruction) -> None:
    """Bar and barrier: of the whole thread block; of a warp; with a reduction."""
    words = [x for x in item.words[1:] if x not in ("cta", "aligned")]
    match words[0] if words else "":
        case "warp":
            w.call("void", "_Z17sub_group_barrierj", "i32 3", "i32", _EFFECT)
        case "sync":
            _whole_block(w, item, item.operands)
            w.call("void", "_Z7barrierj", "i32 3", "i32", _EFFECT)
        case "red":
            _reduced_barrier(w, item, words[1])
        case "cluster":
            if words[1] == "wait":
                w.call("void", "_Z7barrierj", "i32 3", "i32", _EFFECT)
        case _:
            raise w.refuse(f"'{item.opcode}' is not supported")


def _whole_block(w: Writer, item: Instruction, operands: tuple[Operand, ...]) -> None:
    """A barrier of some of the warps is refused: one that names as many threads as a block has, or
    none, is the block's."""
    threads = 1
    for each in w.flat.kernel.threads:
        threads *= each
    if len(operands) > 1:
        count = operands[1]
        known = isinstance(count, Integer) and w.flat.kernel.threads and count.value == threads
        if not known:
            raise w.refuse(f"'{item.opcode}' of a part of the thread block is not supported")
    if operands and not isinstance(operands[0], Integer):
        raise w.refuse(f"'{item.opcode}' with a number that is computed is not supported")


def _reduced_barrier(w: Writer, item: Instruction, word: str) -> None:
    target, *rest, predicate = item.operands
    _whole_block(w, item, tuple(rest))
    flag = w.cast("zext", "i1", w.read(predicate, "i1"), "i32")
    name = {"and": "work_group_all", "or": "work_group_any", "popc": "work_group_reduce_add"}.get(
        word
    )
    if name is None:
        raise w.refuse(f"'{item.opcode}' is not supported")
    result = w.call("i32", f"_Z{len(name)}{name}i", f"i32 {flag}", "i32", _EFFECT)
    if word == "popc":
        w.write(target, "i32", result)
    else:
        w.write(target, "i1", w.compare("ne", "i32", result, 0))


def memory_barrier(w: Writer, item: Instruction) -> None:
    """Mbarrier objects, of which all threads of a block wait: copies are complete where they
    stand, so that a wait is a barrier of the block. What an arrival counts is not kept. The copies
    that a phase expects are a group; phases are waited for in the order in which they begin."""
    match item.words[1]:
        case "init" | "inval" | "complete_tx":
            return
        case "expect_tx":
            w.group(COPIES)
        case "arrive" | "arrive_drop":
            if "expect_tx" in item.words:
                w.group(COPIES)
            if isinstance(item.operands[0], Register):
                w.write(item.operands[0], "i64", "0")
        case "test_wait" | "try_wait":
            left = phases_left(w.flat, item)
            if left is not None:
                w.wait(COPIES, left)
            w.call("void", "_Z7barrierj", "i32 3", "i32", _EFFECT)
            w.write(item.operands[0], "i1", "true")
        case _:
            raise w.refuse(f"'{item.opcode}' is not supported")


def phases_left(flat: Flat, wait: Instruction) -> int | None:
    """How many groups of copies a wait at an mbarrier leaves outstanding, -1 for none; None where
    no barrier has copies.

    A pipeline begins some phases ahead of its loop, which waits for one and begins one in each
    iteration: what is outstanding is what the text begins before the wait, less what it waits for.
    A phase's copies stand after what expects their bytes, which so closes the phase before; where
    copies tell the barrier of themselves (cp.async.mbarrier.arrive) after them."""
    begun = waited = 0
    expects = False
    for item in flat.body:
        if item is wait:
            break
        if isinstance(item, Instruction):
            expects |= "expect_tx" in item.words
            begun += "expect_tx" in item.words or item.words[:3] == ("cp", "async", "mbarrier")
            waited += item.words[0] == "mbarrier" and item.words[1] in ("test_wait", "try_wait")
    if not begun:
        return None
    left = max(begun - waited - 1, 0)
    return left - 1 if expects else left


def fence(w: Writer, item: Instruction) -> None:
    """Fences of any scope."""
    if "mbarrier_init" in item.words or item.words[0] == "griddepcontrol":
        return
    w.call("void", "_Z9mem_fencej", "i32 3", "i32", _EFFECT)


def nothing(w: Writer, item: Instruction) -> None:
    """What changes no value: hints to the scheduler, waiting."""
    del w, item


def elect(w: Writer, item: Instruction) -> None:
    """elect.sync: the lowest active lane, lane 0 where all take part."""
    target, mask = w.operands(item, 2)
    parts = target.parts if isinstance(target, Several) else (target, Nothing())
    first = "0"
    if not isinstance(mask, Integer) or mask.value & 0xFFFFFFFF != 0xFFFFFFFF:
        first = w.intrinsic("cttz", "i32", ballot(w, "true"), extra="i1 false")
    w.write(parts[0], "i32", first)
    if not isinstance(parts[1], Nothing):
        w.write(parts[1], "i1", w.compare("eq", "i32", w.lane(), first))


def find_nth(w: Writer, item: Instruction) -> None:
    """``fns`` is refused."""
    raise w.refuse(f"'{item.opcode}' is not supported")


HANDLERS: dict[str, Handler] = {
    "shfl": shuffle, "vote": vote, "activemask": active_mask, "match": match_lanes,
    "redux": reduce, "bar": barrier, "barrier": barrier, "membar": fence, "fence": fence,
    "nanosleep": nothing, "griddepcontrol": nothing, "setmaxnreg": nothing, "pmevent": nothing,
    "elect": elect, "mbarrier": memory_barrier, "fns": find_nth,
}  # fmt: skip
"""By the first word of the opcode."""
