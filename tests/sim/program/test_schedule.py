"""Orders of operations, registers and spills, on programs made by hand and at random."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Unit
from kcc.sim.program.operations import MachineOperation, Memory
from kcc.sim.program.registers import live_out_of, pressure
from kcc.sim.program.schedule import schedule


def operation(needs: tuple[int, ...], memory: Memory = Memory.NONE) -> MachineOperation:
    units = {Memory.NONE: Unit.FMA, Memory.BARRIER: Unit.CONTROL}
    unit = units.get(memory, Unit.MEMORY)
    return MachineOperation(unit, InstructionClass.FP32, 1.0, 1.0, needs, memory, -1, 4, 0, -1)


def programs() -> st.SearchStrategy[list[MachineOperation]]:
    kinds = st.sampled_from(
        [Memory.NONE, Memory.NONE, Memory.SHARED_LOAD, Memory.SHARED_STORE, Memory.BARRIER]
    )
    picks = st.lists(st.tuples(st.lists(st.integers(0, 99), max_size=3), kinds), max_size=60)

    def build(rows: list[tuple[list[int], Memory]]) -> list[MachineOperation]:
        return [
            operation(tuple(dict.fromkeys(n % i for n in needs)) if i else (), memory)
            for i, (needs, memory) in enumerate(rows)
        ]

    return picks.map(build)


@given(programs(), st.integers(0, 40))
def test_an_order_keeps_what_depends(rows: list[MachineOperation], room: int) -> None:
    block = list(range(len(rows)))
    (order,) = schedule(rows, [block], [1] * len(rows), [frozenset()], room).blocks
    assert sorted(order) == block
    place = {number: i for i, number in enumerate(order)}
    for number, row in enumerate(rows):
        assert all(place[need] < place[number] for need in row.needs)
    for number, row in enumerate(rows):
        if row.memory is Memory.BARRIER:
            assert set(order[: place[number]]) == set(range(number))


def test_a_chain_takes_one_register_and_a_fan_many() -> None:
    chain = [operation((i - 1,) if i else ()) for i in range(10)]
    assert pressure(chain, range(10), [1] * 10, frozenset()) == 1
    fan = [*(operation(()) for _ in range(9)), operation(tuple(range(9)))]
    assert pressure(fan, range(10), [1] * 10, frozenset()) == 9


def test_a_sum_that_comes_round_takes_one_register() -> None:
    # Block 0 leads to 1, a loop that begins with a constant: b = sum + 1, sum = b + 1.
    rows = [operation(()), operation((2,)), operation((1,)), operation((2,))]
    live_out = live_out_of(rows, [[0], [1, 2], [3]], [[1], [1, 2], []])
    assert live_out == [frozenset(), frozenset({2}), frozenset()]
    assert pressure(rows, [1, 2], [1] * 4, live_out[1]) == 1


def test_sums_that_share_loads_rows_apart_take_few_registers() -> None:
    # A filter of 15x15 for 5x4 sums, the rows of which lie 8 apart: each value is loaded once and
    # wanted again 8 rows of products later. All 2,820 loads could be first.
    rows, loads, sums = list[MachineOperation](), dict[tuple[int, int, int], int](), [-1] * 20
    for i in range(15):
        for j in range(15):
            for number in range(20):
                y, x = divmod(number, 4)
                place = (8 * y + i, x, j)
                if place not in loads:
                    loads[place] = len(rows)
                    rows.append(operation((), Memory.SHARED_LOAD))
                before = () if sums[number] < 0 else (sums[number],)
                sums[number] = len(rows)
                rows.append(operation((*before, loads[place])))
    found = schedule(rows, [range(len(rows))], [1] * len(rows), [frozenset(sums)], 64)
    assert found.taken[0] <= 64
