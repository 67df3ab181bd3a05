"""Which values are the same in all lanes of a warp, and where lanes part and reconverge.

A value is *uniform* when all lanes that are active at a point of its scope hold the same. What
makes values differ: lane and work-item ids, private memory, atomics, loads from addresses that
differ, and control: a phi where lanes meet that came by different ways, and a value that leaves a
cycle which its lanes leave at different times. (Coutinho et al., "Divergence Analysis and
Optimizations", PACT 2011; the propagation along disjoint paths is that of Rosemann et al., "An
Abstract Interpretation for SPMD Divergence on Reducible Control Flow Graphs", POPL 2021. Cycles
here are strongly connected components without the reconvergence point, so any graph will do.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.builtins.matrix import MATRICES
from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    AtomicRmw,
    Call,
    CompareExchange,
    CondBranch,
    Load,
    Phi,
    Switch,
)
from kcc.frontend.ir.model import Function, users
from kcc.frontend.ir.types import PtrTy
from kcc.frontend.ir.values import InstructionRef, Poison, Undef, Value

EXIT = -1
"""Stands for the end of the function among reconvergence points."""

LANE_QUERIES = frozenset(
    {
        "_Z13get_global_idj",
        "_Z12get_local_idj",
        "_Z20get_global_linear_idv",
        "_Z19get_local_linear_idv",
        "_Z22get_sub_group_local_idv",
    }
)
"""Built-ins without data operands whose result differs between lanes."""

WATCHED_LOAD = "kcc.undefined.load."
"""Reads of a shadow (see ``undefined``): each lane has its own."""


@dataclass(frozen=True, slots=True)
class WarpFlow:
    """What the engine knows about a function; instructions by index.

    ``reconvergence`` maps every block with a divergent branch to its reconvergence point (the
    immediate post-dominator), or :data:`EXIT`. ``varying`` are the instructions whose results
    differ between lanes. ``kept`` are those whose results must not be overwritten in lanes that are
    not active, because those lanes still need them. ``cycles`` are sets of blocks that lanes leave
    at different times: outside, what they define differs between lanes.
    """

    reconvergence: Mapping[int, int]
    varying: frozenset[int]
    kept: frozenset[int]
    cycles: tuple[frozenset[int], ...]

    def leaves_cycle(self, home: int, block: int) -> bool:
        """Whether ``block`` lies outside a divergent cycle that ``home`` is in."""
        return any(home in cycle and block not in cycle for cycle in self.cycles)


@dataclass(slots=True)
class _Analysis:
    function: Function
    postdominators: Mapping[int, int]
    uses: Sequence[Sequence[AnyInstruction]]
    varying: set[int] = field(default_factory=set[int])
    kept: set[int] = field(default_factory=set[int])
    joined: set[int] = field(default_factory=set[int])
    """Blocks that lanes enter by different ways."""
    divergent: dict[int, int] = field(default_factory=dict[int, int])
    cycles: list[frozenset[int]] = field(default_factory=list[frozenset[int]])
    worklist: list[AnyInstruction] = field(default_factory=list[AnyInstruction])

    def run(self) -> None:
        self.worklist = list(self.function.instructions)
        while self.worklist:
            instruction = self.worklist.pop()
            if isinstance(instruction, (CondBranch, Switch)):
                self._visit_branch(instruction)
            elif instruction.index not in self.varying and self._differs(instruction):
                self._vary(instruction)

    def _operand_differs(self, value: Value, block: int) -> bool:
        """Whether a value differs between the lanes active in ``block``."""
        if not isinstance(value, InstructionRef):
            return False
        home = self.function.instructions[value.index].block
        return value.index in self.varying or any(home in c and block not in c for c in self.cycles)

    def _differs(self, instruction: AnyInstruction) -> bool:
        match instruction:
            case AtomicRmw() | CompareExchange():
                return True
            case Alloca():
                return False
            case Load() if _may_be_private(instruction.pointer):
                return True
            case Call() if instruction.callee.startswith((*LANE_QUERIES, *MATRICES, WATCHED_LOAD)):
                return True
            case Phi() if instruction.block in self.joined and not _brings_one_value(instruction):
                return True
            case Phi():
                ways = zip(instruction.operands, instruction.incoming, strict=True)
                return any(self._operand_differs(value, block) for value, block in ways)
            case _:
                return any(
                    self._operand_differs(v, instruction.block) for v in instruction.operands
                )

    def _visit_branch(self, branch: CondBranch | Switch) -> None:
        block = branch.block
        targets = set(branch.targets)
        if block in self.divergent or len(targets) < 2:
            return
        if not self._operand_differs(branch.operands[0], block):
            return
        reconvergence = self.postdominators[block]
        self.divergent[block] = reconvergence
        for join in self._joins(block, reconvergence):
            self.joined.add(join)
            for phi in self.function.blocks[join].phis:
                self.kept.add(phi.index)
                self.worklist.append(phi)
        cycle = self._cycle(block, reconvergence)
        if cycle:
            self._wait_at(targets - {reconvergence})
            self._diverge(cycle, tangled=len(targets & cycle) > 1)

    def _wait_at(self, targets: set[int]) -> None:
        """Lanes that leave a cycle early wait at their target, its phis set, while others go round
        and may come there with other values."""
        for target in sorted(targets):
            for phi in self.function.blocks[target].phis:
                self.kept.add(phi.index)
                self._vary(phi)

    def _vary(self, instruction: AnyInstruction) -> None:
        if instruction.index not in self.varying:
            self.varying.add(instruction.index)
            self.worklist += self.uses[instruction.index]

    def _cycle(self, block: int, reconvergence: int) -> frozenset[int]:
        """The blocks on cycles through ``block`` that avoid the reconvergence point."""
        blocks = self.function.blocks
        after = _reach(blocks[block].successors, lambda b: blocks[b].successors, reconvergence)
        before = _reach((block,), lambda b: blocks[b].predecessors, reconvergence)
        return frozenset(after & before) if block in after else frozenset()

    def _diverge(self, cycle: frozenset[int], *, tangled: bool) -> None:
        """Lanes leave the cycle at different times. In a tangled one lanes may also wait inside
        while others go round and define everything anew."""
        self.cycles.append(cycle)
        for instruction in self.function.instructions:
            if tangled and instruction.block in cycle and not isinstance(instruction, Alloca):
                self.varying.add(instruction.index)
                self.kept.add(instruction.index)
            for place, value in enumerate(instruction.operands):
                if not isinstance(value, InstructionRef):
                    continue
                home = self.function.instructions[value.index].block
                user = (
                    instruction.incoming[place]
                    if isinstance(instruction, Phi)
                    else instruction.block
                )
                if home in cycle and (tangled or user not in cycle):
                    self.kept.add(value.index)
                    self.worklist.append(instruction)

    def _joins(self, start: int, reconvergence: int) -> set[int]:
        """Blocks that disjoint paths from the branch in ``start`` reach, and its reconvergence.
        Each path carries the label of the last block where paths met."""
        labels = dict[int, int]()
        joins = set[int]()
        pending = [(target, target) for target in self.function.blocks[start].successors]
        while pending:
            block, label = pending.pop()
            if labels.get(block, label) != label:
                if block in joins:
                    continue
                joins.add(block)
                label = block
            elif block in labels:
                continue
            labels[block] = label
            if block not in (reconvergence, start):
                pending += [(s, label) for s in self.function.blocks[block].successors]
        return joins | ({reconvergence} - {EXIT})


def _reach(starts: Iterable[int], edges: Callable[[int], Iterable[int]], without: int) -> set[int]:
    found, pending = set[int](), [s for s in starts if s != without]
    while pending:
        block = pending.pop()
        if block not in found:
            found.add(block)
            pending += [n for n in edges(block) if n != without]
    return found


def analyse_warp_flow(function: Function, postdominators: Mapping[int, int]) -> WarpFlow:
    """The flow of warps through ``function``; ``postdominators`` maps each block to its immediate
    post-dominator or :data:`EXIT`."""
    analysis = _Analysis(function, postdominators, users(function))
    analysis.run()
    return WarpFlow(
        dict(sorted(analysis.divergent.items())),
        frozenset(analysis.varying),
        frozenset(analysis.kept),
        tuple(analysis.cycles),
    )


def _may_be_private(pointer: Value) -> bool:
    return isinstance(pointer.type, PtrTy) and pointer.type.space in (0, 4)


def _brings_one_value(phi: Phi) -> bool:
    """Whether every way in brings the same constant or argument (or nothing in particular)."""
    values = {v for v in phi.operands if not isinstance(v, (Undef, Poison))}
    return len(values) == 1 and not isinstance(next(iter(values)), InstructionRef)
