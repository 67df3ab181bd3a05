"""How often nvcc unrolls a loop of `#pragma unroll` that is too long to be fully unrolled.

Which loops these are is left to LLVM: the limits differ from one nvcc to the next, and for filters
of 8 to 28 sums LLVM's is that of CUDA 11.8, between 4,725 and 5,400 multiplications. They differ in
what is done then: LLVM unrolls by the greatest divisor of the trip count that fits,
nvcc by the greatest power of two that divides it and fits, and a loop of an odd number of
times by 4, or 2, and leaves it in the middle of the last turn. Loops of our own through nvcc 13,
copies in its PTX (a body is so many sums of a product of shared and constant memory):

====  =============================================================
body  trips: copies, where not all
====  =============================================================
96    64: 32
128   30: 2, 31: 4, 32: 16, 36: 4, 40: 8, 64: 16
160   24: 8, 30: 2, 32: 16
256   15: 4, 16: 8, 17: 4, 19: 4, 24: 8, 31: 4, 40: 8
512   15: 4, 16: 4, 17: 4, 19: 4, 24: 4, 31: 4, 40: 4
1024  15: 2, 16: 2, 17: 2, 19: 2, 24: 2, 31: 2
====  =============================================================

CUDA 11.8 (NVRTC) draws the limit lower and has the same counts (96: 36: 4, 40: 8; 128: 28: 4,
31: 4; 192: 18: 2, 20: 4, 24: 8, 28: 4, 30: 2, 31: 4, 32: 16, 36: 4, 40: 8). Where a loop holds what
all work-items do together, LLVM takes no count that leaves a rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kcc.base.diagnostics import Span
from kcc.frontend.ir.instructions import Binary, CondBranch, IntCompare, Phi
from kcc.frontend.ir.model import Function, Module
from kcc.frontend.ir.opcodes import IntPredicate, Opcode
from kcc.frontend.ir.values import ConstantInt
from kcc.frontend.metadata_nodes import free_number, places_of

ODD = 4
"""How often a loop is unrolled whose trip count is odd or unknown; half
of that where no more fits."""

MOST_ITERATIONS = 1 << 16
"""As far as trip counts are found; those of longer loops are unknown."""

_LOOP = re.compile(r"^(!\d+) = distinct !\{\1, (!\d+)[^}\n]*\}", re.MULTILINE)
_ENABLE = re.compile(r'^(!\d+) = (?:distinct )?!\{!"llvm\.loop\.unroll\.enable"\}', re.MULTILINE)


def has_wishes(text: str) -> bool:
    """Whether the source of a module wishes loops to be unrolled."""
    return bool(_wishes(text))


def wished_counts(
    text: str, module: Module, partly: Mapping[Span, int], *, by_nvcc: bool
) -> Mapping[Span, int]:
    """How often each of the loops of a module is unrolled that LLVM unrolled ``partly`` and so many
    times because the source wished it, and no limit of NVVM's; ``module`` is what became of
    ``text``. nvcc has counts of its own."""
    wished = {places_of(text).get(loop[2]) for loop in _wishes(text)}
    return {
        place: _count(_trip_count_at(module, place), by) if by_nvcc else by
        for place, by in partly.items()
        if (place.line, place.column) in wished
    }


def with_counts(text: str, counts: Mapping[Span, int]) -> str:
    """A module that is not optimised yet, with counts in place of the wish to be unrolled of those
    loops whose keywords stand at these lines and columns."""
    by_place = {(place.line, place.column): count for place, count in counts.items()}
    places, enable = places_of(text), _enable(text)
    free = free_number(text)
    nodes = list[str]()
    for loop in _wishes(text):
        count = by_place.get(places.get(loop[2], (0, 0)))
        if count:
            node = f"!{free + len(nodes)}"
            text = text.replace(loop[0], enable.sub(node, loop[0]))
            nodes.append(f'{node} = !{{!"llvm.loop.unroll.count", i32 {count}}}')
    return "\n".join([text.rstrip("\n"), *nodes]) + "\n"


def _wishes(text: str) -> list[re.Match[str]]:
    """The nodes of loops that the source wishes to be unrolled."""
    enable = _enable(text)
    return [loop for loop in _LOOP.finditer(text) if enable.search(loop[0])]


def _enable(text: str) -> re.Pattern[str]:
    """That wish, as nodes refer to it."""
    names = [m[1] for m in _ENABLE.finditer(text)]
    return re.compile(rf"(?:{'|'.join(names)})\b" if names else r"(?!)")


def _count(iterations: int | None, by: int) -> int:
    """The count for a loop that LLVM unrolled ``by`` times and that has so many iterations
    since."""
    if iterations is None or iterations * by % 2:
        return ODD if by > ODD // 2 else ODD // 2
    count = iterations * by & -(iterations * by)
    while count > by:
        count //= 2
    return count


def _trip_count_at(module: Module, place: Span) -> int | None:
    """The trip count of the loop whose keyword stands there; None where the latch does not say."""
    for function in module.functions.values():
        for block in function.blocks:
            latch = block.terminator
            if not isinstance(latch, CondBranch) or latch.loop is None or not latch.loop.start:
                continue
            start = latch.loop.start
            if (start.line, start.column) == (place.line, place.column):
                counted = trip_count(function, latch)
                return counted and counted[0]
    return None


def trip_count(function: Function, latch: CondBranch) -> tuple[int, Phi] | None:
    """The trip count of a loop whose counter goes by constants from one to another, and that
    counter."""
    test = function.definition(latch.condition)
    if isinstance(test, Phi) and test.block in latch.targets:
        return (2, test) if _is_of_two(test, latch) else None
    counter = counter_of(function, latch)
    if counter is None or counter.block not in latch.targets:
        return None
    count = tests_made(function, latch, counter, latch.block, goes_on=latch.then == counter.block)
    return None if count is None else (count, counter)


def counter_of(function: Function, leaving: CondBranch) -> Phi | None:
    """The phi that a way out of a loop compares, or a sum of it and a constant, with a constant."""
    test = function.definition(leaving.condition)
    if not isinstance(test, IntCompare) or not isinstance(test.right, ConstantInt):
        return None
    tested = function.definition(test.left)
    counter = function.definition(tested.left) if isinstance(tested, Binary) else tested
    return counter if isinstance(counter, Phi) else None


def tests_made(
    function: Function, leaving: CondBranch, counter: Phi, latch: int, *, goes_on: bool
) -> int | None:
    """How often the test of a way out is made until it leaves, if that counter moves by a
    constant; ``goes_on`` is what it says before."""
    test = function.definition(leaving.condition)
    assert isinstance(test, IntCompare)
    assert isinstance(test.right, ConstantInt)
    tested = function.definition(test.left)
    by_edge = dict(zip(counter.incoming, counter.operands, strict=True))
    after = function.definition(by_edge.pop(latch, test.right))
    begins = [each.value for each in by_edge.values() if isinstance(each, ConstantInt)]
    if not isinstance(after, Binary) or after.opcode is not Opcode.ADD or len(begins) != 1:
        return None
    if function.definition(after.left) is not counter or not isinstance(after.right, ConstantInt):
        return None
    first, step = begins[0], after.right.value
    if isinstance(tested, Binary):  # a copy's counter, so much ahead
        if tested.opcode not in (Opcode.ADD, Opcode.OR) or not isinstance(
            tested.right, ConstantInt
        ):
            return None
        first += tested.right.value
    for iteration in range(MOST_ITERATIONS):
        if _holds(test.predicate, first + iteration * step, test.right) != goes_on:
            return iteration + 1
    return None


def _is_of_two(test: Phi, latch: CondBranch) -> bool:
    """Whether a truth that a loop of two iterations has in place of a counter says first to go on,
    and then not to."""
    by_edge = dict(zip(test.incoming, test.operands, strict=True))
    last, *first = by_edge.pop(latch.block, None), *by_edge.values()
    goes_on = latch.then == test.block
    return all(
        isinstance(each, ConstantInt) and bool(each.unsigned) == goes_on for each in first
    ) and (isinstance(last, ConstantInt) and bool(last.unsigned) != goes_on)


def _holds(predicate: IntPredicate, value: int, bound: ConstantInt) -> bool:
    """Whether a comparison of a number of the type of ``bound`` with that holds."""
    bits = bound.type.bits
    mine = ConstantInt(
        bound.type, ((value + (1 << bits - 1)) & ((1 << bits) - 1)) - (1 << bits - 1)
    )
    match predicate:
        case IntPredicate.EQ | IntPredicate.NE:
            return (mine.value == bound.value) == (predicate is IntPredicate.EQ)
        case IntPredicate.SGT | IntPredicate.SGE | IntPredicate.SLT | IntPredicate.SLE:
            left, right = mine.value, bound.value
        case _:
            left, right = mine.unsigned, bound.unsigned
    if left == right:
        return predicate.value.endswith("e")
    return (left < right) == ("l" in predicate.value)
