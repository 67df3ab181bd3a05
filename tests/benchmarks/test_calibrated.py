"""What is calibrated: every constant is there, and leaving a table out reaches who uses it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.calibrated import CONSTANTS, SOURCES, Constant, left_out, rests_on, without_sources
from benchmarks.ledger_cases import case_of
from benchmarks.measured_tables import TABLES
from kcc.base.gpu.loading import gpu_names, load_gpu
from kcc.base.gpu.schema import facts_of
from kcc.stages.estimate import Question
from kcc.validation.predict import Predictor

NAMES = {table.name: table for table in TABLES}


@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda constant: constant.name)
def test_each_constant_is_there_and_is_something_else_without_its_tables(
    constant: Constant,
) -> None:
    assert hasattr(constant.module, constant.name)
    assert constant.tables
    assert set(constant.tables) <= NAMES.keys()
    assert constant.without != getattr(constant.module, constant.name)


def test_leaving_a_table_out_reaches_every_module_and_ends() -> None:
    used = sys.modules["kcc.sim.machine.pipeline_columns"]
    assert used.REQUEST_CYCLES == 2.0
    with left_out("polybench_h100_sxm"):
        assert used.REQUEST_CYCLES == 1.95
    assert used.REQUEST_CYCLES == 2.0
    with left_out("hotspot_a100"):
        assert used.REQUEST_CYCLES == 2.0


def test_values_of_gpus_go_with_their_source() -> None:
    (table,) = {name for name in SOURCES.values() if "stream" in name}
    taken = without_sources("nvidia-a100-pcie-40gb", table)
    assert "dram.sustained_share=null" in taken
    changed = load_gpu("nvidia-a100-pcie-40gb", taken)
    assert not any(f and f.source == "gpubenches-stream" for f in facts_of(changed).values())
    assert without_sources("nvidia-a100-pcie-40gb", "hotspot_a100") == ()
    assert "dram.sustained_share=0.922" in without_sources("nvidia-l40", table)


def test_no_source_of_measured_times_is_forgotten() -> None:
    files = {f.source for name in gpu_names() for f in facts_of(load_gpu(name)).values() if f}
    assert files >= SOURCES.keys()
    of_times = {s for s in files if s.startswith("gpubenches-") or s.endswith("-times")}
    named = {"opencl-benchmark"} | of_times
    assert named == SOURCES.keys()


@pytest.mark.slow
def test_a_small_kernel_takes_another_time_without_its_table() -> None:
    row = {"gpu_variant": "l40", "elements_f64": "65536", "GBps_col4": "400"}
    table = NAMES["microbench_small_kernels"]
    case = case_of(table, 0, row, Path())
    usual = Predictor(Question()).outcome(case)
    with left_out(table.name):
        without = Predictor(Question()).outcome(case)
    assert rests_on(table)
    assert usual.time_us is not None
    assert without.time_us is not None
    assert usual.launch_us == without.launch_us  # the L40's own value, from the same table
    assert not rests_on(NAMES["hotspot_a100"])
