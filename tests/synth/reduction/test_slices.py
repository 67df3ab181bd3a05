"""Parts of a GPU that stand for the whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.base.gpu import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.stages.host import HostSettings
from kcc.stages.proxy_check import simulate_run, trace_run
from kcc.stages.proxy_search import Bench
from kcc.stages.synth import Study, study_script
from kcc.synth.comparison.behaviour import Simulated
from kcc.synth.reduction.reductions import Reduction, on_parts
from kcc.synth.reduction.slices import of_whole, parts_of, slice_of, slice_settings

WORKLOAD = str(Path(__file__).parents[3] / "kernels" / "vecadd" / "workload.py")


def test_what_sms_share_is_divided():
    v100 = load_gpu("v100")
    part = slice_of(v100, 16)
    known = GpuReader(part)
    assert [known.integer(key) for key in ("sm_count", "dram.channels")] == [5, 2]
    assert [known.integer(key) for key in ("l2.size_bytes", "l2.slices")] == [6291456 // 16, 4]
    assert known.number("memory_bandwidth_gbs") == 897 / 16
    assert known.number("l2.bytes_per_cycle") == 1768 / 16
    same = ("max_warps_per_sm", "l1", "latency_cycles", "schedulers_per_sm", "interconnect")
    assert all(getattr(part, name) == getattr(v100, name) for name in same)
    assert slice_of(v100, 1) is v100


def test_what_cannot_be_divided_is_said():
    with pytest.raises(ValueError, match=r"sm_count = 80 of nvidia-tesla-v100-\S* is no multiple"):
        slice_settings(load_gpu("v100"), 32)


def test_a_cache_that_is_not_there_is_not_set():
    assert slice_settings(load_gpu("conf1"), 2) == (
        "sm_count=4", "dram.channels=4", "memory_bandwidth_gbs=25.6"
    )  # fmt: skip


def test_parts_of_several_gpus_are_those_of_all():
    gpus = [load_gpu(name) for name in ("v100", "conf1", "conf4")]
    assert parts_of(gpus[:1]) == [16, 8, 4, 2, 1]
    assert parts_of(gpus[:2]) == [8, 4, 2, 1]
    assert parts_of(gpus) == [2, 1]


def test_the_whole_issues_so_many_times_what_a_part_does():
    part = Simulated("", 100, 30, 40, {}, 1.0, auxiliary=10)
    whole = of_whole(part, 4)
    assert (whole.cycles, whole.issued, whole.auxiliary) == (100, 120, 40)
    assert (whole.instructions, whole.cpu_seconds) == (40, 1.0)  # of the simulation
    assert whole.own_ipc == 4 * part.own_ipc


def test_a_part_has_at_most_its_share_of_the_thread_blocks():
    none, most = Reduction(((1,),)), Reduction(((8,),), 8)
    found = list(on_parts(none, most, [16, 8, 4, 2, 1]))
    assert [(one.blocks, one.parts) for one in found] == [(8, 8), (4, 4), (2, 2)]
    assert Reduction(((1,),), 16, 8).larger == Reduction(((1,),), 8, 8)
    assert not Reduction(((1,),), 8, 8).has_twin  # it would be more than the part's share
    assert Reduction(((1,),), 16, 8).common_blocks == 8
    assert Reduction(((4,),), 16, 8).common_blocks == 16


def test_a_part_takes_as_long_as_the_whole(tmp_path: Path):
    """Vecadd waits for DRAM: with a quarter of the thread blocks conf1 takes a quarter of the
    time, a quarter of conf1 as long as the original; followed from two smaller ones, too."""
    gpu, settings = load_gpu("conf1"), HostSettings()
    study = study_script(WORKLOAD, Study(launches=[range(1)]), settings)
    traced = trace_run(WORKLOAD, tmp_path / "original.kct", settings, launches=[range(1)])
    bench = Bench(study, [gpu], [simulate_run(traced, gpu)], settings, tmp_path)
    quarter = bench.pair(Reduction(((),), 4, 4), 0)
    assert abs(quarter.miniature.cycles / quarter.original.cycles - 1) < 0.03
    assert abs(quarter.ipc_error) < 0.03
    assert quarter.settings == slice_settings(gpu, 4)
    assert quarter.instruction_speedup == 4
    on_all = bench.pair(Reduction(((),), 4), 0)
    assert on_all.miniature.cycles < 0.3 * on_all.original.cycles
    assert not on_all.settings
    two = bench.pair(Reduction(((),), 32, 4), 0, twins=True)
    assert abs(two.miniature.cycles / two.original.cycles - 1) < 0.05
