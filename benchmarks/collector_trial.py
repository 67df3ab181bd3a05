"""What ``bank_2`` takes in Accel-Sim, and why: an SM cycle by cycle, with one rule in and out.

    python -m benchmarks.collector_trial [--data ../shared]

Streams ``bank_*`` of the peers' make_traces.py are loops of a load of shared memory, an addition
and a branch. In Accel-Sim an instruction that issued waits in its scheduler's register for its kind
of unit until one of the scheduler's operand collectors is free, which it holds until its registers
are read and the unit's own register is free. Collectors are given out kind by kind, branches last,
and of each kind to the instruction that issued first: while its scheduler has none free, those of
the other schedulers wait behind it. The second column is without this last rule. kcc's model of
the cycle level (:mod:`kcc.sim.cycle.collect_native`) gives each instruction its collector when it
issues, and has no such rule.

The lengths of pipelines, banks and collectors are those of the two configurations (the peers' YAML
files). L1 and what lies beyond are left out: a store is acknowledged after 200 cycles.
"""

from __future__ import annotations

import argparse
import csv
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SCHEDULERS, COLLECTORS, PORTS, STEPS, ACKNOWLEDGED = 4, 2, 8, 2, 200
KINDS = ("single", "memory", "integer", "branch")
"""In the order in which they are given collectors."""


@dataclass(frozen=True)
class Config:
    """Cycles that arithmetic and branches take, and for which their unit takes no other; cycles of
    shared memory; register banks of a scheduler."""

    units: dict[str, tuple[int, int]]
    shared_cycles: int
    banks: int


CONFIGS = {
    "sm7-qv100": Config({"single": (2, 2), "integer": (2, 2), "branch": (4, 4)}, 20, 4),
    "sm86-rtx3070": Config({"single": (2, 1), "integer": (2, 2), "branch": (4, 4)}, 29, 2),
}
BLOCKS = {"sm7-qv100": 2, "sm86-rtx3070": 4}
"""Of the 160 thread blocks, those of the SM that has most: 80 SMs and 46."""


@dataclass(eq=False)
class Instruction:
    """A warp's: registers written and read, accesses to shared memory one after another."""

    warp: int
    kind: str
    writes: int | None
    reads: tuple[int, ...]
    passes: int = 1
    order: int = 0
    wanted: set[int] = field(default_factory=set[int])
    left: int = 0
    stores: bool = False


def bank_stream(warp: int, step: int, rounds: int = 64) -> Iterator[Instruction]:
    """A warp of make_traces.py's ``bank``."""
    yield Instruction(warp, "integer", 2, ())
    for _ in range(rounds):
        yield Instruction(warp, "memory", 8, (2,), step)
        yield Instruction(warp, "single", 20, (20, 8))
        yield Instruction(warp, "branch", None, ())
    yield Instruction(warp, "memory", None, (2, 20), stores=True)
    yield Instruction(warp, "integer", None, ())


class Sm:
    """An SM and its warps. ``in_order``: the rule on trial."""

    def __init__(
        self, config: Config, warps: Sequence[list[Instruction]], *, in_order: bool
    ) -> None:
        self.config, self.warps, self.in_order = config, warps, in_order
        self.now = self.issued_ever = self.pending = 0
        self.at, self.buffered = [0] * len(warps), [0] * len(warps)
        self.unwritten = [set[int]() for _ in warps]
        self.last = [-1] * SCHEDULERS
        self.fetched, self.fetching = -1, -1
        empty: list[Instruction | None] = [None] * SCHEDULERS
        self.issued = {kind: [*empty] for kind in KINDS}
        self.ready = {kind: [*empty] for kind in KINDS}
        self.collectors: list[Instruction | None] = [None] * (SCHEDULERS * COLLECTORS)
        self.queues = [deque[tuple[Instruction, int]]() for _ in range(config.banks * SCHEDULERS)]
        self.written = set[int]()
        self.looked_at = [0] * PORTS
        self.entering = {kind: [*empty] for kind in config.units}
        self.flying = list[tuple[int, Instruction]]()
        self.sharing: Instruction | None = None
        self.shared = deque[tuple[int, Instruction]]()
        self.returning: Instruction | None = None

    def run(self) -> int:
        """Cycles until nothing is left."""
        while self.pending or any(a < len(w) for a, w in zip(self.at, self.warps, strict=True)):
            self.write_back()
            self.execute()
            for _ in range(STEPS):
                self.collect()
            self.issue()
            self.fetch()
            self.now += 1
        return self.now

    def bank(self, register: int, warp: int) -> int:
        banks = self.config.banks
        return (register + warp) % banks + warp % SCHEDULERS * banks

    def end(self, own: Instruction) -> None:
        self.pending -= 1
        if own.writes is not None:
            self.unwritten[own.warp].discard(own.writes)
            self.written.add(self.bank(own.writes, own.warp))

    def write_back(self) -> None:
        for done, own in [each for each in self.flying if each[0] <= self.now]:
            self.flying.remove((done, own))
            self.end(own)

    def execute(self) -> None:
        for kind, (cycles, interval) in self.config.units.items():
            for number in range(SCHEDULERS):
                own = self.entering[kind][number]
                if own is not None:
                    own.left -= 1
                    if own.left == 0:
                        self.flying.append((self.now + cycles - interval + 2, own))
                        self.entering[kind][number] = None
                own = self.ready[kind][number]
                if own is not None and self.entering[kind][number] is None:
                    own.left, self.ready[kind][number] = interval, None
                    self.entering[kind][number] = own
        self.load_and_store()

    def load_and_store(self) -> None:
        """The unit of all schedulers takes what issued first; loads return one a cycle."""
        own = self.returning
        if own and own.writes and self.bank(own.writes, own.warp) not in self.written:
            self.end(own)
            self.returning = None
        if self.returning is None and self.shared and self.shared[0][0] <= self.now:
            self.returning = self.shared.popleft()[1]
        own = self.sharing
        if own is not None:
            own.left -= 1
            if own.left <= 0:
                if own.stores:
                    self.flying.append((self.now + ACKNOWLEDGED, own))
                else:
                    self.shared.append((self.now + self.config.shared_cycles, own))
                self.sharing = None
        waiting = [each for each in self.ready["memory"] if each is not None]
        if self.sharing is None and waiting:
            own = min(waiting, key=lambda each: each.order)
            self.ready["memory"][own.warp % SCHEDULERS] = None
            own.left, self.sharing = own.passes, own

    def collect(self) -> None:
        """A step: full collectors hand on, banks are read, free collectors are given out."""
        for port in range(PORTS):
            self.hand_on(port)
        for bank, queue in enumerate(self.queues):
            if queue and bank not in self.written:
                own, register = queue.popleft()
                own.wanted.discard(register)
        self.written.clear()
        for _ in range(PORTS):
            for kind in KINDS:
                found = [each for each in self.issued[kind] if each is not None]
                found.sort(key=lambda each: each.order)
                for own in found[:1] if self.in_order else found:
                    self.enter(own)

    def hand_on(self, port: int) -> None:
        """A port looks at the collectors in turn, from the next scheduler's on."""
        count, last = len(self.collectors), self.looked_at[port]
        for ahead in range(count):
            place = (last + ahead + COLLECTORS - last % COLLECTORS) % count
            own = self.collectors[place]
            if own is None or own.wanted:
                continue
            if self.ready[own.kind][place // COLLECTORS] is None:
                self.ready[own.kind][place // COLLECTORS] = own
                self.collectors[place], self.looked_at[port] = None, place
                return

    def enter(self, own: Instruction) -> None:
        number = own.warp % SCHEDULERS
        for place in range(number * COLLECTORS, (number + 1) * COLLECTORS):
            if self.collectors[place] is None:
                self.collectors[place], self.issued[own.kind][number] = own, None
                own.wanted = set(own.reads)
                for register in own.reads:
                    self.queues[self.bank(register, own.warp)].append((own, register))
                return

    def issue(self) -> None:
        for number in range(SCHEDULERS):
            slots = range(number, len(self.warps), SCHEDULERS)
            later = [warp for warp in slots if warp > self.last[number]]
            for warp in (*later, *(warp for warp in slots if warp <= self.last[number])):
                if not self.buffered[warp] or self.at[warp] == len(self.warps[warp]):
                    continue
                own = self.warps[warp][self.at[warp]]
                if self.issued[own.kind][number] is not None:
                    continue
                if not self.unwritten[warp].isdisjoint({own.writes, *own.reads}):
                    continue
                self.issued_ever += 1
                own.order, self.issued[own.kind][number] = self.issued_ever, own
                if own.writes is not None:
                    self.unwritten[warp].add(own.writes)
                self.pending += 1
                self.at[warp] += 1
                self.buffered[warp] -= 1
                self.last[number] = warp
                break

    def fetch(self) -> None:
        """Four times a cycle two instructions for a warp that has none."""
        count = len(self.warps)
        for _ in range(4):
            if self.fetching >= 0:
                left = len(self.warps[self.fetching]) - self.at[self.fetching]
                self.buffered[self.fetching], self.fetching = min(2, left), -1
            for ahead in range(count):
                warp = (self.fetched + 1 + ahead) % count
                if not self.buffered[warp] and self.at[warp] < len(self.warps[warp]):
                    self.fetching = self.fetched = warp
                    break


def cycles(config: str, step: int, *, in_order: bool) -> int:
    """Of a stream ``bank`` on the SM that has most thread blocks (of eight warps)."""
    warps = [list(bank_stream(warp, step)) for warp in range(8 * BLOCKS[config])]
    return Sm(CONFIGS[config], warps, in_order=in_order).run()


def main() -> None:
    """Print a line for each stream ``bank``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    table: Path = parser.parse_args().data / "peers" / "accelsim_cycles.csv"
    for row in csv.DictReader(table.read_text(encoding="utf-8").splitlines()):
        name, _, step = row["stream"].partition("_")
        if name == "bank":
            found = [cycles(row["config"], int(step), in_order=each) for each in (True, False)]
            wanted = int(row["cycles"])
            off = "".join(f"{each:8,} {each / wanted - 1:+7.1%}" for each in found)
            print(f"{row['stream']:8} {row['config']:14} {wanted:8,}{off}")


if __name__ == "__main__":
    main()
