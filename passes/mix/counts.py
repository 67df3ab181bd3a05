"""Counts by instruction class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcc.base.records import dataclass
from kcc.passes.mix.instruction_classes import InstructionClass

_CLASSES = tuple(InstructionClass)
_PLACES = {each: number for number, each in enumerate(_CLASSES)}


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """How many instructions of each class; ``counts`` has one entry per class, in their order."""

    counts: tuple[int, ...] = (0,) * len(_CLASSES)

    @staticmethod
    def of(counted: Iterable[tuple[InstructionClass, int]]) -> ClassCounts:
        """The sum of single counts."""
        counts = [0] * len(_CLASSES)
        for each, count in counted:
            counts[_PLACES[each]] += count
        return ClassCounts(tuple(counts))

    @staticmethod
    def sum(parts: Iterable[ClassCounts]) -> ClassCounts:
        """The sum of several."""
        rows = [part.counts for part in parts]
        return ClassCounts(tuple(map(sum, zip(*rows, strict=True)))) if rows else ClassCounts()

    def __getitem__(self, each: InstructionClass) -> int:
        return self.counts[_PLACES[each]]

    def items(self) -> Iterator[tuple[InstructionClass, int]]:
        """All classes with their counts, those that do not occur too."""
        return zip(_CLASSES, self.counts, strict=True)

    @property
    def total(self) -> int:
        return sum(self.counts)
