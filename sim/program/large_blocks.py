"""Blocks so large that a compiler may leave them in the order of the source, and spill.

From a size on ptxas 13 takes 119 to 255 registers for a block whose values it brought into 40 when
it was a little smaller, and spills what is beyond. Whether it spills then cannot be told: of sums
of products, fully unrolled, 116 of 153 did for an RTX 3090, and the words that they spilled were a
third to one and a half times of what lives beyond 255 registers in the order of the source (the
median 0.8). Turing's compiler spills in a third of the cases.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcc.sim.program.operations import MachineOperation
from kcc.sim.program.registers import pressure

LARGE_BLOCK = 4200
"""Operations of a block from which on that is so. Filters of 15 columns with 8 to 21 sums,
`regs_per_thread` of the table of convolutions: up to 4,199 loads and multiplications none of 113
blocks takes more than 64 registers on the RTX 3090, from there on 155 of 165 do. With ptxas 13 for
compute capability 8.6 filters of 11 to 19 columns take 40 registers up to 4,066 operations and 255
from 4,940 on, whatever the number of sums."""

FIRST_CAPABILITY = (8, 0)
"""From which on it is taken to be so: the same kernels spill the same for 8.0, 8.6 and 8.9, 9.0
spills more. For 7.5 two of three keep to 54 to 134 registers."""


def may_spill(capability: tuple[int, int] | None) -> bool:
    """Whether a GPU's compiler is one of these."""
    return capability is not None and capability >= FIRST_CAPABILITY


def is_large(rows: Sequence[MachineOperation], block: Sequence[int]) -> bool:
    """Whether a block is one of these."""
    return sum(rows[number].slots > 0 for number in block) > LARGE_BLOCK


def excess_of(
    rows: Sequence[MachineOperation], block: Sequence[int], words: Sequence[int],
    live_out: frozenset[int], room: int,
) -> int:  # fmt: skip
    """How many registers more than there are a large block takes in the order of the source."""
    if not is_large(rows, block):
        return 0
    return max(0, pressure(rows, block, words, live_out) - room)
