"""How long an access keeps the load/store port of an SM.

Since Volta one array of SRAM is shared memory and L1, with one port. An access takes as long as
the slowest of its stages: the lanes that compute addresses, L1's tags, and the banks, which give
a warp one register in a pass.
"""

from __future__ import annotations

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.sim.machine.costs import SINCE_VOLTA, generation_of_gpu

PIECE_BYTES = 16
"""What a lane moves at most in one instruction."""

TAGS_PER_CYCLE = 4
"""Lines that L1 looks up in a cycle: 1, 2, 4, 8, 16 and 32 lines take 1.0, 1.3, 2.1, 3.1, 5.1 and
9.2 cycles on A100, A40 and H200 alike (microbench_strides.csv, blocks of floats)."""

LONE_WORDS = 2.0
"""Words of global memory in a pass of the banks below which it takes a cycle, also where one of a
whole warp takes two: loads whose lanes are in 32 rows of a power of two take 32 cycles each on an
RTX 2060 as on an RTX 3080 (pmpp_nvbench.csv, a matrix times a vector in one thread block) and on an
A40 (microbench_strides.csv, strides of 32 and 64). Passes of four words and more take two on an RTX
2080 Ti (CLBlast's gemm); what is between is not known."""

ADDRESS_LANES = {(7, 5): 16, (8, 6): 16, (8, 7): 16, (8, 9): 16, (12, 0): 16}
"""Lanes of an SM that compute addresses, by compute capability, else 32: an A40 takes a load of 4
bytes every 2.00 cycles, also where all lanes read one word, an A100 and an H200 every 1.02
(microbench_strides.csv, strides 0 and 1), and an RTX 5070 every 2.08, half of which read one word
(roofline_rtx5070.csv, products of 512 to 2,048 rows without tiles). That Ada is as GA10x, and of
shared memory Turing, where it makes no difference, is assumed."""

LOOKUP_CYCLES = 1.0
"""Cycles that a load of global memory holds the port beyond those of its data, where 16 lanes
compute addresses: an A40's 2.00 cycles for words, whose data take one. The bank conflicts of an
access cover it (2, 4, 8 ... passes take as many cycles there). That it is one more and not twice as
many is seen in CLBlast's gemm, where words, pairs and fours without conflicts take 2.1, 2.6 and 4.9
cycles on an RTX 3090 and 2.8, 4.8 and 9.8 on an RTX 2080 Ti, whose data take twice as long. Not
where the whole thread block has one address, which a uniform register can hold: in direct Coulomb
summation on the RTX 2080 Ti such words take 2.0 cycles and fours 8.2."""


CROSSING_CYCLES = {(8, 0): 1.3}
"""Cycles of the port beyond the first for a load of lanes side by side that begin within a sector
and so cross a line, by compute capability: on an A100 such a load that hits L1 takes 2.3 in all,
where two lines from the beginning of sectors take 1.3 (convolutions of 15 x 15 without shared
memory, whose loads begin anywhere: 2.2 to 2.8 cycles a load). The same of shared memory: with a
tile in it they take 2.05 cycles a load, counted in ptxas 12.9's code (one output a work-item, 32 x
16: 2.2; four: 2.05, of which one load of eight begins with a sector). Not known of others."""


READ_ONLY_CROSSING_CYCLES = {(8, 0): 3.4}
"""The same of loads of data that nobody writes (``ld.global.nc``, LDG.CONSTANT of ``__ldg`` and of
pointers to const, restrict): the convolutions that read through ``__ldg`` take 4.4 cycles a load on
an A100 (median of 14 without guards, 3.2 to 5.7; 4.8 of 36 with; loads counted in ptxas 12.9's
code), whatever their code, 30 to 128 KB of six to nine instructions a load, where loads without it
take 2.3. One that begins with a sector takes one cycle as any other (microbench_cache_bw.csv's
kernel loads so, 124 bytes a cycle)."""


def crossing_cycles(capability: tuple[int, int] | None) -> float:
    """Cycles of a load that begins within a sector beyond those of one that does not."""
    return CROSSING_CYCLES.get(capability or (0, 0), 0.0)


def read_only_crossing_cycles(capability: tuple[int, int] | None) -> float:
    """The same of a load of data that nobody writes."""
    return READ_ONLY_CROSSING_CYCLES.get(capability or (0, 0), crossing_cycles(capability))


def address_cycles(capability: tuple[int, int] | None) -> float:
    """Cycles in which the addresses of a warp are computed."""
    return 32 / ADDRESS_LANES.get(capability or (0, 0), 32)


def lookup_cycles(capability: tuple[int, int] | None) -> float:
    """Cycles of a load of global memory beyond those of its data."""
    return LOOKUP_CYCLES if capability in ADDRESS_LANES else 0.0


def scattered_cycles(passes: float, words: float, pass_cycles: float) -> float:
    """Cycles of the banks in which so many words of global memory come in so many passes."""
    return passes if words < LONE_WORDS * passes else passes * pass_cycles


FEW_LANES = 16
"""Active lanes up to which an access to shared memory takes a cycle where one of a whole warp takes
two, for its addresses (:data:`ADDRESS_LANES`) or for the words of a pass, of which Turing moves 64
bytes a cycle: work-items that add up a work-group's words alone (gpgpu_course.csv, GTX 1650 and RTX
3080 Ti: 4.7 and 1.1 ms for 100 million such loads, which take 8.6 and 1.4 at two cycles each)."""


def shared_cycles(passes: float, size: int, lanes: float, pass_cycles: float) -> float:
    """Cycles of the banks for so many active lanes of so many bytes in so many passes."""
    few = lanes <= FEW_LANES and lanes * size <= 4 * FEW_LANES * passes
    return passes * (1.0 if few else pass_cycles)


def load_cycles(size: int, pass_cycles: float, lookup: float) -> float:
    """Cycles of a load of so many bytes a lane from global memory whose lanes wait for no bank."""
    return max(1.0, size / 4) * pass_cycles + max(1, -(-size // PIECE_BYTES)) * lookup


def tag_cycles(lines: float) -> float:
    """Cycles in which L1 looks up so many lines."""
    return 1.0 + max(lines - 1.0, 0.0) / TAGS_PER_CYCLE


def copy_cycles(size: int, lines: float, address_cycles: float) -> float:
    """Cycles of a load of so many bytes a lane whose data go to shared memory past registers
    (``cp.async``): addresses and tags. The data are moved once (NVIDIA, A100 whitepaper of 2020,
    "Asynchronous copy"), which is in what the store holds."""
    return max(max(1, -(-size // PIECE_BYTES)) * address_cycles, tag_cycles(lines))


LINES_AT_ONCE = 8
"""Since Volta: lines of an access that keeps the port so long that other warps' come before the
next of its own warp. Points of 128 to 512 bytes, one a work-item (kmeans.csv, V100), are then read
from L2 a word at a time where the lines of all work-items are more than L1 has: 1.0 to 2.0 of the
measured times, and 0.3 to 0.6 where the four loads of an unrolled loop find one sector. On a
GTX 980 they do (0.8; 2.7 to 3.3 otherwise): its texture units take requests in turn. Four lines are
those of 16 bytes a lane, and 32 what was seen: 8 is between."""

_ANY_LINES = 1 << 16


def lines_at_once(capability: tuple[int, int] | None) -> int:
    """The lines of an access after which a warp still goes on to its next one."""
    return LINES_AT_ONCE if capability is not None and capability >= (7, 0) else _ANY_LINES


VECTOR_BYTES = 59.0
"""Bytes a cycle that a load brings to the registers of AMD's lanes: of words on an MI210 and of
eight bytes on an RX 6900 XT (microbench_strides.csv, stride 1); RDNA brings words at 128."""

WIDE_LANES = {"RDNA": 8}
"""Lanes a cycle of AMD's loads that are not words side by side, by the beginning of the
architecture's name, else 4: 32 lanes of eight bytes take 4.3 cycles on an RX 6900 XT and 8.1 on an
MI210 (microbench_strides.csv, doubles). That 16 bytes a lane take as many lanes as these bytes
allow, and that GCN and RDNA3 are as CDNA2 and RDNA2, is assumed."""

QUAD_BANKS = 4
"""Lanes of GCN and CDNA that are served in a cycle if their words lie in as many banks, in a line
or two: strides of 1 to 8 words take 2.2, 16, 8, 32, 14, 16, 14 and 32 cycles for 32 lanes on an
MI210, of 1 to 8 doubles 8.1, 8.1, 8.1, 16, 8.1, 8.1, 8.1 and 32 (microbench_strides.csv; over its
65 strides what is here is 9 and 24 % off in the mean, and 6 and 9 % on an RX 6900 XT, which has 32
banks)."""


def wide_lanes(gpu: GpuDescription) -> int:
    """Lanes a cycle of AMD's loads; 0 for other GPUs."""
    if not gpu.is_amd:
        return 0
    name = "" if gpu.arch is None else gpu.arch.value
    return next((n for start, n in WIDE_LANES.items() if name.startswith(start)), QUAD_BANKS)


def vector_load_cycles(
    lanes: int, size: int, sectors: float, lines: float, bank_passes: float, warp: int = 32
) -> float:
    """Cycles of AMD's L1 (L0) of a load of ``warp`` lanes, ``size`` bytes each, that touch so many
    sectors of 32 bytes and lines of 128, and whose words would take so many passes through 32
    banks; 32 lanes go together. Native code compiles it too
    (:func:`kcc.sim.machine.port_native.vector_port`), so it calls nothing."""
    parts = warp / 32
    sectors, lines, bank_passes = sectors / parts, lines / parts, bank_passes / parts
    data = 32 * size / VECTOR_BYTES
    if lanes > QUAD_BANKS:  # RDNA
        found = max(bank_passes, 1.0 + max(lines - 1.0, 0.0) / TAGS_PER_CYCLE)
        if size > 4:
            found = max(found, data, 32 / lanes)
        return parts * found
    apart = max(bank_passes, sectors / 16)
    if size > 4:
        apart = max(bank_passes * 2 / size, lines / 16)
    elif sectors <= size + 1:
        return parts * data
    return parts * max(32 / lanes * min(max(apart, 1.0), QUAD_BANKS), data)


@dataclass(frozen=True, slots=True)
class LoadPort:
    """What an access holds the port for, in cycles: a pass through the banks, the addresses of a
    piece of 16 bytes a lane, and, of loads, beyond those of their data and where lanes side by side
    begin within a sector. ``wide_lanes`` are those of AMD's loads
    (:func:`vector_load_cycles`), which alone hold its port."""

    pass_cycles: float
    address_cycles: float
    lookup_cycles: float
    crossing_cycles: float
    wide_lanes: int = 0


def load_port_of(gpu: GpuDescription) -> LoadPort | None:
    """The port of an SM. None where shared memory and L1 have each their own, before Volta, and of
    machines that no GPU is, whose configuration says how L1 works."""
    if gpu.is_amd:
        return LoadPort(0.0, 0.0, 0.0, 0.0, wide_lanes(gpu))
    if gpu.capability is None or gpu.l1.banks is not None:
        return None
    if generation_of_gpu(gpu) not in SINCE_VOLTA:
        return None
    width = gpu.shared_bytes_per_cycle
    return LoadPort(
        1.0 if width is None else 128.0 / width.value, address_cycles(gpu.capability),
        lookup_cycles(gpu.capability), crossing_cycles(gpu.capability),
    )  # fmt: skip
