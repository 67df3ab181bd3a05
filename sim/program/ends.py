"""How a warp ends, and waits at barriers: what ptxas puts beside EXIT and BAR.SYNC."""

from __future__ import annotations

from kcc.frontend.ir.instructions import AnyInstruction, Call, CondBranch, Return
from kcc.frontend.ir.model import Function
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.drafts import Draft, Drafts

IDLE_BEFORE_EXIT = {True: 1.5, False: 0.8}
"""NOPs before an EXIT of Maxwell and Pascal, by whether it is under a predicate (ptxas 12.9: the
means of 122 and 95 of kernels/ for sm_52); none since Volta."""

BESIDE_BARRIER = {True: 2.9, False: 1.4}
"""Instructions beside a barrier of Maxwell and Pascal: MEMBAR.CTA, and the NOPs before it, by
whether what precedes it is under a condition (means of 149 and 71 there)."""


def leave(drafts: Drafts, function: Function, last: Return, generation: Generation) -> None:
    """The ends of a program. EXIT under a predicate is the branch that comes to ``last``: only what
    comes otherwise has one of its own."""
    block, line = function.blocks[last.block], last.location.line if last.location else 0
    sources = [function.blocks[each].instructions[-1] for each in set(block.predecessors)]
    lonely = len(block.instructions) == 1
    if not lonely or not any(isinstance(each, CondBranch) for each in sources):
        sources = [last]
    for source in sources:
        is_branch = isinstance(source, CondBranch)
        if generation is Generation.MAXWELL:
            slots, kind = IDLE_BEFORE_EXIT[is_branch], InstructionClass.MOVE
            idle = drafts.add(source.block, Draft(Unit.CONTROL, kind, slots, 1.0, [], line=line))
            drafts.blocks[source.block].insert(0, drafts.blocks[source.block].pop())
            drafts.rows[idle].instruction = last.index
        if not is_branch:
            draft = Draft(Unit.CONTROL, InstructionClass.BRANCH, 1.0, 1.0, [], line=line)
            draft.instruction = last.index
            drafts.add(source.block, draft)


def beside_barrier(function: Function, barrier: AnyInstruction, generation: Generation) -> float:
    """Instructions beside a barrier, :data:`BESIDE_BARRIER`; none since Volta."""
    if generation is not Generation.MAXWELL:
        return 0.0
    block = function.blocks[barrier.block]
    sources = [each for each in set(block.predecessors) if each < block.index]
    return BESIDE_BARRIER[len(sources) > 1 and _is_first(function, barrier)]


def _is_first(function: Function, barrier: AnyInstruction) -> bool:
    """Whether no other barrier stands before one in its block."""
    own = (
        each.index for each in function.blocks[barrier.block].instructions
        if isinstance(each, Call) and each.callee == getattr(barrier, "callee", "")
    )  # fmt: skip
    return barrier.index == min(own, default=barrier.index)
