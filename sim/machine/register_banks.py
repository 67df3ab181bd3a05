"""Registers that the register file gives: one of each of two banks in a cycle, by scheduler.

An instruction of three operands takes three reads: where a scheduler has 32 lanes of FMA and no
operand stays in the reuse cache, one of them is issued in a cycle and a half, and two thirds of the
peak are reached (gpu-roofline of te42kyfo/gpu-benches: v = v * a - b, in sm_86 ``FFMA R16, R8, R16,
-R11`` and ``FFMA R17, R9, R17, -R10`` in turn, reaches 63 to 64 % on an A40, an L40 and an H200,
97 % on an A100, whose 16 lanes take two cycles anyway). Two banks: Jia et al., 2018, section 2.2
(Volta); a port of each: Huerta et al., MICRO 2025, section 5.3.
"""

from __future__ import annotations

FIRST_WITH_TWO_BANKS = (7, 0)


def bank_reads(capability: tuple[int, int] | None) -> float:
    """Registers that a bank gives in a cycle; 0 where they are no bound that is known."""
    return 1.0 if capability is not None and capability >= FIRST_WITH_TWO_BANKS else 0.0
