"""A stream of one dependent chain by hand, and Accel-Sim's cycles of the streams on trial."""

from __future__ import annotations

import pytest

from benchmarks.collector_trial import CONFIGS, Instruction, Sm, cycles


def test_one_addition_takes_seven_cycles_from_the_next():
    """Issue, collector, registers, unit, result: 7 cycles on an RTX 3070 by its own measurement."""
    config = CONFIGS["sm86-rtx3070"]

    def taken(count: int) -> int:
        chain = [Instruction(0, "single", 1, (1,)) for _ in range(count)]
        return Sm(config, [chain], in_order=True).run()

    assert taken(40) - taken(20) == 20 * 7


@pytest.mark.parametrize(
    ("config", "step", "accel_sim"), [("sm86-rtx3070", 2, 6090), ("sm7-qv100", 8, 8566)]
)
def test_streams_take_what_accel_sim_gives(config: str, step: int, accel_sim: int):
    assert cycles(config, step, in_order=True) == pytest.approx(accel_sim, rel=0.02)


def test_without_the_order_of_schedulers_the_stream_is_too_fast():
    assert cycles("sm86-rtx3070", 2, in_order=False) < 0.75 * 6090
