"""What a host adds to each launch that it waits for, taken from the smallest rows of a table.

A launch that does next to nothing takes what its host and driver take, which no description of a
GPU says. For the rows of one program it is the least that the smallest rows of all *other* programs
on the same GPU leave beside our time of their kernels; so no row has a part in its own. The
smallest rows themselves are then no test any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.suite_outcome import Outcome


def overhead(row: Outcome, rows: Sequence[Outcome]) -> float:
    """What the host adds to a row; what we took it to be where there is no other program."""
    beside = [
        each.measured - (each.ours - each.launch)
        for each in rows
        if each.measured is not None and each.ours is not None and each.smallest
        and (each.gpu, each.program == row.program) == (row.gpu, False)
    ]  # fmt: skip
    return max(min(beside, default=row.launch), row.launch)


def with_host(rows: Sequence[Outcome]) -> list[Outcome]:
    """The rows that are no smallest ones, with the host's part in place of ours."""
    found = list[Outcome]()
    for row in rows:
        if row.ours is not None and not row.smallest:
            more = overhead(row, rows) - row.launch
            found.append(
                replace(row, ours=row.ours + more, low=row.low + more, high=row.high + more,
                        launch=row.launch + more)
            )  # fmt: skip
    return found
