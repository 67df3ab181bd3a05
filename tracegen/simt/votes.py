"""Barriers that give a value: each warp leaves its share, and after the barrier collects all.

The shares lie in the warps' states, in two words used in turn: a warp that runs ahead to the next
such barrier does not touch what others have still to read.
"""

from __future__ import annotations

from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.ir.instructions import Call
from kcc.frontend.ir.types import I8, I32, I64, VecTy
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.layout import State, Worker
from kcc.tracegen.simt.memory import HOST_POINTER
from kcc.tracegen.simt.wide import Wide

NEUTRAL = {"and": 1, "or": 0, "add": 0}
"""What a warp without active lanes would leave."""


def deposit_vote(frame: WarpFrame, call: Call, kind: str) -> None:
    """Leave the share of the active lanes: whether all or any argument is not zero, or the sum."""
    code = frame.code
    lanes = frame.lanes(frame.operand(call.operands[0]).parts[0])
    if kind == "add":
        counted = code.select(frame.active(), lanes, zero(lanes.type))
        assert isinstance(counted.type, VecTy)
        name = f"llvm.vector.reduce.add.v{frame.width}i32"
        share = code.cast("sext", frame.call_intrinsic(name, I32, [counted]), I64)
    else:
        hit = code.compare("icmp", "ne", lanes, zero(lanes.type))
        chosen = code.binary("and", frame.bits(hit), frame.mask)
        wanted = frame.mask if kind == "and" else zero(chosen.type)
        flag = code.compare("icmp", "eq" if kind == "and" else "ne", chosen, wanted)
        share = code.cast("zext", flag, I64)
    passed = frame.load_word(frame.state, State.VOTES)
    code.store(share, _word(frame, frame.state, passed), 8)
    frame.store_word(code.binary("add", passed, const_int(I64, 1)), frame.state, State.VOTES)


def _word(frame: WarpFrame, state: Value, number: Value) -> Value:
    """The word of a state that vote ``number`` uses."""
    place = frame.code.binary("and", number, const_int(I64, 1))
    return frame.code.gep(I64, state, [frame.code.binary("add", place, const_int(I64, State.VOTE))])


def collect_votes(frame: WarpFrame, kind: str, state_bytes: int) -> Wide:
    """Combine the shares of all warps that are still there."""
    code = frame.code
    number = code.binary("sub", frame.load_word(frame.state, State.VOTES), const_int(I64, 1))
    states = frame.load_word(frame.worker, Worker.STATES, HOST_POINTER)
    warps = frame.load_word(frame.worker, Worker.WARPS)
    total, warp = code.alloca(I64, 8), code.alloca(I64, 8)
    code.store(const_int(I64, NEUTRAL[kind]), total, 8)
    code.store(const_int(I64, 0), warp, 8)
    head, take, next_, end = (code.new_label(f"vote.{w}") for w in ("head", "take", "next", "end"))
    code.branch(head)
    code.position_at(head)
    current = code.load(I64, warp, 8)
    offset = code.binary("mul", current, const_int(I64, state_bytes))
    state = code.gep(I8, states, [offset])
    voted = code.compare("icmp", "ugt", frame.load_word(state, State.VOTES), number)
    code.branch_if(voted, take, next_)
    code.position_at(take)
    share = code.load(I64, _word(frame, state, number), 8)
    code.store(code.binary(kind, code.load(I64, total, 8), share), total, 8)
    code.branch(next_)
    code.position_at(next_)
    after = code.binary("add", current, const_int(I64, 1))
    code.store(after, warp, 8)
    code.branch_if(code.compare("icmp", "ult", after, warps), head, end)
    code.position_at(end)
    result = code.cast("trunc", code.load(I64, total, 8), I32)
    return Wide((result,))
