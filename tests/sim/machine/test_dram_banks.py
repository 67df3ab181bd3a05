"""Rows to banks of DRAM: what each mapping promises."""

from __future__ import annotations

from collections import Counter

import pytest

from kcc.base.gpu import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.sim.machine.dram_banks import BankMapping, bank_mapping_of
from kcc.sim.machine.dram_banks_native import bank_of

BANKS, ROWS = 16, 64 * 16


def banks(mapping: BankMapping) -> list[int]:
    return [bank_of(row, BANKS, int(mapping)) for row in range(ROWS)]


@pytest.mark.parametrize("mapping", [BankMapping.IN_TURN, BankMapping.PERMUTED])
def test_as_many_consecutive_rows_have_a_bank_each(mapping: BankMapping):
    found = banks(mapping)
    for first in range(0, ROWS, BANKS):
        assert sorted(found[first : first + BANKS]) == list(range(BANKS))


def test_rows_a_power_of_two_apart_share_a_bank_only_in_turn():
    apart = list(range(0, ROWS, BANKS))
    assert {banks(BankMapping.IN_TURN)[row] for row in apart} == {0}
    for mapping in (BankMapping.HASHED, BankMapping.PERMUTED):
        assert len({banks(mapping)[row] for row in apart}) > BANKS // 2


def test_a_hash_gives_some_banks_more():
    counts = Counter(banks(BankMapping.HASHED)[: 4 * BANKS])
    assert max(counts.values()) > 4


@pytest.mark.parametrize(
    ("name", "settings", "mapping"),
    [
        ("v100", (), BankMapping.HASHED),
        ("accelsim-sm7-qv100", (), BankMapping.IN_TURN),
        ("v100", ("dram.bank_mapping=in-turn",), BankMapping.IN_TURN),
        ("macsim-fermi-tbpoint", ("l2.hash=linear",), BankMapping.IN_TURN),
    ],
)
def test_what_a_description_says(name: str, settings: tuple[str, ...], mapping: BankMapping):
    assert bank_mapping_of(GpuReader(load_gpu(name, list(settings)))) is mapping
