"""Which statements of a miniature kernel do anything."""

from __future__ import annotations

from collections.abc import Iterator

from kcc.base.records import dataclass
from kcc.frontend.ir.types import VOID
from kcc.synth.assembly.model import (
    Block,
    Bounded,
    Choice,
    Counted,
    Drawn,
    Fork,
    Kernel,
    Known,
    Operand,
    Refill,
    Result,
    Spread,
    Statement,
)

_EFFECTS = frozenset({"store", "atomicrmw", "cmpxchg", "fence"})


@dataclass(frozen=True, slots=True)
class Live:
    """``needed`` are the statements to write. ``unused_loads`` are loads whose value only decided
    something that is decided otherwise now; they are made all the same, volatile."""

    needed: frozenset[int]
    unused_loads: frozenset[int]

    def __contains__(self, number: object) -> bool:
        return number in self.needed


def live_statements(kernel: Kernel) -> Live:
    """The statements that memory, conditions and loops need, and all accesses to memory."""
    statements = {s.number: s for b in kernel.blocks for s in b.statements}
    needed = _reached(statements, _roots(kernel))
    loads = {n for n, s in statements.items() if s.opcode == "load"} - needed
    return Live(frozenset(_reached(statements, iter((*needed, *loads)))), frozenset(loads))


def _reached(statements: dict[int, Statement], roots: Iterator[int]) -> set[int]:
    pending = list(roots)
    found = set(pending)
    while pending:
        for operand in statements[pending.pop()].operands:
            for number in _results(operand):
                if number not in found:
                    found.add(number)
                    pending.append(number)
    return found


def _roots(kernel: Kernel) -> Iterator[int]:
    for block in kernel.blocks:
        for s in block.statements:
            if s.opcode in _EFFECTS or (s.opcode == "call" and s.type == VOID):
                yield s.number
        for operand in _ending(block):
            yield from _results(operand)
    for loop in kernel.loops:
        if loop.bound is not None:
            yield from _results(loop.bound.start)
            yield from _results(loop.bound.limit)
            yield from _results(loop.bound.step)
        if loop.early is not None and loop.early.counter is not None:
            yield from _results(loop.early.counter.start)
            yield from _results(loop.early.counter.step)


def _ending(block: Block) -> Iterator[Operand]:
    match block.ending:
        case Fork(condition=Known(condition)):
            yield condition
        case Fork(condition=Drawn(anchor=anchor)):
            yield anchor
        case Fork(condition=Bounded(value=value, anchor=anchor)):
            yield value
            yield anchor
        case Fork(condition=Counted(anchor=anchor)):
            yield anchor
        case Choice(value=value) if value is not None:
            yield value
        case _:
            pass


def _results(operand: Operand) -> Iterator[int]:
    match operand:
        case Result(number):
            yield number
        case Refill(anchor):
            yield from _results(anchor)
        case Spread(base, anchor):
            yield from _results(base)
            yield from _results(anchor)
        case _:
            pass
