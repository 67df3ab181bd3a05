"""Definitions of the functions of whole work-groups (OpenCL C 2.0, section 6.13.15).

Each sub-group combines its own values, leaves the result in local memory, and after a barrier
combines what the others left.
"""

from __future__ import annotations

from kcc.frontend.builtins.emitter import Emitter
from kcc.frontend.builtins.lower_lanes import (
    combine,
    identity,
    lane,
    number,
    of_sub_group,
    reduced,
    scanned,
    size,
)
from kcc.frontend.ir.builder import Value
from kcc.frontend.ir.types import I32, I64, PtrTy, align_bytes
from kcc.frontend.types import UINT, AddressSpace

SCRATCH = "kcc.group_values"

PLACES = 128
"""Sub-groups of a work-group at most: 1,024 work-items by 8."""

_LOCAL_FENCE = 1


def _scratch(e: Emitter) -> Value:
    """A word of local memory for each sub-group."""
    e.intrinsics[SCRATCH] = (
        f"@{SCRATCH} = internal addrspace(3) global [{PLACES} x i64] undef, align 8"
    )
    return Value(PtrTy(int(AddressSpace.LOCAL)), f"@{SCRATCH}")


def _barrier(e: Emitter) -> None:
    e.call("barrier", [UINT], [number(_LOCAL_FENCE)])


def _store_if(e: Emitter, condition: Value, value: Value, place: Value) -> None:
    b = e.build
    then, end = b.new_label("leave"), b.new_label("left")
    b.branch_if(condition, then, end)
    b.position_at(then)
    pointer = b.gep(I64, _scratch(e), [b.cast("zext", place, I64)])
    b.store(value, pointer, align_bytes(value.type))
    b.branch(end)
    b.position_at(end)


def _loaded(e: Emitter, place: Value) -> Value:
    pointer = e.build.gep(I64, _scratch(e), [e.build.cast("zext", place, I64)])
    return e.build.load(e.result, pointer, align_bytes(e.result))


def _sum_up_to(e: Emitter, operation: str, end: Value) -> Value:
    """The values of the sub-groups before ``end`` combined."""
    b, result = e.build, e.result
    before = b.current
    head, inner, done = (b.new_label(w) for w in ("head", "body", "done"))
    b.branch(head)
    b.position_at(head)
    n = b.value(I32, f"phi i32 [ 0, %{before} ], [ %next.n, %{inner} ]")
    start = identity(e, operation)
    total = b.value(result, f"phi {result} [ {start.text}, %{before} ], [ %next.v, %{inner} ]")
    b.branch_if(b.compare("icmp", "ult", n, end), inner, done)
    b.position_at(inner)
    after = combine(e, operation, total, _loaded(e, n))
    b.emit(f"%next.v = select i1 true, {after}, {after}")
    b.emit(f"%next.n = add {n}, 1")
    b.branch(head)
    b.position_at(done)
    return total


def collective(e: Emitter) -> Value:
    """work_group_reduce_OP, work_group_scan_inclusive_OP and work_group_scan_exclusive_OP."""
    words = e.builtin.name.removeprefix("work_group_").split("_")
    operation, reduces, b = words[-1], words[0] == "reduce", e.build
    part = of_sub_group(e, "get_sub_group_id")
    if reduces:
        own = reduced(e, e.args[0], operation)
        chosen = b.compare("icmp", "eq", lane(e), number(0))
        last = own
    else:
        own = scanned(e, e.args[0], operation, inclusive=words[1] == "inclusive")
        last = own if words[1] == "inclusive" else combine(e, operation, own, e.args[0])
        final = b.binary("sub", size(e), number(1))
        chosen = b.compare("icmp", "eq", lane(e), final)
    _store_if(e, chosen, last, part)
    _barrier(e)
    end = of_sub_group(e, "get_num_sub_groups") if reduces else part
    before = _sum_up_to(e, operation, end)
    _barrier(e)
    return before if reduces else combine(e, operation, before, own)


def broadcast(e: Emitter) -> Value:
    """work_group_broadcast: the value of the work-item with these local ids."""
    b, same = e.build, None
    for dimension, wanted in enumerate(e.args[1:]):
        own = e.call("get_local_id", [UINT], [number(dimension)])
        hit = b.compare("icmp", "eq", own, wanted)
        same = hit if same is None else b.binary("and", same, hit)
    assert same is not None
    _store_if(e, same, e.args[0], number(0))
    _barrier(e)
    value = _loaded(e, number(0))
    _barrier(e)
    return value
