"""Which way out of a branch is the one that the source calls true.

Optimisation turns branches round: of ``if (mask[i]) {...}`` it makes one that leaves on
``mask[i] == 0``. The blocks keep the names that front ends give them (clang's, which ours shares),
and these tell what the source meant: ``if.then`` is where it is true, ``if.end`` where it is not.
"""

from __future__ import annotations

from kcc.frontend.ir.instructions import CondBranch
from kcc.frontend.ir.model import Function

_RANKS = {
    "if.then": 2,
    "for.body": 2,
    "while.body": 2,
    "do.body": 2,
    "cond.true": 2,
    "land.lhs.true": 2,
    "land.rhs": 2,
    "for.end": -1,
    "while.end": -1,
    "do.end": -1,
    "if.else": -2,
    "if.end": -2,
    "cond.false": -2,
    "cond.end": -2,
    "lor.lhs.false": -2,
    "lor.rhs": -2,
    "land.end": -2,
}
"""How surely a block is where a condition holds, by how its name begins. After a loop it holds
where the other side is after an ``if``: that is a ``break``."""


def true_way(function: Function, branch: CondBranch) -> int:
    """0 where the branch's condition is that of the source, 1 where it is its opposite."""
    first, second = (_rank(function.blocks[b].label) for b in (branch.then, branch.otherwise))
    return int(first < second)


def _rank(label: str) -> int:
    return next((rank for name, rank in _RANKS.items() if label.startswith(name)), 0)
