"""By how much the trips of loops are divided.

Yu et al. (IEEE TC 2015, section 4.2.3) ask whether one factor should hold for all loops or each
should have its own, and take one. Here both are possible. One factor cuts the reuse that an outer
loop brings together with the work that an inner one does; with factors of their own the one can be
kept and the other cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kcc.profile.model import LaunchProfile
from kcc.synth.observed import KernelFacts, LaunchFacts

Factors = tuple[tuple[int, ...], ...]
"""For each loop of each kernel, powers of two."""


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


def factors_within(
    kernels: Sequence[KernelFacts],
    launches: Sequence[LaunchFacts],
    is_good: Callable[[Factors], bool],
) -> Factors:
    """Factors with which a miniature is good, found loop by loop, the one with most instructions
    first, with those that were found before it; by halving what is left of the powers of two, as if
    whatever is good with one factor were so with all smaller ones."""
    largest = largest_factors(kernels, launches, 1 << 30)
    if is_good(largest):
        return largest
    found = largest_factors(kernels, launches, 1)
    for kernel, loop in _by_work(kernels, launches):
        good, bad = 0, largest[kernel][loop].bit_length()
        while bad - good > 1:
            exponent = (good + bad) // 2
            trial = _with(found, kernel, loop, 1 << exponent)
            good, bad = (exponent, bad) if is_good(trial) else (good, exponent)
        found = _with(found, kernel, loop, 1 << good)
    return found


def _with(factors: Factors, kernel: int, loop: int, factor: int) -> Factors:
    rows = [list(row) for row in factors]
    rows[kernel][loop] = factor
    return tuple(tuple(row) for row in rows)


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
