"""Which instructions may have made what an instruction reads: reaching definitions."""

from __future__ import annotations

from itertools import chain

from kcc.frontend.machine_code.graph import MachineGraph

Made = dict[str, frozenset[int]]
"""By register, the instructions that may have written it last."""


def sources_of(graph: MachineGraph) -> tuple[tuple[int, ...], ...]:
    """By instruction, those whose results it reads. An instruction under a predicate may leave what
    was there before."""
    entering: list[Made] = [{} for _ in graph.blocks]
    waiting = list(range(len(graph.blocks)))[::-1]
    while waiting:
        block = waiting.pop()
        leaving = _through(graph, block, dict(entering[block]), None)
        for after in (*graph.blocks[block].successors, *graph.blocks[block].calls):
            if _joined(entering[after], leaving) and after not in waiting:
                waiting.append(after)
    found: list[tuple[int, ...]] = [()] * len(graph.code.instructions)
    for block, made in enumerate(entering):
        _through(graph, block, dict(made), found)
    return tuple(found)


def _through(
    graph: MachineGraph, block: int, made: Made, found: list[tuple[int, ...]] | None
) -> Made:
    """What has been made after a block; notes what each of its instructions reads."""
    part = graph.blocks[block]
    for place in range(part.first, part.end):
        row = graph.code.instructions[place]
        if found is not None:
            sources = [made[r] for r in row.used if r in made]
            found[place] = (
                tuple(sources[0]) if len(sources) == 1
                else tuple(dict.fromkeys(chain.from_iterable(sources)))
            )  # fmt: skip
        for register in row.made:
            before = made.get(register) if row.predicate else None
            before = before or frozenset[int]()
            made[register] = before | {place}
    return made


def _joined(entering: Made, leaving: Made) -> bool:
    """Add what another block leaves; whether that is anything new."""
    changed = False
    for register, places in leaving.items():
        before = entering.get(register, frozenset[int]())
        if not places <= before:
            entering[register] = before | places
            changed = True
    return changed
