"""The control bits in NVIDIA's machine code, which say what its scheduler need not find out.

As published: Jia, Maggioni, Staiger and Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture
via Microbenchmarking", 2018, section 2.1 (Volta: in the upper word of each instruction of 128 bits;
Maxwell and Pascal: 21 bits for each of the three instructions after a control word); the same
fields are those of Huerta et al., "Dissecting and Modeling the Architecture of Modern GPU Cores",
MICRO 2025, section 3.
"""

from __future__ import annotations

from functools import cache

from kcc.frontend.machine_code.model import Control

VOLTA_FIRST_BIT = 41
"""Of the upper 64 bits."""

MAXWELL_BITS = 21
"""Of a control word for each of its instructions."""

ALL_BITS = (1 << MAXWELL_BITS) - 1

NO_BARRIER = 7
BARRIERS = 6


def volta_control(upper: int) -> Control:
    """Of an instruction since Volta, from the upper 64 of its 128 bits."""
    return decode(upper >> VOLTA_FIRST_BIT & ALL_BITS)


def maxwell_control(word: int, place: int) -> Control:
    """Of the instruction at ``place`` 0 to 2 after a control word."""
    return decode(word >> (MAXWELL_BITS * place) & ALL_BITS)


@cache
def decode(bits: int) -> Control:
    """From the lowest bit: stall count (4 bits), yield (1, inverted), write barrier (3), read
    barrier (3), barriers to wait for (6), reuse (4)."""
    return Control(
        stall_cycles=bits & 15,
        yields=not bits >> 4 & 1,
        write_barrier=_barrier(bits >> 5 & 7),
        read_barrier=_barrier(bits >> 8 & 7),
        waits_for=tuple(b for b in range(BARRIERS) if bits >> 11 >> b & 1),
        reuse=bits >> 17 & 15,
    )


def _barrier(number: int) -> int | None:
    return None if number == NO_BARRIER else number
