"""Iterations of loops that the user assumes by their line, for what a compiler made of them.

A loop that is unrolled in part becomes two of the same place in the source: one whose body is there
several times, and one for the iterations that are left over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from kcc.frontend.ir.instructions import Call, Load, Store
from kcc.frontend.ir.model import Function
from kcc.passes.graph.loops import Loop, Loops

_Place = tuple[object, type]


def assumed_iterations(
    function: Function, loops: Loops, by_line: Mapping[int, int]
) -> dict[int, int]:
    """By loop, the iterations of its body per entry where those of the source's loop, ``by_line``,
    are assumed."""
    places = {o.id: _places(function, o) for o in loops.loops if o.line in by_line}
    found = dict[int, int]()
    for loop in loops.loops:
        if loop.line is None or loop.line not in by_line:
            continue
        own = places[loop.id]
        alike = [
            places[o.id] for o in loops.loops
            if (o.line, o.parent) == (loop.line, loop.parent) and places[o.id].keys() == own.keys()
        ]  # fmt: skip
        copies, most = _copies(own, alike), max(_copies(other, alike) for other in alike)
        whole = by_line[loop.line]
        found[loop.id] = whole // copies if copies == most else whole % most // copies
    return found


def _copies(own: Counter[_Place], alike: Sequence[Counter[_Place]]) -> int:
    """How often a loop has the body of the source's: accesses and calls of the same place, over
    those of the loop among ``alike`` that has fewest."""
    ratios = [count / min(other[place] for other in alike) for place, count in own.items()]
    return max(round(median(ratios)), 1) if ratios else 1


def _places(function: Function, loop: Loop) -> Counter[_Place]:
    return Counter(
        (instruction.location, type(instruction))
        for block in loop.blocks for instruction in function.blocks[block].instructions
        if isinstance(instruction, Load | Store | Call) and instruction.location is not None
    )  # fmt: skip
