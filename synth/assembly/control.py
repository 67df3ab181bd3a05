"""How the miniature's branches and loops are decided.

Yu et al., IEEE TC 2015, section 4.2.2. Outside loops the text sends the first N threads one way;
here a condition on ids keeps its arithmetic, of which that is one case. Inside loops its jump
points (i) and (ii) and target points (i) to (iii) are conditions on ids and counters too, or trips
per loop entry; case (iv) is a draw at the measured rate. Beyond the text: trips that differ
between threads are drawn from their measured distribution, and lanes take one side in groups as
large as the warps' executions say.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kcc.base.profile.model import KernelInfo, LaunchProfile, LoopInfo
from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    Binary,
    Cast,
    CondBranch,
    GetElementPtr,
    IntCompare,
    Load,
    Phi,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import IntPredicate, Opcode
from kcc.frontend.ir.types import IntTy
from kcc.frontend.ir.values import ConstantInt, InstructionRef, Value
from kcc.synth.assembly.sharing import ALONE, LANES, Sharing, nearest
from kcc.synth.assembly.trips import Table, has_rare
from kcc.synth.original.roles import Roles

SECTOR_BYTES = 32
"""Of the sectors that profiles count."""

APART = 0.9
"""The share of the lanes of a loop's entries below which those in its trips are another set."""

LONG = 450
"""Instructions of a warp of which those that tell warps apart (nine) are 2 %."""

LINE_BYTES = 128
"""Of the lines that profiles count."""

HOT_REUSE = {0: 1.0, 1: 0.875, 2: 0.75, 3: 0.65, 4: 0.583, 5: 0.544, 6: 0.522}
"""By the exponent of two of the parts, of which half of the accesses go to one: the mean over lines
of the sum over others of p q / (p + q), p and q how likely they are next, over that of lines that
are all alike. This is how many lines are met between two touches of one where each is drawn for
itself (King, IFIP 1971)."""

LEAST_LINES = 64
LEAST_TOUCHES = 4
"""Of each line: below that what lies between touches says little."""

_INVERSE = {
    "eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt",
    "ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt",
}  # fmt: skip

_SWAPPED = {
    "eq": "eq", "ne": "ne", "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle",
    "ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Exit:
    """A conditional way out of a loop: ``stays_then`` if the first way stays inside."""

    block: int
    branch: CondBranch
    stays_then: bool


@dataclass(frozen=True, slots=True)
class FoundBound:
    """A comparison of ``value``, which is ``phi`` or, if ``is_ahead``, a step further, with
    ``limit``; the loop goes on while ``predicate`` holds between them. Each trip moves it by
    ``step``, up if it ``rises``."""

    phi: Phi
    value: Value
    is_ahead: bool
    step: int | Value
    rises: bool
    limit: Value
    predicate: str


@dataclass(frozen=True, slots=True)
class _Step:
    """By how much something moves in a trip, up if it ``rises``."""

    size: int | Value
    rises: bool


def exits_of(function: Function, info: KernelInfo, loop: LoopInfo) -> list[Exit]:
    """The conditional ways out of a loop from blocks that are in no loop inside it."""
    found = list[Exit]()
    for number in loop.blocks:
        end = function.blocks[number].terminator
        if not isinstance(end, CondBranch) or info.blocks[number].loop != loop.id:
            continue
        inside = [target in loop.blocks for target in end.targets]
        if inside in ([True, False], [False, True]):
            found.append(Exit(number, end, inside[0]))
    return found


def governing_exit(
    function: Function, info: KernelInfo, loop: LoopInfo, roles: Roles
) -> Exit | None:
    """The way out that decides how often a loop runs: a known one before one on data, one at the
    loop's end before one at its head."""
    latches = {p for p in function.blocks[loop.header].predecessors if p in loop.blocks}

    def rank(way: Exit) -> tuple[bool, bool, bool]:
        known = roles.is_decided(way.branch.condition)
        return not known, way.block not in latches, way.block != loop.header

    ends = [e for e in exits_of(function, info, loop) if e.block in {*latches, loop.header}]
    return min(ends or exits_of(function, info, loop), key=rank, default=None)


def is_foreseen(function: Function, loop: LoopInfo, way: Exit, roles: Roles) -> bool:
    """Whether a loop can be ended as in the original: by ids, sizes and counters, or by a count up
    to what is found in memory. What is found from trip to trip, links of a list say, cannot be
    trusted to end."""
    condition = way.branch.condition
    if roles.is_known(condition):
        return True
    if not roles.is_decided(condition):
        return False
    return bound_of(function, loop, way, roles, reloads=True) is not None


def bound_of(
    function: Function, loop: LoopInfo, way: Exit, roles: Roles, *, reloads: bool = False
) -> FoundBound | None:
    """The bound of a loop that counts up or down, by a step and to a value that are fixed outside:
    a grid stride is one. A step that is no constant is taken to be positive, which it is if the
    comparison ever ends the loop. ``reloads``: the value may be found in memory in each trip
    again, at the same place."""
    compare = function.definition(way.branch.condition)
    if not isinstance(compare, IntCompare):
        return None
    predicate = compare.predicate.value
    for value, limit, word in (
        (compare.left, compare.right, predicate),
        (compare.right, compare.left, _SWAPPED[predicate]),
    ):
        counter = _counter(function, loop, value)
        loads = roles.deciding if reloads else frozenset[int]()
        stays = _is_fixed(function, loop, limit, loads) and roles.is_decided(limit)
        if counter is None or not stays:
            continue
        phi, step = counter
        goes_on = word if way.stays_then else _INVERSE[word]
        fixed = isinstance(step.size, int) or roles.is_known(step.size)
        if fixed and _fits(goes_on, step):
            ahead = value != _reference(phi)
            return FoundBound(phi, value, ahead, step.size, step.rises, limit, goes_on)
    return None


def _fits(predicate: str, step: _Step) -> bool:
    """Whether a count by ``step`` ends by ``predicate`` in the way one expects."""
    if predicate == IntPredicate.NE.value:
        return isinstance(step.size, int)
    return predicate[1:] in (("lt", "le") if step.rises else ("gt", "ge"))


def _reference(phi: Phi) -> InstructionRef:
    return InstructionRef(phi.type, phi.index, phi.name)


def _counter(function: Function, loop: LoopInfo, value: Value) -> tuple[Phi, _Step] | None:
    """The phi of the loop's header that a value is, or is a step ahead of; and its step."""
    made = function.definition(value)
    phi = made
    if isinstance(made, Binary):
        phi = next((p for o in made.operands if isinstance(p := function.definition(o), Phi)
                    and p.block == loop.header), None)  # fmt: skip
    if not isinstance(phi, Phi) or phi.block != loop.header:
        return None
    inside = _from_inside(phi, loop)
    if made is not phi and any(v != value for v in inside):
        return None
    steps = {_step(function, loop, phi, v) for v in inside}
    step = steps.pop() if len(steps) == 1 else None
    return (phi, step) if step else None


def induction_of(
    function: Function, loop: LoopInfo, roles: Roles
) -> tuple[Phi, int | Value] | None:
    """A counter of the loop that moves by the same step in each trip, a constant one if there is
    one."""
    other: tuple[Phi, Value] | None = None
    for instruction in function.blocks[loop.header].instructions:
        if isinstance(instruction, Phi) and isinstance(instruction.type, IntTy):
            inside = _from_inside(instruction, loop)
            if not all(isinstance(v, InstructionRef) and v.index in roles.index for v in inside):
                continue  # the miniature adds another number than the original
            steps = {_step(function, loop, instruction, v) for v in inside}
            step = steps.pop() if len(steps) == 1 else None
            if step is None:
                continue
            if isinstance(step.size, int):
                return instruction, step.size if step.rises else -step.size
            if step.rises and roles.is_known(step.size):
                other = instruction, step.size
    return other


def _from_inside(phi: Phi, loop: LoopInfo) -> list[Value]:
    pairs = zip(phi.operands, phi.incoming, strict=True)
    return [value for value, block in pairs if block in loop.blocks]


def _step(function: Function, loop: LoopInfo, phi: Phi, value: Value) -> _Step | None:
    """What is added to a phi or taken from it: a number, or a value from outside the loop."""
    made = function.definition(value)
    if not isinstance(made, Binary) or made.opcode not in (Opcode.ADD, Opcode.SUB):
        return None
    rises = made.opcode is Opcode.ADD
    first, second = _phi_first(function, made) if rises else (made.left, made.right)
    if function.definition(first) is not phi:
        return None
    if isinstance(second, ConstantInt):
        own = second.value if rises else -second.value
        return _Step(abs(own), own > 0) if own else None
    return _Step(second, rises) if _is_fixed(function, loop, second) else None


def _phi_first(function: Function, made: Binary) -> tuple[Value, Value]:
    """The operands of a sum, one that is a phi first."""
    is_phi = isinstance(function.definition(made.left), Phi)
    return (made.left, made.right) if is_phi else (made.right, made.left)


def _is_fixed(
    function: Function, loop: LoopInfo, value: Value, loads: frozenset[int] = frozenset()
) -> bool:
    """Whether a value is the same in all trips: made outside, or made inside of nothing but such
    values and ``loads`` of what does not change."""
    made = function.definition(value) if isinstance(value, InstructionRef) else None
    if made is None or made.block not in loop.blocks:
        return True
    if isinstance(made, Phi) or (isinstance(made, Load) and made.index not in loads):
        return False
    inside = bool(loads) and isinstance(made, Load | Binary | Cast | GetElementPtr)
    return inside and all(_is_fixed(function, loop, o, loads) for o in made.operands)


def sharing_of_branch(profile: LaunchProfile, block: int, then: int, otherwise: int) -> Sharing:
    """How many neighbouring lanes take one side together: what explains best how many warps went
    each way."""
    ways = {e.target: e for e in profile.edges if e.source == block}
    node = profile.nodes[block]
    if not node.warps or then not in ways or otherwise not in ways:
        return ALONE
    first, second = ways[then], ways[otherwise]
    threads = max(first.oecount + second.oecount, 1)
    rate, lanes = first.oecount / threads, threads / node.warps

    def expected(together: int) -> tuple[float, float]:
        draws = max(lanes / together, 1.0)
        return 1 - (1 - rate) ** draws, 1 - rate**draws

    measured = first.warps / node.warps, second.warps / node.warps
    return nearest(expected, measured, mixed=_is_long(profile))


def sharing_of_loop(profile: LaunchProfile, loop: LoopInfo) -> Sharing:
    """The same for the trips of a loop: a warp stays as long as its longest lane."""
    warps, lanes = _entering(profile, loop)
    if not warps:
        return ALONE
    count = profile.loops[loop.id]
    trips = Table.of(count, 1, halves=has_rare(count))
    longest = profile.nodes[loop.header].warps / warps

    def expected(together: int) -> tuple[float]:
        return (trips.longest(max(lanes / warps / together, 1.0)),)

    return nearest(expected, (longest,), mixed=_is_long(profile))


def _entering(profile: LaunchProfile, loop: LoopInfo) -> tuple[int, int]:
    """How many warps enter a loop, and lanes."""
    edges = [e for e in profile.edges if e.target == loop.header and e.source not in loop.blocks]
    return sum(e.warps for e in edges), sum(e.oecount for e in edges)


def hot_part(
    profile: LaunchProfile, access: int, element_bytes: int, elements: Collection[int]
) -> int:
    """Whether some of the elements, the fewest and most of launches, are met more often than
    others: the exponent of two of the parts of which half of the accesses go to one, 0 for none. By
    the mean number of other lines between two touches of a line: (L - 1) / 2 of L lines that are
    all alike, a known part of that with one part that is hot (:data:`HOT_REUSE`)."""
    counts = [c for c in profile.accesses if c.access == access]
    touches = sum(n for c in counts for n in c.reuse.values())
    lines = max(elements) * element_bytes // LINE_BYTES
    if lines < LEAST_LINES or touches < LEAST_TOUCHES * lines:
        return 0
    found = sum(int(d) * n for c in counts for d, n in c.reuse.items()) / touches
    floors = ((1 << k, min(2 << k, lines) - (1 << k)) for k in range((lines - 1).bit_length()))
    alike = sum(floor * count for floor, count in floors) / lines
    parts = min(HOT_REUSE, key=lambda part: abs(HOT_REUSE[part] - found / alike))
    return parts if min(elements) >> parts else 0


def _is_long(profile: LaunchProfile) -> bool:
    """Whether a warp executes so much that what tells warps apart, when a generator starts, is
    little of it."""
    return profile.warp_instructions >= LONG * profile.nodes[0].warps


def falls_apart(profile: LaunchProfile, loop: LoopInfo) -> bool:
    """Whether lanes leave a loop after so different trips that those which draw together in it have
    drawn differently often by the next time they come there."""
    warps, lanes = _entering(profile, loop)
    header = profile.nodes[loop.header]
    return header.ecount * warps < APART * lanes * header.warps


def sharing_of_access(
    profile: LaunchProfile, access: int, element_bytes: int, elements: int, fewest: int
) -> Sharing:
    """How many neighbouring lanes access elements side by side, of ``elements`` that there are, but
    not more than the ``fewest`` of a launch: what explains best how many sectors warps touch."""
    counts = [c for c in profile.accesses if c.access == access and c.sectors and c.executions]
    executions = sum(c.executions for c in counts)
    if not executions:
        return ALONE
    active = sum(c.lanes for c in counts) / executions / LANES[-1]
    touched = sum(int(s) * n for c in counts for s, n in c.sectors.items()) / executions
    sectors = max(elements * element_bytes / SECTOR_BYTES, 1.0)

    def expected(together: int) -> tuple[float]:
        each = max(together * element_bytes / SECTOR_BYTES, 1.0)
        groups = LANES[-1] / together * (1 - (1 - active) ** together)
        return (sectors * (1 - max(1 - each / sectors, 0.0) ** groups),)

    found = nearest(expected, (touched,), mixed=_is_long(profile), near=0.15)
    return found if found.lanes <= fewest else Sharing(1 << fewest.bit_length() - 1)


def rate(profile: LaunchProfile, block: int, target: int) -> float:
    """The share of a block's executions by threads that went on to ``target``."""
    out = [e for e in profile.edges if e.source == block]
    total = sum(e.oecount for e in out)
    return sum(e.oecount for e in out if e.target == target) / total if total else 0.0


def is_fixed_by_thread(profile: LaunchProfile, block: int) -> bool:
    """Whether a thread that comes to a block several times goes the same way each time: as many
    threads took the ways, all together, as came there (target points, case (ii))."""
    out = [e for e in profile.edges if e.source == block]
    node = profile.nodes[block]
    return node.ecount > node.threads and sum(e.tcount for e in out) == node.threads


def holds_barrier(
    info: KernelInfo,
    successors: Mapping[int, Sequence[int]],
    starts: Sequence[int],
    end: int | None,
) -> bool:
    """Whether a barrier stands on a way from ``starts`` to ``end`` (excluded)."""
    pending, seen = [s for s in starts if s != end], set[int]()
    while pending:
        block = pending.pop()
        if block in seen:
            continue
        seen.add(block)
        if info.blocks[block].barriers:
            return True
        pending += [t for t in successors[block] if t != end]
    return False
