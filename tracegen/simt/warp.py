"""Writes the function that runs one warp from where it stands to its end or next barrier.

Divergence is handled with a stack (Fung et al., "Dynamic Warp Formation and Scheduling for
Efficient GPU Control Flow", MICRO 2007, section 3): at a divergent branch, the reconvergence
point is pushed with all lanes, one side is executed and the other is put on the stack; lanes that
arrive at the reconvergence point take the next entry. ``then`` runs before ``else``.

Blocks branch to one another directly; the dispatch switch is used only after a pop or on resuming
after a barrier.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.ir.instructions import (
    Branch,
    Call,
    CondBranch,
    Phi,
    Return,
    Switch,
    Unreachable,
)
from kcc.frontend.ir.model import Block
from kcc.frontend.ir.types import I1, I8, I32, I64, VecTy
from kcc.frontend.ir.values import InstructionRef
from kcc.frontend.ir.values import Value as Operand
from kcc.tracegen.simt.analysis import EXIT
from kcc.tracegen.simt.instructions import InstructionWriter
from kcc.tracegen.simt.layout import STACK_WORDS, FaultKind, State, Status, Worker
from kcc.tracegen.simt.plan import VOTES, is_barrier
from kcc.tracegen.simt.private import copy_arguments
from kcc.tracegen.simt.tracing import append_segment
from kcc.tracegen.simt.votes import collect_votes, deposit_vote
from kcc.tracegen.simt.wide import Wide

WARP_FUNCTION = "kcc.warp"

PROBED = '"probe-stack"="inline-asm"'
"""Attribute of a function that touches every page of its stack frame in turn, so that too large a
one ends in the guard page rather than in somebody's memory."""


@dataclass(slots=True)
class WarpWriter(InstructionWriter):
    """Adds control flow to :class:`InstructionWriter`."""

    counting: bool = True
    lenient: bool = False
    """Whether lanes that have ended may miss barriers, as CUDA has it."""
    reconvergences: frozenset[int] = field(default_factory=frozenset[int])
    loop_heads: frozenset[int] = field(default_factory=frozenset[int])
    variables: dict[str, Value] = field(default_factory=dict[str, Value])

    def write(self) -> None:
        """Write the whole function into the module."""
        self.reconvergences = frozenset(self.plan.flow.reconvergence.values()) - {EXIT}
        self.loop_heads = retreat_targets(self.plan.function.blocks)
        self._write_entry()
        for block in self.plan.function.blocks:
            self._write_block(block)
        self._write_exit()
        self.module.define(
            f"define internal i32 @{WARP_FUNCTION}(ptr noalias %worker, ptr noalias %state) "
            f"nounwind {PROBED}",
            self.code,
        )

    # frame

    def _write_entry(self) -> None:
        self.code.position_at("entry")
        for name, type_ in (
            ("mask", self.mask_type), ("reconvergence", I32), ("depth", I64), ("budget", I64),
            ("point", I32),
        ):  # fmt: skip
            self.variables[name] = self.code.alloca(type_, 8)
        self.set("mask", self.narrow(self.load_word(self.state, State.MASK)))
        self.set(
            "reconvergence",
            self.code.cast("trunc", self.load_word(self.state, State.RECONVERGENCE), I32),
        )
        self.set("depth", self.load_word(self.state, State.DEPTH))
        self.set("budget", self.load_word(self.state, State.BUDGET))
        self.set("point", self.code.cast("trunc", self.load_word(self.state, State.PC), I32))
        self.write_bases()
        self.code.branch("dispatch")
        self.code.position_at("dispatch")
        points = [(b.index, block_label(b.index)) for b in self.plan.function.blocks]
        count = len(points)
        points += [(count + i, f"resume.{i}") for i in range(len(self.plan.barriers))]
        points.append((self.exit_point, "exit"))
        self.code.switch(self.get("point"), "lost", points)
        self.code.position_at("lost")
        self.code.unreachable()
        self.code.position_at("pop")
        depth = self.code.binary("sub", self.get("depth"), const_int(I64, 1))
        self.set("depth", depth)
        entry = self._stack_entry(depth)
        self.set("point", self.code.cast("trunc", self.load_word(entry, 0), I32))
        self.set("mask", self.narrow(self.load_word(entry, 1)))
        self.set("reconvergence", self.code.cast("trunc", self.load_word(entry, 2), I32))
        self.code.branch("dispatch")

    def _write_exit(self) -> None:
        self.code.position_at("exit")
        if self.lenient:
            live = self.narrow(self.load_word(self.state, State.LIVE))
            ended = self.code.binary("xor", self.get("mask"), self.full_mask)
            still = self.widen(self.code.binary("and", live, ended))
            self.store_word(still, self.state, State.LIVE)
        empty = self.code.compare("icmp", "eq", self.get("depth"), const_int(I64, 0))
        self.code.branch_if(empty, "finish", "pop")
        self.code.position_at("finish")
        self.store_word(self.get("budget"), self.state, State.BUDGET)
        self.code.ret(const_int(I32, Status.DONE))
        self.write_recorded()
        self.code.position_at("fault")
        self.code.ret(const_int(I32, Status.FAULT))

    @property
    def exit_point(self) -> int:
        return len(self.plan.function.blocks) + len(self.plan.barriers)

    def get(self, name: str) -> Value:
        type_ = {"mask": self.mask_type, "depth": I64, "budget": I64}.get(name, I32)
        return self.code.load(type_, self.variables[name], 8)

    def set(self, name: str, value: Value) -> None:
        self.code.store(value, self.variables[name], 8)

    def _stack_entry(self, depth: Value) -> Value:
        offset = self.code.binary("mul", depth, const_int(I64, 8 * STACK_WORDS))
        place = self.code.binary("add", offset, const_int(I64, self.plan.stack_offset))
        return self.code.gep(I8, self.state, [place])

    def push(self, point: int, mask: Value, reconvergence: Value) -> None:
        """Put lanes on the stack: where they go on, which, and where they meet others."""
        depth = self.get("depth")
        entry = self._stack_entry(depth)
        self.store_word(const_int(I64, point), entry, 0)
        self.store_word(self.widen(mask), entry, 1)
        self.store_word(self.code.cast("sext", reconvergence, I64), entry, 2)
        self.set("depth", self.code.binary("add", depth, const_int(I64, 1)))

    # blocks

    def _write_block(self, block: Block) -> None:
        self.code.position_at(block_label(block.index))
        if block.index in self.reconvergences:
            arrived = self.code.compare(
                "icmp", "eq", self.get("reconvergence"), const_int(I32, block.index)
            )
            self.code.branch_if(arrived, "pop", f"body.{block.index}")
            self.code.position_at(f"body.{block.index}")
        self._start_segment(block.index)
        if block.index in self.loop_heads:
            self._spend(block)
        self.count_block(block.index)
        if block.index == 0:
            copy_arguments(self)
        for instruction in block.instructions:
            if isinstance(instruction, Phi):
                continue
            if isinstance(instruction, Call) and is_barrier(instruction):
                self._write_barrier(instruction)
            elif instruction is block.terminator:
                self._write_terminator(block)
            else:
                self.write_instruction(instruction)

    def _start_segment(self, block: int) -> None:
        self.block = block
        self.values.clear()
        self.shadows.clear()
        self.ranges.clear()
        self.mask = self.get("mask")
        self._flags = None

    def _spend(self, block: Block) -> None:
        """Charge a cycle of the loop to the budget, and stop when asked to from outside."""
        cost = instructions_of_cycle(self.plan.function.blocks, block.index)
        left = self.code.binary("sub", self.get("budget"), const_int(I64, cost))
        self.set("budget", left)
        spent = self.code.compare("icmp", "slt", left, const_int(I64, 0))
        self.fail_if(spent, FaultKind.BUDGET, block.terminator, self.mask, None)
        stop = self.code.load(I64, self.word(self.worker, Worker.STOP), 8, volatile=True)
        stopped = self.code.compare("icmp", "ne", stop, const_int(I64, 0))
        self.fail_if(stopped, FaultKind.STOPPED, block.terminator, self.mask, None)

    def _trace_segment(self, segment: int) -> None:
        if self.trace_blocks:
            append_segment(self, segment)

    def count_block(self, block: int) -> None:
        self._trace_segment(self.plan.first_segment[block])
        if not self.counting:
            return
        counts = self.counts
        executions, lanes = self.word(counts, 2 * block), self.word(counts, 2 * block + 1)
        self.code.store(
            self.code.binary("add", self.code.load(I64, executions, 8), const_int(I64, 1)),
            executions,
            8,
        )
        name = f"llvm.ctpop.i{self.width}"
        active = self.widen(self.call_intrinsic(name, self.mask_type, [self.mask]))
        self.code.store(self.code.binary("add", self.code.load(I64, lanes, 8), active), lanes, 8)

    def _write_barrier(self, barrier: Call) -> None:
        """All lanes that exist must be here; the warp waits and goes on at the resume point."""
        number = self.plan.barriers.index(barrier.index)
        vote = VOTES.get(barrier.callee)
        if vote is not None:
            deposit_vote(self, barrier, vote)
        live = self.narrow(self.load_word(self.state, State.LIVE))
        missing = self.code.compare("icmp", "ne", self.mask, live)
        self.fail_if(missing, FaultKind.BARRIER_DIVERGENCE, barrier, self.mask, None)
        point = len(self.plan.function.blocks) + number
        self.store_word(const_int(I64, point), self.state, State.PC)
        self.store_word(self.widen(self.mask), self.state, State.MASK)
        self.store_word(
            self.code.cast("sext", self.get("reconvergence"), I64), self.state, State.RECONVERGENCE
        )
        self.store_word(self.get("depth"), self.state, State.DEPTH)
        self.store_word(self.get("budget"), self.state, State.BUDGET)
        self.code.ret(const_int(I32, Status.BARRIER))
        self.code.position_at(f"resume.{number}")
        self._start_segment(barrier.block)
        self._trace_segment(self.plan.segment_of[barrier.index] + 1)
        if vote is not None:
            self.finish(barrier, collect_votes(self, vote, self.plan.state_bytes))

    # terminators

    def _write_terminator(self, block: Block) -> None:
        match block.terminator:
            case Branch() as branch:
                self.copy_phis(block, branch.target, self.mask)
                self.code.branch(block_label(branch.target))
            case CondBranch() as branch:
                self._write_conditional(block, branch)
            case Switch() as switch:
                self._write_switch(block, switch)
            case Return():
                self.code.branch("exit")
            case Unreachable() as instruction:
                self.fault(FaultKind.UNREACHABLE, instruction, self.mask, None)

    def _write_conditional(self, block: Block, branch: CondBranch) -> None:
        condition = self.operand(branch.condition).parts[0]
        if branch.then == branch.otherwise:
            self.copy_phis(block, branch.then, self.mask)
            self.code.branch(block_label(branch.then))
            return
        if condition.type == I1:
            then, otherwise = (self.code.new_label("edge") for _ in range(2))
            self.code.branch_if(condition, then, otherwise)
            for label, target in ((then, branch.then), (otherwise, branch.otherwise)):
                self.code.position_at(label)
                saved = dict(self.values)
                self.copy_phis(block, target, self.mask)
                self.values = saved
                self.code.branch(block_label(target))
            return
        taken = self.code.binary("and", self.bits(condition), self.mask)
        other = self.code.binary("xor", taken, self.mask)
        self._part(block, [(branch.then, taken), (branch.otherwise, other)])

    def _write_switch(self, block: Block, switch: Switch) -> None:
        value = self.operand(switch.value).parts[0]
        targets = list(dict.fromkeys((*(b for _, b in switch.cases), switch.default)))
        if not isinstance(value.type, VecTy):
            labels = {t: self.code.new_label("edge") for t in targets}
            self.code.switch(
                value, labels[switch.default], [(n, labels[b]) for n, b in switch.cases]
            )
            for target, label in labels.items():
                self.code.position_at(label)
                saved = dict(self.values)
                self.copy_phis(block, target, self.mask)
                self.values = saved
                self.code.branch(block_label(target))
            return
        left, masks = self.mask, dict.fromkeys(targets, zero(self.mask_type))
        for number, target in switch.cases:
            hit = self.code.compare("icmp", "eq", value, const_int(value.type, number))
            lanes = self.code.binary("and", self.bits(hit), self.mask)
            masks[target] = self.code.binary("or", masks[target], lanes)
            left = self.code.binary("and", left, self.code.binary("xor", lanes, self.full_mask))
        masks[switch.default] = self.code.binary("or", masks[switch.default], left)
        self._part(block, list(masks.items()))

    def _part(self, block: Block, ways: list[tuple[int, Value]]) -> None:
        """The warp diverges. If all lanes go one way nothing is pushed."""
        reconvergence = self.plan.flow.reconvergence[block.index]
        for target, lanes in ways:
            all_here = self.code.compare("icmp", "eq", lanes, self.mask)
            alone, next_ = self.code.new_label("alone"), self.code.new_label("apart")
            self.code.branch_if(all_here, alone, next_)
            self.code.position_at(alone)
            saved = dict(self.values)
            self.copy_phis(block, target, lanes)
            self.values = saved
            self.code.branch(block_label(target))
            self.code.position_at(next_)
        saved = dict(self.values)
        for target, lanes in ways:
            self.copy_phis(block, target, lanes)
        self.values = saved
        if reconvergence != EXIT:
            self._push_reconvergence(reconvergence)
        inner = [(t, m) for t, m in ways if t != reconvergence]
        for target, lanes in reversed(inner[1:]):
            self._push_lanes(target, lanes, reconvergence)
        target, lanes = inner[0]
        if len(ways) == 2:
            self.set("mask", lanes)
            self.set("reconvergence", const_int(I32, reconvergence))
            self.code.branch(block_label(target))
        else:
            self._push_lanes(target, lanes, reconvergence)
            self.code.branch("pop")

    def _push_reconvergence(self, reconvergence: int) -> None:
        """Remember all lanes at the reconvergence point, unless they are waited for already."""
        waiting = self.code.compare(
            "icmp", "eq", self.get("reconvergence"), const_int(I32, reconvergence)
        )
        fresh, done = self.code.new_label("fresh"), self.code.new_label("waiting")
        self.code.branch_if(waiting, done, fresh)
        self.code.position_at(fresh)
        self.push(reconvergence, self.mask, self.get("reconvergence"))
        self.code.branch(done)
        self.code.position_at(done)

    def _push_lanes(self, target: int, lanes: Value, reconvergence: int) -> None:
        """Put one side on the stack if any lane takes it."""
        some, none = self.code.new_label("some"), self.code.new_label("none")
        self.code.branch_if(self.any_lane(lanes), some, none)
        self.code.position_at(some)
        self.push(target, lanes, const_int(I32, reconvergence))
        self.code.branch(none)
        self.code.position_at(none)

    def copy_phis(self, block: Block, target: int, lanes: Value) -> None:
        """Give the phis of ``target`` what they get from ``block``, in ``lanes``."""
        moves = list[tuple[Phi, Wide]]()
        for phi in self.plan.function.blocks[target].phis:
            source: Operand = phi.operands[phi.incoming.index(block.index)]
            if not (isinstance(source, InstructionRef) and source.index == phi.index):
                moves.append((phi, self.operand(source)))
        for phi, value in moves:
            self.write_slot(phi.index, value, lanes)


def block_label(index: int) -> str:
    """The label of a block of the kernel in the generated code."""
    return f"block.{index}"


def instructions_of_cycle(blocks: tuple[Block, ...], head: int) -> int:
    """What a warp executes at most from one visit of ``head`` to the next, cycles within counted
    once: the instructions of all blocks on cycles through it."""
    after = _reached((head,), [b.successors for b in blocks])
    before = _reached((head,), [b.predecessors for b in blocks])
    return sum(len(blocks[b].instructions) for b in after & before)


def _reached(starts: Iterable[int], edges: Sequence[Sequence[int]]) -> set[int]:
    found, pending = set[int](), list(starts)
    while pending:
        block = pending.pop()
        if block not in found:
            found.add(block)
            pending += edges[block]
    return found


def retreat_targets(blocks: tuple[Block, ...]) -> frozenset[int]:
    """Targets of edges that close a cycle in a depth-first walk: every cycle has one."""
    state, found = dict[int, int](), set[int]()
    stack: list[tuple[int, int]] = [(0, 0)]
    state[0] = 1
    while stack:
        block, place = stack.pop()
        successors = blocks[block].successors
        if place == len(successors):
            state[block] = 2
            continue
        stack.append((block, place + 1))
        target = successors[place]
        if state.get(target) == 1:
            found.add(target)
        elif target not in state:
            state[target] = 1
            stack.append((target, 0))
    return frozenset(found)
