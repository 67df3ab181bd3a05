"""How many sectors of an open row of DRAM an access asks for.

Addresses go to channels in chunks of some hundred bytes, and a row of each channel holds the chunks
of a region. What the thread blocks that run together ask for in one iteration comes to a channel at
about the same time, and so may be served by opening each row once. Lanes or thread blocks that walk
down a column come to another row with each sector or two.
"""

from __future__ import annotations

import numpy as np

from kcc.passes.access.distinct import unique_values
from kcc.sim.caches.footprint import SECTOR, CacheShape, together, touched
from kcc.sim.caches.streams import Stream

CHUNK = 256
"""Bytes that lie in one channel: 256 on AMD's GPUs (rocprof's "channels of L2"); of NVIDIA's it is
not published, and with a row's size a power of two it decides nothing but where rows are shared."""

ROW_BYTES = 2048
"""Of one channel: the page of GDDR5 and GDDR6 chips (JEDEC JESD212 and JESD250, 2 KB); of HBM two
pseudo channels' pages of 1 KB each (JESD235)."""


def sectors_a_row(stream: Stream, shape: CacheShape, channels: int) -> float:
    """Those of a row that an access to known addresses asks for at once; 1 at least."""
    assert stream.rows is not None
    places = unique_values(together(shape) @ np.array(stream.groups, np.int64))
    sectors, _ = touched([stream.rows], places, np.zeros(1, np.int64))
    chunks = sectors * SECTOR // CHUNK
    regions = sectors * SECTOR // (ROW_BYTES * channels)
    rows = unique_values(regions * channels + _spread(chunks) % channels)
    return len(sectors) / len(rows)


def _spread(chunks: np.ndarray) -> np.ndarray:
    """Chunks' channels, which every GPU makes of all bits of an address, so that strides of powers
    of two go to all of them. Which hash it is is not published; this is one of its kind."""
    return (chunks ^ (chunks >> 5) ^ (chunks >> 11) ^ (chunks >> 17)) & 0x7FFFFFFF
