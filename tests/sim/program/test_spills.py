"""Values that leave registers: cases counted by hand, and what holds on programs at random."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Unit
from kcc.sim.program.operations import MachineOperation, Memory
from kcc.sim.program.spills import with_spills

NOTHING = frozenset[int]()


def operation(*needs: int) -> MachineOperation:
    return MachineOperation(
        Unit.FMA, InstructionClass.FP32, 1.0, 1.0, needs, Memory.NONE, -1, 4, 0, -1
    )


def moved(
    rows: list[MachineOperation], part: list[int], room: int, live_out: frozenset[int] = NOTHING,
    *, repeats: bool = False,
) -> tuple[int, int]:  # fmt: skip
    """Loads and stores of a block whose values take a register each."""
    rows = list(rows)
    spilled = with_spills(rows, part, [1] * len(rows), live_out, room, repeats=repeats)
    assert [n for n in spilled.block if n in part] == part
    kinds = Counter(rows[n].memory for n in spilled.block)
    return kinds[Memory.PRIVATE], kinds[Memory.PRIVATE_STORE]


def test_what_fits_stays() -> None:
    rows = [operation(), operation(), operation(0, 1)]
    assert moved(rows, [0, 1, 2], 2) == (0, 0)


def test_the_value_wanted_last_goes_out_once_and_comes_back_once() -> None:
    # 0 and 1 are made; 2 is made of 1 while 0 waits for 3: with two registers 1 leaves for 2's.
    rows = [operation(), operation(), operation(), operation(2, 1), operation(3, 0)]
    assert moved(rows, [0, 1, 2, 3, 4], 2) == (1, 1)


def test_a_value_that_memory_holds_is_not_written_again() -> None:
    # Of two registers 0 leaves for 1 and 2 and comes back for 4; and again for 5 and 6, and 8.
    rows = [
        operation(),
        operation(), operation(), operation(1, 2), operation(0),
        operation(), operation(), operation(5, 6), operation(0),
    ]  # fmt: skip
    assert moved(rows, list(range(9)), 2) == (2, 1)


def test_sums_that_come_round_leave_and_come_back_in_each_iteration() -> None:
    # Eight sums, each added to itself in place once an iteration, in five registers: of a cycle of
    # n values the best that k registers can do is to bring in n (n - k) / (n - 1) of them.
    sums = range(8)
    rows = [operation(n) for n in sums]
    loads, stores = moved(rows, list(sums), 5, frozenset(sums), repeats=True)
    assert 3 <= loads <= 4
    assert 3 <= stores <= 4
    assert moved(rows, list(sums), 8, frozenset(sums), repeats=True) == (0, 0)


def test_values_that_are_not_away_at_one_time_share_memory() -> None:
    # Of two registers 0 leaves for 1 and 2, then 3 for 4 and 5, when 0 is no longer wanted.
    rows = [
        operation(), operation(), operation(), operation(1, 2), operation(0, 3),
        operation(), operation(), operation(5, 6), operation(4, 7),
    ]  # fmt: skip
    spilled = with_spills(rows, list(range(9)), [1] * 9, NOTHING, 2, repeats=False, place=64)
    away = [rows[n] for n in spilled.block if rows[n].memory is Memory.PRIVATE_STORE]
    assert [row.place for row in away] == [64, 64]
    assert spilled.words == 1


def test_sums_that_come_round_take_as_much_memory_as_there_are_away_at_once() -> None:
    # Eight in five registers: three or four are away, though each of the eight is at some time.
    sums = list(range(8))
    rows = [operation(n) for n in sums]
    spilled = with_spills(rows, sums, [1] * 8, frozenset(sums), 5, repeats=True)
    assert 3 <= spilled.words <= 4


def test_what_shared_memory_holds_is_loaded_from_there_again() -> None:
    load = replace(operation(), memory=Memory.SHARED_LOAD, unit=Unit.MEMORY)
    rows = [load, operation(), operation(), operation(1, 2), operation(0, 3)]
    spilled = with_spills(rows, list(range(5)), [1] * 5, NOTHING, 2, repeats=False)
    assert [rows[n].memory for n in spilled.block].count(Memory.SHARED_LOAD) == 2
    assert spilled.words == 0
    barrier = replace(operation(), memory=Memory.BARRIER, unit=Unit.CONTROL)
    rows = [load, barrier, operation(), operation(), operation(2, 3), operation(0, 4)]
    spilled = with_spills(rows, list(range(6)), [1, 0, 1, 1, 1, 1], NOTHING, 2, repeats=False)
    assert spilled.words == 1


def test_what_only_passes_through_a_loop_costs_it_nothing() -> None:
    rows = [*(operation() for _ in range(6)), operation(6), operation(7, 6)]
    live_out = frozenset(range(8))
    assert moved(rows, [6, 7], 2, live_out, repeats=True) == (0, 0)


@given(
    st.lists(st.lists(st.integers(0, 40), max_size=3), min_size=1, max_size=40),
    st.integers(3, 12), st.booleans(),
)  # fmt: skip
def test_who_needs_a_value_finds_it(needs: list[list[int]], room: int, repeats: bool) -> None:
    count = len(needs)
    rows = [operation(*dict.fromkeys(n % count for n in each)) for each in needs]
    come_round = {n for i, row in enumerate(rows) for n in row.needs if n >= i}
    live_out = frozenset(range(0, count, 3)) | come_round
    loads, stores = moved(rows, list(range(count)), room, live_out, repeats=repeats)
    assert loads <= sum(len(row.needs) for row in rows)
    more_loads, more_stores = moved(rows, list(range(count)), room + 60, live_out, repeats=repeats)
    assert (more_loads, more_stores) == (0, 0)
    assert stores <= count + len(live_out) + loads
