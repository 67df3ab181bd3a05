"""The collector and predictions on traces of real kernels, beside the cycle-level model."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.interval.collect import Collection, Event
from kcc.sim.interval.explore import Explorer
from kcc.sim.interval.facts import Kind
from kcc.sim.interval.features import features_of
from kcc.sim.interval.intervals import Feature
from kcc.sim.interval.model import LaunchModel
from kcc.sim.interval.options import EXTENSIONS, Extensions, Model, Options, without
from kcc.sim.interval.runs import collections_of_trace, interval_trace
from kcc.sim.interval.timing import timing_of
from kcc.sim.machine.warp_scheduling import Policy
from kcc.sim.result import Timing
from tests.sim.interval.conftest import ROOT, traced

GPU = "gpumech-table7"
NAMES = ("transpose", "bfs", "scan", "histogram")


def collections(path: str, gpu: str = GPU) -> list[Collection]:
    return list(collections_of_trace(path, load_gpu(gpu, [])))


def all_timings(path: str, gpu: str, options: Options, *, cold: bool = False) -> list[Timing]:
    return list(interval_trace(path, load_gpu(gpu, []), options, cold=cold))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_counts_are_those_of_the_cycle_level_model(traces: dict[str, str], name: str):
    """Whatever does not depend on time is the same: instructions, sectors, passes, L2 writes."""
    for gpu in (GPU, "v100"):
        found = all_timings(traces[name], gpu, Options())
        measured = list(simulate_trace(traces[name], load_gpu(gpu, [])))
        for own, other in zip(found, measured, strict=True):
            assert own.issued == other.issued
            assert own.instructions == other.instructions
            assert own.thread_instructions == other.thread_instructions
            assert own.statistics["L1 sectors"] == other.statistics["L1 sectors"]
            assert own.occupancy == other.occupancy
            executed = {(line.file, line.line): line.executed for line in other.lines}
            assert {(x.file, x.line): x.executed for x in own.lines if x.executed} == {
                place: count for place, count in executed.items() if count
            }


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_misses_are_near_those_of_the_cycle_level_model(traces: dict[str, str], name: str):
    found = all_timings(traces[name], GPU, Options())
    measured = list(simulate_trace(traces[name], load_gpu(GPU, [])))
    for level in (0, 1):
        if name == "histogram" and level == 0:
            continue  # Which blocks share lines of an SM depends on when SMs take the next one.
        own = [(t.caches[level].hits, t.caches[level].accesses) for t in found]
        other = [(t.caches[level].hits, t.caches[level].accesses) for t in measured]
        rates = [sum(h for h, _ in each) / max(sum(a for _, a in each), 1) for each in (own, other)]
        assert rates[0] == pytest.approx(rates[1], abs=0.1)


@pytest.mark.parametrize("name", NAMES)
def test_collection_adds_up(traces: dict[str, str], name: str):
    for c in collections(traces[name]):
        load = c.operations.kind == Kind.GLOBAL_LOAD
        events = c.events
        leaves = events[load, Event.SECTORS] - events[load, Event.L1_HITS]
        assert (leaves - events[load, Event.L1_PENDING] == events[load, Event.L2_READS]).all()
        assert (events[:, Event.L2_READS] - events[:, Event.L2_HITS]
                == events[:, Event.DRAM_READS]).all()  # fmt: skip
        is_global = (c.operations.kind >= Kind.GLOBAL_LOAD) & (
            c.operations.kind <= Kind.GLOBAL_ATOMIC
        )
        levels = events[is_global, Event.L1 : Event.DRAM + 1].sum(axis=1)
        assert (levels == events[is_global, Event.EXECUTED]).all()
        assert (events[is_global, Event.EXECUTED] == c.executed[is_global]).all()
        assert sum(s.warps for s in c.sequences) == (c.sequence_of_warp >= 0).sum()
        assert c.block_slots.sum() == (c.executed * c.operations.issue_slots).sum()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", list(Model))
def test_stacks_add_up(traces: dict[str, str], model: Model):
    for gpu in (GPU, "a100"):
        for t in all_timings(traces["bfs"], gpu, Options(model)):
            total = t.cycles * t.schedulers
            assert sum(part.cycles for part in t.stack) == pytest.approx(total)
            assert all(part.cycles >= 0 for part in t.stack)
            assert sum(line.cycles for line in t.lines) == pytest.approx(total)


def points(path: str, settings: list[list[str]], options: Options | None = None) -> list[float]:
    with Explorer(path, GPU, [], options or Options()) as explorer:
        return [explorer.at(each).cycles for each in settings]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_more_is_never_slower(traces: dict[str, str], name: str):
    """More entries or bandwidth, shorter latencies; by no more than two percent where the order
    of warps changes."""
    for key, values in (
        ("l1.mshr", (8, 32, 128)),
        ("memory_bandwidth_gbs", (48, 192, 768)),
        ("l1.banks", (1, 4)),
    ):
        times = points(traces[name], [[f"{key}={value}"] for value in values])
        for slower, faster in itertools.pairwise(times):
            assert faster <= slower * 1.02


def test_no_limits_leave_multithreading(traces: dict[str, str]):
    """With entries and bandwidth (nearly) without end the text's three models are one."""
    free = ["l1.mshr=1048576", "memory_bandwidth_gbs=1e6"]
    for name in NAMES:
        mt, mshr, band = (
            points(traces[name], [free], Options(m))[0]
            for m in (Model.MT, Model.MT_MSHR, Model.GPUMECH)
        )
        assert mshr == pytest.approx(mt)
        assert band == pytest.approx(mt, rel=2e-2)


def test_one_cache_pass_for_many_points(traces: dict[str, str]):
    with Explorer(traces["scan"], GPU, [], Options()) as explorer:
        explorer.at()
        passes = explorer.passes
        for setting in ("l1.mshr=64", "memory_bandwidth_gbs=96", "latency_cycles.dram=600",
                        "scheduler=greedy-then-oldest", "latency_cycles.fp32_fma=4"):  # fmt: skip
            explorer.at([setting])
        assert explorer.passes == passes
        explorer.at(["l2.size_bytes=393216"])
        assert explorer.passes == 2 * passes


def test_points_do_not_depend_on_which_came_first(traces: dict[str, str]):
    settings = [["latency_cycles.l2_hit=150"], ["latency_cycles.l2_hit=400", "l1.mshr=64"]]
    there = points(traces["scan"], settings)
    assert points(traces["scan"], settings[::-1]) == there[::-1]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("transpose", ["l1.mshr=64", "memory_bandwidth_gbs=96", "latency_cycles.fp32_fma=4"]),
        ("scan", ["max_regs_per_thread=16"]),  # spills: another code than the GPU's own
    ],
)
def test_a_point_is_what_a_run_of_its_own_says(
    traces: dict[str, str], name: str, settings: list[str]
):
    with Explorer(traces[name], GPU, [], Options()) as explorer:
        before = explorer.at().timings
        found = explorer.at(settings).timings
        assert [t.cycles for t in explorer.at().timings] == [t.cycles for t in before]
    own = list(interval_trace(traces[name], load_gpu(GPU, settings), Options()))
    assert [t.cycles for t in found] == pytest.approx([t.cycles for t in own])
    assert [t.issued for t in found] == [t.issued for t in own]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("part", EXTENSIONS)
def test_each_part_can_be_left_out(traces: dict[str, str], part: str):
    chosen = Options(extensions=without((part,)))
    for t in all_timings(traces["transpose"], "v100", chosen):
        assert 0 < t.cycles < 1e6
        total = sum(p.cycles for p in t.stack)
        assert total == pytest.approx(t.cycles * t.schedulers)


def test_parts_matter(traces: dict[str, str]):
    """On a kernel that divides its stores over 32 lines each, contention is most of the time."""
    (c, *_) = collections(traces["transpose"])
    whole = LaunchModel(c).predict(c.machine, Options()).cycles
    parts = replace(Extensions(), load_store=False, divergence=False, bandwidth=False)
    bare = LaunchModel(c).predict(c.machine, Options(extensions=parts)).cycles
    assert bare < 0.9 * whole


def test_atomics_wait_for_room_as_stores_do(traces: dict[str, str]):
    """For as many sectors as they are for."""
    found = set[Kind]()
    for c in collections(traces["histogram"]):
        kind = c.operations.kind
        waits = (kind == Kind.GLOBAL_ATOMIC) | (kind == Kind.GLOBAL_STORE)
        sectors = np.where(waits, c.per_execution(Event.SECTORS), 0)
        assert features_of(c, c.machine)[:, Feature.WRITES].tolist() == sectors.tolist()
        found |= {Kind(k) for k in kind[sectors > 0].tolist()}
    assert found == {Kind.GLOBAL_ATOMIC, Kind.GLOBAL_STORE}


def test_schedulers_differ(traces: dict[str, str]):
    (c, *_) = collections(traces["scan"])
    greedy = replace(c.machine, policy=Policy.GREEDY)
    model = LaunchModel(c)
    assert model.predict(c.machine, Options()).cycles != model.predict(greedy, Options()).cycles


def test_predictions_repeat(traces: dict[str, str]):
    runs = [all_timings(traces["bfs"], "v100", Options()) for _ in range(2)]
    assert runs[0] == runs[1]


def test_static_trace_is_the_same(tmp_path_factory: pytest.TempPathFactory):
    """Where nothing is assumed, the trace from the source gives what a run gives."""
    from kcc.cli import main

    folder = tmp_path_factory.mktemp("static")
    source = ROOT / "kernels" / "scan" / "scan.cl"
    static = folder / "static.kct"
    assert main(["trace", str(source), "--size", "tiny", "-o", str(static)]) == 0
    runs = all_timings(traced(folder, "scan"), GPU, Options(), cold=True)
    by_run = {t.kernel: t for t in reversed(runs)}
    for t in all_timings(str(static), GPU, Options(), cold=True):
        assert t.issued == by_run[t.kernel].issued
        assert t.cycles == pytest.approx(by_run[t.kernel].cycles, rel=0.05)


def test_text_timing_names_its_model(traces: dict[str, str]):
    (c, *_) = collections(traces["scan"])
    options = Options(Model.GPUMECH)
    t = timing_of(c, c.machine, LaunchModel(c).predict(c.machine, options), options)
    assert t.model == "interval"
    assert any("gpumech" in note for note in t.confidence)
    assert np.isfinite(t.cycles)
