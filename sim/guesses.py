"""What an estimate guesses for want of knowledge: iterations of loops, sides of branches, and which
arguments of the kernel would decide them."""

from __future__ import annotations

from dataclasses import dataclass

from kcc.frontend.kernel import Kernel
from kcc.passes.branches import Branches
from kcc.passes.facts import Facts
from kcc.passes.loops import Loop, Loops
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Node, Symbol, SymbolKind
from kcc.passes.symbolic.reasons import everything, reason_for
from kcc.passes.trip_counts import TripCount, TripCounts
from kcc.sim.assumed_shares import AssumedShares
from kcc.sim.pipeline_flow import ASSUMED_SHARE, Flow


@dataclass(frozen=True, slots=True)
class Guess:
    """``value`` was taken for a ``what``: iterations per entry for a "loop", the share of warps on
    either side for a "branch". Scalar ``arguments`` without a value would decide it, and where
    ``reason`` is not empty, what only a run shows."""

    what: str
    file: str
    line: int
    value: float
    arguments: tuple[str, ...]
    reason: str

    @property
    def remedy(self) -> str:
        """The options that would put knowledge in its place."""
        if self.arguments and not self.reason:
            return " ".join(f"--arg {name}=VALUE" for name in self.arguments)
        return f"--assume {self.what}@{self.line}={'COUNT' if self.what == 'loop' else 'SHARE'}"


def guesses_of(kernel: Kernel, facts: Facts, flow: Flow) -> tuple[Guess, ...]:
    """The guesses that ``flow`` rests on, by line; none of a loop's guard or exit where the loop is
    one."""
    loops = [
        _loop(kernel, facts, loop, trip, flow.trips[loop.id])
        for loop, trip in zip(facts[Loops].loops, facts[TripCounts].trips, strict=True)
        if loop.header in flow.assumed and _open(trip)
    ]
    found = {(each.file, each.line): each for each in loops}
    for each in _branches(kernel, facts, flow):
        found.setdefault((each.file, each.line), each)
    return tuple(found[place] for place in sorted(found))


def _open(trip: TripCount) -> bool:
    return trip.total_mean is None and (trip.least is None or trip.least != trip.greatest)


def _loop(kernel: Kernel, facts: Facts, loop: Loop, trip: TripCount, value: float) -> Guess:
    values = facts[SymbolicValues]
    arguments = () if trip.count is None else _arguments(values, trip.count)
    reason = trip.reason if trip.count is None else reason_for(values, trip.count)
    at = loop.location
    file, line = (at.file, at.line) if at else (kernel.span.file, 0)
    return Guess("loop", file, line, value, arguments, reason)


def _branches(kernel: Kernel, facts: Facts, flow: Flow) -> list[Guess]:
    """Those after which how often a block is executed is a guess, and nobody said more."""
    found, loops, values = list[Guess](), facts[Loops], facts[SymbolicValues]
    for branch in facts[Branches].branches:
        ways = set(kernel.function.blocks[branch.block].successors)
        inner = loops.innermost[branch.block]
        stays = [way for way in ways if loops.innermost[way] == inner]
        given = any((branch.block, way) in facts[AssumedShares].edges for way in ways)
        if given or len(stays) < 2 or not branch.location or not ways & flow.assumed:
            continue
        node = values.scalar(branch.condition, branch.block)
        arguments, reason = _arguments(values, node), reason_for(values, node)
        if arguments or reason:
            at = branch.location
            found.append(Guess("branch", at.file, at.line, ASSUMED_SHARE, arguments, reason))
    return found


def _arguments(values: SymbolicValues, node: Node) -> tuple[str, ...]:
    """Scalar arguments that a value depends on and that nobody has given."""
    names = dict[str, None]()
    for each in everything(values, node):
        if isinstance(each, Symbol) and each.kind is SymbolKind.ARGUMENT:
            number = int(str(each.index).partition(".")[0])
            names[values.kernel.arguments[number].name] = None
    return tuple(sorted(names))
