"""Registers hold what is read from them: random walks through kernels, with a machine that knows
which value each register has."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.base.trace.tables import TraceTables
from kcc.cli import main
from kcc.sim.accelsim.lowering import Lowered, lower
from kcc.sim.accelsim.registers import Allocation, Move, allocate
from kcc.sim.cycle.machine import machine_of
from kcc.sim.cycle.program import program_of

KERNELS = Path(__file__).parents[3] / "kernels"
STEPS = 400
"""Blocks of a walk."""

Token = tuple[int, int]
"""A value, and which of its instances."""


class RandomWalk:
    """A walk: ``values`` are what values are by their meaning, ``registers`` what is in them."""

    def __init__(self, tables: TraceTables, lowered: Lowered, found: Allocation) -> None:
        self.tables, self.lowered, self.found = tables, lowered, found
        self.values, self.registers = dict[int, Token](), dict[int, Token]()
        self.count = self.checked = 0

    def fresh(self, value: int) -> Token:
        self.count += 1
        return value, self.count

    def block(self, block: int) -> None:
        """Execute the instructions of a block."""
        segments = [s for s, own in enumerate(self.tables.segments) if own.block == block]
        for segment in segments:
            for draft in self.lowered.segments[segment]:
                for value in draft.of:
                    self.check(value)
                if draft.to >= 0:
                    self.values[draft.to] = self.fresh(draft.to)
                    self.registers[self.found.register[draft.to]] = self.values[draft.to]

    def check(self, value: int) -> None:
        assert self.registers[self.found.register[value]] == self.values[value]
        self.checked += 1

    def edge(self, before: int, block: int) -> None:
        """Go from a block to another: phis take on their values, all at once."""
        phis = [phi for phi in self.lowered.phis if phi.block == block]
        meant = {
            phi.value: self.values[phi.incoming[before]] if before in phi.incoming
            else self.fresh(phi.value)
            for phi in phis
        }  # fmt: skip
        for move in (*self.found.tails.get(before, ()), *self.found.edges.get((before, block), ())):
            self.move(move)
        for phi in phis:
            if before not in phi.incoming:  # a constant: no instruction of the trace
                self.registers[self.found.register[phi.value]] = meant[phi.value]
        self.values.update(meant)
        for phi in phis:
            self.check(phi.value)

    def move(self, move: Move) -> None:
        register = self.found.register
        self.registers[register[move.to]] = self.registers[register[move.of]]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["matmul", "fft", "lud", "nw", "mandelbrot", "bitonic", "hotspot"])
def test_registers_hold_what_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / "k.kct"
    source = KERNELS / name / f"{name}.cl"
    main(["trace", str(source), "--size", "tiny", "-o", str(path)])
    checked = 0
    with open_trace(path) as trace:
        for tables in trace.tables:
            machine = machine_of(load_gpu("v100", []), 256, None, 0)
            lowered = lower(tables, program_of(tables, machine), machine, 70)
            found = allocate(tables, lowered)
            assert found.shared == 0
            for seed in range(5):
                checked += _random_walk(RandomWalk(tables, lowered, found), random.Random(seed))
    assert checked > 300


def _random_walk(walk: RandomWalk, source: random.Random) -> int:
    block = 0
    for _ in range(STEPS):
        walk.block(block)
        successors = walk.tables.blocks[block].successors
        if not successors:
            break
        following = source.choice(successors)
        walk.edge(block, following)
        block = following
    return walk.checked
