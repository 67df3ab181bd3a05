"""What an estimate guesses for want of knowledge: iterations of loops, sides of branches, where
accesses go, and which arguments of the kernel would decide them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kcc.base.records import dataclass
from kcc.frontend.kernel import Kernel
from kcc.passes.access.warp_addresses import Warps
from kcc.passes.control.assumed_trips import copies
from kcc.passes.control.trip_counts import TripCount, TripCounts, TripKind
from kcc.passes.facts import Facts
from kcc.passes.graph.branches import Branches
from kcc.passes.graph.loops import Loop, Loops
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.memory.memory_use import MemoryUse
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Node, Symbol, SymbolKind
from kcc.passes.symbolic.reasons import everything, reason_for
from kcc.sim.caches.streams import Stream
from kcc.sim.flow.assumed_shares import ASSUMED_SHARE, AssumedShares
from kcc.sim.flow.launch_flow import Flow
from kcc.sim.flow.open_arguments import assumed_width, open_arguments

SHARED_MEMORY = "shared memory"


@dataclass(frozen=True, slots=True)
class Guess:
    """``value`` was taken for a ``what``: iterations per entry for a "loop", the share of lanes on
    either side for a "branch", elements from row to row for an "address" (0 where lanes lie apart,
    and are taken to touch half as many sectors), bytes for
    :data:`SHARED_MEMORY`. Scalar ``arguments`` without a value would decide it, and where
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
        if self.what == SHARED_MEMORY:
            return f"--arg {self.arguments[0]}=TYPE[COUNT]"
        if self.arguments and not self.reason:
            return " ".join(f"--arg {name}=VALUE" for name in self.arguments)
        return f"--assume {self.what}@{self.line}={'COUNT' if self.what == 'loop' else 'SHARE'}"


def guesses_of(
    kernel: Kernel, facts: Facts, flow: Flow, streams: Sequence[Stream], sizes: Mapping[str, int]
) -> tuple[Guess, ...]:
    """The guesses that ``flow`` and ``streams`` rest on, by line; none of a loop's guard or exit
    where the loop is one. ``sizes`` are the bytes of arguments and dynamic shared memory that are
    known."""
    loops = [
        _loop(kernel, facts, loop, trip, flow.trips[loop.id] * own)
        for loop, trip in zip(facts[Loops].loops, facts[TripCounts].trips, strict=True)
        if loop.header in flow.assumed and _open(trip)
        for own, most in (copies(kernel.function, facts[Loops], loop),) if own == most
    ]  # fmt: skip
    found = {(each.file, each.line): each for each in loops}
    for each in _branches(kernel, facts, flow):
        found.setdefault((each.file, each.line), each)
    by_line = [found[place] for place in sorted(found)]
    return (*by_line, *_addresses(facts, streams), *_shared_memory(kernel, facts, sizes))


def _shared_memory(kernel: Kernel, facts: Facts, sizes: Mapping[str, int]) -> Iterator[Guess]:
    """Of dynamic shared memory that only the host's launch gives a size: none is taken."""
    for name in facts[MemoryUse].unsized(sizes):
        at = kernel.span
        yield Guess(
            SHARED_MEMORY, at.file, at.line, 0.0, (name,), f"the launch gives {name} its size"
        )


def _open(trip: TripCount) -> bool:
    """Whether iterations are a guess; not so of a loop that only its branch makes one."""
    if trip.kind is TripKind.EXACT and trip.open_mean is not None:
        return False
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
        stays = [way for way in ways if inner is None or way in loops.loops[inner].blocks]
        given = any((branch.block, way) in facts[AssumedShares].edges for way in ways)
        if given or len(stays) < 2 or not branch.location or not ways & flow.assumed:
            continue
        node = values.scalar(branch.condition, branch.block)
        arguments, reason = _arguments(values, node), reason_for(values, node)
        if arguments or reason:
            at = branch.location
            found.append(Guess("branch", at.file, at.line, ASSUMED_SHARE, arguments, reason))
    return found


def _addresses(facts: Facts, streams: Sequence[Stream]) -> list[Guess]:
    """Of the accesses that go where arguments without a value say the first one of each set of
    arguments."""
    values, accesses = facts[SymbolicValues], facts[MemoryAccesses].accesses
    warps, found = Warps(values, {}), dict[tuple[str, ...], Guess]()
    for stream in streams:
        access = accesses[stream.access]
        if not stream.executions or (stream.rows is not None and not stream.assumed):
            continue
        instruction = values.function.instructions[access.instruction]
        address = values.address(instruction, access.pointer)
        names = _names(values, open_arguments(values, warps, address))
        if names and access.location and not reason_for(values, address):
            at, width = access.location, assumed_width(values.algebra.known)
            value = width if stream.assumed else 0.0
            found.setdefault(names, Guess("address", at.file, at.line, value, names, ""))
    return list(found.values())


def _arguments(values: SymbolicValues, node: Node) -> tuple[str, ...]:
    """Scalar arguments that a value depends on and that nobody has given."""
    inside = (each for each in everything(values, node) if isinstance(each, Symbol))
    return _names(values, (each for each in inside if each.kind is SymbolKind.ARGUMENT))


def _names(values: SymbolicValues, arguments: Iterable[Symbol]) -> tuple[str, ...]:
    numbers = {int(str(each.index).partition(".")[0]) for each in arguments}
    return tuple(sorted(values.kernel.arguments[number].name for number in numbers))
