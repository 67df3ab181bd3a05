"""By how much a miniature is smaller than its original: in trips of loops and in thread blocks.

Yu et al. (IEEE TC 2015, section 4.2.3) ask whether one factor should hold for all loops or each
should have its own, and take one. Here both are possible. One factor cuts the reuse that an outer
loop brings together with the work that an inner one does; with factors of their own the one can be
kept and the other cut. Beyond the text thread blocks may be fewer too, which changes nothing of
what a thread does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from kcc.base.profile.model import LaunchProfile
from kcc.base.records import dataclass
from kcc.synth.assembly.moving import can_leave_out
from kcc.synth.original.observed import KernelFacts, LaunchFacts

Factors = tuple[tuple[int, ...], ...]
"""For each loop of each kernel, powers of two."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """What trips of each loop of each kernel, and thread blocks, are divided by; ``parts`` of the
    GPU, of which the miniature runs on one; ``apart``, a power of two, how many times less a second
    miniature beside it is reduced, if there is one."""

    factors: Factors
    blocks: int = 1
    parts: int = 1
    apart: int = 2

    @property
    def is_none(self) -> bool:
        return self == self.none

    @property
    def name(self) -> str:
        """Factors by kernel, that of thread blocks, parts of the GPU: ``1,4;2 / 8``, with ``on
        1/4`` behind it."""
        rows = ";".join(",".join(map(str, row)) for row in self.factors)
        return f"{rows} / {self.blocks}{f' on 1/{self.parts}' if self.parts > 1 else ''}"

    @property
    def on_all(self) -> Reduction:
        """The same miniature on the whole GPU, alone."""
        return replace(self, parts=1, apart=2)

    @property
    def alone(self) -> Reduction:
        """The same without a second one."""
        return replace(self, apart=2)

    @property
    def none(self) -> Reduction:
        """No reduction, of kernels with as many loops."""
        return Reduction(tuple(tuple(1 for _ in row) for row in self.factors))

    @property
    def larger(self) -> Reduction:
        """That of the second miniature: less in trips where trips are divided, else in thread
        blocks."""
        if self._divides_trips:
            rows = tuple(tuple(max(f // self.apart, 1) for f in row) for row in self.factors)
            return replace(self.alone, factors=rows)
        return replace(self.alone, blocks=max(self.blocks // self.apart, self.parts))

    def further(self, most: Reduction) -> Iterator[Reduction]:
        """Those with the same larger miniature and a smaller one beside it, up to factors of
        ``most``: the smallest first."""
        found, one = list[Reduction](), self
        while True:
            if one._divides_trips:
                pairs = [
                    zip(*rows, strict=True) for rows in zip(one.factors, most.factors, strict=True)
                ]
                rows = tuple(tuple(min(2 * f, g) if f > 1 else 1 for f, g in row) for row in pairs)
                after = replace(one, factors=rows, apart=2 * one.apart)
            else:
                blocks = min(2 * one.blocks, most.blocks)
                after = replace(one, blocks=blocks, apart=2 * one.apart)
            if after.larger != self.larger or after.alone == one.alone:
                return reversed(found)
            found.append(after)
            one = after

    @property
    def _divides_trips(self) -> bool:
        return any(factor > 1 for row in self.factors for factor in row)

    @property
    def common_blocks(self) -> int:
        """By how much thread blocks are divided in both miniatures, and in what both are followed
        to: the original, or its share for a part of the GPU."""
        return self.blocks if self.larger.blocks == self.blocks else self.parts

    @property
    def has_twin(self) -> bool:
        """Whether the larger one is another miniature."""
        return self.larger != self.alone

    def on(self, axis: Axis) -> int:
        """The factor on one axis."""
        return self.blocks if axis is None else self.factors[axis[0]][axis[1]]

    def by(self, axis: Axis, factor: int) -> Reduction:
        """The same with another factor on one axis."""
        if axis is None:
            return replace(self, blocks=factor)
        rows = [list(row) for row in self.factors]
        rows[axis[0]][axis[1]] = factor
        return replace(self, factors=tuple(tuple(row) for row in rows))


Axis = tuple[int, int] | None
"""Of what a reduction has a factor: kernel and loop, or (None) the thread blocks."""

Trial = Callable[[Reduction], int | None]
"""The instructions that a miniature executes if it is good enough, else None."""


def largest_factors(
    kernels: Sequence[KernelFacts], launches: Sequence[LaunchFacts], limit: int
) -> Factors:
    """For each loop the largest power of two, no more than ``limit``, that leaves its longest run
    at least one trip (section 4.2.3)."""
    return tuple(
        tuple(
            min(limit, 1 << (max(_most(launches, number, loop.id), 1).bit_length() - 1))
            for loop in facts.info.loops
        )
        for number, facts in enumerate(kernels)
    )


def largest_blocks(
    kernels: Sequence[KernelFacts], launches: Sequence[LaunchFacts], limit: int
) -> int:
    """The largest power of two, no more than ``limit``, by which the thread blocks of the largest
    launch can be divided; 1 where a kernel asks for ids in a way that keeps all thread blocks."""
    if not all(can_leave_out(facts.function) for facts in kernels):
        return 1
    most = max((x.launch.thread_blocks for x in launches), default=1)
    return min(limit, 1 << (most.bit_length() - 1))


def smallest_within(
    kernels: Sequence[KernelFacts], launches: Sequence[LaunchFacts], trial: Trial,
    least: Reduction, most: Reduction,
) -> Reduction:  # fmt: skip
    """The reduction between ``least`` and ``most`` with fewest instructions of those that are tried
    and good: thread blocks first and then the loops, or the loops first and then thread blocks.

    Loops are cut together, as far as each has trips, and then one by one, that with most
    instructions first. Each step takes the largest factor that is good with what was found before
    it, and tries the largest first, since that is the one that is simulated soonest. Where
    ``least`` is not good, no smaller miniature is looked for: it could be good by chance only.
    """
    if trial(least) is None:
        return least
    axes = _by_work(kernels, launches)

    def cut_loops(found: Reduction) -> Reduction:
        found = _first_good(_together(found, most), trial) or found
        for axis in axes:
            found = _first_good(_along(found, axis, most), trial) or found
        return found

    def cut_blocks(found: Reduction) -> Reduction:
        return _first_good(_along(found, None, most), trial) or found

    ways = least, cut_loops(cut_blocks(least)), cut_blocks(cut_loops(least))
    return min(ways, key=lambda way: trial(way) or 0)


def on_parts(least: Reduction, most: Reduction, parts: Sequence[int]) -> Iterator[Reduction]:
    """``least`` on parts of a GPU, each with its share of the thread blocks: the smallest part
    first."""
    for number in parts:
        if max(least.parts, 1) < number <= most.blocks:
            yield replace(least, blocks=max(least.blocks, number), parts=number)


def _first_good(candidates: Iterator[Reduction], trial: Trial) -> Reduction | None:
    return next((one for one in candidates if trial(one) is not None), None)


def _together(found: Reduction, most: Reduction) -> Iterator[Reduction]:
    """All loops with larger factors, up to the same limit: the largest limit first."""
    largest = max((factor for row in most.factors for factor in row), default=1)
    tried = {found}
    for exponent in reversed(range(1, largest.bit_length())):
        pairs = [zip(*rows, strict=True) for rows in zip(found.factors, most.factors, strict=True)]
        one = replace(
            found,
            factors=tuple(
                tuple(max(least, min(own, 1 << exponent)) for least, own in row) for row in pairs
            ),
        )
        if one not in tried:
            tried.add(one)
            yield one


def _along(found: Reduction, axis: Axis, most: Reduction) -> Iterator[Reduction]:
    """Larger factors on one axis, the largest first."""
    for exponent in reversed(range(found.on(axis).bit_length(), most.on(axis).bit_length())):
        yield found.by(axis, 1 << exponent)


def _by_work(
    kernels: Sequence[KernelFacts], launches: Sequence[LaunchFacts]
) -> list[tuple[int, int]]:
    """Loops by the instructions that warps execute in them, loops inside included; of loops with
    the same the outer one first."""
    rows = list[tuple[int, int, int, int]]()
    for number, facts in enumerate(kernels):
        own = [x.profile for x in launches if x.kernel == number]
        for loop in facts.info.loops:
            work = sum(_work(facts, profile, loop.blocks) for profile in own)
            rows.append((-work, loop.depth, number, loop.id))
    return [(kernel, loop) for _, _, kernel, loop in sorted(rows)]


def _work(facts: KernelFacts, profile: LaunchProfile, blocks: Sequence[int]) -> int:
    return sum(profile.nodes[b].warps * facts.info.blocks[b].instructions for b in blocks)


def _most(launches: Sequence[LaunchFacts], kernel: int, loop: int) -> int:
    own = [x.profile.loops[loop].most for x in launches if x.kernel == kernel]
    return max(own, default=1)
