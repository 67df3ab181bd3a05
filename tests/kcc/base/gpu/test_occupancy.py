"""Occupancy against NVIDIA's calculator, the text's equations, and by hand."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcc.base.diagnostics import DiagnosticError
from kcc.base.gpu import load_gpu
from kcc.base.gpu.occupancy import Limiter, occupancy_of, wang_occupancy

TABLE = Path(__file__).parents[4] / "benchmarks" / "data" / "occupancy.csv"

with TABLE.open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))

NAMES = {
    "warps": Limiter.WARPS,
    "blocks": Limiter.BLOCKS,
    "registers": Limiter.REGISTERS,
    "shared": Limiter.SHARED,
}


def test_the_table_has_enough_points():
    counts = Counter(row["gpu"] for row in ROWS)
    assert len(counts) >= 8
    assert min(counts.values()) >= 25


@pytest.mark.parametrize("name", sorted({row["gpu"] for row in ROWS}))
def test_blocks_and_limiters_are_the_calculators(name: str):
    gpu = load_gpu(name)
    for row in (row for row in ROWS if row["gpu"] == name):
        point = (int(row["threads"]), int(row["registers"]), int(row["shared_bytes"]))
        ours = occupancy_of(gpu, *point)
        assert ours.blocks == int(row["blocks"]), point
        if ours.blocks:
            assert set(ours.limiters) == {NAMES[each] for each in row["limits"].split("+")}, point


@pytest.mark.parametrize(("threads", "blocks", "percent"), [(128, 12, 75), (320, 4, 62.5)])
def test_the_example_of_the_best_practices_guide(threads: int, blocks: int, percent: float):
    """CUDA C++ Best Practices Guide, section Occupancy: 37 registers on compute capability 7.0."""
    ours = occupancy_of(load_gpu("v100"), threads, 37, 0)
    assert (ours.blocks, 100 * ours.ratio) == (blocks, percent)


def test_the_advice_is_what_it_takes():
    ours = occupancy_of(load_gpu("v100"), 256, 40, 0)
    assert (ours.blocks, ours.limiters) == (6, (Limiter.REGISTERS,))
    assert ours.advice == ("at most 32 registers per thread, for 7 blocks",)
    assert occupancy_of(load_gpu("v100"), 256, 32, 0).blocks == 8
    ours = occupancy_of(load_gpu("v100"), 128, 16, 20000)
    assert ours.advice == ("at most 19456 bytes of shared memory per block, for 5 blocks",)
    assert occupancy_of(load_gpu("v100"), 128, 16, 19456).blocks == 5
    assert occupancy_of(load_gpu("v100"), 32, 16, 0).advice == (
        "larger blocks: an SM holds at most 32",
    )
    assert occupancy_of(load_gpu("v100"), 768, 16, 0).advice == (
        "smaller blocks: 16 of 64 warp slots are empty",
    )
    assert occupancy_of(load_gpu("v100"), 256, 32, 0).advice == ()


def test_a_block_that_does_not_fit():
    assert occupancy_of(load_gpu("v100"), 2048, 16, 0).limiters == (Limiter.THREADS,)
    assert occupancy_of(load_gpu("v100"), 256, 256, 0).limiters == (Limiter.REGISTERS,)
    assert occupancy_of(load_gpu("v100"), 1024, 65, 0).blocks == 0
    ours = occupancy_of(load_gpu("v100"), 256, 16, 98305)
    assert (ours.blocks, ours.limiters) == (0, (Limiter.SHARED,))


def test_the_system_keeps_a_kilobyte_of_each_block_since_ampere():
    ours = occupancy_of(load_gpu("a100"), 32, 16, 0)
    assert ours.allocated_shared_bytes == 1024
    assert occupancy_of(load_gpu("v100"), 32, 16, 0).allocated_shared_bytes == 0


def test_a_smaller_carveout():
    ours = occupancy_of(load_gpu("a100"), 128, 16, 4096, carveout_bytes=16384)
    assert ours.blocks == 3


def test_registers_that_are_not_known_are_left_out():
    ours = occupancy_of(load_gpu("v100"), 256, None, 0)
    assert (ours.blocks, ours.registers) == (8, None)
    assert Limiter.REGISTERS not in {limit.limiter for limit in ours.limits}


@pytest.mark.parametrize(
    ("gpu", "threads", "registers", "shared", "warps"),
    [
        ("mi100", 256, 24, 0, 40),
        ("mi100", 256, 25, 0, 36),
        ("mi100", 256, 128, 0, 8),
        ("mi100", 64, 24, 0, 40),
        ("mi100", 128, 24, 0, 32),
        ("mi210", 256, 64, 0, 32),
        ("mi210", 256, 65, 0, 28),
        ("w6600", 256, 64, 0, 32),
        ("w6600", 256, 65, 0, 24),
        ("mi100", 256, 24, 32768, 8),
    ],
)
def test_amd(gpu: str, threads: int, registers: int, shared: int, warps: int):
    """Waves per SIMD by LLVM's rule: the SIMD's registers over those of a wave, rounded up to the
    granule (4 of 256 on GFX9, 8 of 512 on gfx90a, 16 of 1024 on GFX10.3 in wave32).
    """
    assert occupancy_of(load_gpu(gpu), threads, registers, shared).warps == warps


def test_the_texts_equations_by_hand():
    """Quadro K620: 64 warps, 32 blocks, 65536 registers in units of 256, 64 KB in units of 256."""
    gpu = load_gpu("wang-k620")
    ours = wang_occupancy(gpu, 256, 37, 5000)
    # 8 warps; min(32, 64/8); 65536/ceil(37*32, 256) = 51 -> 48, 48/8; 65536/5120.
    assert (ours.by_architecture, ours.by_registers, ours.by_shared, ours.blocks) == (8, 6, 12, 6)
    assert wang_occupancy(gpu, 256, 256, 0).blocks == 0
    assert wang_occupancy(gpu, 256, 16, 50000).blocks == 0


def test_the_text_and_the_calculator_part_with_reserved_memory_and_refused_blocks():
    """How often the plain equations give another number than the calculator."""
    wrong = Counter[str]()
    for row in ROWS:
        point = (int(row["threads"]), int(row["registers"]), int(row["shared_bytes"]))
        if wang_occupancy(load_gpu_once(row["gpu"]), *point).blocks != int(row["blocks"]):
            wrong[row["gpu"]] += 1
    assert set(wrong) <= {"a100", "rtx3090", "rtx4090", "h100"}


CACHE = {name: load_gpu(name) for name in {row["gpu"] for row in ROWS}}


def load_gpu_once(name: str):
    return CACHE[name]


def test_an_unknown_limit_is_named():
    with pytest.raises(DiagnosticError, match="registers_per_sm"):
        occupancy_of(load_gpu("v100", ["registers_per_sm=null"]), 256, 32, 0)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(CACHE)),
    st.integers(1, 1024),
    st.integers(1, 63),
    st.integers(0, 48 * 1024),
    st.sampled_from(["registers", "shared"]),
)
def test_more_need_never_means_more_blocks(
    name: str, threads: int, registers: int, shared: int, what: str
):
    gpu = CACHE[name]
    before = occupancy_of(gpu, threads, registers, shared)
    more = (registers + 1, shared) if what == "registers" else (registers, shared + 64)
    assert occupancy_of(gpu, threads, *more).blocks <= before.blocks
    assert before.warps <= before.max_warps
    assert before.blocks * before.allocated_shared_bytes <= 256 * 1024
