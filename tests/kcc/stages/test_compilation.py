"""CPU seconds that compiled code takes to be there are told from those of running it."""

import time

from kcc.stages.compilation import preparation


def test_only_the_first_call_prepares() -> None:
    import numba

    @numba.njit(cache=False)
    def inner(count: int) -> float:
        return sum([0.5 * n for n in range(count)])

    @numba.njit(cache=False)
    def added(count: int) -> float:
        return inner(count) + inner(count + 1)

    with preparation() as first:
        began = time.process_time()
        added(3)
        whole = time.process_time() - began
    with preparation() as second:
        added(100_000)
    assert 0 < first.seconds <= whole
    assert second.seconds == 0
