"""How caches are analysed: the method, its trials, and the reductions that can be switched off."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from enum import Enum

from kcc.base.records import dataclass
from kcc.sim.caches.reuse.layout import Order


class CacheMethod(Enum):
    """Footprints of windows of iterations, or least recently used sets that requests go through."""

    FOOTPRINT = "footprint"
    REUSE = "reuse"


class Interleaving(Enum):
    """Whose turn it is: warps one after another, each as long as it can, any."""

    ROUND_ROBIN = "round-robin"
    GREEDY = "greedy"
    RANDOM = "random"

    @property
    def order(self) -> Order:
        """As the native part names it."""
        return Order[self.name]


class Reduction(Enum):
    """What is left out: sets of L2, SMs and rounds like others, periods of loops like others."""

    SETS = "sets"
    CLASSES = "classes"
    LOOPS = "loops"


@dataclass(frozen=True, slots=True)
class CacheOptions:
    """``trials`` interleavings that ``seed`` begins. Of the sets of L2 one in ``sampled`` is looked
    at (0: as many as take little time). With ``classes`` one SM stands for all and one round of
    thread blocks for those that follow it. With ``forward`` a loop is left when the misses of its
    periods repeat, in launches whose simulated rounds ask for more than ``forward_above`` lines: a
    loop that is left does not show what its iterations share with other iterations of neighbouring
    thread blocks. ``warm``: L2 begins with what a launch of the same kind has left; ``written``:
    with data that something else has written, and that go to DRAM as the launch's own come."""

    method: CacheMethod = CacheMethod.REUSE
    trials: int = 1
    seed: int = 0
    interleaving: Interleaving = Interleaving.ROUND_ROBIN
    sampled: int = 0
    classes: bool = True
    forward: bool = True
    forward_above: int = 1 << 20
    warm: bool = False
    written: bool = False

    def without(self, reductions: Collection[Reduction]) -> CacheOptions:
        """With some reductions switched off."""
        return replace(
            self,
            sampled=1 if Reduction.SETS in reductions else self.sampled,
            classes=self.classes and Reduction.CLASSES not in reductions,
            forward=self.forward and Reduction.LOOPS not in reductions,
        )

    @property
    def off(self) -> tuple[Reduction, ...]:
        """The reductions that are switched off."""
        kept = {
            Reduction.SETS: self.sampled != 1,
            Reduction.CLASSES: self.classes,
            Reduction.LOOPS: self.forward,
        }
        return tuple(each for each, is_kept in kept.items() if not is_kept)

    def reduced(self) -> CacheOptions:
        """With all reductions."""
        default = CacheOptions()
        return replace(
            self, sampled=default.sampled, classes=default.classes, forward=default.forward
        )

    def in_full(self) -> CacheOptions:
        """Without reductions."""
        return self.without(tuple(Reduction))
