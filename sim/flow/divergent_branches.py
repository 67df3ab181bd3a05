"""What a branch costs that may diverge.

Since Volta a warp records where its lanes reconverge (BSSY) before they diverge, and waits there
(BSYNC): once for all branches that lead to one place, before a loop that they leave for it. ptxas
13 and 11.8 let 12 cycles pass between a comparison and the branch that tests it, and 5 after the
branch (control codes for compute capabilities 7.5 and 8.6), which nothing but other warps can fill.
Tests that are the same for all lanes, as those of most loops, are made long before their branch,
and cost nothing of the kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kcc.frontend.kernel import Kernel
from kcc.passes.control.divergence import Divergence
from kcc.passes.facts import Facts
from kcc.passes.graph.branches import Branches
from kcc.passes.graph.loops import Loop
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import COSTS, SINCE_VOLTA, Generation
from kcc.sim.program.operations import MachineOperation, Memory

BRANCH_STEPS = 3.0
"""From the result of a comparison to the instruction after its branch, in latencies of additions:
13 cycles."""

RECONVERGENCE_SLOTS = 2.0
"""BSSY and BSYNC; SSY and SYNC of Maxwell and Pascal, whose branch is a SYNC under a predicate."""

PREDICATED = 7
"""Operations up to which what is after a branch is predicated instead where it may
diverge (NVIDIA, CUDA C Programming Guide 4.2, section 5.4.2)."""


def diverging_blocks(
    kernel: Kernel, facts: Facts, lengths: Sequence[int]
) -> tuple[frozenset[int], Mapping[int, int]]:
    """The blocks that end in a branch that may diverge, but for predicated ones and those to
    the end (EXIT under a predicate), and the reconvergence points that some of them record: none
    if only the end is there. ``lengths`` are the operations of each block."""
    blocks, met = kernel.function.blocks, set[int]()
    parts, recording = set[int](), dict[int, int]()
    pairs = zip(facts[Branches].branches, facts[Divergence].branches, strict=True)
    for branch, divided in sorted(pairs, key=lambda pair: pair[0].block):
        reconvergence = divided.reconvergence
        if not divided.uniformity.is_divergent:
            continue
        after = blocks[branch.block].successors
        if any(lengths[way] <= 1 and not blocks[way].successors for way in after):
            continue
        ways = [way for way in after if way != reconvergence]
        if all(
            blocks[way].successors == (reconvergence,) and lengths[way] <= PREDICATED
            for way in ways
        ):
            continue
        parts.add(branch.block)
        if reconvergence is not None and lengths[reconvergence] > 1 and reconvergence not in met:
            met.add(reconvergence)
            recording[branch.block] = reconvergence
    return frozenset(parts), recording


def remainder_tests(
    facts: Facts, loop: Loop, generation: Generation, number: int
) -> tuple[MachineOperation, ...]:
    """What stands before an unrolled loop whose trip count is not known: whether
    iterations are left over, and, after these, whether there are as many as are unrolled (NVRTC
    11.8 and nvcc 13: two comparisons and two branches). The first has the given ``number``."""
    pairs = zip(facts[Branches].branches, facts[Divergence].branches, strict=True)
    may_diverge = generation in SINCE_VOLTA | {Generation.MAXWELL} and any(
        divided.uniformity.is_divergent
        for branch, divided in pairs if branch.block in loop.exiting
    )  # fmt: skip
    tests = list[MachineOperation]()
    for reconvergence in (RECONVERGENCE_SLOTS * may_diverge, 0.0):
        for kind in (InstructionClass.COMPARE, InstructionClass.BRANCH):
            is_branch = kind is InstructionClass.BRANCH
            slots = 1.0 + reconvergence * is_branch
            steps = BRANCH_STEPS if may_diverge and is_branch else 1.0
            needs = (number + len(tests) - 1,) if tests else ()
            unit, line = COSTS[kind].unit, loop.line or 0
            tests.append(
                MachineOperation(unit, kind, slots, steps, needs, Memory.NONE, -1, 0, line, -1)
            )
    return tuple(tests)
