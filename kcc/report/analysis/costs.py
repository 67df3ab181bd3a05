"""Findings with a cost: uncoalesced accesses, bank conflicts, divergent barriers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kcc.base.records import dataclass
from kcc.base.terms import WORDS
from kcc.frontend.kernel import Kernel
from kcc.passes.control.divergence import Divergence
from kcc.passes.facts import Facts
from kcc.passes.graph.barriers import Barriers
from kcc.passes.graph.branches import Branches
from kcc.passes.memory.access_facts import AccessKind, AccessPattern, AccessPatterns
from kcc.passes.memory.arrays import Array
from kcc.passes.memory.joined import joined_accesses
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccess, MemoryAccesses
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.unknown import Unknown
from kcc.report.analysis.model import Cost, CostUnit, Finding, Severity
from kcc.report.shared.words import addresses_text, lanes_text, line_list, percent, plural

WORTH_SAYING = 0.25
"""The share of excess sectors from which on an access is reported: alignment that costs one sector
more in four or eight is not."""


@dataclass(frozen=True, slots=True)
class Costly:
    """Accesses of one array that cost the same, for the same reason."""

    accesses: tuple[MemoryAccess, ...]
    pattern: AccessPattern
    cost: Cost
    launch: int | None
    """Sectors or bank cycles of all of them in the launch."""


def costly_groups(kernel: Kernel, facts: Facts) -> list[Costly]:
    """Uncoalesced accesses and bank conflicts, the most expensive first; ``cost.total`` is that of
    all accesses of a group together. Those that compilers make one of, as wide as the lanes lie
    apart, cost nothing."""
    groups = dict[tuple[object, ...], list[tuple[MemoryAccess, AccessPattern, Cost]]]()
    whole = _made_whole(kernel, facts)
    for access in facts[MemoryAccesses].accesses:
        if access.id in whole:
            continue
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
        spent = [_spent(pattern, first[2].unit) for _, pattern, _ in members]
        launch = sum(each for each in spent if each is not None) if None not in spent else None
        found.append(Costly(accesses, first[1], replace(first[2], total=total), launch))
    return sorted(found, key=lambda group: -_rank(group.cost))


def _made_whole(kernel: Kernel, facts: Facts) -> set[int]:
    """Accesses which joined with others are as wide as the lanes lie apart."""
    values, by_instruction = facts[SymbolicValues], dict[int, list[MemoryAccess]]()
    patterns = facts[AccessPatterns].patterns
    for access in facts[MemoryAccesses].accesses:
        by_instruction.setdefault(access.instruction, []).append(access)
    return {
        access.id
        for block in kernel.function.blocks
        for op in (AccessOp.LOAD, AccessOp.STORE)
        for joined in joined_accesses(
            block.instructions, by_instruction, values.address, op
        ).values()
        for access in joined.accesses
        if patterns[access.id].stride_bytes == joined.bytes
    }


def cost_of(element_bytes: int | Unknown, pattern: AccessPattern) -> Cost | None:
    """What an access costs beyond the least that its data need; None if little or not known."""
    cost = request_cost(element_bytes, pattern)
    return cost if cost is not None and is_worth_saying(cost) else None


def is_worth_saying(cost: Cost) -> bool:
    """Whether a reader can do something about it; nobody can about what active lanes do not do."""
    return cost.excess >= WORTH_SAYING * cost.spent and cost.excess > 0 and cost.total != 0


def request_cost(element_bytes: int | Unknown, pattern: AccessPattern) -> Cost | None:
    """What an access costs, and how much of it beyond the least that its data need; None if that
    is not known."""
    if isinstance(element_bytes, Unknown):
        return None
    spread, unit, each = pattern.sectors, CostUnit.SECTORS, pattern.sector_bytes
    if pattern.bank_passes is not None:
        spread, unit, each = pattern.bank_passes, CostUnit.BANK_PASSES, pattern.pass_bytes
    if spread is None or spread.mean is None:
        return None
    if pattern.kind is AccessKind.UNIFORM:
        return Cost(unit, spread.mean, 0, 0)
    least = max(1, -(-pattern.warp * element_bytes // each))
    excess = max(0, spread.mean - least)
    return Cost(unit, spread.mean, excess, _total(pattern, unit, element_bytes, each))


def _total(pattern: AccessPattern, unit: CostUnit, element_bytes: int, each: int) -> int | None:
    """The excess over the launch, with the lanes that are really active."""
    ran, spent = pattern.executions, _spent(pattern, unit)
    if ran is None or spent is None:
        return None
    return max(0, spent - max(ran.count, -(-ran.lanes * element_bytes // each)))


def _spent(pattern: AccessPattern, unit: CostUnit) -> int | None:
    """Sectors or bank cycles over the launch."""
    ran = pattern.executions
    if ran is None:
        return None
    return ran.sectors if unit is CostUnit.SECTORS else ran.bank_passes


def _rank(cost: Cost) -> float:
    """Over the launch where that is known, before what is not."""
    return cost.excess if cost.total is None else 1e6 + cost.total


def sectors(count: float) -> str:
    """A number of sectors in words."""
    text = f"{count:.3g}"
    return f"{text} {'sector' if text == '1' else 'sectors'}"


def finding_of(kernel: Kernel, group: Costly, fix: str, common: str = "") -> Finding:
    """What is said of a group, and the change that would mend it; ``fix`` is empty if none is
    known, ``common`` says what its accesses have in common."""
    cost, first = group.cost, group.accesses[0]
    name = first.array.name if isinstance(first.array, Array) else "an unknown array"
    several = len(group.accesses) > 1
    who = (
        f"{len(group.accesses)} accesses of {name}"
        if several
        else f"the {first.op.value} of {name}"
    )
    ideal = cost.spent - cost.excess
    size = first.element_bytes if isinstance(first.element_bytes, int) else 0
    if cost.unit is CostUnit.SECTORS:
        used = percent(round(1000 * ideal / cost.spent), 1000)
        costs = (
            f"{'take' if several else 'takes'} {sectors(cost.spent)} per request (ideal"
            f" {ideal:.3g}; {used} of the bytes are used)"
        )
    else:
        shared = WORDS[kernel.language.value].shared_memory
        costs = (
            f"{'have' if several else 'has'} {_article(cost.spent)} {cost.spent:.3g}-way bank"
            f" conflict in {shared} (ideal {ideal:.3g})"
        )
    unit = "sectors" if cost.unit is CostUnit.SECTORS else "bank cycles"
    excess = ""
    if cost.total is not None:
        share = f" ({percent(cost.total, group.launch)})" if group.launch else ""
        excess = f"; {cost.total:,} excess {unit} in the launch{share}"
    what = f"{who} {costs}: {addresses_text(group.pattern, size)}{excess}{common}"
    places = [access.location for access in group.accesses]
    own = {place.line for place in places if place and place.file == kernel.span.file}
    code = "uncoalesced" if cost.unit is CostUnit.SECTORS else "bank-conflict"
    return Finding(Severity.WARNING, tuple(sorted(own)), what, cost, fix, code)


def _article(number: float) -> str:
    """Of a number that is spoken with a vowel first: 8, 11, 18."""
    return "an" if f"{number:.3g}".startswith(("8", "11", "18")) else "a"


def divergent_barriers(kernel: Kernel, facts: Facts) -> Iterator[Finding]:
    """Barriers that some threads of a block may not reach."""
    barriers, branches = facts[Barriers].barriers, facts[Branches].branches
    words = WORDS[kernel.language.value]
    for each in facts[Divergence].barriers:
        place = barriers[each.barrier].location
        decided = [branches[b].location for b in each.branches]
        where = line_list(at.line for at in decided if at)
        what = plural(len(each.branches), "branch", "branches")
        message = (
            f"barrier in divergent control flow: {what} ({where}) may keep"
            f" {words.thread}s of a {words.block} from it, which is undefined behaviour"
        )
        lines = (place.line,) if place and place.file == kernel.span.file else ()
        yield Finding(Severity.WARNING, lines, message, code="divergent-barrier")
