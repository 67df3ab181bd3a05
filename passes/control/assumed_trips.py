"""Iterations of loops that the user assumes by their line, for what a compiler made of them.

A loop that is unrolled in part becomes two of the same place in the source: one whose body is there
several times, and one for the iterations that are left over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from kcc.frontend.ir.instructions import Branch, CondBranch, IntCompare, Phi, Switch
from kcc.frontend.ir.model import Function
from kcc.passes.graph.loops import Loop, Loops

_Place = tuple[object, type]

_OF_FLOW = (Branch, CondBranch, IntCompare, Phi, Switch)


def assumed_iterations(
    function: Function, loops: Loops, by_line: Mapping[int, int]
) -> dict[int, int]:
    """By loop, the iterations of its body per entry where those of the source's loop, ``by_line``,
    are assumed."""
    found = dict[int, int]()
    for loop in loops.loops:
        if loop.line is None or loop.line not in by_line:
            continue
        own, most = copies(function, loops, loop)
        whole = by_line[loop.line]
        found[loop.id] = whole // own if own == most else whole % most // own
    return found


def copies(function: Function, loops: Loops, loop: Loop) -> tuple[int, int]:
    """How often a loop has the body of the source's, and how often the loop beside it has that of
    whose iterations it may run those left over; 1 and 1 of a loop that is not unrolled in part."""
    if loop.line is None:
        return 1, 1
    own = _places(function, loop)
    alike = [
        places for o in loops.loops
        if (o.line, o.parent) == (loop.line, loop.parent)
        and (places := _places(function, o)).keys() & own.keys()
    ]  # fmt: skip
    return _copies(own, alike), max((_copies(other, alike) for other in alike), default=1)


def _copies(own: Counter[_Place], alike: Sequence[Counter[_Place]]) -> int:
    """How often a loop has the body of the source's: instructions of the same place, over those of
    the loop among ``alike`` that has fewest."""
    ratios = [
        count / min(other[place] for other in alike)
        for place, count in own.items() if all(place in other for other in alike)
    ]  # fmt: skip
    return max(round(median(ratios)), 1) if ratios else 1


def _places(function: Function, loop: Loop) -> Counter[_Place]:
    return Counter(
        (instruction.location, type(instruction))
        for block in loop.blocks for instruction in function.blocks[block].instructions
        if instruction.location is not None and not isinstance(instruction, _OF_FLOW)
    )  # fmt: skip
