"""Operand collectors of one scheduler, cycle by cycle and step by step: what the cycle-level model
works out when an instruction issues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Instruction = tuple[int, tuple[int, ...]]
"""The register written, and those read."""


@dataclass
class Front:
    """An instruction on its way to the pipeline; ``wanted`` are registers not read yet."""

    warp: int
    to: int
    wanted: set[int]


@dataclass
class Scheduler:
    """Warps that issue in turn to one pipeline that takes an instruction each ``interval`` cycles
    and writes its result ``interval + 2`` cycles later."""

    programs: Sequence[Sequence[Instruction]]
    interval: int
    banks: int
    cycle: int = 0
    last: int = 0
    issued: Front | None = None
    collectors: list[Front | None] = field(default_factory=lambda: [None, None])
    waiting: Front | None = None
    working: Front | None = None
    busy: int = 0
    done: Front | None = None
    written: list[Front] = field(default_factory=list[Front])

    def run(self) -> int:
        """The cycle in which the last result is written."""
        self.at = [0] * len(self.programs)
        self.pending = [set[int]() for _ in self.programs]
        self.queues: list[list[tuple[Front, int]]] = [[] for _ in range(self.banks)]
        last = 0
        while any(self.pending) or any(
            a < len(p) for a, p in zip(self.at, self.programs, strict=True)
        ):
            if self.step():
                last = self.cycle
            self.cycle += 1
        return last

    def step(self) -> bool:
        """A cycle, from its last stage to its first; whether a result was written."""
        writing = {each.to % self.banks for each in self.written}
        ended = bool(self.written)
        for each in self.written:
            self.pending[each.warp].discard(each.to)
        self.written = [self.done] if self.done else []
        self.done = None
        if self.working:
            self.busy -= 1
            if self.busy == 0:
                self.done, self.working = self.working, None
        if self.waiting and not self.working:
            self.working, self.waiting, self.busy = self.waiting, None, self.interval
        for _ in range(2):
            self.collect(writing)
            writing = set[int]()
        if not self.issued:
            self.issue()
        return ended

    def collect(self, writing: set[int]) -> None:
        """A step: the first ready collector hands on, each bank is read once unless it is written,
        a free collector takes what was issued."""
        for place, own in enumerate(self.collectors):
            if own and not own.wanted and not self.waiting:
                self.waiting, self.collectors[place] = own, None
        for bank, queue in enumerate(self.queues):
            if queue and bank not in writing:
                own, register = queue.pop(0)
                own.wanted.discard(register)
        if self.issued and None in self.collectors:
            self.collectors[self.collectors.index(None)] = self.issued
            for register in sorted(self.issued.wanted):
                self.queues[register % self.banks].append((self.issued, register))
            self.issued = None

    def issue(self) -> None:
        """The next warp whose registers are there."""
        for turn in range(len(self.programs)):
            warp = (self.last + 1 + turn) % len(self.programs)
            if self.at[warp] == len(self.programs[warp]):
                continue
            to, of = self.programs[warp][self.at[warp]]
            if self.pending[warp].isdisjoint({to, *of}):
                self.pending[warp].add(to)
                self.issued, self.last = Front(warp, to, set(of)), warp
                self.at[warp] += 1
                return
