"""What computes the addresses of accesses, and where.

Accesses whose addresses differ by a constant share one address; an address that moves by a constant
with a loop costs an addition per iteration, one that does not is computed before the loop.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable

from kcc.frontend.ir.instructions import AnyInstruction, Binary, Cast, GetElementPtr
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.values import ConstantInt, Value
from kcc.frontend.types import AddressSpace
from kcc.passes.graph.loops import Loop, Loops
from kcc.passes.memory.memory_accesses import MemoryAccess
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.closing import is_counter, linear_in
from kcc.passes.symbolic.expr import Node, Symbol, SymbolKind
from kcc.passes.symbolic.places import terms_of
from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.drafts import Draft, Drafts, constant_move
from kcc.sim.program.folding import is_apart
from kcc.sim.program.integer_arithmetic import NO_WRAP, address_cost, moving_step, never_wraps
from kcc.sim.program.moves import from_bank

_SHORT = frozenset({AddressSpace.LOCAL, AddressSpace.PRIVATE})
_JOINED = frozenset({Opcode.ADD, Opcode.OR})
_PLACES = frozenset({SymbolKind.GLOBAL, SymbolKind.POINTER, SymbolKind.PRIVATE})


class Addresses:
    """The addresses of a kernel's accesses. ``by_ptxas`` is whether they are made instruction by
    instruction as ptxas does; else two sums each, in the entry block where no loop changes them."""

    def __init__(
        self, function: Function, loops: Loops, values: SymbolicValues, drafts: Drafts,
        generation: Generation, *, by_ptxas: bool,
    ) -> None:  # fmt: skip
        self.function, self.loops, self.values, self.drafts = function, loops, values, drafts
        self.generation, self.by_ptxas = generation, by_ptxas

    def of(self, instruction: AnyInstruction, touch: MemoryAccess) -> list[int]:
        """What an access waits for to have its address; makes the operations that compute it."""
        pointer = touch.pointer
        address = self.values.address(instruction, pointer)
        terms = frozenset(terms_of(address))
        roots = self.drafts.needs([pointer])
        varying = self.values.varying(address)
        symbols = [t for t, _ in terms if not isinstance(t, Symbol)]
        is_fixed = not varying and not symbols and all(
            isinstance(t, Symbol) and t.kind in _PLACES for t, _ in terms
        )  # fmt: skip
        if is_apart(instruction) or is_fixed:
            return roots + self._beginning(pointer, self.before_loops(instruction.block))
        inner = self.loops.innermost[instruction.block]
        home = next(
            (each.id for each in self.loops.around(instruction.block) if each.id in varying), None
        )
        is_short = touch.space in _SHORT
        if self.by_ptxas and is_short and not all(_is_static(term) for term, _ in terms):
            terms = frozenset(each for each in terms if not _is_static(each[0]))
        key: Hashable = terms
        if self.by_ptxas and symbols and not is_short:
            key = _without_constants(self.function, pointer) or terms
        key = (key, home if symbols else ("linear", home), instruction.block if symbols else -1)
        block = self._place(instruction.block, home, varying)

        def draft() -> Draft:
            line = instruction.location.line if instruction.location else 0
            found = self._sum(touch, block, list(roots), line, is_short=is_short)
            found.overhead = not symbols and home is not None and self._shares(touch, home)
            return found

        made = self.drafts.once(key, block, draft)
        return [made, *roots] if home == inner else [made]

    def is_linear(self, instruction: AnyInstruction) -> bool:
        """Whether an index moves by the same in each iteration of its loop: iterations that are
        unrolled share it, and add what it moves by to their addresses."""
        inner = self.loops.innermost[instruction.block]
        if inner is None:
            return False
        loop, values = inner, self.values

        def counts(node: Node) -> bool:
            return is_counter(node, loop)

        def varies(node: Node) -> bool:
            return values.varies(node, loop)

        moving = [each for each in values.result(instruction) if varies(each)]
        parts = (linear_in(values.algebra, each, counts, varies) for each in moving)
        return bool(moving) and all(part is not None for part in parts)

    def _sum(
        self, touch: MemoryAccess, block: int, needs: list[int], line: int, *, is_short: bool
    ) -> Draft:
        """LEA for shared memory; otherwise as the index is, with what a product wants first."""
        kind = InstructionClass.ADDRESS
        needs += self._beginning(touch.pointer, self.before_loops(block))
        if is_short or not self.by_ptxas:
            return Draft(Unit.ALU, kind, 1.0 if is_short else 2.0, 1.0, needs, line=line)
        return self._step(touch.pointer, block, needs, line)

    def _step(self, pointer: Value, block: int, needs: list[int], line: int) -> Draft:
        """The last step of an address; makes those before it, each a sum of its own, and what the
        product of an index wants first."""
        cost = address_cost(self.function, pointer, self.generation)
        if cost.first is not None:
            key = ("before an address", cost.first)
            first = constant_move(line)
            first.unit, first.slots = cost.first_unit, cost.first_slots
            needs.append(self.drafts.once(key, block, lambda: first))
        last = moving_step(self.function, pointer)
        before = None if last is None else moving_step(self.function, last.base)
        if last is not None and before is not None:
            address = self.values.scalar(last.base, before.block)
            varying = self.values.varying(address)
            place = self._place(before.block, None, varying)
            needs.append(self.drafts.once(
                ("step", before.index), place,
                lambda: self._step(last.base, place, self.drafts.needs(before.indices), line),
            ))  # fmt: skip
        return Draft(cost.unit, InstructionClass.ADDRESS, cost.slots, 1.0, needs, line=line)

    def _beginning(self, pointer: Value, block: int) -> list[int]:
        """What brings the beginning of an argument's array out of the constant bank."""
        while (step := self.function.definition(pointer)) is not None:
            if not isinstance(step, GetElementPtr | Cast):
                return []
            pointer = step.operands[0]
        return from_bank(self.drafts, block, [pointer], (), self.generation)

    def _shares(self, touch: MemoryAccess, home: int) -> bool:
        """Whether the address in the next iteration is this one and a constant that an access
        takes as its offset: so where no part of the index may wrap."""
        blocks = frozenset(self.loops.loops[home].blocks)
        return not self.by_ptxas or never_wraps(self.function, touch.pointer, blocks)

    def _place(self, block: int, home: int | None, varying: Collection[int]) -> int:
        """Where an address is computed: in the block of its access, or before the loops it does
        not change in."""
        if self.by_ptxas:
            for loop in self.loops.around(block):
                if loop.id in varying:
                    break
                block = self._before(loop, block)
            return block
        if home is None:
            return 0
        if self.loops.innermost[block] == home:
            return block
        return self.loops.loops[home].header

    def before_loops(self, block: int) -> int:
        """Where what does not change is computed that a block wants: before the loops around it."""
        return self._place(block, None, ())

    def before_short_loop(self, block: int, value: Value) -> int:
        """Where what rests on a value is computed that a block wants: before the loop that is this
        one block, if it does not change there."""
        loop = self.loops.innermost[block]
        if loop is None or self.loops.loops[loop].blocks != (block,):
            return block
        made = self.function.definition(value)
        changes = made is not None and any(
            self.values.varies(each, loop) for each in self.values.of(value, block)
        )
        return block if changes else self._before(self.loops.loops[loop], block)

    def outside(self, block: int, target: int) -> int:
        """The block that leads into the loops around a block that another one is not in; the block
        itself where there are none."""
        for loop in self.loops.around(block):
            if target in loop.blocks:
                break
            block = self._before(loop, block)
        return block

    def _before(self, loop: Loop, block: int) -> int:
        """The block that leads into a loop; ``block`` where there is no single one."""
        outside = set(self.function.blocks[loop.header].predecessors) - set(loop.blocks)
        return outside.pop() if len(outside) == 1 else block


def _without_constants(function: Function, pointer: Value) -> Hashable:
    """What is left of an address whose index is a sum that cannot wrap when its constants go, which
    accesses take as their offsets: copies of a body that count by a constant have one address.
    Nothing where an address is made otherwise."""
    step = function.definition(pointer)
    if not isinstance(step, GetElementPtr) or not step.indices:
        return None
    leaves, waiting = list[Hashable](), [step.indices[-1]]
    while waiting:
        value = waiting.pop()
        made = function.definition(value)
        if isinstance(value, ConstantInt):
            continue
        if isinstance(made, Cast) and made.opcode in (Opcode.SEXT, Opcode.ZEXT):
            waiting.append(made.operands[0])
        elif isinstance(made, Binary) and made.opcode in _JOINED and made.flags & NO_WRAP:
            waiting += made.operands
        else:
            leaves.append(value)
    return step.base, step.indices[:-1], frozenset(leaves), len(leaves)


def _is_static(term: Node) -> bool:
    """Whether a term is the address of a variable, which the linker knows."""
    return isinstance(term, Symbol) and term.kind is SymbolKind.GLOBAL
