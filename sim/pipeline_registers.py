"""How many registers a compiler gives a work-item, and what does not fit them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kcc.frontend.kernel import Kernel
from kcc.passes.register_pressure import block_pressure, frugal_order, live_out
from kcc.passes.register_values import RegisterValues, register_values
from kcc.passes.registers import NEED_BASE
from kcc.sim.machine_costs import Generation

REGISTERS_BESIDE = 12
"""What a program keeps beside its values: pointers, counters and the operands of instructions in
flight (the least ptxas gives to any kernel with a loop over memory is about so many)."""

REGISTER_FILE = {Generation.FERMI: 32768}
"""Registers of an SM, else 65536: a kernel that says how large its thread blocks are is given no
more than lets one of them run."""

MOST_REGISTERS = {Generation.FERMI: 63, Generation.AMD: 256}
"""Of a work-item, else 255 (NVIDIA: CUDA C++ Programming Guide, technical specifications)."""


def register_limit(kernel: Kernel, generation: Generation) -> int:
    """Registers that a compiler gives a work-item at most."""
    most = MOST_REGISTERS.get(generation, 255)
    if kernel.required_local_size is None:
        return most
    warps = -(-math.prod(kernel.required_local_size) // 32)
    return min(most, REGISTER_FILE.get(generation, 65536) // (32 * warps) // 8 * 8)


@dataclass(frozen=True, slots=True)
class RegisterNeeds:
    """By block: the registers of values that live on behind it, and the words that cannot be in
    registers while it runs."""

    through: tuple[int, ...]
    excess: tuple[int, ...]


def register_needs(kernel: Kernel, generation: Generation, estimate: int | None) -> RegisterNeeds:
    """What the blocks of a kernel need; words are in excess only where the ``estimate`` for the
    whole kernel comes up to the limit."""
    function = kernel.function
    values = register_values(function)
    out = live_out(function, values)
    limit = register_limit(kernel, generation)
    excess = [0] * len(out)
    if estimate is None or estimate >= limit:
        for block in function.blocks:
            order = frugal_order(block, out[block.index], values)
            need = block_pressure(order, out[block.index], values) + NEED_BASE
            excess[block.index] = max(0, need - limit)
    return RegisterNeeds(tuple(_weights(out, values)), tuple(excess))


def _weights(sets: Sequence[int], values: RegisterValues) -> list[int]:
    """The registers of sets of instructions, given as bits."""
    return [
        sum(values.units[i] for i in range(bits.bit_length()) if bits >> i & 1) for bits in sets
    ]
