"""Within what a time is to be expected, from what it rests on.

The widths are judgement, not statistics: the first is what the better half of the configurations in
docs/accuracy.md stays within; docs/accuracy.md also says which share of measured times of other
tables lies in the ranges.
"""

from __future__ import annotations

LEAST = 1.25
"""A factor each way where nothing had to be assumed."""

FOR_ASSUMED_EVENTS = 0.75
"""More where all that warps execute is behind a branch, or in a loop, that had to be assumed."""

FOR_UNKNOWN_ADDRESSES = 0.5
"""More where an access has no known addresses: its sectors are between one and one a lane."""

FOR_ASSUMED_VALUE, FOR_WEAK_VALUE = 0.02, 0.01
"""More for each value of the GPU that its description lacks, or that is a sibling's or a guess;
most are latencies, of which few decide."""

FOR_INTERLEAVING = 2.0
"""More for each standard deviation, as a share, of what DRAM moves over trials of interleavings."""


def range_of(
    time_us: float, assumed_share: float, unknown_accesses: int, assumed_values: int,
    weak_values: int = 0, interleaving: float = 0.0,
) -> tuple[float, float]:  # fmt: skip
    """The least and the greatest time."""
    spread = LEAST + FOR_ASSUMED_EVENTS * min(assumed_share, 1.0)
    spread += FOR_UNKNOWN_ADDRESSES * (unknown_accesses > 0)
    spread += FOR_ASSUMED_VALUE * assumed_values + FOR_WEAK_VALUE * weak_values
    spread += FOR_INTERLEAVING * interleaving
    return time_us / spread, time_us * spread
