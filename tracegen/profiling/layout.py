"""What the compiled loops of a profile and the Python around them must agree on."""

from __future__ import annotations

EXACT_TRIPS = 64
"""Trip counts below this have a bucket each; above, a bucket holds those with the same top bit."""

TRIP_BUCKETS = EXACT_TRIPS + 57
"""With one for each top bit, 6 to 62, that a larger trip count of 63 bits can have."""

MOST = 320
"""Where histograms of sectors, lines and passes end, with "or more": 64 lanes with 128 bytes each,
not aligned, touch as many sectors."""

(LOCAL, CACHED, OTHER) = range(3)
"""Kinds of memory: on chip in banks; below caches (global, constant); neither (private)."""

PERIOD = 128
"""Bytes by whose multiples addresses can be shifted without a change of sectors, lines or banks."""

(
    KNOWN_MASK, KNOWN_PLACE, KNOWN_SECTORS, KNOWN_LINES, KNOWN_BANKS_32, KNOWN_BANKS_16, KNOWN,
) = range(7)  # fmt: skip
"""What is kept of an instruction's last access: lanes, place of the leader's address in its period,
what it cost; and their number."""

(EXECUTIONS, LANES, SECTORS, LINES, FULL_WARPS, TOTALS) = range(6)
"""Columns by access, and their number: executions by warps, active lanes, 32-byte sectors,
128-byte lines, executions with all lanes."""

(
    WARP_INSTRUCTIONS, THREAD_INSTRUCTIONS, MEMORY_INSTRUCTIONS, LINE_REQUESTS, SECTOR_REQUESTS,
    PER_BLOCK,
) = range(6)  # fmt: skip
"""Columns by thread block, and their number, as :class:`kcc.base.profile.model.PerBlock` has
them."""

BUCKETS = 42
"""Of reuse distances: bucket 0 holds distance 0, bucket k distances from 2^(k-1) to 2^k - 1, the
last one lines that had not been touched before."""

FULL = 24
"""Bits of a line's hash that are held against the threshold, and as many more choose the slot; a
threshold of 2^24 takes every line."""

(CLOCK, TRACKED, THRESHOLD_BITS) = range(3)
"""Places in the state of reuse distances: time, lines tracked, bits of the threshold."""
