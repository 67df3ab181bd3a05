"""Divergence: over which group of work-items each value is the same.

What a value depends on stands in its symbolic form (:mod:`kcc.passes.symbolic`), where joins of
control are choices by the conditions of the ways and values that leave a loop are those of its last
iteration: so values made divergent by control depend on the ids or loads in those conditions like
any other operand. What is left is to say what each symbol and each load varies with.

Values are compared at one execution: by the work-items that execute an instruction together, in the
same iteration of every loop around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING

from kcc.base.records import dataclass
from kcc.frontend.builtins.primitives import Primitive, PrimitiveClass, primitive_of
from kcc.frontend.ir.instructions import AnyInstruction, Call, Load
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.kernel import Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.graph.barriers import Barriers
from kcc.passes.graph.branches import Branches, BranchPoint
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.dominance import PostDominators
from kcc.passes.memory.arrays import Array
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccesses
from kcc.passes.symbolic.algebra import reachable
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import (
    Loaded,
    Node,
    Number,
    Opaque,
    Operation,
    Recurrence,
    Sum,
    Symbol,
    SymbolKind,
    operands_of,
)
from kcc.passes.unknown import Unknown

if TYPE_CHECKING:
    from kcc.passes.symbolic.evaluate import Evaluator

MAX_WORK_ITEMS = 1 << 18
"""Work-items of a launch up to which branch conditions are computed for each of them."""


class Uniformity(Enum):
    """The widest group over which a value is the same, widest first
    (docs/explanation/access-patterns.md)."""

    LAUNCH = "launch"
    BLOCK = "block"
    WARP = "warp"
    ID = "id"
    """Varies between the lanes of a warp with their ids alone."""
    DATA = "data"
    """Varies between the lanes of a warp with what memory holds."""

    @property
    def rank(self) -> int:
        return _RANKS[self]

    @property
    def is_divergent(self) -> bool:
        """Whether lanes of one warp may differ."""
        return self.rank > _RANKS[Uniformity.WARP]


_RANKS = {each: rank for rank, each in enumerate(Uniformity)}


@dataclass(frozen=True, slots=True)
class BranchDivergence:
    """How a branch (:class:`BranchPoint` ``branch``) divides work-items. Lanes that diverge at a
    divergent one reconverge in block ``reconvergence``; None is the end of the kernel."""

    branch: int
    uniformity: Uniformity
    reconvergence: int | None


@dataclass(frozen=True, slots=True)
class DivergentBarrier:
    """A barrier (its place in :class:`Barriers`) that work-items of one thread block may disagree
    about: whether they reach it is decided at ``branches``."""

    barrier: int
    branches: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Divergence:
    """``addresses`` by id of the access; empty where nobody asked for them."""

    branches: tuple[BranchDivergence, ...]
    addresses: tuple[Uniformity, ...]
    barriers: tuple[DivergentBarrier, ...]


@dataclass(frozen=True, slots=True)
class DivergencePass:
    """Gives :class:`Divergence` for the warps of a launch, that of ``addresses`` too. Different
    pointer arguments are taken to lead to different buffers."""

    addresses: bool = True
    name: str = "divergence"
    requires: tuple[type, ...] = (
        ControlFlow, PostDominators, Branches, Barriers, MemoryAccesses, SymbolicValues,
    )  # fmt: skip

    def run(self, kernel: Kernel, facts: Facts) -> Divergence:
        judge = Judge(kernel, facts)
        function, values = kernel.function, facts[SymbolicValues]
        decided = [
            (branch, judge.condition(values.scalar(branch.condition, branch.block)))
            for branch in facts[Branches].branches
        ]
        branches = tuple(
            BranchDivergence(branch.id, uniformity, facts[PostDominators].immediate(branch.block))
            for branch, uniformity in decided
        )
        addresses = tuple(
            judge.condition(
                values.address(function.instructions[access.instruction], access.pointer)
            )
            for access in (facts[MemoryAccesses].accesses if self.addresses else ())
        )
        return Divergence(branches, addresses, _barriers(facts, decided))


def of_values(kernel: Kernel, facts: Facts) -> Mapping[int, Uniformity]:
    """By instruction index: of results, for those that have one."""
    judge, results = Judge(kernel, facts), dict[int, Uniformity]()
    for block in facts[ControlFlow].order:
        for instruction in kernel.function.blocks[block].instructions:
            parts = [judge.uniformity(part) for part in facts[SymbolicValues].result(instruction)]
            if parts:
                results[instruction.index] = widest(parts)
    return results


def widest(parts: list[Uniformity]) -> Uniformity:
    """What several values have in common: that of the one that varies most."""
    return max(parts, key=lambda each: each.rank)


class Judge:
    """Says how uniform symbolic values of one kernel are."""

    def __init__(self, kernel: Kernel, facts: Facts) -> None:
        self._function, self._values = kernel.function, facts[SymbolicValues]
        self._known = self._values.algebra.known
        self._written = _written(kernel, facts)
        self._arrays = {a.instruction: a for a in facts[MemoryAccesses].accesses}
        self._found = dict[Node, Uniformity]()
        self._local = dict[Node, bool]()
        """Whether a node depends on local ids alone."""
        self._evaluator: Evaluator | None = None
        self._everyone: Evaluator | None = None

    def uniformity(self, node: Node) -> Uniformity:
        """Of a value at one execution."""
        if node not in self._found:
            self._settle(node)
        return self._found[node]

    def condition(self, node: Node) -> Uniformity:
        """The same, with the value computed for every work-item where that is possible: worth it
        for the conditions of branches and for addresses."""
        found = self.uniformity(node)
        known = self._known
        if found is not Uniformity.ID or known.global_size is None or known.local_size is None:
            return found
        count = 1
        for size in known.global_size:
            count *= size
        if count > MAX_WORK_ITEMS or self._values.varying(node):
            return found
        from kcc.passes.symbolic.evaluate import Evaluator
        from kcc.passes.symbolic.lanes import all_work_items

        if self._everyone is None:
            self._everyone = Evaluator(self._values, all_work_items(known))
        return self._observed(self._everyone, node) or found

    def _settle(self, root: Node) -> None:
        """Find what ``root`` and all it is made of are. Recurrences begin as uniform as can be and
        are corrected until nothing changes."""
        pending, order, variables = [root], dict[Node, None](), list[Recurrence]()
        while pending:
            for node in reachable([pending.pop()], stop=self._found):
                if node in order or node in self._found:
                    continue
                order[node] = None
                if isinstance(node, Recurrence):
                    variable = self._values.variable(node)
                    variables.append(node)
                    pending += [variable.start, variable.step]
                elif isinstance(node, Opaque):
                    pending += self._arguments(node)
        nodes = sorted(order, key=lambda node: node.id)
        for node in variables:
            self._found[node], self._local[node] = Uniformity.LAUNCH, False
        changed = True
        while changed:
            for node in nodes:
                if not isinstance(node, Recurrence):
                    self._found[node] = self._made(node)
            changed = False
            for node in variables:
                variable = self._values.variable(node)
                now = widest([self._look(variable.start), self._look(variable.step)])
                if now.rank > self._found[node].rank:
                    self._found[node], changed = now, True

    def _look(self, node: Node) -> Uniformity:
        return self._found.get(node, Uniformity.LAUNCH)

    def _made(self, node: Node) -> Uniformity:
        """What a node is, from what its operands are."""
        operands = operands_of(node)
        parts = [self._look(each) for each in operands]
        self._local[node] = bool(operands) and all(self._local.get(o, False) for o in operands)
        match node:
            case Symbol(kind=kind, index=index):
                self._local[node] = kind in (SymbolKind.LOCAL_ID, SymbolKind.LANE)
                return self._symbol(kind, index, node)
            case Loaded():
                self._local[node] = False
                return self._loaded(node, parts)
            case Opaque():
                return self._opaque(node)
            case Sum() if self._cancelled(node):
                return self._difference(node)
            case _:
                if not operands:
                    self._local[node] = True
                    return Uniformity.LAUNCH
                joined = widest(parts)
                if joined is Uniformity.ID and self._local[node]:
                    return self._in_block(node) or joined
                if joined is Uniformity.ID and self._numbers_warps(node):
                    return Uniformity.WARP
                return joined

    def _numbers_warps(self, node: Node) -> bool:
        """Whether a node is the number of a work-item in a row, times a power of two, divided by a
        multiple of the warp's size times that, where rows fill warps: of all lanes the same.
        Whatever is added to that number is the same for all lanes too, and such a multiple."""
        row = _extent(self._known.local_size, 0)
        if not isinstance(node, Operation) or row is None or row % self._known.warp:
            return False
        number = node.operands[0]
        terms = number.terms if isinstance(number, Sum) else ((number, 1),)
        own = [(each, c) for each, c in terms if self._look(each).is_divergent]
        if len(own) != 1 or own[0][1] < 1 or own[0][1] & (own[0][1] - 1):
            return False
        item, factor = own[0]
        size = factor * self._known.warp
        rest = [c for each, c in terms if each is not item]
        rest.append(number.constant if isinstance(number, Sum) else 0)
        rest.append(factor * self._known.offset[0])
        along = isinstance(item, Symbol) and item.kind in _OWN_IDS and item.index == 0
        return along and not any(c % size for c in rest) and self._divides_by(node, size)

    def _divides_by(self, node: Operation, size: int) -> bool:
        """Whether an operation takes away what is left of a number by a multiple of ``size``, which
        is a power of two."""
        if len(node.operands) != 2 or not isinstance(node.operands[1], Number):
            return False
        by = node.operands[1].value
        match node.operator:
            case Opcode.UDIV:
                return by > 0 and by % size == 0
            case Opcode.SDIV:
                positive = self._values.algebra.interval(node.operands[0])[0] >= 0
                return positive and by > 0 and by % size == 0
            case Opcode.LSHR | Opcode.ASHR:
                return (1 << by) % size == 0
            case Opcode.AND:
                return by % size == 0
            case _:
                return False

    def _cancelled(self, node: Sum) -> set[int]:
        """The dimensions in which the local id is subtracted as often as the global one is added:
        what is left is a multiple of the number of the thread block."""
        factors = {(t.kind, t.index): c for t, c in node.terms if isinstance(t, Symbol)}
        return {
            dimension
            for dimension in range(3)
            if (own := factors.get((SymbolKind.LOCAL_ID, dimension))) is not None
            and factors.get((SymbolKind.GLOBAL_ID, dimension)) == -own
        }

    def _difference(self, node: Sum) -> Uniformity:
        """Of a sum in which ids cancel each other."""
        gone, parts = self._cancelled(node), [Uniformity.BLOCK]
        for term, _ in node.terms:
            pair = isinstance(term, Symbol) and term.kind in _OWN_IDS and term.index in gone
            if not pair:
                parts.append(self._look(term))
        return widest(parts)

    def _symbol(self, kind: SymbolKind, index: int | str, node: Node) -> Uniformity:
        dimension = index if isinstance(index, int) else 0
        local = _extent(self._known.local_size, dimension)
        whole = _extent(self._known.global_size, dimension)
        match kind:
            case SymbolKind.LANE:
                return Uniformity.ID
            case SymbolKind.LOCAL_ID:
                if local == 1:
                    return Uniformity.LAUNCH
                return self._in_block(node) or Uniformity.ID
            case SymbolKind.GROUP_ID:
                one = local is not None and whole is not None and whole <= local
                return Uniformity.LAUNCH if one else Uniformity.BLOCK
            case SymbolKind.GLOBAL_ID:
                own = self._values.algebra.symbol(SymbolKind.LOCAL_ID, dimension)
                group = self._symbol(SymbolKind.GROUP_ID, dimension, node)
                if isinstance(own, Symbol):
                    return widest([group, self._symbol(SymbolKind.LOCAL_ID, dimension, own)])
                return group
            case _:
                return Uniformity.LAUNCH

    def _in_block(self, node: Node) -> Uniformity | None:
        """What a value that depends on local ids alone is, where the local size is known."""
        if self._known.local_size is None:
            return None
        if self._evaluator is None:
            from kcc.passes.symbolic.evaluate import Evaluator
            from kcc.passes.symbolic.lanes import one_group

            self._evaluator = Evaluator(self._values, one_group(self._known))
        return self._observed(self._evaluator, node)

    def _observed(self, evaluator: Evaluator, node: Node) -> Uniformity | None:
        """What the computed values of all work-items of a block, or of the launch, are; None
        where not all are known."""
        import numpy as np

        assert self._known.local_size is not None
        size = 1
        for extent in self._known.local_size:
            size *= extent
        found = evaluator(node)
        if not found.all_known:
            return None
        count = size
        if evaluator is self._everyone:
            assert self._known.global_size is not None
            for whole, own in zip(self._known.global_size, self._known.local_size, strict=True):
                count *= whole // own
        rows = found.rows(count).reshape(-1, size)
        if (rows == rows[0, 0]).all():
            return Uniformity.LAUNCH
        if (rows == rows[:, :1]).all():
            return Uniformity.BLOCK
        leaders = np.arange(size) // self._known.warp * self._known.warp
        return Uniformity.WARP if (rows == rows[:, leaders]).all() else Uniformity.ID

    def _loaded(self, node: Loaded, parts: list[Uniformity]) -> Uniformity:
        """Lanes that read one address together get one value; others only if nothing writes it."""
        instruction = self._function.instructions[node.instruction]
        if not isinstance(instruction, Load) or node.address is None:
            return Uniformity.DATA
        address = widest(parts)
        bases = {each.kind for each in reachable([node.address]) if isinstance(each, Symbol)}
        if address.is_divergent or SymbolKind.PRIVATE in bases:
            return Uniformity.DATA
        access = self._arrays.get(node.instruction)
        steady = access is not None and not self._may_be_written(access.array, access.space)
        return address if steady else widest([address, Uniformity.WARP])

    def _may_be_written(self, array: Array | Unknown, space: AddressSpace) -> bool:
        if space is AddressSpace.CONSTANT:
            return False
        unclear = None in self._written or not isinstance(array, Array)
        return unclear or array in self._written

    def _instruction(self, node: Opaque) -> AnyInstruction | None:
        """What gives an unknown value; None for what joins the values of a variable in memory."""
        every = self._function.instructions
        return every[node.instruction] if 0 <= node.instruction < len(every) else None

    def _arguments(self, node: Opaque) -> list[Node]:
        """The operands of a function without side effects whose result is not analysed."""
        instruction = self._instruction(node)
        if not isinstance(instruction, Call) or _kind(instruction) not in _PURE:
            return []
        return [
            part
            for argument in instruction.arguments
            for part in self._values.of(argument, instruction.block)
        ]

    def _opaque(self, node: Opaque) -> Uniformity:
        self._local[node] = False
        instruction = self._instruction(node)
        primitive = _primitive(instruction) if instruction is not None else None
        if primitive is None:
            return Uniformity.DATA
        if primitive.primitive_class is PrimitiveClass.VOTE:
            return Uniformity.BLOCK
        if primitive.name in _OF_WARPS:
            return _OF_WARPS[primitive.name]
        if primitive.primitive_class in _PURE:
            return widest([Uniformity.LAUNCH, *map(self._look, self._arguments(node))])
        return Uniformity.DATA


_PURE = frozenset(
    {PrimitiveClass.SPECIAL, PrimitiveClass.MATH, PrimitiveClass.IMAGE_QUERY,
     PrimitiveClass.SAMPLER}
)  # fmt: skip
"""Functions whose result depends on their arguments alone."""


_OWN_IDS = frozenset({SymbolKind.LOCAL_ID, SymbolKind.GLOBAL_ID})

_OF_WARPS = {
    "sub_group_all": Uniformity.WARP,
    "sub_group_any": Uniformity.WARP,
    "sub_group_ballot": Uniformity.WARP,
    "get_sub_group_id": Uniformity.WARP,
    "get_sub_group_size": Uniformity.WARP,
    "get_sub_group_local_id": Uniformity.ID,
    "get_max_sub_group_size": Uniformity.LAUNCH,
    "get_num_sub_groups": Uniformity.LAUNCH,
}
"""What functions of a sub-group, which is a warp, give to the lanes that call them together."""


def _primitive(instruction: AnyInstruction) -> Primitive | None:
    return primitive_of(instruction.callee) if isinstance(instruction, Call) else None


def _kind(instruction: AnyInstruction) -> PrimitiveClass | None:
    primitive = _primitive(instruction)
    return primitive.primitive_class if primitive else None


def _written(kernel: Kernel, facts: Facts) -> set[Array | None]:
    """The arrays that the kernel writes, None for one that is not known."""
    stores = (a for a in facts[MemoryAccesses].accesses if a.op is not AccessOp.LOAD)
    found = {a.array if isinstance(a.array, Array) else None for a in stores}
    calls = (i for i in kernel.function.instructions if isinstance(i, Call))
    if any(call.callee in facts.module.functions for call in calls):
        found.add(None)
    return found


def _extent(sizes: tuple[int, ...] | None, dimension: int) -> int | None:
    if sizes is None:
        return None
    return sizes[dimension] if dimension < len(sizes) else 1


def _barriers(
    facts: Facts, decided: list[tuple[BranchPoint, Uniformity]]
) -> tuple[DivergentBarrier, ...]:
    """The barriers that depend on a branch about which a thread block may disagree."""
    doubtful = {
        branch.block: branch.id
        for branch, uniformity in decided
        if uniformity.rank > Uniformity.BLOCK.rank
    }
    deciding = _deciding_branches(facts)
    found = list[DivergentBarrier]()
    for number, barrier in enumerate(facts[Barriers].barriers):
        pending, seen = [barrier.block], set[int]()
        while pending:
            for block in deciding.get(pending.pop(), ()):
                if block not in seen:
                    seen.add(block)
                    pending.append(block)
        branches = tuple(sorted(doubtful[b] for b in seen if b in doubtful))
        if branches:
            found.append(DivergentBarrier(number, branches))
    return tuple(found)


def _deciding_branches(facts: Facts) -> dict[int, set[int]]:
    """For each block, the blocks at whose end it is decided whether it runs (Ferrante, Ottenstein
    and Warren, "The Program Dependence Graph and Its Use in Optimization", TOPLAS 1987)."""
    after = facts[PostDominators]
    deciding = dict[int, set[int]]()
    for edge in facts[ControlFlow].edges:
        if edge.source not in facts[ControlFlow].reachable:
            continue
        stop = after.immediate(edge.source)
        block: int | None = edge.target
        while block is not None and block != stop:
            deciding.setdefault(block, set()).add(edge.source)
            block = after.immediate(block)
    return deciding
