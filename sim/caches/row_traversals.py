"""Lanes that begin where memory says and go on from there: rows of a sparse matrix, and the members
of a struct.

Where a lane begins is not known, but each of its steps is: of the accesses that share a beginning,
an iteration comes to as many new sectors as its step is long, not to one for each access. A lane's
sector is found again as long as caches have room for those of all lanes: a sector takes the place
of the line that it is in, of which lanes with longer rows have no other sector yet. Lanes that go
on by a sector or more have each a sector of its own. Accesses of one block that differ by a
constant touch together the sectors of what lies between the first and the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kcc.base.records import dataclass
from kcc.passes.graph.loops import Loops
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Expr, Symbol, SymbolKind

SECTOR, LINE = 32, 128


@dataclass(frozen=True, slots=True)
class Step:
    """An access that moves by ``bytes`` with the innermost loop, from a ``place`` that it shares
    with others up to a constant."""

    place: object
    bytes: int
    loop: int


@dataclass(frozen=True, slots=True)
class Member:
    """An access of ``size`` bytes, ``offset`` from a ``place`` in its block that others share."""

    place: object
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Traversal:
    """``group`` numbers the accesses that share a beginning; ``fresh`` is the share of the sectors
    of each that none of them has touched before. Lanes that go on come to sectors that nobody has
    touched, by ``step``; where they do not (None), a sector is as new as that of any unknown
    access."""

    group: int
    fresh: float
    step: Step | None = None


def step_of(
    values: SymbolicValues, loops: Loops, block: int, address: Expr, place: object
) -> Step | None:
    """The step of an address that memory decides before the innermost loop around a block, and not
    in it; None where there is none."""
    from kcc.passes.access.warp_addresses import as_terms

    inner = loops.innermost[block]
    if inner is None:
        return None
    inside = loops.loops[inner].blocks
    block_of = values.function.instructions
    if any(block_of[cause.instruction].block in inside for cause in values.causes(address)):
        return None
    moved = sum(
        coefficient for term, coefficient in as_terms(address)
        if isinstance(term, Symbol) and (term.kind, term.index) == (SymbolKind.COUNTER, inner)
    )  # fmt: skip
    return Step(place, abs(moved), inner) if moved else None


def traversals_of(steps: Mapping[int, Step], members: Mapping[int, Member]) -> dict[int, Traversal]:
    """The walks of accesses with steps, and of others that share a place, by access."""
    groups = dict[object, list[int]]()
    for access, step in steps.items():
        groups.setdefault(step, []).append(access)
    for access, member in members.items():
        groups.setdefault(member.place, []).append(access)
    found = dict[int, Traversal]()
    for number, (key, accesses) in enumerate(groups.items()):
        if isinstance(key, Step):
            sectors = key.bytes / SECTOR
        elif len(accesses) > 1:
            own = [members[access] for access in accesses]
            first, end = min(m.offset for m in own), max(m.offset + m.size for m in own)
            sectors = -(-(end - first) // SECTOR)
        else:
            continue
        fresh = min(1.0, sectors / len(accesses))
        walk = Traversal(number, fresh, key if isinstance(key, Step) else None)
        found |= dict.fromkeys(accesses, walk)
    return found


def traversed_bytes(traversals: Iterable[Traversal], trips: Sequence[float]) -> float:
    """What a work-item wants to find again, of each beginning: a sector, in the place of as much of
    its line as no other work-item has. ``trips``: of loops."""
    return sum(
        SECTOR if step is None else min(max(step.bytes * trips[step.loop], SECTOR), LINE)
        for step in {walk.group: walk.step for walk in traversals}.values()
    )
