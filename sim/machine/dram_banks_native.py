"""The native part of :mod:`kcc.sim.machine.dram_banks`. Import it lazily."""

from __future__ import annotations

from typing import Any

from kcc.base.native import inlined, quotient, remainder, scatter
from kcc.sim.machine.dram_banks import BankMapping

HASHED, PERMUTED = int(BankMapping.HASHED), int(BankMapping.PERMUTED)


@inlined
def bank_of(row: int, banks: int, mapping: int) -> int:
    """The bank of a channel's row."""
    chosen: Any = row
    if mapping == HASHED:
        chosen = scatter(row)
    elif mapping == PERMUTED:
        chosen = row + scatter(quotient(row, banks))
    found: Any = remainder(chosen, banks)
    return found
