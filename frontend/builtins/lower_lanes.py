"""Definitions of the functions of sub-groups, by shuffles and ballots.

A sub-group is a warp, or a part of one where a kernel asks for fewer work-items than a warp has
lanes: then its lanes are those from ``own - own % size`` on. Of a sub-group that a small work-group
does not fill, the lanes from ``get_sub_group_size()`` on do not exist.
"""

from __future__ import annotations

from collections.abc import Callable

from kcc.frontend.builtins.emitter import Emitter
from kcc.frontend.builtins.table_lanes import PART
from kcc.frontend.ir.builder import Value, const_float, const_int
from kcc.frontend.ir.types import I1, I32, I64, FloatTy, IntTy, IrType, VecTy, align_bytes
from kcc.frontend.types import INT, UINT, ScalarKind, ScalarType, Type, VectorType, element_kind

_CARRIED = {
    ScalarKind.INT, ScalarKind.UINT, ScalarKind.LONG, ScalarKind.ULONG, ScalarKind.FLOAT,
    ScalarKind.DOUBLE,
}  # fmt: skip
"""Kinds that a shuffle primitive moves; others travel as 32-bit integers."""


def number(value: int) -> Value:
    """A constant of 32 bits."""
    return const_int(I32, value)


def of_sub_group(e: Emitter, name: str, *arguments: tuple[Type, Value]) -> Value:
    """Call a function of the sub-group, which may be a part of a warp."""
    symbol = f"{PART}{name}" if e.in_parts else name
    return e.call(symbol, [t for t, _ in arguments], [v for _, v in arguments])


def lane(e: Emitter) -> Value:
    """The work-item's number in its sub-group."""
    return of_sub_group(e, "get_sub_group_local_id")


def size(e: Emitter) -> Value:
    """How many work-items the sub-group has."""
    return of_sub_group(e, "get_sub_group_size")


def moved(e: Emitter, value: Value, type_: Type, place: Value, how: str = "") -> Value:
    """``value`` of the lane ``place``; with ``how``, ``_xor``, ``_up`` or ``_down`` of the own."""
    if isinstance(type_, VectorType):
        parts = [moved(e, v, type_.element, place, how) for v in e.lanes(value)]
        return e.gather(parts, value.type)
    kind = element_kind(type_)
    assert kind is not None
    name = f"sub_group_shuffle{how}"
    call = of_sub_group if not how else _of_warp
    if kind in _CARRIED:
        return call(e, name, (ScalarType(kind), value), (UINT, place))
    narrow = IntTy(8 * kind.size_bytes)
    word = e.build.cast("zext", e.build.cast("bitcast", value, narrow), I32)
    word = call(e, name, (UINT, word), (UINT, place))
    return e.build.cast("bitcast", e.build.cast("trunc", word, narrow), value.type)


def _of_warp(e: Emitter, name: str, *arguments: tuple[Type, Value]) -> Value:
    """A distance is the same in a part of a warp as in the warp."""
    return e.call(name, [t for t, _ in arguments], [v for _, v in arguments])


def _type(e: Emitter) -> Type:
    return e.builtin.parameters[0].type


# reductions and scans


def combine(e: Emitter, operation: str, a: Value, b: Value) -> Value:
    """``a operation b`` for values of the first parameter's kind."""
    kind = e.kind(0)
    match operation:
        case "add" | "mul":
            return e.build.binary(f"f{operation}" if kind.floating else operation, a, b)
        case "min" | "max":
            name = f"f{operation}" if kind.floating else operation
            return e.call(name, [ScalarType(kind)] * 2, [a, b])
        case _:
            return e.build.binary(operation, a, b)


def identity(e: Emitter, operation: str) -> Value:
    """What changes nothing."""
    kind, type_ = e.kind(0), e.result
    if isinstance(type_, FloatTy):
        lowest = {"add": -0.0, "mul": 1.0, "min": float("inf"), "max": float("-inf")}
        return const_float(type_, lowest[operation])
    assert isinstance(type_, IntTy)
    top = (1 << (type_.bits - kind.signed)) - 1
    bottom = -(1 << (type_.bits - 1)) if kind.signed else 0
    values = {"add": 0, "mul": 1, "and": -1, "or": 0, "xor": 0, "min": top, "max": bottom}
    return const_int(type_, values[operation])


def _distances(e: Emitter) -> list[int]:
    return [1 << n for n in range(e.sub_group.bit_length() - 1)]


def reduced(e: Emitter, value: Value, operation: str) -> Value:
    """All lanes' values combined, in every lane: lane 0 collects them, half the distance each
    time."""
    own, there = lane(e), size(e)
    for distance in reversed(_distances(e)):
        other = moved(e, value, _type(e), number(distance), "_down")
        last = e.build.binary("add", own, number(distance))
        exists = e.build.compare("icmp", "ult", last, there)
        value = e.build.select(exists, combine(e, operation, value, other), value)
    return moved(e, value, _type(e), number(0))


def scanned(e: Emitter, value: Value, operation: str, *, inclusive: bool) -> Value:
    """The values of the lanes up to here combined (Hillis and Steele, CACM 29 (12), 1986)."""
    own = lane(e)
    for distance in _distances(e):
        other = moved(e, value, _type(e), number(distance), "_up")
        exists = e.build.compare("icmp", "uge", own, number(distance))
        value = e.build.select(exists, combine(e, operation, other, value), value)
    if inclusive:
        return value
    before = moved(e, value, _type(e), number(1), "_up")
    first = e.build.compare("icmp", "eq", own, number(0))
    return e.build.select(first, identity(e, operation), before)


def _collective(e: Emitter) -> Value:
    words = e.builtin.name.removeprefix("sub_group_").split("_")
    if words[0] == "reduce":
        return reduced(e, e.args[0], words[-1])
    return scanned(e, e.args[0], words[-1], inclusive=words[1] == "inclusive")


def _truth(e: Emitter, value: Value) -> Value:
    return e.build.cast("zext", e.build.compare("icmp", "ne", value, number(0)), I32)


def _given(e: Emitter) -> Value:
    return _truth(e, e.args[0]) if "_logical_" in e.builtin.name else e.args[0]


def _counted(
    e: Emitter, start: Value, first: Value, more: Callable[[Value], Value],
    step: Callable[[Value], Value], body: Callable[[Value, Value], Value],
) -> Value:  # fmt: skip
    """``for (n = first; more(n); n = step(n)) value = body(n, value)``."""
    b = e.build
    before = b.current
    assert before is not None
    head, inner, done = (b.new_label(w) for w in ("head", "body", "done"))
    b.branch(head)
    b.position_at(head)
    n = b.value(
        first.type, f"phi {first.type} [ {first.text}, %{before} ], [ %n.{inner}, %{inner} ]"
    )
    value = b.value(
        start.type, f"phi {start.type} [ {start.text}, %{before} ], [ %v.{inner}, %{inner} ]"
    )
    b.branch_if(more(n), inner, done)
    b.position_at(inner)
    after = body(n, value)
    following = step(n)
    assert b.current == inner
    b.emit(f"%v.{inner} = select i1 true, {after}, {after}")
    b.emit(f"%n.{inner} = add {following}, 0")
    b.branch(head)
    b.position_at(done)
    return value


def _non_uniform(e: Emitter) -> Value:
    """Over the lanes that are active, one after another."""
    words = e.builtin.name.removeprefix("sub_group_non_uniform_").split("_")
    operation, b = words[-1], e.build
    value, active, own = _given(e), _mask(e, _ballot(e, number(1))), lane(e)

    def body(n: Value, total: Value) -> Value:
        bit = b.binary("lshr", active, b.cast("zext", n, I64))
        take = b.cast("trunc", bit, I1)
        if words[0] == "scan":
            side = "ule" if words[1] == "inclusive" else "ult"
            take = b.binary("and", take, b.compare("icmp", side, n, own))
        other = moved(e, value, _type(e), n)
        return b.select(take, combine(e, operation, total, other), total)

    return _counted(
        e, identity(e, operation), number(0),
        lambda n: b.compare("icmp", "ult", n, number(e.sub_group)),
        lambda n: b.binary("add", n, number(1)), body,
    )  # fmt: skip


def _clustered(e: Emitter) -> Value:
    """Neighbours at distances that are powers of two, below the size of a cluster."""
    operation, b = e.builtin.name.rpartition("_")[2], e.build

    def body(n: Value, total: Value) -> Value:
        return combine(e, operation, total, moved(e, total, _type(e), n, "_xor"))

    return _counted(
        e, _given(e), number(1), lambda n: b.compare("icmp", "ult", n, e.args[1]),
        lambda n: b.binary("shl", n, number(1)), body,
    )  # fmt: skip


# votes


def _ballot(e: Emitter, value: Value) -> Value:
    return of_sub_group(e, "sub_group_ballot", (INT, value))


def _mask(e: Emitter, words: Value) -> Value:
    """A ballot's first 64 lanes as one number."""
    low, high = (e.build.cast("zext", e.build.extract_element(words, n), I64) for n in (0, 1))
    return e.build.binary("or", low, e.build.binary("shl", high, const_int(I64, 32)))


def _words(e: Emitter, mask: Value) -> Value:
    high = e.build.binary("lshr", mask, const_int(I64, 32))
    parts = [e.build.cast("trunc", v, I32) for v in (mask, high)]
    return e.gather([*parts, number(0), number(0)], VecTy(4, I32))


def _full(e: Emitter) -> Value:
    return const_int(I64, (1 << min(e.sub_group, 64)) - 1)


def _below(e: Emitter, *, included: bool) -> Value:
    """The lanes before the own one, and that one too."""
    bit = e.build.binary("shl", const_int(I64, 1 + included), e.build.cast("zext", lane(e), I64))
    return e.build.binary("sub", bit, const_int(I64, 1))


def _side_mask(e: Emitter) -> Value:
    side = e.builtin.name.split("_")[3]
    if side == "eq":
        bit = e.build.binary("shl", const_int(I64, 1), e.build.cast("zext", lane(e), I64))
        return _words(e, bit)
    mask = _below(e, included=side in ("le", "gt"))
    if side in ("ge", "gt"):
        mask = e.build.binary("xor", mask, const_int(I64, -1))
    return _words(e, e.build.binary("and", mask, _full(e)))


def _lowest(e: Emitter, mask: Value) -> Value:
    """The number of the lowest bit."""
    below = e.build.binary("sub", mask, const_int(I64, 1))
    below = e.build.binary("and", below, e.build.binary("xor", mask, const_int(I64, -1)))
    return e.build.cast("trunc", e.intrinsic("ctpop", below), I32)


def _count(e: Emitter) -> Value:
    mask = e.build.binary("and", _mask(e, e.args[0]), _full(e))
    if "scan" in e.builtin.name:
        side = _below(e, included="inclusive" in e.builtin.name)
        mask = e.build.binary("and", mask, side)
    return e.build.cast("trunc", e.intrinsic("ctpop", mask), I32)


def _find(e: Emitter) -> Value:
    mask = e.build.binary("and", _mask(e, e.args[0]), _full(e))
    if e.builtin.name.endswith("lsb"):
        return _lowest(e, mask)
    zeros = e.build.cast("trunc", e.intrinsic("ctlz", mask, const_int(I1, 0)), I32)
    return e.build.binary("sub", number(63), zeros)


def _bit(e: Emitter) -> Value:
    place = e.args[1] if len(e.args) > 1 else lane(e)
    bit = e.build.binary("lshr", _mask(e, e.args[0]), e.build.cast("zext", place, I64))
    return e.build.binary("and", e.build.cast("trunc", bit, I32), number(1))


def _first_active(e: Emitter) -> Value:
    return _lowest(e, _mask(e, _ballot(e, number(1))))


def _elect(e: Emitter) -> Value:
    same = e.build.compare("icmp", "eq", lane(e), _first_active(e))
    return e.build.cast("zext", same, I32)


def _broadcast_first(e: Emitter) -> Value:
    return moved(e, e.args[0], _type(e), _first_active(e))


def _all_equal(e: Emitter) -> Value:
    first = moved(e, e.args[0], _type(e), _first_active(e))
    how = ("fcmp", "oeq") if e.kind(0).floating else ("icmp", "eq")
    same = e.build.cast("zext", e.build.compare(*how, e.args[0], first), I32)
    return of_sub_group(e, "sub_group_all", (INT, same))


def _vote(e: Emitter) -> Value:
    name = e.builtin.name.replace("non_uniform_", "")
    return of_sub_group(e, name, (INT, e.args[0]))


# exchange


def _shuffle(e: Emitter) -> Value:
    how = e.builtin.name.partition("shuffle")[2]
    return moved(e, e.args[0], _type(e), e.args[1], how)


def _two_shuffle(e: Emitter) -> Value:
    """A window that slides over two vectors of values (cl_intel_subgroups)."""
    up = e.builtin.name.endswith("_up")
    there = number(e.sub_group)
    place = e.build.binary("sub" if up else "add", lane(e), e.args[2])
    inside = e.build.compare("icmp", "ult", place, there)
    current, other = e.args[::-1][1:] if up else e.args[:2]
    beyond = e.build.binary("add" if up else "sub", place, there)
    own = moved(e, current, _type(e), place)
    far = moved(e, other, _type(e), beyond)
    return e.build.select(inside, own, far)


def _rotated(e: Emitter) -> Value:
    width = e.args[2] if len(e.args) > 2 else number(e.sub_group)
    ring = e.build.binary("sub", width, number(1))
    own = lane(e)
    inner = e.build.binary("and", e.build.binary("add", own, e.args[1]), ring)
    outer = e.build.binary("and", own, e.build.binary("xor", ring, number(-1)))
    return moved(e, e.args[0], _type(e), e.build.binary("or", inner, outer))


def _block(e: Emitter) -> Value:
    """Element k of lane n is number ``k * size + n`` from the pointer on."""
    reads = "_read" in e.builtin.name
    type_: IrType = e.result if reads else e.args[1].type
    element = type_.element if isinstance(type_, VecTy) else type_
    count = type_.lanes if isinstance(type_, VecTy) else 1
    own, align = e.build.cast("zext", lane(e), I64), align_bytes(element)
    parts = list[Value]()
    values = [] if reads else e.lanes(e.args[1])
    for k in range(count):
        place = e.build.binary("add", own, const_int(I64, k * e.sub_group))
        pointer = e.build.gep(element, e.args[0], [place])
        if reads:
            parts.append(e.build.load(element, pointer, align))
        else:
            e.build.store(values[k], pointer, align)
    return e.gather(parts, type_) if reads else e.void()


def _barrier(e: Emitter) -> Value:
    return e.call("sub_group_barrier", [UINT], [e.args[0]])


def _number_of(e: Emitter) -> Value:
    return of_sub_group(e, "get_num_sub_groups")


# sub-groups that are parts of a warp


def _base(e: Emitter) -> Value:
    """The lane of the warp with which the part begins."""
    own = e.call("get_sub_group_local_id", [], [])
    return e.build.binary("and", own, number(-e.sub_group))


def _part_query(e: Emitter) -> Value:
    b, part = e.build, number(e.sub_group)
    match e.builtin.name.removeprefix(PART):
        case "get_max_sub_group_size":
            return part
        case "get_sub_group_local_id":
            return b.binary(
                "and", e.call("get_sub_group_local_id", [], []), number(e.sub_group - 1)
            )
        case "get_sub_group_id":
            width = e.call("get_max_sub_group_size", [], [])
            items = b.binary("mul", e.call("get_sub_group_id", [], []), width)
            return b.binary("udiv", b.binary("add", items, _base(e)), part)
        case "get_num_sub_groups":
            sizes = [e.call("get_local_size", [UINT], [number(d)]) for d in range(3)]
            items = b.binary("mul", b.binary("mul", sizes[0], sizes[1]), sizes[2])
            more = b.binary("add", b.cast("trunc", items, I32), number(e.sub_group - 1))
            return b.binary("udiv", more, part)
        case _:
            rest = b.binary("sub", e.call("get_sub_group_size", [], []), _base(e))
            return e.intrinsic("umin", rest, part)


def _part_ballot(e: Emitter) -> Value:
    return _words(e, _part_mask(e, e.args[0]))


def _part_mask(e: Emitter, vote: Value) -> Value:
    mask = _mask(e, e.call("sub_group_ballot", [INT], [vote]))
    mask = e.build.binary("lshr", mask, e.build.cast("zext", _base(e), I64))
    return e.build.binary("and", mask, _full(e))


def _part_vote(e: Emitter) -> Value:
    chosen = _part_mask(e, e.args[0])
    everyone = e.builtin.name.endswith("all")
    wanted = _part_mask(e, number(1)) if everyone else const_int(I64, 0)
    flag = e.build.compare("icmp", "eq" if everyone else "ne", chosen, wanted)
    return e.build.cast("zext", flag, I32)


def _part_shuffle(e: Emitter) -> Value:
    inner = e.build.binary("and", e.args[1], number(e.sub_group - 1))
    place = e.build.binary("or", _base(e), inner)
    return e.call("sub_group_shuffle", [_type(e), UINT], [e.args[0], place])


_BY_START = (
    ("__part_get_", _part_query),
    ("__part_sub_group_ballot", _part_ballot),
    ("__part_sub_group_shuffle", _part_shuffle),
    ("__part_sub_group_a", _part_vote),
    ("get_enqueued_num_sub_groups", _number_of),
    ("get_sub_group_", _side_mask),
    ("intel_sub_group_block_", _block),
    ("intel_sub_group_shuffle_down", _two_shuffle),
    ("intel_sub_group_shuffle_up", _two_shuffle),
    ("intel_sub_group_shuffle", _shuffle),
    ("sub_group_ballot_bit_count", _count),
    ("sub_group_ballot_bit_extract", _bit),
    ("sub_group_ballot_find_", _find),
    ("sub_group_ballot_", _count),
    ("sub_group_barrier", _barrier),
    ("sub_group_broadcast_first", _broadcast_first),
    ("sub_group_broadcast", _shuffle),
    ("sub_group_clustered_reduce_", _clustered),
    ("sub_group_clustered_rotate", _rotated),
    ("sub_group_elect", _elect),
    ("sub_group_inverse_ballot", _bit),
    ("sub_group_non_uniform_all_equal", _all_equal),
    ("sub_group_non_uniform_all", _vote),
    ("sub_group_non_uniform_any", _vote),
    ("sub_group_non_uniform_broadcast", _shuffle),
    ("sub_group_non_uniform_", _non_uniform),
    ("sub_group_rotate", _rotated),
    ("sub_group_shuffle", _shuffle),
    ("sub_group_", _collective),
)
"""The first that fits counts."""


def lowering_of(name: str) -> Callable[[Emitter], Value] | None:
    """The definition of a function of sub-groups."""
    return next((lower for start, lower in _BY_START if name.startswith(start)), None)
