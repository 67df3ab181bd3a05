"""Findings with a price: accesses that move more than their data, barriers some may not reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kcc.frontend.kernel import Kernel
from kcc.passes.control.divergence import WARP, Divergence
from kcc.passes.facts import Facts
from kcc.passes.graph.barriers import Barriers
from kcc.passes.graph.branches import Branches
from kcc.passes.memory.access_facts import AccessKind, AccessPattern, AccessPatterns
from kcc.passes.memory.arrays import Array
from kcc.passes.memory.memory_accesses import MemoryAccess, MemoryAccesses
from kcc.passes.unknown import Unknown
from kcc.report.analysis.model import Cost, CostUnit, Finding, Severity
from kcc.report.shared.words import lanes_text, line_list, plural

WORTH_SAYING = 0.25
"""The share of what is moved in vain from which on an access is reported: alignment that costs
one sector more in four or eight is left in peace."""


@dataclass(frozen=True, slots=True)
class Costly:
    """Accesses of one array that cost the same, for the same reason."""

    accesses: tuple[MemoryAccess, ...]
    pattern: AccessPattern
    cost: Cost


def costly_groups(facts: Facts) -> list[Costly]:
    """Accesses whose lanes do not share sectors, or wait for each other at a bank, the most
    expensive first; ``cost.total`` is that of all accesses of a group together."""
    groups = dict[tuple[object, ...], list[tuple[MemoryAccess, AccessPattern, Cost]]]()
    for access in facts[MemoryAccesses].accesses:
        pattern = facts[AccessPatterns].patterns[access.id]
        cost = cost_of(access.element_bytes, pattern)
        if cost is not None:
            key = (access.array, cost.unit, cost.spent, lanes_text(pattern))
            groups.setdefault(key, []).append((access, pattern, cost))
    found = list[Costly]()
    for members in groups.values():
        totals = [cost.total for _, _, cost in members if cost.total is not None]
        total = sum(totals) if len(totals) == len(members) else None
        first = members[0]
        accesses = tuple(access for access, _, _ in members)
        found.append(Costly(accesses, first[1], replace(first[2], total=total)))
    return sorted(found, key=lambda group: -_rank(group.cost))


def cost_of(element_bytes: int | Unknown, pattern: AccessPattern) -> Cost | None:
    """What an access costs beyond the least that its data need; None if little or not known."""
    cost = price(element_bytes, pattern)
    return cost if cost is not None and is_worth_saying(cost) else None


def is_worth_saying(cost: Cost) -> bool:
    """Whether a reader can do something about it."""
    return cost.excess >= WORTH_SAYING * cost.spent and cost.excess > 0


def price(element_bytes: int | Unknown, pattern: AccessPattern) -> Cost | None:
    """What an access costs, and how much of it beyond the least that its data need; None if that
    is not known."""
    if isinstance(element_bytes, Unknown):
        return None
    spread, unit, each = pattern.sectors, CostUnit.SECTORS, 32
    if pattern.bank_passes is not None:
        spread, unit, each = pattern.bank_passes, CostUnit.BANK_PASSES, pattern.pass_bytes
    if spread is None or spread.mean is None:
        return None
    if pattern.kind is AccessKind.UNIFORM:
        return Cost(unit, spread.mean, 0, 0)
    least = max(1, -(-WARP * element_bytes // each))
    excess = max(0, spread.mean - least)
    return Cost(unit, spread.mean, excess, _total(pattern, unit, element_bytes, each))


def _total(pattern: AccessPattern, unit: CostUnit, element_bytes: int, each: int) -> int | None:
    """The excess over the launch, with the lanes that are really active."""
    ran = pattern.executions
    if ran is None:
        return None
    spent = ran.sectors if unit is CostUnit.SECTORS else ran.bank_passes
    return max(0, spent - max(ran.count, -(-ran.lanes * element_bytes // each)))


def _rank(cost: Cost) -> float:
    """Over the launch where that is known, before what is not."""
    return cost.excess if cost.total is None else 1e6 + cost.total


def finding_of(kernel: Kernel, group: Costly, fix: str) -> Finding:
    """What is said of a group, and the change that would mend it; ``fix`` is empty if none is
    known."""
    cost, first = group.cost, group.accesses[0]
    name = first.array.name if isinstance(first.array, Array) else "an unknown array"
    several = len(group.accesses) > 1
    who = (
        f"{len(group.accesses)} accesses of {name}"
        if several
        else f"the {first.op.value} of {name}"
    )
    least = cost.spent - cost.excess
    many = "" if cost.total is None else f", {cost.total:,} too many in the launch"
    if cost.unit is CostUnit.SECTORS:
        what = (
            f"{who} {'move' if several else 'moves'} {cost.spent:.3g} sectors of 32 bytes per warp"
            f" where {least:.3g} hold the data{many}: lanes are {lanes_text(group.pattern)}"
        )
    else:
        what = (
            f"{who} {'take' if several else 'takes'} {cost.spent:.3g} passes through the banks of"
            f" local memory per warp instead of {least:.3g}{many}: lanes are"
            f" {lanes_text(group.pattern)}"
        )
    places = [access.location for access in group.accesses]
    own = {place.line for place in places if place and place.file == kernel.span.file}
    return Finding(Severity.WARNING, tuple(sorted(own)), what, cost, fix)


def divergent_barriers(kernel: Kernel, facts: Facts) -> Iterator[Finding]:
    """Barriers that work-items of one work-group may disagree about."""
    barriers, branches = facts[Barriers].barriers, facts[Branches].branches
    for each in facts[Divergence].barriers:
        place = barriers[each.barrier].location
        decided = [branches[b].location for b in each.branches]
        where = line_list(at.line for at in decided if at)
        what = plural(len(each.branches), "branch", "branches")
        message = (
            f"not all work-items of a work-group may reach this barrier: {what} ({where}) may"
            " part them, which is undefined"
        )
        lines = (place.line,) if place and place.file == kernel.span.file else ()
        yield Finding(Severity.WARNING, lines, message)
