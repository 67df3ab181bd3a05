"""How many neighbouring lanes draw together, and whether all warps are alike in it.

Lanes of a warp that take one side of a branch, leave a loop after equally many trips or access one
sector are told from lanes that do so by chance by how often warps part, or how many sectors they
touch. One number for all warps comes no nearer than the powers of two are apart, and a kernel whose
warps are mostly of one mind, but for those at an edge, is none of these: so there are two, one half
of the other, and a share of the warps for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kcc.base.records import dataclass

LANES = (1, 2, 4, 8, 16, 32)
"""Neighbouring lanes that may draw together."""

SHARES = 64
"""In how many parts warps are told apart."""


@dataclass(frozen=True, slots=True, order=True)
class Sharing:
    """``lanes`` draw together, and half as many in ``finer`` of :data:`SHARES` of the warps."""

    lanes: int = 1
    finer: int = 0

    @property
    def name(self) -> str:
        """Of variables: digits and an underscore."""
        return f"{self.lanes}_{self.finer}" if self.finer else str(self.lanes)

    def __str__(self) -> str:
        if not self.lanes:
            return "thread block"
        rest = f", {self.lanes // 2} in {self.finer} of {SHARES} warps" if self.finer else ""
        return f"{self.lanes}{rest}"


ALONE = Sharing()
"""Each lane draws for itself."""

WHOLE_BLOCK = Sharing(0)
"""All threads of a thread block draw together."""


def nearest(
    expected: Callable[[int], Sequence[float]], measured: Sequence[float], *, mixed: bool,
    near: float = 0.05,
) -> Sharing:  # fmt: skip
    """That with which what is ``expected`` where so many lanes draw together, in the mean of all
    warps, comes nearest to what was measured; :data:`ALONE`, which is fewer instructions, where
    that is off by no more than ``near`` of it. Without ``mixed`` all warps are alike."""
    finer = expected(LANES[0])
    best, least = ALONE, sum(abs(a - m) for a, m in zip(finer, measured, strict=True))
    if least <= near * sum(measured):
        return ALONE
    for lanes in LANES[1:]:
        coarse = expected(lanes)
        for share in range(SHARES if mixed else 1):
            own = share / SHARES
            wrong = sum(
                abs(a * (1 - own) + b * own - m)
                for a, b, m in zip(coarse, finer, measured, strict=True)
            )
            if wrong < least - 1e-12:
                best, least = Sharing(lanes, share), wrong
        finer = coarse
    return best
