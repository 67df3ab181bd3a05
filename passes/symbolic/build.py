"""From the IR to symbolic values: gated SSA with closed forms for what loops change.

A phi where ways join becomes a choice by the conditions of the ways; a phi in a loop's header a
closed form in the loop's counter, else a :class:`Recurrence`; a value used after a loop that it
varies in becomes its value in the loop's last iteration.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import TypeVar, cast

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    AtomicRmw,
    Binary,
    CompareExchange,
    Load,
    Phi,
)
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import I64, VOID, FloatTy, IntTy, PtrTy, size_bytes
from kcc.frontend.ir.values import (
    ArgumentRef,
    InstructionRef,
    MetadataOperand,
    Poison,
    Undef,
    Value,
)
from kcc.frontend.kernel import Kernel
from kcc.passes.control.assumed_trips import assumed_iterations
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.dominance import Dominators
from kcc.passes.graph.loops import Loop, Loops
from kcc.passes.symbolic.algebra import Algebra
from kcc.passes.symbolic.budget import MAX_VISITED, MOST_WORK
from kcc.passes.symbolic.closing import Endings, close
from kcc.passes.symbolic.expr import (
    Expr,
    Loaded,
    Node,
    Opaque,
    Recurrence,
    Symbol,
    SymbolKind,
)
from kcc.passes.symbolic.memory import Contents
from kcc.passes.symbolic.nodes import reachable
from kcc.passes.symbolic.operands import (
    Components,
    argument,
    component_offsets,
    components_of,
    constant,
)
from kcc.passes.symbolic.operations import Computation
from kcc.passes.symbolic.paths import Paths
from kcc.passes.symbolic.promises import Promises, Step
from kcc.passes.symbolic.promote import Promoted, promoted
from kcc.passes.symbolic.ranges import Known
from kcc.passes.symbolic.regions import Level, Regions
from kcc.passes.symbolic.steps import Additions
from kcc.passes.symbolic.variation import Variation

T = TypeVar("T")

MAX_NODES = 400_000
"""Nodes of one kernel; beyond, values are opaque: the construction stays linear in its time."""

MAX_TERMS = 2_000_000
"""Terms of all sums of one kernel, for the same reason: a value that adds up all before it makes
them quadratic."""

MAX_ROUNDS = 3
"""How often closed forms are looked for that others make possible."""


@dataclass(frozen=True, slots=True)
class Variable:
    """How a recurrence starts and, one iteration on, what it is."""

    start: Expr
    step: Expr


class SymbolicValues:
    """The symbolic values of one kernel. See :mod:`kcc.passes.symbolic` for how to use it."""

    def __init__(
        self,
        kernel: Kernel,
        facts: Facts,
        known: Known | None = None,
        assumed: Mapping[int, int] | None = None,
    ) -> None:
        self.kernel, self.function, self.module = kernel, kernel.function, facts.module
        known = known or Known()
        if known.local_size is None and kernel.required_local_size is not None:
            known = replace(known, local_size=kernel.required_local_size)
        self.algebra = Algebra(known)
        self.loops: Loops = facts[Loops]
        self._flow = facts[ControlFlow]
        dominators = facts[Dominators]
        self.regions = Regions(self.function, self._flow, dominators, self.loops)
        self.paths = Paths(
            self.algebra, self.function, self.loops, self.regions, self._scalar, self.final
        )
        self._promoted: Promoted = promoted(self.function, self._flow, dominators)
        self.contents = Contents(self.function, self.module, dominators, self.algebra)
        self._compute = Computation(self)
        self._steady: set[Node] = set()
        self._endings = Endings(self.algebra, self.varies, self._steady)
        self._assumed = assumed_iterations(self.function, self.loops, assumed or {})
        self.assumed_loops: set[int] = set()
        self._made: dict[int, Components] = {}
        self._closed: dict[tuple[int, int], Expr] = {}
        self._promises = Promises(self)
        self._additions = Additions(self, self._promoted, self._now)
        self._variation = Variation(self.loops, self.block_of)
        self._variables: dict[Recurrence, Variable] = {}
        self._ends: dict[int, Expr] = {}
        self._freezes = any(i.opcode is Opcode.FREEZE for i in self.function.instructions)
        """Whether unset values may be read: then they are told apart from others."""
        self._kept: dict[type[object], object] = {}
        self.work_left, self.visits_left = 0, 0
        """Of what a pass may evaluate of these values, and look at (:mod:`.budget`)."""
        self.renew_budget()
        self._process(None)

    def renew_budget(self) -> None:
        """For the next pass."""
        self.work_left, self.visits_left = MOST_WORK, MAX_VISITED

    def kept(self, kind: type[T]) -> T:
        """What others compute of these values and keep as long as they live: one ``kind()``."""
        if kind not in self._kept:
            self._kept[kind] = kind()
        return cast("T", self._kept[kind])

    # what others ask

    def of(self, value: Value, block: int | None = None) -> Components:
        """The components of a value, as block ``block`` sees it; without a block, as where it is
        made.
        """
        made = self._of(value)
        if block is None or not isinstance(value, InstructionRef):
            return made
        source = self.block_of(value.index)
        for loop in self.loops.around(source):
            if block in loop.blocks:
                break
            made = tuple(self.final(loop.id, part) for part in made)
        return made

    def scalar(self, value: Value, block: int | None = None) -> Expr:
        """The only component of a scalar or pointer."""
        (only,) = self.of(value, block)
        return only

    def result(self, instruction: AnyInstruction) -> Components:
        """The components of what an instruction gives."""
        return self._made.get(instruction.index) or self._opaque(instruction, "not reached")

    def address(self, instruction: AnyInstruction, pointer: Value) -> Expr:
        """A pointer operand of an instruction."""
        return self.scalar(pointer, instruction.block)

    def back_edges(self, loop: int) -> Expr:
        """How often the back edges of a loop are taken each time it is entered (i64): the number
        of its last iteration.
        """
        return self._ends[loop]

    def exit_condition(self, loop: int) -> Expr:
        """Whether the loop ends in an iteration."""
        return self.algebra.disjunction(self.exit_conditions(loop))

    def exit_conditions(self, loop: int) -> list[Expr]:
        """For each way out of a loop, in order, whether an iteration that no earlier way left
        takes it.
        """
        region = self.regions[loop]
        conditions = list[Expr]()
        for way in region.leaving:
            came = self.paths.between(region.root, way.node, loop, staying=True)
            chosen = self.paths.chosen(way, loop)
            conditions.append(self.algebra.conjunction([came, chosen]))
        return conditions

    def body_count(self, loop: int) -> Expr:
        """How often a loop's body runs each time it is entered: one less than its header where
        the loop ends there (and the header is not the whole body).
        """
        shape, algebra = self.loops.loops[loop], self.algebra
        ends = self.back_edges(loop)
        if shape.header in shape.latches or shape.header not in shape.exiting:
            return algebra.plus(ends, 1)
        if shape.exiting == (shape.header,) or loop in self.assumed_loops:
            return ends
        there = [w for w in self.regions[loop].leaving if w.source == shape.header]
        region = self.regions[loop]
        left = algebra.disjunction(self.paths.taken(w, region.root, loop) for w in there)
        last = algebra.convert(Opcode.ZEXT, self.final(loop, left), I64)
        return algebra.sum([(ends, 1), (last, -1)], I64, 1)

    def upper_bound(self, loop: int) -> Expr | None:
        """A bound of :meth:`body_count`, from the ways out that do not depend on memory; None if
        none of them is such.
        """
        ways = self.regions[loop].leaving
        pairs = zip(ways, self.exit_conditions(loop), strict=True)
        sure = [(way, c) for way, c in pairs if not self.causes(c)]
        if not sure:
            return None
        ends = self._endings.first(loop, self.algebra.disjunction(c for _, c in sure))
        header = self.loops.loops[loop].header
        if all(way.source == header for way, _ in sure) and not self._is_latch(loop):
            return ends
        return self.algebra.plus(ends, 1)

    def _is_latch(self, loop: int) -> bool:
        return self.loops.loops[loop].header in self.loops.loops[loop].latches

    def varies(self, node: Node, loop: int) -> bool:
        """Whether a node may differ between iterations of a loop."""
        return loop in self.varying(node)

    def varying(self, node: Node) -> frozenset[int]:
        """The loops between whose iterations a node may differ."""
        return self._variation(node)

    def variable(self, recurrence: Recurrence) -> Variable:
        """How a recurrence starts and goes on."""
        if recurrence not in self._variables:
            loop = self.loops.loops[recurrence.loop]
            phi = self._phi(recurrence.phi)
            start = self._joined(phi, loop, inside=False)[recurrence.component]
            step = self._joined(phi, loop, inside=True)[recurrence.component]
            self._variables[recurrence] = Variable(start, step)
        return self._variables[recurrence]

    def final(self, loop: int, node: Node) -> Expr:
        """A node's value in the last iteration of a loop."""
        if not self.varies(node, loop):
            return node  # type: ignore[return-value]
        at = self._ends.get(loop)
        if at is None:
            return self.algebra.opaque(node.type, -1, node.id, "the loops are irreducible")
        if isinstance(node, Loaded | Opaque):
            return node
        if self._variation.only_counts(node, loop):
            counters: dict[Node, Node] = {
                each: self.algebra.convert(Opcode.TRUNC, at, each.type)
                for each in reachable([node])
                if isinstance(each, Symbol) and each.kind is SymbolKind.COUNTER
                if each.index == loop and isinstance(each.type, IntTy)
            }
            return self.algebra.substitute(node, counters)
        return self.algebra.final(loop, at, node)

    # the way through the kernel

    def _process(self, level: Level) -> None:
        """All instructions of a level and of the loops in it, operands first."""
        if level is not None:
            self._header(self.loops.loops[level])
        region = self.regions[level]
        for node in region.order:
            inner = self.regions.level_of(node)
            if inner != level:
                assert inner is not None
                self._loop(inner)
            else:
                self._block(node)

    def _loop(self, loop: int) -> None:
        """A loop; once more where its body shows closed forms that its header could use."""
        self._process(loop)
        for _ in range(MAX_ROUNDS):
            if not self._close_late(loop):
                break
            self._forget(loop)
            self._process(loop)
        ends: Expr = self._endings.first(loop, self.exit_condition(loop))
        if loop in self._assumed and self.causes(ends):
            self.assumed_loops.add(loop)
            shape = self.loops.loops[loop]
            tested_first = shape.header in shape.exiting and not self._is_latch(loop)
            ends = self.algebra.number(max(self._assumed[loop] - (not tested_first), 0))
        self._ends[loop] = ends
        self._bound(loop, ends)

    def _forget(self, loop: int) -> None:
        """What was found of a loop's body; of its own variables the closed forms are kept."""
        shape, indices = self.loops.loops[loop], set[int]()
        for block in shape.blocks:
            own = (*self._promoted.phis.get(block, ()), *self.function.blocks[block].instructions)
            indices.update(instruction.index for instruction in own)
            if block != shape.header:
                for instruction in own:
                    for place in range(len(self._made.get(instruction.index, ()))):
                        self._closed.pop((instruction.index, place), None)
                    self._promises.steps.pop(instruction.index, None)
        for index in indices:
            self._made.pop(index, None)
        self._variables = {r: v for r, v in self._variables.items() if r.phi not in indices}
        self.paths.forget(shape.blocks)

    def _bound(self, loop: int, count: Node) -> None:
        high = self.algebra.interval(count)[1]
        if high < 2**62:
            self.algebra.intervals.bound_counter(loop, high)

    def _block(self, block: int) -> None:
        added = self._promoted.phis.get(block, ())
        for instruction in (*added, *self.function.blocks[block].instructions):
            if instruction.type != VOID:
                self._now(instruction)

    def _now(self, instruction: AnyInstruction) -> Components:
        if instruction.index not in self._made:
            self._made[instruction.index] = self._make(instruction)
        return self._made[instruction.index]

    def _make(self, instruction: AnyInstruction) -> Components:
        if self.algebra.size > MAX_NODES or self.algebra.visited > MAX_TERMS:
            return self._opaque(instruction, "the kernel is too large for symbolic values")
        if instruction.index in self._promoted.loads:
            return self.of(self._promoted.loads[instruction.index], instruction.block)
        match instruction:
            case Phi():
                return self._join(instruction)
            case Load():
                return self._load(instruction)
            case AtomicRmw() | CompareExchange():
                return self._loaded(instruction, self.address(instruction, instruction.pointer))
            case Alloca():
                return (self.algebra.symbol(SymbolKind.PRIVATE, instruction.index),)
            case _:
                made = self._compute(instruction)
                if isinstance(instruction, Binary) and Flags.NSW in instruction.flags:
                    self._steady.update(made)
                return made

    # memory

    def _load(self, load: Load) -> Components:
        address = self.address(load, load.pointer)
        given = self.contents.of_structure(load, address)
        if given is not None:
            return self._given(load, *given)
        found = self.contents.table(load, address)
        if found is None:
            return self._loaded(load, address)
        variable, base = found
        offset = self.algebra.subtract(address, base)
        places = zip(components_of(load.type), component_offsets(load.type), strict=True)
        return tuple(
            self.algebra.table(type_, variable, self.algebra.plus(offset, place))
            for type_, place in places
        )

    def _given(self, load: Load, data: bytes, start: int) -> Components:
        """What a load reads from known bytes."""
        found = list[Expr]()
        places = zip(components_of(load.type), component_offsets(load.type), strict=True)
        for place, (type_, offset) in enumerate(places):
            size = size_bytes(type_)
            bits = int.from_bytes(data[start + offset : start + offset + size], "little")
            match type_:
                case IntTy():
                    found.append(self.algebra.number(bits, type_))
                case FloatTy():
                    found.append(self.algebra.float_number(bits, type_))
                case _:
                    reason = "a pointer in a struct"
                    found.append(self.algebra.opaque(type_, load.index, place, reason))
        return tuple(found)

    def _loaded(self, instruction: AnyInstruction, address: Expr) -> Components:
        offsets = component_offsets(instruction.type)
        if isinstance(instruction, CompareExchange):
            offsets = tuple(0 for _ in offsets)
        return tuple(
            self.algebra.loaded(type_, instruction.index, place, self.algebra.plus(address, offset))
            for place, (type_, offset) in enumerate(
                zip(components_of(instruction.type), offsets, strict=True)
            )
        )

    # phis

    def _phi(self, index: int) -> Phi:
        found = self._promoted.phi(index)
        if found is None:
            instruction = self.function.instructions[index]
            assert isinstance(instruction, Phi)
            found = instruction
        return found

    def block_of(self, index: int) -> int:
        """The block of an instruction or of a phi that stands for a variable in memory."""
        found = self._promoted.phi(index)
        return found.block if found is not None else self.function.instructions[index].block

    def _join(self, phi: Phi) -> Components:
        level = self.regions.level_of(phi.block)
        rows = [
            (block, self._at_end(value, block, phi.block))
            for value, block in self._coming(phi, phi.incoming)
        ]
        return self._chosen(phi, rows, level)

    def _coming(self, phi: Phi, blocks: Container[int]) -> list[tuple[Value, int]]:
        """The values that come to a phi from some blocks. Those that are not set, which no correct
        kernel reads, are left out if there are others.
        """
        rows = [
            (value, block)
            for value, block in zip(phi.operands, phi.incoming, strict=True)
            if block in blocks and block in self._flow.reachable
        ]
        if self._freezes:
            return rows
        return [row for row in rows if not isinstance(row[0], Undef | Poison)] or rows

    def _at_end(self, value: Value, block: int, target: int) -> Components:
        """A value that comes along an edge: loops that the edge leaves have ended."""
        made = self.of(value, block)
        for loop in self.loops.around(block):
            if target in loop.blocks:
                break
            made = tuple(self.final(loop.id, part) for part in made)
        return made

    def _chosen(self, phi: Phi, rows: list[tuple[int, Components]], level: Level) -> Components:
        """One of several values, by the way that control took to the phi's block."""
        values = [value for _, value in rows]
        if all(value == values[0] for value in values):
            return values[0]
        region = self.regions[level]
        if phi.block in self.regions.irreducible or phi.block not in region.entering:
            return self._opaque(phi, "the control flow is irreducible")
        above = self.regions.dominator(phi.block, level)
        conditions = {
            way.source: self.paths.taken(way, above, level) for way in region.entering[phi.block]
        }
        chosen = rows[-1][1]
        for block, value in reversed(rows[:-1]):
            condition = conditions[block]
            chosen = tuple(
                self.algebra.select(condition, a, b) for a, b in zip(value, chosen, strict=True)
            )
        return chosen

    def _header(self, loop: Loop) -> None:
        """The phis of a loop's header: closed forms where the IR shows them plainly."""
        if loop.header in self.regions.irreducible:
            return
        phis = [*self._promoted.phis.get(loop.header, ()), *self.function.blocks[loop.header].phis]
        for phi in phis:
            parts = list[Expr]()
            for place, type_ in enumerate(components_of(phi.type)):
                closed = self._closed.get((phi.index, place))
                own = closed or self.algebra.recurrence(type_, loop.id, phi.index, place)
                parts.append(own)
            self._made[phi.index] = tuple(parts)
        for phi in phis:
            if (phi.index, 0) not in self._closed and isinstance(phi.type, IntTy | PtrTy):
                self._close_early(phi, loop)
        self._bound_early(loop)

    def _close_early(self, phi: Phi, loop: Loop) -> None:
        """A variable that only additions of unchanging values change."""
        found = self._additions.in_loop(phi, loop)
        if found is None:
            return
        step, signed, unsigned = found
        (start,) = self._joined(phi, loop, inside=False)
        type_ = start.type
        assert isinstance(type_, IntTy)
        closed = self.algebra.add(
            start, self.algebra.multiply(step, self.algebra.counter(loop.id, type_))
        )
        self._closed[phi.index, 0] = closed
        self._promises.steps[phi.index] = Step(loop.id, start, step, signed, unsigned)
        self._made[phi.index] = (closed,)
        if signed:
            self._steady.add(closed)

    def _bound_early(self, loop: Loop) -> None:
        """The counter's range from a test in the header, before the rest of the body needs it."""
        if loop.header not in loop.exiting:
            return
        self._block(loop.header)
        for way in self.regions[loop.id].leaving:
            if way.source == loop.header:
                condition = self.paths.edge(way.source, way.target)
                self._bound(loop.id, self._endings.first(loop.id, condition))

    def _close_late(self, loop: int) -> bool:
        """Closed forms that are seen once the body is known; whether there are any."""
        found, header = False, self.loops.loops[loop].header
        phis = [*self._promoted.phis.get(header, ()), *self.function.blocks[header].phis]
        for phi in phis:
            for place, own in enumerate(self._made[phi.index]):
                if not isinstance(own, Recurrence) or isinstance(own.type, FloatTy):
                    continue
                if (own.loop, own.phi) != (loop, phi.index):
                    continue
                variable = self.variable(own)
                closed = close(self.algebra, variable.start, variable.step, own, self.varies)
                if closed is not None:
                    self._closed[phi.index, place] = closed
                    found = True
        return found

    def _joined(self, phi: Phi, loop: Loop, *, inside: bool) -> Components:
        """What comes to a header from the loop (``inside``), or from before it."""
        blocks = {block for block in phi.incoming if (block in loop.blocks) == inside}
        rows = [
            (block, self._at_end(value, block, loop.header))
            for value, block in self._coming(phi, blocks)
        ]
        values = [value for _, value in rows]
        if all(value == values[0] for value in values):
            return values[0]
        if not inside:
            return self._chosen(phi, rows, loop.parent)
        region = self.regions[loop.id]
        conditions = {
            way.source: self.paths.taken(way, region.root, loop.id, staying=True)
            for way in region.back
        }
        chosen = values[-1]
        for block, value in reversed(rows[:-1]):
            chosen = tuple(
                self.algebra.select(conditions[block], a, b)
                for a, b in zip(value, chosen, strict=True)
            )
        return chosen

    # operands

    def _of(self, value: Value) -> Components:
        match value:
            case InstructionRef():
                made = self._made.get(value.index)
                if made is None:
                    return self._unmade(value)
                return made
            case ArgumentRef():
                return argument(self.algebra, self.function, value)
            case MetadataOperand():
                return ()
            case _:
                return constant(self.algebra, value)

    def _unmade(self, value: InstructionRef) -> Components:
        """A value asked for before its place in the order: only in irreducible loops."""
        return tuple(
            self.algebra.opaque(type_, value.index, place, "the control flow is irreducible")
            for place, type_ in enumerate(components_of(value.type))
        )

    def _scalar(self, value: Value, block: int) -> Expr:
        return self.scalar(value, block)

    def opaque(self, instruction: AnyInstruction, reason: str) -> Components:
        """Nothing is known of what an instruction gives."""
        return self._opaque(instruction, reason)

    def _opaque(self, instruction: AnyInstruction, reason: str) -> Components:
        return tuple(
            self.algebra.opaque(type_, instruction.index, place, reason)
            for place, type_ in enumerate(components_of(instruction.type))
        )

    def extended(self, value: Value, block: int, operator: Opcode, type_: IntTy) -> Expr:
        """Zext or sext of a value; promises not to wrap let it into sums."""
        return self._promises.extended(value, block, operator, type_)

    def causes(self, node: Node) -> tuple[Loaded | Opaque, ...]:
        """What a node depends on that is not known before a run, in order."""
        found, seen = dict[Loaded | Opaque, None](), set[Node]()
        pending = [node]
        while pending:
            for each in reachable([pending.pop()], stop=seen):
                if each in seen:
                    continue
                seen.add(each)
                match each:
                    case Loaded() | Opaque():
                        found[each] = None
                    case Recurrence():
                        variable = self.variable(each)
                        pending += [variable.start, variable.step]
                    case _:
                        pass
        return tuple(sorted(found, key=lambda each: each.instruction))
