"""An SM with few operations, whose cycles are computed by hand beside each of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from kcc.sim.estimate import pipeline_native as native
from kcc.sim.machine.costs import Unit
from kcc.sim.program.operations import Memory


@dataclass(frozen=True, slots=True)
class Row:
    """An operation; ``needs`` are places of others."""

    unit: Unit = Unit.ALU
    memory: Memory = Memory.NONE
    needs: tuple[int, ...] = ()
    slots: float = 1.0
    held: float = 0.0
    """No less than its slots."""
    busy: float = 1.0
    latency: float = 4.0
    port: float = 0.0
    l2: float = 0.0
    dram: float = 0.0
    write: float = 0.0
    sectors: float = 0.0
    misses: float = 0.0
    pending: float = 0.0
    l2_cycles: float = 2.0


SM = native.Sm(
    schedulers=1, resident=1, warps=1, blocks=1, dram_cycles=3.0, queue=24.0, xu_queue=0.0,
    shared_latency=23.0, l1_latency=30.0, l2_latency=200.0, dram_latency=480.0, dram_wait=0.0,
    constant_latency=8.0, barrier_latency=20.0, atomic_latency=250.0, block_start=300.0,
)  # fmt: skip

ADD = Row()
AFTER = Row(needs=(0,))
"""Waits for the first operation, and is done four cycles later."""


def run(rows: list[Row], **changed: float) -> native.Run:
    """Every warp does all of them in order."""
    sm = SM._replace(**changed)
    rows = [replace(row, held=max(row.held, row.slots)) for row in rows]
    needs = [n for row in rows for n in row.needs]
    columns = (
        "slots", "held", "busy", "latency", "port", "l2", "dram", "write", "sectors", "misses",
        "pending", "l2_cycles",
    )  # fmt: skip
    operations = native.Operations(
        np.cumsum([0, *(len(row.needs) for row in rows)], dtype=np.int32),
        np.array(needs or [0], np.int32), np.array([row.unit for row in rows], np.int32),
        np.array([row.memory for row in rows], np.int32),
        *(np.array([getattr(row, name) for row in rows], np.float64) for name in columns),
        *(np.arange(len(rows), dtype=np.int32) for _ in ("same", "results")),
    )  # fmt: skip
    starts = np.array([0, len(rows)], np.int32)
    taken = np.zeros((1, sm.warps), np.int32)
    found = native.run_sm(starts, np.arange(len(rows), dtype=np.int32), taken, operations, sm)
    assert found.spent.sum() == pytest.approx(found.cycles * sm.schedulers)
    return found


def cycles(rows: list[Row], **changed: float) -> float:
    return run(rows, **changed).cycles


def test_a_result_is_waited_for():
    """Issued at 0, there at 4; the next is issued then and done at 8."""
    assert cycles([ADD, AFTER]) == 8
    assert cycles([ADD, ADD]) == 5  # nothing to wait for: issued at 0 and 1, done at 4 and 5


def test_the_last_of_several_results_counts():
    """The second is issued at 1 and there at 21; the third at 21, done at 25."""
    assert cycles([ADD, Row(latency=20.0), Row(needs=(0, 1))]) == 25


def test_all_results_count_that_an_operation_needs():
    """Twelve are issued at 0 to 11, the first of which is there at 60."""
    first = Row(latency=60.0)
    assert cycles([first, *[ADD] * 11, Row(needs=tuple(range(11, -1, -1)))]) == 64


def test_a_unit_takes_the_next_when_it_is_free():
    """Busy for 3 cycles each: issued at 0, 3 and 6, done at 10. With a queue of 3 the second is
    taken in at 1, begins at 3; the third is taken in at 3, begins at 6, and is done then, too. No
    other unit has a queue."""
    rows = [Row(Unit.SFU, busy=3.0)] * 3
    assert cycles(rows) == 10
    queued = run(rows, xu_queue=3.0)
    assert queued.cycles == 10
    assert run([Row(busy=3.0)] * 3, xu_queue=3.0).spent[native.UNIT] == 4
    assert queued.spent[native.UNIT] == 1  # the cycle from 2 to 3
    assert run(rows).spent[native.UNIT] == 4  # 1 to 3 and 4 to 6


def test_schedulers_share_a_unit_that_stands_between_them():
    """Busy for 8 cycles where each of two schedulers has a unit: issued at 0 and 8, done at 18. Of
    one unit for both a warp that works alone has all: 0 and 4, done at 14; of two warps the one
    in the first place has it first: 0 and 4, 8 and 12, done at 22."""
    rows = [Row(Unit.FP64, busy=8.0, latency=10.0)] * 2
    assert cycles(rows, schedulers=2) == cycles(rows, schedulers=2, warps=2) == 18
    assert cycles(rows, schedulers=2, one_fp64=True) == 14
    both = run(rows, schedulers=2, warps=2, one_fp64=True)
    assert both.cycles == 22
    assert both.spent[native.UNIT] == 3 + (8 + 3)
    assert cycles([Row(busy=8.0, latency=10.0)] * 2, schedulers=2, one_fp64=True) == 18


def test_slots_keep_the_scheduler():
    """Another warp waits: 5 slots of each, done 4 cycles after the second began at 5."""
    assert cycles([Row(slots=5.0, busy=0.0)], warps=2) == 10
    assert cycles([Row(slots=5.0, busy=0.0)], warps=2, schedulers=2) == 5


def test_what_lanes_give_each_other_goes_through_shared_memory() -> None:
    """Through the port from 0 to 1, there 23 later, at 24; the next is done at 28. A second warp's
    goes through from 1 to 2."""
    rows = [Row(Unit.MEMORY, Memory.SHUFFLE, port=1.0, busy=0.0), AFTER]
    assert cycles(rows) == 28
    assert cycles(rows, warps=2, schedulers=2) == 29


def barrier_rows() -> list[Row]:
    return [ADD, Row(Unit.CONTROL, Memory.BARRIER, latency=0.0), ADD]


def test_a_barrier_takes_its_latency():
    """Warp 0 issues at 0 and comes to the barrier at 1, warp 1 at 2 and 3; both go on at 4 and 20
    more: at 24 and 25, done at 29."""
    assert cycles(barrier_rows(), warps=2) == 29
    assert cycles(barrier_rows(), warps=2, barrier_latency=0.0) == 9


def test_who_ends_is_not_waited_for_at_a_barrier():
    """Two thread blocks of a warp each do not wait for each other: 0 and 1, 2 and 3; the first
    goes on at 22, the second at 24 and is done at 28."""
    assert cycles(barrier_rows(), blocks=2, resident=2) == 28


def test_a_thread_block_starts_when_another_has_ended():
    """One warp's operation is issued at 0; the next block at 1 and 300 more, done at 305."""
    assert cycles([ADD], blocks=2) == 305
    assert cycles([ADD], blocks=2, resident=2) == 5


def load(**more: float) -> Row:
    return Row(Unit.MEMORY, Memory.GLOBAL_LOAD, port=1.0, **more)  # type: ignore[arg-type]


def test_loads_come_from_where_they_hit():
    """L1: the port until 1, then 30. L2: four sectors at 2 cycles until 9, then 200. DRAM: four
    sectors at 3 cycles until 13, later than L2; then 480, of which L1's 30 are part. An addition
    that waits for them is done 4 later."""
    assert cycles([load(), AFTER]) == 35
    assert cycles([load(l2=4.0, sectors=4.0), AFTER]) == 213
    assert cycles([load(l2=4.0, dram=4.0, sectors=4.0), AFTER]) == 467
    assert cycles([load(l2=4.0, dram=4.0, sectors=4.0), AFTER], dram_wait=50.0) == 517


def test_of_reads_that_are_waited_for_together_the_last_counts():
    """Waits at random of 60 in the mean: of two lines that are read one after the other the longer
    one, 1.5 times as long. The second is served at 2, its sectors until 25 (DRAM: 13 + 12)."""
    rows = [load(l2=4.0, dram=4.0, sectors=4.0)] * 2
    assert cycles([*rows, Row(needs=(0, 1))], dram_wait=60.0) == 25 + 450 + 90 + 4


def test_sectors_that_fall_as_they_may():
    """A quarter of the sectors misses: each fourth load asks L2 for four of them. Loads are issued
    at 0 to 3 and served a cycle later; the fourth is there at 4 + 8 + 200."""
    one = load(l2=1.0, sectors=4.0)
    assert cycles([one, one, one, one, Row(needs=(0, 1, 2, 3))]) < 40  # each owes for itself
    found = cycles([one], warps=4)  # one operation, four warps
    assert found == 212


def store(**more: float) -> Row:
    return Row(Unit.MEMORY, Memory.GLOBAL_STORE, port=1.0, **more)  # type: ignore[arg-type]


def test_stores_take_l2_and_dram():
    """Served at 1; four sectors take L2 until 9, DRAM until 13: the launch ends then, and the
    scheduler waited for DRAM for 12 cycles."""
    found = run([store(write=4.0, dram=4.0)])
    assert found.cycles == 13
    assert found.spent[native.DRAM] == 12
    assert cycles([store(write=4.0)]) == 9


def test_stores_keep_loads_from_dram():
    """A store takes DRAM until 13, a load after it until 25."""
    rows = [store(write=4.0, dram=4.0), load(l2=4.0, dram=4.0, sectors=4.0), Row(needs=(1,))]
    assert cycles(rows) == 25 + 450 + 4


def test_atomics_take_no_less_than_their_latency():
    """Served at 1, its sector from L2 until 3 and there at 203; but atomics take 250, and of two
    sectors in a slow L2 longer: 1 + 2 x 60 + 200."""
    one = Row(Unit.MEMORY, Memory.GLOBAL_ATOMIC, port=1.0, l2=1.0, write=1.0, sectors=1.0)
    assert cycles([one, AFTER]) == 255
    two = Row(
        Unit.MEMORY, Memory.GLOBAL_ATOMIC, port=1.0, l2=2.0, write=2.0, sectors=2.0, l2_cycles=60.0
    )
    assert cycles([two, AFTER]) == 325


@pytest.mark.parametrize(
    ("memory", "latency"),
    [(Memory.SHARED_LOAD, 23), (Memory.SHARED_ATOMIC, 23), (Memory.CONSTANT_LOAD, 8)],
)
def test_the_port_and_then_the_latency(memory: Memory, latency: int):
    """Two accesses of 16 cycles, one after the other: the second is served at 32."""
    row = Row(Unit.MEMORY, memory, port=16.0)
    assert cycles([row, row, Row(needs=(1,))]) == 32 + latency + 4


def test_the_port_takes_in_no_more_than_its_queue():
    """Accesses of 16 cycles: the port is taken until 16, 32, 48. The third waits until no more than
    24 cycles of work are there, at 8, the fourth until 24; each is served 16 after the last."""
    row = Row(Unit.MEMORY, Memory.SHARED_STORE, port=16.0)
    found = run([row] * 4)
    assert found.cycles == 64
    assert found.spent[native.PORT] == 6 + 15


def test_a_bank_of_registers_holds_the_scheduler():
    """Four additions of three operands, each a cycle and a half behind the one before it: issued at
    0, 1.5, 3 and 4.5, the last done at 8.5. A unit that takes two cycles anyway decides alone."""
    row = Row(held=1.5)
    found = run([row] * 4)
    assert found.cycles == 8.5
    assert found.spent[native.ISSUE] == 4
    assert found.spent[native.REGISTERS] == 2
    assert cycles([Row(held=1.5, busy=2.0)] * 4) == cycles([Row(busy=2.0)] * 4) == 10


def test_greedy_schedulers_stay_with_a_warp():
    """Two warps of three operations each, the last one 20 cycles behind the second. In turn by
    place: warp 0 at 0, 1; warp 1 at 2, 3; 21 and 23, done at 27. Greedy, the youngest next: the
    same with warps exchanged. A warp with nothing to wait for is not left."""
    rows = [ADD, Row(latency=20.0), Row(needs=(1,))]
    assert cycles(rows, warps=2) == cycles(rows, warps=2, greedy=True) == 27
