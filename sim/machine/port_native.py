"""How long a warp's access holds the load/store port, compiled by numba. Import it lazily.

The rule is that of :mod:`kcc.sim.machine.load_port`, for the lanes that are active.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kcc.base.native import inlined
from kcc.sim.machine.banks_native import PIECE, WORD, active, shape
from kcc.sim.machine.load_port import (
    FEW_LANES,
    LONE_WORDS,
    TAGS_PER_CYCLE,
    vector_load_cycles,
)

Ints = Any

TAGS, LONE, FEW = TAGS_PER_CYCLE, int(LONE_WORDS), FEW_LANES
SECTOR = 32


class Port(NamedTuple):
    """What of an access holds the port, in 1/64 cycle, as
    :class:`kcc.sim.machine.load_port.LoadPort` has it; all 0 where there is no such rule."""

    passes: int = 0
    addresses: int = 0
    lookup: int = 0
    crossing: int = 0
    wide_lanes: int = 0
    """Of AMD's loads, which are no part of that rule."""


_vector_load_cycles = inlined(vector_load_cycles)


@inlined
def local_port(
    addresses: Ints, mask: Any, size: int, passes: int, is_load: bool, port: Port
) -> int:
    """1/64 cycles of an access of ``size`` bytes a lane to local memory that takes so many
    passes."""
    pieces = (size + PIECE - 1) // PIECE
    lanes = 0
    for lane in range(len(addresses)):
        lanes += active(mask, lane)
    if lanes > FEW or port.passes == 0:
        held = max(passes * port.passes, pieces * port.addresses)
    else:
        few = lanes * size <= WORD * FEW * passes
        held = max(passes * (64 if few else port.passes), 64 * pieces)
    if is_load and port.crossing > 0:
        start, _, stride = shape(addresses, mask, size)
        if stride == size and start % SECTOR != 0:
            held = max(held, 64 + port.crossing)
    return held


@inlined
def global_port(
    lines: int, sectors: int, addresses: Ints, mask: Any, size: int, passes: int, is_load: bool,
    sector_bytes: int, port: Port,
) -> int:  # fmt: skip
    """1/64 cycles of an access to so many lines and sectors of global memory whose words take so
    many passes of the banks: for these, for its addresses, for its lines in the tags, and, as
    a load, for its data, and where it begins within a sector."""
    pieces = (size + PIECE - 1) // PIECE
    active_lanes = 0
    for lane in range(len(addresses)):
        active_lanes += active(mask, lane)
    words = max(size, WORD) * active_lanes // WORD
    held = passes * (64 if words < LONE * passes else port.passes)
    held = max(held, pieces * port.addresses, 64 + (lines - 1) * 64 // TAGS)
    if not is_load or shape(addresses, mask, size)[2] == 0:
        return held
    beyond = min(max(sectors * sector_bytes - size * active_lanes, 0), sector_bytes)
    held = max(held, 64 + port.crossing * beyond // sector_bytes)
    return max(held, max(size, WORD) * port.passes // WORD + pieces * port.lookup)


@inlined
def copy_port(lines: int, size: int, port: Port) -> int:
    """1/64 cycles of a load of so many lines whose data go to shared memory past registers."""
    pieces = (size + PIECE - 1) // PIECE
    return max(pieces * port.addresses, 64 + (lines - 1) * 64 // TAGS)


@inlined
def vector_port(
    lines: int, sectors: int, width: int, size: int, passes: int, sector_bytes: int, port: Port
) -> int:
    """1/64 cycles of a load of ``width`` lanes on AMD's GPUs."""
    small = float(sectors * sector_bytes // SECTOR)
    cycles = _vector_load_cycles(port.wide_lanes, size, small, float(lines), float(passes), width)
    return round(64 * cycles)
