"""How long accesses hold the load/store port: what is worked out for each warp against the rule of
the machine, over random accesses; and what a warp takes that does nothing else."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.base.gpu import load_gpu
from kcc.sim.cycle.blocks import COPY, GLOBAL, LOCAL, LOCAL_STORE, STORE
from kcc.sim.cycle.layout import Conf
from kcc.sim.cycle.machine import machine_of
from kcc.sim.cycle.record_layout import ACCESS, TRANSACTION
from kcc.sim.machine.load_port import (
    PIECE_BYTES,
    copy_cycles,
    load_cycles,
    load_port_of,
    scattered_cycles,
    tag_cycles,
)
from tests.sim.cycle.sass import Warp, simulate

SECTOR, LINE, BANKS = 32, 128, 32
SHIFTED = [4 + 4 * lane for lane in range(32)]


def held(gpu_name: str, kind: int, addresses: list[int], size: int) -> float:
    """Cycles that a warp whose first lanes have these addresses holds the port, as worked out."""
    from kcc.sim.cycle.coalesce_native import Geometry, coalesce
    from kcc.sim.machine.port_native import Port

    machine = machine_of(load_gpu(gpu_name, []), 32, 32, 0)
    geometry = Geometry(
        LINE, SECTOR, BANKS, 32, machine.pairs_together, 1 << 44, 0, constant_lines=False,
        port=Port(*machine.port),
    )  # fmt: skip
    lanes = np.zeros((1, 32), np.int64)
    lanes[0, : len(addresses)] = addresses
    accesses, transactions = np.zeros(1, ACCESS), np.zeros(256, TRANSACTION)
    coalesce(
        np.array([0, 1]), np.array([(1 << len(addresses)) - 1], np.uint64), np.zeros(1, np.int64),
        np.zeros(1, np.int32), lanes, np.array([kind]), np.array([size]), geometry, accesses,
        transactions, 0, 0,
    )  # fmt: skip
    return float(accesses["port"][0]) / 64


def passes_of(addresses: list[int], size: int) -> int:
    """Words of one bank at most: passes of lanes of 4 bytes."""
    assert size == 4
    words = {a // 4 for a in addresses}
    return max(sum(w % BANKS == bank for w in words) for bank in range(BANKS))


@pytest.mark.parametrize("name", ["a100", "rtx3090", "h100-sxm"])
@given(rows=st.lists(st.integers(0, 40), min_size=2, max_size=32, unique=True))
def test_a_copy_past_registers_holds_the_port_for_addresses_and_tags(
    name: str, rows: list[int]
) -> None:
    """Its data are moved once, by the store: 16 bytes a lane hold a load for 4 cycles and more."""
    port = load_port_of(load_gpu(name, []))
    assert port is not None
    addresses = [16 * row for row in rows]
    lines = len({a // LINE for a in addresses})
    expected = copy_cycles(16, lines, port.address_cycles)
    assert held(name, COPY, addresses, 16) == pytest.approx(expected, abs=1 / 64)
    assert held(name, GLOBAL, addresses, 16) > expected


@pytest.mark.parametrize("name", ["v100", "a100", "rtx2080ti", "rtx3090", "h100-sxm"])
@given(words=st.lists(st.integers(0, 400), min_size=2, max_size=32))
def test_a_load_of_words_holds_the_port_for_the_slowest_of_its_stages(
    name: str, words: list[int]
) -> None:
    port = load_port_of(load_gpu(name, []))
    assert port is not None
    addresses = [4 * word for word in words]
    steps = {b - a for a, b in pairwise(addresses)}
    if steps == {0}:
        return
    passes, lines = passes_of(addresses, 4), len({a // LINE for a in addresses})
    sectors = len({a // SECTOR for a in addresses})
    banks = scattered_cycles(passes, len(addresses), port.pass_cycles)
    stages = max(banks, port.address_cycles, tag_cycles(lines))
    beyond = min(max(sectors - 4 * len(addresses) / SECTOR, 0.0), 1.0)
    load = max(
        stages, 1 + port.crossing_cycles * beyond,
        load_cycles(4, port.pass_cycles, port.lookup_cycles),
    )  # fmt: skip
    assert held(name, STORE, addresses, 4) == pytest.approx(stages, abs=0.05)
    assert held(name, GLOBAL, addresses, 4) == pytest.approx(load, abs=0.05)


@pytest.mark.parametrize(("name", "crossing"), [("a100", 2.3), ("v100", 1.0), ("h100-sxm", 1.0)])
def test_rows_that_begin_within_a_sector_hold_the_port_of_an_a100_longer(
    name: str, crossing: float
) -> None:
    aligned, shifted = ([first + 4 * lane for lane in range(32)] for first in (0, 4))
    for kind in (GLOBAL, LOCAL):
        assert held(name, kind, aligned, 4) == 1.0
    assert held(name, LOCAL, shifted, 4) == pytest.approx(crossing, abs=0.02)
    assert held(name, LOCAL_STORE, shifted, 4) == 1.0
    assert held(name, GLOBAL, shifted, 4) == pytest.approx(max(crossing, 1.25), abs=0.02)


def test_pieces_of_sixteen_bytes_are_looked_up_one_by_one() -> None:
    port = load_port_of(load_gpu("rtx3090", []))
    assert port is not None
    for size in (8, 16):
        addresses = [size * lane for lane in range(32)]
        expected = load_cycles(size, port.pass_cycles, port.lookup_cycles)
        assert expected == size / 4 + math.ceil(size / PIECE_BYTES)
        assert held("rtx3090", GLOBAL, addresses, size) == expected


@pytest.mark.parametrize("name", ["gpumech-table7", "accelsim-sm7-qv100", "gtx1080"])
def test_others_have_no_such_port(name: str) -> None:
    assert load_port_of(load_gpu(name, [])) is None
    assert machine_of(load_gpu(name, []), 32, 32, 0).port == ()


@pytest.mark.parametrize(
    ("name", "size", "stride", "cycles"),
    [
        ("mi210", 4, 1, 32 * 4 / 59), ("mi210", 4, 2, 16), ("mi210", 4, 32, 32),
        ("mi210", 8, 1, 8), ("amd-radeon-rx-6900-xt", 4, 1, 1), ("amd-radeon-rx-6900-xt", 4, 2, 2),
        ("amd-radeon-rx-6900-xt", 4, 32, 32), ("amd-radeon-rx-6900-xt", 8, 1, 32 * 8 / 59),
    ],
)  # fmt: skip
def test_loads_of_amd_hold_l1_by_lanes_and_bytes(
    name: str, size: int, stride: int, cycles: float
) -> None:
    """On an MI210 four lanes a cycle, one where they meet in a bank, words side by side as bytes
    (59 a cycle); on an RX 6900 XT as many as 32 banks have passes. Stores do not."""
    addresses = [size * stride * lane for lane in range(32)]
    assert held(name, GLOBAL, addresses, size) == pytest.approx(cycles, abs=0.02)
    assert held(name, STORE, addresses, size) == 0


def test_requests_go_to_l2_as_measured_where_no_network_is_described() -> None:
    known = machine_of(load_gpu("v100", []), 32, 32, 0)
    assert [known[c] / 64 for c in (Conf.REQUEST_CYCLES, Conf.REQUEST_MORE)] == [1.0, 0.0]
    assert [known[c] / 64 for c in (Conf.STORE_CYCLES, Conf.STORE_MORE)] == [2.0, 0.0]
    assert known[Conf.DATA_CYCLES] / 64 == 0.5
    described = machine_of(load_gpu("accelsim-sm7-qv100", []), 32, 32, 0)
    places = (
        Conf.REQUEST_CYCLES, Conf.REQUEST_MORE, Conf.STORE_CYCLES, Conf.STORE_MORE,
        Conf.DATA_CYCLES,
    )  # fmt: skip
    assert [described[c] / 64 for c in places] == [1.0] * 5


def test_what_an_access_holds_the_port_beyond_whole_cycles_the_next_waits_for(
    tmp_path: Path,
) -> None:
    """Of N loads from shared memory whose rows begin within a sector each takes 2.3 cycles."""
    held_by_each, (few, many) = held("a100", LOCAL, SHIFTED, 4), (50, 150)
    cycles = list[float]()
    for count in (few, many):
        warp = Warp()
        for n in range(count):
            warp.op("LDS", 1 + n % 50, (100,), SHIFTED)
        folder = tmp_path / str(count)
        folder.mkdir()
        cycles.append(simulate(folder, [[warp]], gpu="a100", shared=4096).cycles)
    assert (cycles[1] - cycles[0]) / (many - few) == pytest.approx(held_by_each, abs=0.05)
