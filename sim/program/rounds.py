"""Iterations of an unrolled loop as one piece of code: its loads wait together.

NVIDIA's compiler unrolls small loops (CUDA C++ Programming Guide, "#pragma unroll") and orders the
iterations' operations as those of one block. What iterations share stands once, at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kcc.base.records import dataclass
from kcc.passes.graph.loops import Loops
from kcc.sim.program.operations import WALLS, MachineOperation, MachineProgram, Rounds
from kcc.sim.program.schedule import least_waiting

MOST_OPERATIONS = 1200
"""Of iterations that are ordered together; a loop that is fully unrolled has 1,000 instructions of
the IR at most (:mod:`kcc.sim.program.loop_overhead`)."""


@dataclass(frozen=True, slots=True)
class Round:
    """An operation of one of the iterations; ``number`` is what its result is called."""

    iteration: int
    number: int
    operation: MachineOperation


def times_together(program: MachineProgram, loops: Loops, block: int) -> int:
    """How many iterations of the loop that a block is are one piece of code; 1 if it is none."""
    inner, part = loops.innermost[block], program.blocks[block]
    if inner is None or loops.loops[inner].blocks != (block,):
        return 1
    own = [program.operations[number] for number in part]
    times = max((each.every for each in own), default=1)
    fits = times * len(part) <= MOST_OPERATIONS and len(set(part)) == len(part)
    moves = any(each.place >= 0 or each.memory in WALLS for each in own)
    return times if fits and not moves else 1


def together(
    program: MachineProgram, part: Sequence[int], times: int, free: int
) -> tuple[Round, ...]:
    """The operations of so many iterations of a block, in the order of a compiler. Results of all
    iterations but the last have numbers of their own, from ``free`` on: what follows the loop
    finds those of the last one."""
    rounds, shared = list[Round](), {n for n in part if program.operations[n].every > 1}
    last, names = times - 1, dict[tuple[int, int], int]()
    for iteration in range(times):
        for number in part:
            names[iteration, number] = number if iteration == last else free + len(names)
    for iteration in range(times):
        for number in part:
            own = program.operations[number]
            if number in shared and iteration < last:
                continue
            needs = (_name(n, number, iteration, last, names, shared) for n in own.needs)
            renamed = replace(own, needs=tuple(n for n in dict.fromkeys(needs) if n is not None))
            rounds.append(Round(iteration, names[iteration, number], renamed))
    place = {each.number: at for at, each in enumerate(rounds)}
    local = [
        replace(each.operation, needs=_made_here(each.operation.needs, place, at))
        for at, each in enumerate(rounds)
    ]
    return tuple(rounds[at] for at in least_waiting(local, range(len(rounds))))


def with_rounds(program: MachineProgram, loops: Loops) -> MachineProgram:
    """The program with the rounds of all its loops that are unrolled."""
    count = len(program.operations)
    of, made, free = list[int](), list[Round](), count
    blocks = dict[int, tuple[int, tuple[int, ...]]]()
    for block, part in enumerate(program.blocks):
        times = times_together(program, loops, block) if part else 1
        if times < 2:
            continue
        own, first = together(program, part, times, free), count + len(made)
        made += own
        of += [n if n < count else part[(n - free) % len(part)] for n in (r.number for r in own)]
        free += times * len(part)
        blocks[block] = times, tuple(range(first, first + len(own)))
    rounds = Rounds(
        tuple(of), tuple(each.operation.at_once for each in made),
        tuple(each.operation.needs for each in made), tuple(each.number for each in made), blocks,
    )  # fmt: skip
    return replace(program, rounds=rounds)


def _name(
    need: int, number: int, iteration: int, last: int, names: dict[tuple[int, int], int],
    shared: set[int],
) -> int | None:  # fmt: skip
    """What a result that an operation needs is called; None for what iterations share, which those
    ahead of it take as it was plus a constant. What is made after the operation in the code is of
    the iteration before."""
    if (iteration, need) not in names:
        return need
    if need in shared:
        return need if number in shared else None
    if need < number:
        return names[iteration, need]
    return names[iteration - 1, need] if iteration else names[last, need]


def _made_here(needs: Sequence[int], place: dict[int, int], before: int) -> tuple[int, ...]:
    """Where those are made that an operation waits for, ahead of it."""
    return tuple(place[n] for n in needs if place.get(n, before) < before)
