"""Which bank of a DRAM channel a row is in."""

from __future__ import annotations

from enum import IntEnum

from kcc.base.gpu.needs import GpuReader


class BankMapping(IntEnum):
    """Rows one after another to banks in turn; by a hash, which gives some banks more of a range
    than others; or each bank one of as many consecutive rows, by a hash which (Zhang, Zhu and
    Zhang, "A permutation-based page interleaving scheme", MICRO 2000)."""

    IN_TURN = 0
    HASHED = 1
    PERMUTED = 2


WORDS = {
    "in-turn": BankMapping.IN_TURN,
    "hashed": BankMapping.HASHED,
    "permuted": BankMapping.PERMUTED,
}


def bank_mapping_of(reader: GpuReader) -> BankMapping:
    """That of a GPU; where it is not given, as slices of L2 are chosen."""
    given = reader.fact("dram.bank_mapping")
    if given is not None:
        return WORDS[given.value]
    slices = reader.text("l2.hash", assumed="ipoly", reason="a hash is likely")
    return BankMapping.HASHED if slices == "ipoly" else BankMapping.IN_TURN
