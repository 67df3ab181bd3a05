"""Miniatures of whole workloads against their originals, both profiled."""

from __future__ import annotations

import math
import re
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from kcc.base.gpu import load_gpu
from kcc.base.profile.model import LaunchProfile
from kcc.frontend.ir.instructions import Binary
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.reader import read_module
from kcc.report.miniature.full import revealed
from kcc.stages.host import run_script
from kcc.stages.proxy_check import simulate_run, trace_run
from kcc.stages.synth import files_of, flow_differences, settle, write_host
from kcc.synth.assembly.control import rate
from kcc.synth.assembly.model import Drawn, Fork, Known, LoopControl, TableValue
from kcc.synth.assembly.parameters import RateOf
from kcc.synth.assembly.trips import NEVER
from kcc.synth.emit.host_source import host_source
from kcc.synth.emit.llvm_source import compiled
from kcc.synth.emit.opencl_source import opencl_source
from tests.pocl import choose_device
from tests.synth.making import KERNELS, made, settings, studied

WORKLOADS = sorted(path.parent.name for path in KERNELS.glob("*/workload.py"))

DECIDED_BY_IDS = [
    "vecadd", "transpose", "matmul", "reduction", "hotspot", "stencil3d", "scan",
    *(pytest.param(name, marks=pytest.mark.full) for name in (
        "saxpy", "fft", "convolution", "lud", "gaussian", "nw", "nbody", "backprop", "kmeans",
        "pathfinder", "histogram", "nn", "blackscholes",
    )),
]  # fmt: skip
"""Workloads whose control flow depends on nothing but ids, sizes and counters."""

DECIDED_BY_DATA = [
    "bfs", "spmv",
    *(pytest.param(name, marks=pytest.mark.full) for name in (
        "sssp", "cfd", "streamcluster", "lavamd", "mergesort", "btree",
    )),
]  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("workload", DECIDED_BY_IDS)
def test_flow_is_the_same_without_reduction(workload: str):
    for found in flow_differences(studied(workload), made(workload)):
        assert found.same, found
        assert not found.joined
        assert not found.auxiliary


def test_guards_and_signed_indices_cost_what_they_cost_in_the_original():
    """Truth values that are combined stay truth values, and sums that do not overflow say so, so
    that addresses stay linear."""
    study, settled = studied("laplace"), made("laplace")
    for launch, own in zip(study.launches, settled.profile.launches, strict=True):
        assert own.mix == launch.profile.mix
        assert own.warp_instructions == launch.profile.warp_instructions
    (function,) = (facts.function for facts in study.kernels)
    promised = sum(Flags.NSW in i.flags for i in function.instructions if isinstance(i, Binary))
    ir = compiled(settled.source.text, "kernel.cl").ir
    assert 0 < promised == sum(ir.count(f" {word} nsw ") for word in ("add", "sub", "mul"))


def test_an_or_of_an_unrolled_counter_is_a_sum_there_too():
    """As any other it ended what is linear, and the miniature of kmeans issued a third more."""
    own = read_module(compiled(made("kmeans").source.text, "kernel.cl").ir)
    for functions in ([f.function for f in studied("kmeans").kernels], own.functions.values()):
        said = [Flags.DISJOINT in i.flags for f in functions for i in f.instructions
                if isinstance(i, Binary) and i.opcode is Opcode.OR]  # fmt: skip
        assert said
        assert all(said)


@pytest.mark.parametrize("workload", ["kmeans", "matmul"])
def test_unrolled_loops_issue_what_the_original_does(tmp_path: Path, workload: str):
    """Two counters that are one, and indices that are not negative, are known as such. Numbers are
    drawn, and those that are the same take a move into registers less: 0.9 % of kmeans."""
    settled, gpu = made(workload), load_gpu("conf2", [])
    host = write_host(settled.miniature, settled.source, tmp_path)
    original = str(KERNELS / workload / "workload.py")
    traced = [
        trace_run(str(script), tmp_path / f"{number}.kct", settings(), size="tiny")
        for number, script in enumerate((original, host))
    ]
    issued, made_of_it = (simulate_run(each, gpu).issued for each in traced)
    assert made_of_it == pytest.approx(issued, rel=0.01)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("workload", ["transpose", "matmul", "reduction"])
def test_coalescing_and_bank_conflicts_are_the_same(workload: str):
    launches = made(workload).profile.launches
    for launch, own in zip(studied(workload).launches, launches, strict=True):
        for one, two in zip(launch.profile.accesses, own.accesses, strict=True):
            assert one.sectors == two.sectors
            assert one.bank_passes == two.bank_passes
            assert one.executions == two.executions


@pytest.mark.sampled(4)
@pytest.mark.parametrize("workload", DECIDED_BY_DATA)
def test_branches_on_data_are_taken_at_the_measured_rates(workload: str):
    """Drawn ones to 1 %, those that contents decide to 5 %, or what chance explains (three standard
    deviations of the number of draws, which are one for a group of lanes)."""
    study, settled = studied(workload), made(workload)
    checked = 0
    for launch, own in zip(study.launches, settled.profile.launches, strict=True):
        facts = study.kernels[launch.kernel]
        for block in settled.miniature.kernels[launch.kernel].blocks:
            ending = block.ending
            if not isinstance(ending, Fork):
                continue
            twin = _matching(launch.profile, own, block.number)
            by_contents = isinstance(ending.condition, Known) and block.number in facts.by_contents
            if twin is None or not (by_contents or isinstance(ending.condition, Drawn)):
                continue
            checked += 1
            wanted, found = rate(launch.profile, block.number, ending.then), twin[0]
            group = ending.condition.sharing.lanes if isinstance(ending.condition, Drawn) else 1
            draws = twin[1] / (group or math.prod(own.local_size))
            chance = 3 * math.sqrt(max(wanted * (1 - wanted), 0.01) / max(draws, 1))
            assert abs(wanted - found) <= (0.05 if by_contents else 0.01) + chance, block.number
    assert checked


@pytest.mark.parametrize("workload", ["spmv", "gridding"])
def test_trips_that_contents_decide_are_those_of_the_original(workload: str):
    """Not in all alone: lanes of a warp leave together where they did, so that warps execute the
    blocks of the loop as often, to 5 % and what chance explains."""
    study, settled = studied(workload), made(workload)
    checked = 0
    for launch, own in zip(study.launches, settled.profile.launches, strict=True):
        loops = settled.miniature.kernels[launch.kernel].loops
        facts = study.kernels[launch.kernel]
        for loop in loops:
            if loop.control is not LoopControl.KEPT or not facts.by_contents & set(loop.blocks):
                continue
            # A block may be one with the next in the miniature: the numbers behind it differ.
            its = settled.profile.kernels[own.kernel].loops[loop.number]
            one, two = launch.profile.nodes[loop.header], own.nodes[its.header]
            checked += 1
            for wanted, found in ((one.ecount, two.ecount), (one.warps, two.warps)):
                assert abs(found - wanted) <= 0.05 * wanted + math.sqrt(wanted)
    assert checked


def _matching(original: LaunchProfile, own: LaunchProfile, block: int) -> tuple[float, int] | None:
    """The rate at which the miniature left the block the first way, and from how many executions,
    where both graphs have as many blocks."""
    if len(original.nodes) != len(own.nodes) or not own.nodes[block].ecount:
        return None
    first = next(e.target for e in original.edges if e.source == block)
    out = {e.target: e.oecount for e in own.edges if e.source == block}
    total = sum(out.values())
    return (out.get(first, 0) / total, total) if total and first in out else None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("workload", ["matmul", "hotspot", "stencil3d"])
@pytest.mark.parametrize("factor", [2, 4])
def test_trips_are_divided(workload: str, factor: int):
    """Loops in no other, whose trips are the same in all threads: max(1, trips / R) exactly."""
    study, settled = studied(workload), made(workload, factor)
    checked = 0
    for launch, own in zip(study.launches, settled.profile.launches, strict=True):
        loops = settled.miniature.kernels[launch.kernel].loops
        factors = settled.miniature.reductions[launch.kernel]
        if len(own.loops) != len(loops):
            continue
        for loop, one, two in zip(loops, launch.profile.loops, own.loops, strict=True):
            fixed = one.least == one.most and one.entries and loop.depth == 1
            bound = loop.bound
            if not fixed or loop.control is LoopControl.KEPT or (bound and bound.tests_first):
                continue
            checked += 1
            assert (two.least, two.most) == (max(1, one.most // factors[loop.number]),) * 2
    assert checked


def test_two_makings_are_identical():
    study = studied("spmv")
    again = settle(study, made("spmv").miniature.reductions, settings())
    assert files_of(again, "k.cl", "k.py", "k.cu") == files_of(made("spmv"), "k.cl", "k.py", "k.cu")
    assert revealed(again.miniature) == revealed(made("spmv").miniature)


@pytest.mark.slow
def test_another_seed_draws_others():
    other = made("bfs", seed=3).profile.launches[4]
    assert other.nodes != made("bfs").profile.launches[4].nodes


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "workload",
    [w if w in ("vecadd", "matmul", "bfs", "imagefilter", "montecarlo") else
     pytest.param(w, marks=pytest.mark.full) for w in WORKLOADS],
)  # fmt: skip
@pytest.mark.pocl
def test_runs_on_pocl(workload: str, tmp_path: Path):
    choose_device()
    settled = made(workload, 4)
    script = write_host(settled.miniature, settled.source, tmp_path)
    run_script(str(script), settings=settings(redirect=False))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "workload",
    [w if w in ("vecadd", "matmul", "spmv", "nw") else
     pytest.param(w, marks=pytest.mark.full) for w in WORKLOADS],
)  # fmt: skip
def test_other_languages_are_well_formed(workload: str):
    files = files_of(made(workload, 2), "mini.cl", "mini.py", "mini.cu")
    module = llvm.parse_assembly(files.llvm)
    module.verify()
    assert files.cuda.count("{") == files.cuda.count("}")
    assert files.cuda.count("asm volatile") == len(made(workload).miniature.kernels)
    assert "_param_" not in files.cuda.replace("k0_param_0", "").replace("k0_param_1", "")


def test_blocks_are_divided():
    study = studied("vecadd")
    settled = settle(study, made("vecadd").miniature.reductions, settings(), blocks=2)
    for launch, own in zip(study.launches, settled.miniature.launches, strict=True):
        blocks = launch.launch.global_size[0] // launch.launch.local_size[0]
        assert own.global_size[0] // own.local_size[0] == max(1, blocks // 2)


def test_source_and_host_come_from_the_description_alone():
    miniature = made("bfs").miniature
    assert opencl_source(miniature).text == made("bfs").source.text
    assert "BFS" not in host_source(miniature, "a.py", "a.cl")
    assert RateOf(0, (1,), 1) == RateOf(0, (1,), 1)


@pytest.mark.slow
def test_both_ways_out_of_a_search_go_by_one_draw():
    """Threads that find what they look for leave early, the others at the end: not both."""
    study, settled = studied("mst"), made("mst")
    for found in flow_differences(study, settled):
        assert found.worst < 0.1, found.kernel
    for launch in settled.miniature.launches:
        kernel = settled.miniature.kernels[launch.kernel]
        for loop in kernel.loops:
            if loop.early is None or loop.control is not LoopControl.DRAWN:
                continue
            first, last = launch.values[loop.early.trips], launch.values[loop.trips]
            assert isinstance(first, TableValue)
            assert isinstance(last, TableValue)
            pairs = zip(first.trips, last.trips, strict=True)
            assert all((one == NEVER) is not (other == NEVER) for one, other in pairs)


@pytest.mark.slow
def test_a_loop_without_a_counter_is_left_early_by_its_trips():
    """Suffixes end where the tree does or where they differ: drawn at a rate beside all trips, a
    third of the steps down the tree were missing."""
    (found,) = flow_differences(studied("suffixmatch"), made("suffixmatch"))
    assert found.worst < 0.1


@pytest.mark.slow
def test_conditions_wait_in_place_of_the_last_operation():
    """Escape times are drawn, and each step has as many operations as the original's."""
    source = made("mandelbrot").source
    blocks = re.split(r"^b\d+:;", source.text, flags=re.MULTILINE)
    loops = [block for block in blocks if block.startswith(" // loop")]
    assert loops
    assert all("// aux" not in block for block in loops)
