"""What a launch takes besides what its warps do, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.cli import main
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.machine.launch_overhead import (
    MOST_LINES,
    LaunchWay,
    code_cycles,
    code_line_cycles,
    launch_cycles,
    profiled_cycles,
)

SAXPY = Path(__file__).parents[3] / "kernels" / "saxpy" / "saxpy.cl"
L2 = 214
"""Whole cycles of a V100."""


@pytest.mark.parametrize(
    ("size", "lines"), [(0, 0), (1, 1), (128, 1), (129, 2), (1120, 9), (4096, 32), (1e6, 32)]
)
def test_a_line_after_the_other_comes_from_l2(size: float, lines: int) -> None:
    assert code_cycles(200.0, size) == 200.0 * lines
    assert MOST_LINES == 32


@pytest.mark.parametrize(
    ("gpu", "settings", "cycles"),
    [
        ("v100", [], 300.0),
        ("k20", [], 300.0),
        ("v100", ["code_line_cycles=70"], 70.0),
        ("mi210", [], 0.0),  # of AMD's nothing is known
        ("gpumech-table7", [], 0.0),  # a cache of instructions is described
        ("accelsim-sm7-qv100", [], 0.0),  # as it is described, code is there
    ],
)
def test_whose_code_is_waited_for(gpu: str, settings: list[str], cycles: float) -> None:
    assert code_line_cycles(load_gpu(gpu, settings), 300.0) == cycles


def test_profilers_count_an_empty_kernel_and_not_what_lies_before_it() -> None:
    v100 = load_gpu("v100")
    queued = launch_cycles(v100, 1380.0, LaunchWay.QUEUED)
    assert queued == pytest.approx(1.9 * 1380)
    assert profiled_cycles(queued, 1380.0, is_amd=False) == 1000
    graph = launch_cycles(v100, 1380.0, LaunchWay.GRAPH)
    assert profiled_cycles(graph, 1380.0, is_amd=False) == graph == pytest.approx(0.7 * 1380)


def test_amds_profiler_counts_all_but_the_hosts_waiting() -> None:
    mi250x = load_gpu("mi250x-gcd")
    for way in (LaunchWay.QUEUED, LaunchWay.WAITED):
        launch = launch_cycles(mi250x, 1500.0, way)
        assert profiled_cycles(launch, 1500.0, is_amd=True) == pytest.approx(1.9 * 1500)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saxpy") / "saxpy.kct"
    launch = ["--kernel", "saxpy", "--global", "1024", "--local", "128", "--arg", "n=1024"]
    assert main(["trace", str(SAXPY), *launch, "-o", str(path)]) == 0
    return path


@pytest.mark.parametrize("model", ["cycle", "interval"])
def test_simulated_launches_wait_for_their_code(model: str, trace: Path) -> None:
    """224 bytes of code: two lines, until which no scheduler of 80 SMs has an instruction."""
    found = [_simulated(model, trace, settings) for settings in ([], ["code_line_cycles=0"])]
    (cycles, fetch), (without, none) = found
    assert none == 0
    assert cycles - without == 2 * L2
    assert fetch == pytest.approx(2 * L2 * 80 * 4, rel=0.01)


def _simulated(model: str, trace: Path, settings: list[str]) -> tuple[float, float]:
    from kcc.sim.interval.options import Options
    from kcc.sim.interval.runs import interval_trace

    gpu = load_gpu("v100", settings)
    runs = {
        "cycle": lambda: simulate_trace(str(trace), gpu),
        "interval": lambda: interval_trace(str(trace), gpu, Options()),
    }
    (timing,) = runs[model]()
    parts = {part.name.lower(): part.cycles for part in timing.stack}
    return timing.cycles, parts.get("fetch", 0.0)
