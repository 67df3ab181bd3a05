"""How many blocks an SM holds at once, and what keeps it from holding more.

Wang et al., section IV-A, equations 1 to 7, take the least of what warp slots, registers and shared
memory allow. :func:`occupancy_of` follows them with the allocation rules of real machines:

* registers are given to warps in units (equation 4), and a warp's stay in one part of the SM's
  register file, so that whole groups of warps fit, not any number of them;
* a block that fits the text's equations may need more warps at once than one part can serve;
* since compute capability 8.0 the system keeps shared memory for itself in each block;
* a block takes whole units of shared memory, out of a split (carveout) that may be chosen;
* AMD's wavefronts take registers of one SIMD, and work-groups of one wavefront need no barrier,
  of which there are few.

NVIDIA's occupancy calculator is the reference: the tests hold its results for eight GPUs.
"""

from __future__ import annotations

from enum import Enum

from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.needs import Assumption, GpuReader
from kcc.base.records import dataclass


class Limiter(Enum):
    """What bounds the number of blocks of an SM."""

    THREADS = "block size"
    """The block is larger than any may be."""
    WARPS = "warps per SM"
    BLOCKS = "blocks per SM"
    REGISTERS = "registers"
    SHARED = "shared memory"


@dataclass(frozen=True, slots=True)
class Limit:
    """How many blocks one resource allows."""

    limiter: Limiter
    blocks: int


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Blocks and warps that an SM holds at once, and why not more.

    ``limiters`` are all resources that allow no more than ``blocks``; ``advice`` says what would
    raise it. ``registers`` is per thread, None if it is not known and was left out.
    ``allocated_registers`` and ``allocated_shared_bytes`` are what one block takes after rounding.
    """

    gpu: str
    block_threads: int
    warps_per_block: int
    registers: int | None
    shared_bytes: int
    blocks: int
    warps: int
    max_warps: int
    limits: tuple[Limit, ...]
    limiters: tuple[Limiter, ...]
    allocated_registers: int
    allocated_shared_bytes: int
    advice: tuple[str, ...]
    assumptions: tuple[Assumption, ...]

    @property
    def ratio(self) -> float:
        """Warps held over warps that could be held, 0 to 1."""
        return self.warps / self.max_warps


@dataclass(frozen=True, slots=True)
class _Machine:
    """The limits of an SM, all known."""

    warp_size: int
    max_threads_per_block: int
    max_warps: int
    max_blocks: int
    registers: int
    max_registers: int
    register_unit: int
    per_block: bool
    """Registers are rounded per block, as before compute capability 2.0, not per warp."""
    parts: int
    """Parts of the register file, or what warps are rounded to where there is one."""
    shared: int
    max_shared_per_block: int
    shared_unit: int
    reserved_shared: int
    is_amd: bool
    pairs: bool
    """RDNA: a work-group may lie on both compute units of a pair (a WGP), as LLVM compiles it by
    default; it counts as one on each."""


def occupancy_of(
    gpu: GpuDescription | GpuReader,
    block_threads: int,
    registers: int | None,
    local_bytes: int,
    *,
    carveout_bytes: int | None = None,
) -> Occupancy:
    """The occupancy of blocks of ``block_threads`` work-items (at least 1).

    ``registers`` is per work-item, None to leave registers out; ``local_bytes`` is the local memory
    of a block. ``carveout_bytes`` is the part of an SM's memory that is shared memory, the largest
    if None.

    :raises DiagnosticError: K807 when a limit is not known and cannot be assumed.
    """
    reader = gpu if isinstance(gpu, GpuReader) else GpuReader(gpu)
    machine = _machine(reader, carveout_bytes)
    assert block_threads >= 1
    warps = -(-block_threads // machine.warp_size)
    limits = _limits(machine, block_threads, warps, registers, local_bytes)
    blocks = min(limit.blocks for limit in limits)
    limiters = tuple(limit.limiter for limit in limits if limit.blocks == blocks)
    return Occupancy(
        gpu=reader.gpu.stem,
        block_threads=block_threads,
        warps_per_block=warps,
        registers=registers,
        shared_bytes=local_bytes,
        blocks=blocks,
        warps=blocks * warps,
        max_warps=machine.max_warps,
        limits=limits,
        limiters=limiters,
        allocated_registers=_block_registers(machine, warps, registers or 0),
        allocated_shared_bytes=_block_shared(machine, local_bytes),
        advice=_advice(machine, limits, blocks, warps, registers, local_bytes),
        assumptions=reader.assumptions,
    )


def _machine(reader: GpuReader, carveout_bytes: int | None) -> _Machine:
    is_amd = reader.gpu.is_amd
    one = "no source says that it is rounded"
    granularity = reader.text("reg_alloc_granularity", assumed="warp", reason="as most GPUs")
    parts = reader.integer("warp_alloc_granularity", assumed=1, reason=one)
    shared = reader.integer("shared_mem_per_sm_bytes")
    return _Machine(
        warp_size=reader.integer("warp_size"),
        max_threads_per_block=reader.integer("max_threads_per_block"),
        max_warps=reader.integer("max_warps_per_sm"),
        max_blocks=reader.integer("max_blocks_per_sm"),
        registers=reader.integer("registers_per_sm"),
        max_registers=reader.integer("max_regs_per_thread"),
        register_unit=reader.integer("reg_alloc_unit", assumed=1, reason=one),
        per_block=granularity == "block",
        parts=reader.integer("schedulers_per_sm") if is_amd else parts,
        shared=shared if carveout_bytes is None else carveout_bytes,
        max_shared_per_block=reader.integer("max_shared_per_block_bytes"),
        shared_unit=reader.integer("shared_alloc_unit_bytes", assumed=1, reason=one),
        reserved_shared=_reserved(reader),
        is_amd=is_amd,
        pairs=is_amd and reader.integer("warp_size") == 32,
    )


def _reserved(reader: GpuReader) -> int:
    """What the system keeps of each block's shared memory; nothing unless a file says so."""
    fact = reader.fact("extra.reserved_shared_per_block_bytes")
    return fact.value if fact else 0


def _limits(
    machine: _Machine, threads: int, warps: int, registers: int | None, local_bytes: int
) -> tuple[Limit, ...]:
    if threads > machine.max_threads_per_block:
        return (Limit(Limiter.THREADS, 0),)
    limits = [Limit(Limiter.WARPS, machine.max_warps // warps)]
    if not (machine.is_amd and warps == 1):
        limits.append(Limit(Limiter.BLOCKS, machine.max_blocks))
    if registers is not None:
        limits.append(Limit(Limiter.REGISTERS, _by_registers(machine, warps, registers)))
    shared = _by_shared(machine, local_bytes)
    if shared is not None:
        limits.append(Limit(Limiter.SHARED, shared))
    return tuple(limits)


def _by_registers(machine: _Machine, warps: int, registers: int) -> int:
    """Equations 3 and 4, with whole warps of each part of the register file."""
    if registers > machine.max_registers:
        return 0
    if machine.per_block:
        return machine.registers // max(1, _block_registers(machine, warps, registers))
    # A block that is refused outright: its warps, shared out over the parts, do not fit together.
    if _up(warps, machine.parts) * _warp_registers(machine, registers) > machine.registers:
        fits = (
            machine.pairs
            and _up(warps, 2 * machine.parts) * _warp_registers(machine, registers)
            <= 2 * machine.registers
        )
        return int(fits)
    return _warps_by_registers(machine, registers) // warps


def _warps_by_registers(machine: _Machine, registers: int) -> int:
    """Equation 4."""
    fitting = machine.registers // max(1, _warp_registers(machine, registers))
    return fitting // machine.parts * machine.parts


def _warp_registers(machine: _Machine, registers: int) -> int:
    return _up(registers * machine.warp_size, machine.register_unit)


def _block_registers(machine: _Machine, warps: int, registers: int) -> int:
    if machine.per_block:
        allocated = _up(warps, machine.parts) * machine.warp_size * registers
        return _up(allocated, machine.register_unit)
    return warps * _warp_registers(machine, registers)


def _by_shared(machine: _Machine, local_bytes: int) -> int | None:
    """Equations 5 and 6; None where a block takes nothing."""
    allocated = _block_shared(machine, local_bytes)
    if local_bytes > machine.max_shared_per_block or allocated > machine.shared:
        return 0
    return machine.shared // allocated if allocated else None


def _block_shared(machine: _Machine, local_bytes: int) -> int:
    return _up(local_bytes + machine.reserved_shared, machine.shared_unit)


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _advice(
    machine: _Machine,
    limits: tuple[Limit, ...],
    blocks: int,
    warps: int,
    registers: int | None,
    local_bytes: int,
) -> tuple[str, ...]:
    """What each limiter would have to be for one more block."""
    if warps * blocks == machine.max_warps:
        return ()
    found = list[str]()
    for limit in limits:
        if limit.blocks == blocks:
            found.append(_remedy(machine, limit.limiter, blocks, warps, registers, local_bytes))
    return tuple(text for text in found if text)


def _remedy(
    machine: _Machine,
    limiter: Limiter,
    blocks: int,
    warps: int,
    registers: int | None,
    local_bytes: int,
) -> str:
    match limiter:
        case Limiter.THREADS:
            return f"a block of at most {machine.max_threads_per_block} threads"
        case Limiter.WARPS:
            left = machine.max_warps - blocks * warps
            return f"smaller blocks: {left} of {machine.max_warps} warp slots are empty"
        case Limiter.BLOCKS:
            return f"larger blocks: an SM holds at most {blocks}"
        case Limiter.REGISTERS:
            assert registers is not None
            fewer = next(
                (n for n in range(registers, 0, -1) if _by_registers(machine, warps, n) > blocks), 0
            )
            return f"at most {fewer} registers per thread, for {blocks + 1} blocks" if fewer else ""
        case Limiter.SHARED:
            room = machine.shared // (blocks + 1) // machine.shared_unit * machine.shared_unit
            least = min(room - machine.reserved_shared, machine.max_shared_per_block)
            enough = 0 < least < local_bytes
            return (
                f"at most {least} bytes of shared memory per block, for {blocks + 1} blocks"
                if enough
                else ""
            )


@dataclass(frozen=True, slots=True)
class WangOccupancy:
    """The text's own figures: blocks by equation 1, 3 and 5, and their least, equation 7. None is
    for equation 5 without shared memory, which would divide by zero.
    """

    by_architecture: int
    by_registers: int
    by_shared: int | None
    blocks: int


def wang_occupancy(
    gpu: GpuDescription | GpuReader, block_threads: int, registers: int, local_bytes: int
) -> WangOccupancy:
    """Wang et al., equations 1 to 7, as printed.

    :raises DiagnosticError: K807 when a limit is not known.
    """
    reader = gpu if isinstance(gpu, GpuReader) else GpuReader(gpu)
    warp_size = reader.integer("warp_size")  # T_warp
    warps = -(-block_threads // warp_size)  # equation 2
    by_architecture = min(  # equation 1
        reader.integer("max_blocks_per_sm"), reader.integer("max_warps_per_sm") // warps
    )
    per_sm = per_block = reader.integer("registers_per_sm")  # B_reg_SM and B_reg_wg are equal
    granted = _up(registers * warp_size, reader.integer("reg_alloc_unit"))
    granularity = reader.integer("warp_alloc_granularity")
    by_warps = per_block // max(1, granted) // granularity * granularity  # equation 4
    fits = registers <= reader.integer("max_regs_per_thread")
    by_registers = by_warps // warps * (per_sm // per_block) if fits else 0  # equation 3
    allocated = _up(local_bytes, reader.integer("shared_alloc_unit_bytes"))  # equation 6
    by_shared: int | None = None  # equation 5
    if allocated > reader.integer("max_shared_per_block_bytes"):
        by_shared = 0
    elif allocated:
        by_shared = reader.integer("shared_mem_per_sm_bytes") // allocated
    known = [by_architecture, by_registers, *([] if by_shared is None else [by_shared])]
    return WangOccupancy(by_architecture, by_registers, by_shared, min(known))  # equation 7
