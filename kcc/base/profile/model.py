"""A profile as typed values: the form in memory of the document `kcc/profile/1`.

The divergence flow statistics graph (DFSG) is that of Yu et al., "GPGPU-MiniBench: Accelerating
GPGPU Micro-Architecture Simulation", IEEE Transactions on Computers 2015, section 4.1.3 and
figure 10. All counts are exact but for the reuse distances of launches that touch more lines than
are tracked (:attr:`LaunchProfile.reuse_sampled`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass

Counts = NDArray[np.int64]

Histogram = Mapping[int, int]
"""How often each value occurred; values that did not are left out."""


@dataclass(frozen=True, slots=True)
class BlockInfo:
    """A basic block of a kernel; ``line`` is 0 where unknown. ``loop`` is the innermost around it,
    by id, or None."""

    id: int
    label: str
    line: int
    instructions: int
    barriers: int
    loop: int | None


@dataclass(frozen=True, slots=True)
class LoopInfo:
    """A natural loop, by its header; ``blocks`` are those of loops inside it too."""

    id: int
    header: int
    line: int
    depth: int
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AccessInfo:
    """A memory instruction: ``op`` is load, store or atomic; ``bytes`` is what one lane moves."""

    id: int
    block: int
    line: int
    column: int
    op: str
    array: str
    address_space: str
    bytes: int


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """What a kernel is, whatever the launch. ``edges`` are pairs of block ids."""

    name: str
    source: str
    optimisation: str
    blocks: tuple[BlockInfo, ...]
    edges: tuple[tuple[int, int], ...]
    loops: tuple[LoopInfo, ...]
    accesses: tuple[AccessInfo, ...]
    local_bytes: int
    private_bytes: int


@dataclass(frozen=True, slots=True)
class Node:
    """A block in a launch. ``ecount``: executions by all threads; ``lcount``: those of them inside
    a loop; ``scount``: barriers that threads passed in it. ``threads``: those that came there at
    least once; ``warps``: executions by warps with at least one active lane.
    """

    block: int
    ecount: int
    lcount: int
    scount: int
    threads: int
    warps: int


@dataclass(frozen=True, slots=True)
class EdgeCount:
    """An edge in a launch. ``oecount`` and ``iecount``: how often threads left the source, and
    came to the target, by it (the same in a program that runs to its end); ``tcount``: the threads
    that took it at least once; ``warps``: arrivals of warps, lanes that came together as one.
    """

    source: int
    target: int
    oecount: int
    iecount: int
    tcount: int
    warps: int


@dataclass(frozen=True, slots=True)
class LoopCount:
    """A loop in a launch. ``entries``: how often threads entered it; ``trips``: executions of its
    header by threads, ``least`` and ``most`` in one entry; ``histogram``: entries by trips, exact
    below 64, above by the largest power of two times 64 that is not larger.
    """

    loop: int
    entries: int
    trips: int
    least: int
    most: int
    histogram: Histogram


@dataclass(frozen=True, slots=True)
class AccessCount:
    """A memory instruction in a launch.

    ``executions`` are by warps, ``full`` those with all lanes active, ``lanes`` the active lanes
    in all. ``sectors`` (32 bytes) and ``lines`` (128 bytes) give executions by the distinct ones
    that a warp touched, for global and constant memory; ``bank_passes`` executions by passes
    through 32 banks of 4 bytes for a whole warp, ``half_warp_bank_passes`` through 16 banks for
    half a warp at a time, for local memory. ``reuse`` gives touches of lines by the number of
    distinct other lines since the last touch, see :class:`LaunchProfile`; ``new_lines`` those of
    lines not touched before in the launch.
    """

    access: int
    executions: int
    full: int
    lanes: int
    sectors: Histogram
    lines: Histogram
    bank_passes: Histogram
    half_warp_bank_passes: Histogram
    reuse: Histogram
    new_lines: int


@dataclass(frozen=True, slots=True)
class PerBlock:
    """By thread block, in order of their linear number: what TBPoint samples by.

    ``memory_instructions`` are executions by warps of accesses to global and constant memory,
    ``memory_requests`` the 128-byte lines they touch, ``sectors`` the 32-byte sectors.
    """

    warp_instructions: Counts
    thread_instructions: Counts
    memory_instructions: Counts
    memory_requests: Counts
    sectors: Counts


@dataclass(frozen=True, slots=True)
class Buffer:
    """The memory that an argument points to: ``space`` is global, constant, local, private (a
    struct by value) or image."""

    argument: int
    name: str
    space: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class LaunchProfile:
    """One launch. ``kernel`` is a place in :attr:`Profile.kernels`; ``mix`` gives for each class
    the instructions executed by warps and by threads; ``local_bytes`` is the local memory of a
    thread block, that of arguments included.

    Reuse distances are counted in 128-byte lines of global and constant memory over the launch in
    the order of execution: thread block by thread block, in a thread block warp by warp up to the
    next barrier. They are given by buckets: 0, and 2^k for 2^k to 2^(k+1) - 1.
    """

    number: int
    kernel: int
    width: int
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    local_bytes: int
    buffers: tuple[Buffer, ...]
    warp_instructions: int
    thread_instructions: int
    mix: Mapping[str, tuple[int, int]]
    nodes: tuple[Node, ...]
    edges: tuple[EdgeCount, ...]
    loops: tuple[LoopCount, ...]
    accesses: tuple[AccessCount, ...]
    per_block: PerBlock
    reuse_sampled: float
    """The share of lines whose reuse was followed: 1 where it is exact."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The launches of one run. ``run`` says of what: script or trace, size, seed."""

    run: Mapping[str, str | int]
    kernels: tuple[KernelInfo, ...]
    launches: tuple[LaunchProfile, ...]
