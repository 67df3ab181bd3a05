"""How many registers a compiler gives a work-item, and what does not fit them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kcc.base.gpu.description import GpuDescription
from kcc.frontend.kernel import Kernel
from kcc.frontend.launch_bounds import METADATA
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.passes.registers.counts import FREE_REGISTERS, estimate_registers
from kcc.sim.machine.costs import SINCE_VOLTA, Generation
from kcc.sim.program.operations import LOADS, MachineOperation, MachineProgram

REGISTERS_BESIDE = 12
"""What a program keeps beside its values: pointers, counters and the operands of instructions in
flight (the least ptxas gives to any kernel with a loop over memory is about so many)."""

MORE_REGISTERS = {Generation.HOPPER: 1}
"""By which a work-item has more there than on Ampere, as far as they are free: what instructions
read out of the constant bank until then (ptxas 12.9 over kernels/, sm_90 beside sm_80: 0.9 in the
mean)."""

COPIED_SHARE, COPIED_OF_FREE = 0.5, 0.25
"""Of the words that the copies of a loop's body load which ptxas unrolls, beyond the first copy,
the share that waits in registers at once, and the most, of those that are free (ptxas 12.9: of 18
such kernels of kernels/ for sm_80 the estimate without is 3 registers short in the median; with it
Rodinia's OpenCL kernels are 10.9 % off for 12.8, PolyBench's 7.7 for 12.0)."""

FEWER_REGISTERS = {Generation.MAXWELL: 2}
"""By which a work-item has fewer than on Volta and later, whose threads each have a program counter
(ptxas 12.9 over the 101 kernels of kernels/, sm_52 and sm_61 beside sm_80: 2 in the median, 1.9 in
the mean; sm_70 as sm_80)."""

REGISTER_FILE = {Generation.FERMI: 32768}
"""Registers of an SM, else 65536: a kernel that says how large its thread blocks are is given no
more than lets one of them run."""

LEAST_REGISTERS = 16
"""Fewer no bound asks for with effect: ptxas' ``--maxrregcount`` begins with 16."""

MOST_REGISTERS = {Generation.FERMI: 63, Generation.AMD: 256}
"""Of a work-item, else 255 (NVIDIA: CUDA C++ Programming Guide, technical specifications)."""

MOST_OF_GPU = "kcc.most_registers"
"""Metadata of a function: the most that a thread of the GPU can have."""


def register_limit(kernel: Kernel, generation: Generation) -> int:
    """Registers that a compiler gives a work-item at most: as many as let the thread blocks run
    that the source asks for (``reqd_work_group_size``; ``__launch_bounds__``)."""
    most = MOST_REGISTERS.get(generation, 255)
    for own in kernel.function.metadata.get(MOST_OF_GPU, ()):
        most = min(most, int(own)) if isinstance(own, int) else most
    threads, blocks = kernel.function.launch_bounds
    if kernel.required_local_size is not None:
        threads = math.prod(kernel.required_local_size)
    if threads <= 0:
        return most
    warps = -(-threads // 32) * (max(blocks, 1) if generation is not Generation.AMD else 1)
    limit = REGISTER_FILE.get(generation, 65536) // (32 * warps) // 8 * 8
    return max(min(most, limit), LEAST_REGISTERS)


def registers_of(
    kernel: Kernel, generation: Generation, estimated: int, program: MachineProgram,
    free: int = FREE_REGISTERS,
) -> int:  # fmt: skip
    """Registers of a work-item: the smaller one of the estimate of the whole IR and of what lives
    at once in the order that the models issue. The estimate is for :data:`FREE_REGISTERS`; where
    more are ``free`` it is made anew if it may have been held there."""
    if estimated >= FREE_REGISTERS < free:
        estimated = estimate_registers(kernel.function, free).count
    copied = min(_copied_words(program) * COPIED_SHARE, free * COPIED_OF_FREE * COPIED_SHARE)
    more = 2 * round(copied / 2) + MORE_REGISTERS.get(generation, 0)
    estimated = min(estimated + more, max(free, estimated))
    most = min(estimated, program.registers + more) - FEWER_REGISTERS.get(generation, 0)
    return min(most, register_limit(kernel, generation))


def _copied_words(program: MachineProgram) -> int:
    """Words that the iterations of an unrolled loop load beside those of the first, at most."""
    rows = program.operations
    return max(
        (max((rows[n].every for n in block), default=1) - 1)
        * sum(-(-rows[n].bytes // 4) for n in block if rows[n].memory in LOADS and rows[n].slots)
        for block in program.blocks
    )


def free_registers(threads: int, generation: Generation) -> int:
    """Registers that a work-item may have while an SM holds ``threads``, as many as it can: ptxas
    12.9 takes them. Of 18 kernels of kernels/ with 32 on sm_80 and its 2,048 threads, 15 have 39
    or 40 on sm_86 (1,536); on sm_75 (1,024) they have 33 to 64."""
    if generation not in SINCE_VOLTA:
        return FREE_REGISTERS
    return max(REGISTER_FILE.get(generation, 65536) // max(threads, 1) // 8 * 8, FREE_REGISTERS)


Resident = tuple[int, int, int]
"""Thread blocks and threads that an SM holds at once at most, and registers of a thread."""


def resident_on(gpu: GpuDescription) -> Resident:
    """What a GPU's SM holds; where it is not known, as many as anybody asks for."""
    blocks, threads, registers = (
        1 << 20 if each is None else int(each.value)
        for each in (gpu.max_blocks_per_sm, gpu.max_threads_per_sm, gpu.max_regs_per_thread)
    )
    return blocks, threads, registers


def with_kept_bounds(kernel: Kernel, resident: Resident) -> Kernel:
    """The kernel as a GPU's compiler reads it, which gives a thread no more registers than it can
    have, and ignores a bound that asks for more thread blocks than an SM holds (ptxas 12.9 warns
    that ``.minnctapersm`` will be ignored)."""
    (threads, blocks), bounds = kernel.function.launch_bounds, dict[str, tuple[int, ...]]()
    if blocks > resident[0] or threads * blocks > resident[1]:
        bounds[METADATA] = threads, 0
    if resident[2] < 255:
        bounds[MOST_OF_GPU] = (resident[2],)
    if not bounds:
        return kernel
    metadata = {**kernel.function.metadata, **bounds}
    return replace(kernel, function=replace(kernel.function, metadata=metadata))


def live_out_of(
    rows: Sequence[MachineOperation], blocks: Sequence[Sequence[int]],
    successors: Sequence[Sequence[int]],
) -> list[frozenset[int]]:  # fmt: skip
    """By block, the operations whose results are still wanted after it; ``blocks`` hold each
    operation once, in an order that runs. Addresses are not among them: they are computed anew
    rather than kept."""
    place = {number: (b, i) for b, part in enumerate(blocks) for i, number in enumerate(part)}
    wanted, made = [0] * len(blocks), [sum(1 << number for number in part) for part in blocks]
    for number, (block, order) in place.items():
        for need in rows[number].needs:
            home, before = place[need]
            elsewhere = home != block or before >= order
            if elsewhere and rows[need].kind is not InstructionClass.ADDRESS:
                wanted[block] |= 1 << need
    entering, leaving = list(wanted), [0] * len(blocks)
    changed = True
    while changed:
        changed = False
        for block in range(len(blocks) - 1, -1, -1):
            out = 0
            for successor in successors[block]:
                out |= entering[successor]
            if out != leaving[block]:
                leaving[block], changed = out, True
                entering[block] = wanted[block] | (out & ~made[block])
    # What one side of a branch gives is wanted after it, but not on the other side's way.
    return [
        frozenset(_numbers(bits & known))
        for bits, known in zip(leaving, _made_before(made, successors), strict=True)
    ]


def _made_before(made: Sequence[int], successors: Sequence[Sequence[int]]) -> list[int]:
    """By block, the operations that may have run once it has, as bits."""
    found, changed = list(made), True
    while changed:
        changed = False
        for block, after in enumerate(successors):
            for successor in after:
                more = found[successor] | found[block]
                if more != found[successor]:
                    found[successor], changed = more, True
    return found


def _numbers(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def pressure(
    rows: Sequence[MachineOperation], part: Sequence[int], words: Sequence[int],
    live_out: frozenset[int],
) -> int:  # fmt: skip
    """The most registers that values take at once while a block runs in this order; ``words[n]`` is
    how many the result of operation n takes, ``live_out`` are the results wanted after it."""
    inside, live = set(part), set(live_out)
    taken = sum(words[number] for number in live)
    most = taken
    for number in reversed(part):
        if number in live:
            live.discard(number)
            taken -= words[number]
        for need in rows[number].needs:
            is_kept = need in inside or rows[need].kind is not InstructionClass.ADDRESS
            if is_kept and need not in live:
                live.add(need)
                taken += words[need]
        most = max(most, taken)
    return most
