"""Whether the flow graph (DFSG) of a miniature is that of its original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kcc.base.profile.model import KernelInfo, LaunchProfile
from kcc.base.records import dataclass
from kcc.synth.assembly.trips import Table
from kcc.synth.original.observed import KernelFacts


@dataclass(frozen=True, slots=True)
class FlowDifference:
    """Two graphs of one launch.

    ``joined`` are the original's blocks that do nothing anew but jump and that the miniature does
    without, ``auxiliary`` those of the miniature that the original does not have; both are left
    out of the comparison. ``worst`` is the largest difference of a block's or an edge's executions
    by threads, as a share of the launch's threads and of the executions of the block itself;
    ``same`` says that all counts are equal.
    """

    kernel: str
    blocks: int
    joined: tuple[int, ...]
    auxiliary: tuple[int, ...]
    worst: float
    same: bool


def compare_flow(
    original: KernelInfo, launch: LaunchProfile, miniature: KernelInfo, mini_launch: LaunchProfile
) -> FlowDifference:
    """Walk both graphs from their entries and compare the counts of what corresponds."""
    pairs, joined = _matched(original, miniature)
    threads = launch.nodes[0].ecount
    worst, same = 0.0, True
    for block, other in pairs.items():
        one, two = launch.nodes[block], mini_launch.nodes[other]
        same &= (one.ecount, one.lcount, one.scount) == (two.ecount, two.lcount, two.scount)
        scale = max(one.ecount, threads, 1)
        worst = max(worst, abs(one.ecount - two.ecount) / scale)
    edges = {(e.source, e.target): e for e in mini_launch.edges}
    for edge in launch.edges:
        twin = edges.get((pairs.get(edge.source, -1), pairs.get(edge.target, -1)))
        if twin is not None:
            same &= (edge.oecount, edge.tcount) == (twin.oecount, twin.tcount)
    extra = tuple(b.id for b in miniature.blocks if b.id not in set(pairs.values()))
    return FlowDifference(
        original.name, len(original.blocks), tuple(sorted(joined)), extra, worst, same
    )


def _matched(original: KernelInfo, miniature: KernelInfo) -> tuple[dict[int, int], set[int]]:
    """The block of the miniature for each of the original, and the original's that have none."""
    one, two = _successors(original.edges), _successors(miniature.edges)
    pairs, joined = dict[int, int](), set[int]()
    pending = [(0, 0)]
    while pending:
        block, other = pending.pop()
        while _is_joined(original, one, block, miniature, two, other):
            joined.add(block)
            (block,) = one[block]
        if block in pairs:
            continue
        pairs[block] = other
        pending += list(zip(one.get(block, ()), two.get(other, ()), strict=False))
    return pairs, joined - set(pairs)


def _is_joined(
    original: KernelInfo, one: Mapping[int, list[int]], block: int,
    miniature: KernelInfo, two: Mapping[int, list[int]], other: int,
) -> bool:  # fmt: skip
    """Whether the miniature has a block of the original in one with what comes next: it only jumps,
    or does what has been done, and there is one way from it where the miniature has several."""
    if _only_jumps(original, one, block):
        return not _only_jumps(miniature, two, other)
    return len(one.get(block, ())) == 1 and len(two.get(other, ())) > 1


def _successors(edges: Sequence[tuple[int, int]]) -> Mapping[int, list[int]]:
    found = dict[int, list[int]]()
    for source, target in edges:
        found.setdefault(source, []).append(target)
    return found


def _only_jumps(info: KernelInfo, after: Mapping[int, list[int]], block: int) -> bool:
    return len(after.get(block, ())) == 1 and (info.blocks[block].instructions == 1)


RATE_DIFFERENCE = 0.05
"""By which the rate of a branch that contents decide may differ."""

TRIPS_DIFFERENCE = 0.1
"""The share by which the trips of a loop may that ends where contents say."""


def strays(
    facts: KernelFacts,
    launch: LaunchProfile,
    miniature: KernelInfo,
    own: LaunchProfile,
    factors: Sequence[int],
) -> bool:
    """Whether the described contents of buffers, where they decide branches and trips, decide them
    otherwise than those of the original."""
    pairs, _ = _matched(facts.info, miniature)
    deciding = facts.by_contents
    for block in deciding & set(pairs):
        one, two = _out(launch, block), _out(own, pairs[block])
        if not _leaves_loop(facts.info, block) and len(one) == len(two) == 2:
            fewest = min(sum(one), sum(two))
            chance = 1.5 / fewest**0.5 if fewest else 1.0
            if abs(_share(one) - _share(two)) > RATE_DIFFERENCE + chance:
                return True
    headers = zip(miniature.loops, own.loops, strict=True)
    loops = {loop.header: count for loop, count in headers}
    for loop, factor in zip(facts.info.loops, factors, strict=True):
        count, twin = launch.loops[loop.id], loops.get(pairs.get(loop.header, -1))
        if twin is None or not deciding & set(loop.blocks) or not count.entries:
            continue
        wanted, found = Table.of(count, factor).mean, twin.trips / max(twin.entries, 1)
        rounding = 0.5 if factor > 1 else 0.0
        if abs(found - wanted) > TRIPS_DIFFERENCE * wanted + rounding + 1 / count.entries**0.5:
            return True
    return False


def _leaves_loop(info: KernelInfo, block: int) -> bool:
    loop = info.blocks[block].loop
    targets = (target for source, target in info.edges if source == block)
    return loop is not None and any(t not in info.loops[loop].blocks for t in targets)


def _out(launch: LaunchProfile, block: int) -> list[int]:
    """How often each way out of a block was taken, in order."""
    return [e.oecount for e in launch.edges if e.source == block]


def _share(counts: Sequence[int]) -> float:
    return counts[0] / max(sum(counts), 1)
