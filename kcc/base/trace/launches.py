"""What a trace file says of the whole run and of each launch."""

from __future__ import annotations

import re
from math import prod

from kcc.base.records import dataclass
from kcc.base.trace.coordinates import NO_RADICES, SIDES, Coordinates, Radices

DYNAMIC, STATIC = "dynamic", "static"
"""What made a trace: a run, or the analysis of a source."""

CHUNKS, CLASSES = "chunks", "classes"
"""How a launch is kept: all its warps one after another, or classes of equal warps."""

_HEXADECIMAL = re.compile(r"(?:[0-9a-f]{2})*")

LARGEST_BLOCK = 1 << 20
"""Work-items; a thousand times what GPUs take."""

MAX_RADICES = 28
"""In all four numbers; with them a warp has at most 32 coordinates."""

BUFFER_SPACES = ("global", "constant", "local", "private", "image")


@dataclass(frozen=True, slots=True)
class TraceHeader:
    """What made the trace: kcc's version, ``dynamic`` or ``static``, and the script or source."""

    kcc_version: str
    made_by: str
    program: str


@dataclass(frozen=True, slots=True)
class TracedScalar:
    """An argument by value: its bytes in hexadecimal, and the number as text ("" for a struct)."""

    argument: int
    data: str
    text: str


@dataclass(frozen=True, slots=True)
class TracedBuffer:
    """The memory that an argument points to: where its virtual addresses begin, and its bytes.

    ``space`` is private for a struct by value; images have no addresses (0), and what touches
    them is not traced. In the launches of one host program equal addresses are the same memory.
    """

    argument: int
    name: str
    space: str
    address: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class TraceLaunch:
    """One launch. ``number`` counts the launches of the run, traced or not; ``tables`` the kernels
    of the file. Sizes are in work-items, one to three of them; x is the first.

    ``local_bytes`` are those of a thread block in all, ``form`` is ``chunks`` or ``classes``;
    ``addresses`` says whether addresses were traced. ``radices`` are those of the coordinates of
    classes, for x, y, z and warp; none where it is empty.
    """

    number: int
    tables: int
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    offset: tuple[int, ...]
    local_bytes: int
    scalars: tuple[TracedScalar, ...]
    buffers: tuple[TracedBuffer, ...]
    form: str
    addresses: bool
    radices: Radices = ()

    @property
    def blocks(self) -> tuple[int, int, int]:
        """Thread blocks in x, y and z."""
        sizes = [all_ // own for all_, own in zip(self.global_size, self.local_size, strict=True)]
        x, y, z = (*sizes, 1, 1)[:3]
        return (x, y, z)

    @property
    def thread_blocks(self) -> int:
        return prod(self.blocks)

    def warps(self, width: int) -> int:
        """Warps of a thread block."""
        return -(-prod(self.local_size) // width)

    def coordinates(self, width: int) -> Coordinates:
        """Those of warps with so many lanes."""
        return Coordinates((*self.blocks, self.warps(width)), self.radices or NO_RADICES)


@dataclass(frozen=True, slots=True)
class LaunchTotals:
    """What a launch adds up to. ``segments`` and ``accesses`` are executions by warps; ``counts``
    are, for each block, its executions by warps and the lanes active in them in all."""

    segments: int
    accesses: int
    warp_instructions: int
    thread_instructions: int
    counts: tuple[tuple[int, int], ...]


def check_launch(launch: TraceLaunch, arguments: int) -> None:
    """Raise ValueError unless the launch is one of a kernel with so many arguments."""
    sizes = (launch.global_size, launch.local_size, launch.offset)
    dimensions = {len(launch.global_size), len(launch.local_size)}
    _require(dimensions <= {1, 2, 3} and len(dimensions) == 1, "dimensions")
    _require(len(launch.offset) in (0, *dimensions), "dimensions of the offset")
    _require(all(0 <= s < 1 << 62 for size in sizes for s in size), "a size is out of range")
    pairs = zip(launch.global_size, launch.local_size, strict=True)
    _require(all(own > 0 and all_ % own == 0 for all_, own in pairs), "the sizes do not divide")
    _require(launch.thread_blocks < 1 << 62, "there are too many thread blocks")
    _require(prod(launch.local_size) <= LARGEST_BLOCK, "a thread block is too large")
    _require(launch.form in (CHUNKS, CLASSES), f"the form '{launch.form}' is not known")
    for scalar in launch.scalars:
        _require(0 <= scalar.argument < arguments, "a scalar's argument")
        _require(_HEXADECIMAL.fullmatch(scalar.data) is not None, "a scalar's value")
    for buffer in launch.buffers:
        _require(0 <= buffer.argument < arguments, "a buffer's argument")
        _require(buffer.space in BUFFER_SPACES, "a buffer's address space")
        _require(min(buffer.address, buffer.size_bytes) >= 0, "a buffer's place")
    if launch.radices:
        _require(len(launch.radices) == SIDES, "radices of four numbers expected")
        radices = [r for own in launch.radices for r in own]
        _require(len(radices) <= MAX_RADICES, "there are too many radices")
        _require(all(1 < r < 1 << 62 for r in radices), "a radix is out of range")
    _require(launch.number >= 0 and launch.local_bytes >= 0, "a number is negative")


def _require(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise ValueError(f"launch: {otherwise}")
