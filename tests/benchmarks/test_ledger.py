"""The ledger: which rows are drawn, what a row runs, what counts as worse."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from benchmarks.ledger import ROWS, interleaved, without
from benchmarks.ledger_cases import case_of, drawn
from benchmarks.ledger_figures import table_figures, worse
from benchmarks.measured_tables import TABLES, Table
from kcc.base.diagnostics import DiagnosticError
from kcc.base.expressions import evaluate
from kcc.commands.journal import Journal
from kcc.stages.estimate import Question
from kcc.validation.outcome import Outcome, read_outcome
from kcc.validation.predict import Predictor

ROW = {
    "BLOCK_SIZE_X": "96", "BLOCK_SIZE_Y": "4", "TILE_SIZE_X": "2", "TILE_SIZE_Y": "1",
    "IMAGE_WIDTH": "4096", "IMAGE_HEIGHT": "4096", "PADDING": "0", "time_ms": "", "gpu": "",
    "grid_blocks": "", "block": "", "status": "Failed",
}  # fmt: skip
OUTCOME = Outcome("t", 1, "k", "g", "NVIDIA Volta", 10.0, failed=False, time_us=11.0, low_us=9.0,
                  high_us=13.0, limiter="issue")  # fmt: skip


def table(name: str) -> Table:
    return next(each for each in TABLES if each.name == name)


def test_a_larger_sample_holds_a_smaller_one_and_tables_of_one_length_agree() -> None:
    assert drawn(50, 7, 1) == drawn(50, 20, 1)[:7]
    assert sorted(drawn(50, 0, 1)) == list(range(50))
    assert drawn(50, 7, 1) != drawn(50, 7, 2)


def test_a_row_that_failed_has_the_launch_of_its_macros(tmp_path: Path) -> None:
    (tmp_path / "KernelTunerConvolution.cu").write_text("__global__ void Convolution() {}")
    case = case_of(table("convolution_rtx3090"), 3, {**ROW, "gpu": "RTX_3090"}, tmp_path)
    assert case.failed
    assert case.measured_us is None
    works = case.works()
    assert not isinstance(works, str)
    inputs = works[0].request().other_launch
    assert inputs.request.grid is not None
    assert [evaluate(e, inputs.names) for e in inputs.request.grid] == [22, 1024]


def test_a_table_left_out_keeps_the_card_and_not_its_clock(tmp_path: Path) -> None:
    (tmp_path / "KernelTunerConvolution.cu").write_text("__global__ void Convolution() {}")
    clocked = table("convolution_rtx2080ti_counters")
    case = case_of(clocked, 0, {**ROW, "gpu": "RTX_2080_Ti"}, tmp_path)
    assert "core_clock_boost_mhz=1790" in case.gpu.settings
    assert without(case, clocked).gpu.settings == ()
    products = table("products_rdna3")
    card = products.gpu({"gpu": "rx7600xt"})
    assert "sm_count=32" in card.settings
    kept = without(replace(case, gpu=card), products).gpu.settings
    assert kept == (*card.settings, "shared_bytes_per_cycle=null")


def test_rows_of_two_tables_that_are_one_configuration_stand_together(tmp_path: Path) -> None:
    (tmp_path / "KernelTunerConvolution.cu").write_text("__global__ void Convolution() {}")
    gpus = {"convolution_rtx3090": "RTX_3090", "convolution_rtx2080ti_counters": "RTX_2080_Ti"}
    cases = [
        [case_of(table(name), n, {**ROW, "gpu": gpu, "BLOCK_SIZE_Y": y}, tmp_path)
         for n, y in enumerate(("4", "8"))]
        for name, gpu in gpus.items()
    ]  # fmt: skip
    assert [case.number for case in interleaved(cases)] == [0, 0, 1, 1]


def test_a_kernel_of_our_own_is_estimated_in_what_the_table_measures() -> None:
    row = {"gpu_variant": "l40", "elements_f64": "65536", "GBps_col4": "400"}
    case = case_of(table("microbench_small_kernels"), 0, row, Path("nowhere"))
    queued = Predictor(Question()).outcome(case)
    graph = Predictor(Question()).outcome(
        case_of(table("microbench_small_kernels"), 0, {**row, "gpu_variant": "l40_graph"}, Path())
    )
    assert queued.measured_us == pytest.approx(65536 * 16 / 400e3)
    assert queued.time_us is not None
    assert graph.time_us is not None
    kernel = queued.time_us - queued.launch_us
    assert graph.time_us - graph.launch_us == pytest.approx(kernel)
    assert 0 < graph.launch_us < queued.launch_us
    assert queued.generation == "NVIDIA Ada Lovelace"


def test_what_follows_a_matrix_larger_than_l2_begins_with_a_cold_one() -> None:
    jacobi, forces = table("dense_jacobi"), table("electric_nbody")
    row = {"gpu": "nvidia-tesla-p100-sxm2", "time_us": "3", "kernel": "jacobi_xnext"}

    def warm(of: Table, **values: str) -> bool:
        return case_of(of, 0, {**row, **values}, Path()).caches.warm

    assert warm(jacobi, arguments="A=float[65536];input_size=256")
    assert not warm(jacobi, arguments="A=float[26214400];input_size=5120")
    assert warm(jacobi, arguments="A=float[26214400];input_size=5120", kernel="jacobi_sigma")
    update = {"gpu": "nvidia-geforce-rtx-3060", "kernel": "update_particle_states"}
    assert not warm(forces, **update, file="main/src/compute.cu")
    assert warm(forces, **update, file="src/compute.cu")


def test_what_has_no_estimate_says_why(tmp_path: Path) -> None:
    row = {"gpu": "", "status": "ok", "time_ms": "1", "grid_x": "1", "grid_y": "1",
           "block_x": "32", "block_y": "1", "sh_power": "0"}  # fmt: skip
    found = Predictor(Question()).outcome(case_of(table("hotspot_a100"), 0, row, tmp_path))
    assert found.time_us is None
    assert "cannot read" in found.reason
    figures = table_figures(table("hotspot_a100"), [replace(found, groups=("a",))])
    assert figures.counted.refused == 1
    assert list(figures.reasons.values()) == [1]


def test_rows_survive_their_journal(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with Journal(path, "digest", ROWS, resume=True) as journal:
        journal.add("t 1", replace(OUTCOME, counters={"warp_instructions": (1.0, 2.0)}))
    with path.open("a") as file:
        file.write('{"task": "t 2", "fou')
    with Journal(path, "digest", ROWS, resume=True) as again:
        assert again.done == {"t 1": replace(OUTCOME, counters={"warp_instructions": (1.0, 2.0)})}
    with pytest.raises(DiagnosticError, match="other work"):
        Journal(path, "another", ROWS, resume=True)
    assert read_outcome(json.loads(json.dumps(asdict(OUTCOME)))) == OUTCOME


def test_worse_is_what_grew_beyond_noise_or_has_no_estimate_any_more() -> None:
    assert worse([OUTCOME], [[replace(OUTCOME, time_us=11.1)]]) == []
    assert worse([OUTCOME], [[replace(OUTCOME, number=2, time_us=30.0)]]) == []
    (grown,) = worse([OUTCOME], [[replace(OUTCOME, time_us=11.4)]])
    assert "14.0 %, it was 10.0 %" in grown
    (lost,) = worse([OUTCOME], [[replace(OUTCOME, time_us=None)]])
    assert "0 rows have an estimate" in lost
