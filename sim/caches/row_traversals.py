"""Lanes that begin where memory says and go on from there: rows of a sparse matrix.

Where a lane begins is not known, but each of its steps is: of the accesses that share a beginning,
an iteration comes to as many new sectors as its step is long, not to one for each access. A lane's
sector is found again as long as caches have room for those of all lanes. Lanes that go on by a
sector or more have each a sector of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kcc.passes.graph.loops import Loops
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Expr, Symbol, SymbolKind

SECTOR = 32


@dataclass(frozen=True, slots=True)
class Step:
    """An access that moves by ``bytes`` with the innermost loop, from a ``place`` that it shares
    with others up to a constant."""

    place: object
    bytes: int
    loop: int


@dataclass(frozen=True, slots=True)
class Traversal:
    """``group`` numbers the accesses that share a beginning; ``fresh`` is the share of the sectors
    of each that none of them has touched before."""

    group: int
    fresh: float


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


def traversals_of(steps: Mapping[int, Step]) -> dict[int, Traversal]:
    """The walks of accesses with steps, by access."""
    groups = dict[Step, list[int]]()
    for access, step in steps.items():
        groups.setdefault(step, []).append(access)
    found = dict[int, Traversal]()
    for number, (step, members) in enumerate(groups.items()):
        fresh = min(1.0, step.bytes / SECTOR / len(members))
        found |= {access: Traversal(number, fresh) for access in members}
    return found


def traversed_bytes(traversals: Sequence[Traversal]) -> int:
    """What a work-item wants to find again: a sector for each beginning."""
    return SECTOR * len({traversal.group for traversal in traversals})
