"""Which of the user's assumptions a kernel has use for."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from kcc.base.assumptions import Assumptions
from kcc.base.diagnostics import Diagnostic
from kcc.passes.control.branch_conditions import BranchConditions
from kcc.passes.control.trip_counts import TripCounts, TripKind
from kcc.passes.facts import Facts
from kcc.passes.graph.branches import Branches
from kcc.passes.graph.loops import Loops


def unused_assumptions(assumptions: Assumptions, kernels: Iterable[Facts]) -> list[Diagnostic]:
    """Warnings: K823 where no kernel has such a loop or branch, K824 where it is known anyway."""
    seen, used = set[str](), set[str]()
    for facts in kernels:
        for loop in facts[Loops].loops:
            seen.add(f"loop@{loop.line}")
            if facts[TripCounts].trips[loop.id].kind is TripKind.ASSUMED:
                used.add(f"loop@{loop.line}")
        for branch in facts[Branches].branches:
            line = branch.location.line if branch.location else 0
            seen.add(f"branch@{line}")
            sides = facts[BranchConditions].conditions[branch.id].sides
            if any(side.assumed for side in sides):
                used.add(f"branch@{line}")
    return warn_unused(assumptions, seen, used)


def warn_unused(
    assumptions: Assumptions, seen: AbstractSet[str], used: AbstractSet[str], known: str = "known"
) -> list[Diagnostic]:
    """The warnings for assumptions about other loops and branches than those ``seen`` and
    ``used``, which are ``loop@LINE`` and ``branch@LINE``; ``known`` says why one is not used."""
    found = list[Diagnostic]()
    for key, at in assumptions.places.items():
        what, _, line = key.partition("@")
        if key not in seen:
            found.append(Diagnostic("K823", f"there is no {what} in line {line}", at))
        elif key not in used:
            message = f"the {what} in line {line} is {known}: the assumption is not used"
            found.append(Diagnostic("K824", message, at))
    return found
