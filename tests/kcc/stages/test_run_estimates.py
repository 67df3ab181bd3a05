"""`kcc simulate SCRIPT --model pipeline`: estimates of launches that ran, with what was counted."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import kcc
from kcc.base.gpu import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.cli import main
from kcc.passes.graph.loops import Loops
from kcc.sim.estimate.model import estimate
from kcc.sim.flow.launch_flow import Flow, flow_of
from kcc.sim.machine.costs import Generation
from kcc.sim.machine.pipeline_columns import machine_of
from kcc.stages.host import run_script
from kcc.stages.run_estimates import LaunchEstimator, LaunchRecorder

ROOT = Path(__file__).parents[3]
LAUNCH_US, OVERHEAD_CYCLES = 1.9, 1000
"""Of an estimate from source on a V100, and of simulations."""

SCRIPT = '''
import numpy as np
import pyopencl as cl
context = cl.create_some_context()
queue = cl.CommandQueue(context)
program = cl.Program(context, """
__kernel void walk(__global const int *times, __global const int *places, __global float *out) {
  int i = get_global_id(0);
  float sum = 0.0f;
#pragma unroll 1
  for (int n = 0; n < times[i]; ++n) sum += out[places[i] + n];
  out[1024 + i] = sum;
}""").build()
times = np.full(64, 3, np.int32)
times[32:48], times[48:] = 2, 6
places = np.arange(64, dtype=np.int32) * 8
flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
buffers = [cl.Buffer(context, flags, hostbuf=a) for a in (times, places)]
out = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR,
                hostbuf=np.ones(2048, np.float32))
program.walk(queue, (64,), (64,), *buffers, out)
'''


def schema(kind: str) -> dict[str, Any]:
    path = resources.files(kcc).joinpath(f"schemas/{kind}-1.json")
    return json.loads(path.read_text(encoding="utf-8"))


def simulated(script: str, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    command = ["simulate", script, "--gpu", "v100", "--model", "pipeline", "--json", "-", *more]
    assert main(command) == 0
    return json.loads(capsys.readouterr().out)


STRUCT = '''
import numpy as np
import pyopencl as cl
context = cl.create_some_context()
queue = cl.CommandQueue(context)
program = cl.Program(context, """
typedef struct { int stride, first; } Shape;
__kernel void spread(Shape s, __global float *out) {
  out[get_global_id(0) * s.stride + s.first] = 1.0f;
}""").build()
out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64 * 8 * 4 + 32)
shape = np.array([(8, 3)], [("stride", "i4"), ("first", "i4")])[0]
program.spread(queue, (64,), (64,), shape, out)
'''


def test_structs_by_value_are_known(tmp_path: Path):
    """Lanes lie eight floats apart, each in a sector of its own."""
    script = tmp_path / "spread.py"
    script.write_text(STRUCT)
    recorder = LaunchRecorder()
    run_script(str(script), observer=recorder)
    (stream,) = LaunchEstimator(recorder.ran).subject(0).streams
    assert stream.rows is not None
    assert stream.sectors == 32


def test_what_lanes_did_is_counted(tmp_path: Path):
    script = tmp_path / "walk.py"
    script.write_text(SCRIPT)
    recorder = LaunchRecorder()
    run_script(str(script), observer=recorder)
    (ran,) = recorder.ran
    subject = LaunchEstimator(recorder.ran).subject(0)
    flow: Flow = subject.flow
    (loop,) = subject.facts[Loops].loops
    # The first warp has 3 iterations, the second one until its last lanes have done 6.
    assert flow.warps == 2
    assert not flow.assumed
    assert flow.entries[loop.id] == 2
    body = flow.executions[loop.header]
    assert body == 3 + 6
    assert flow.trips[loop.id] == body / 2
    assert flow.lanes[loop.header] == pytest.approx((3 * 32 + 2 * 16 + 6 * 16) / (9 * 32))
    # Each lane reads rows of its own, 8 words apart: a sector for each lane that is active.
    accesses = {a.access: a for a in ran.profile.accesses}
    (walk,) = (s for s in subject.streams if s.rows is None)
    seen = accesses[walk.access].sectors
    assert walk.sectors == sum(k * n for k, n in seen.items()) / sum(seen.values())
    assert walk.sectors == pytest.approx((3 * 32 + 2 * 32 + 4 * 16) / 9)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["matmul", "saxpy", "stencil3d"])
def test_as_from_source_where_memory_decides_nothing(name: str, capsys: pytest.CaptureFixture[str]):
    folder = ROOT / "kernels" / name
    document = simulated(str(folder / "workload.py"), capsys, "--size", "tiny", "--cold")
    jsonschema.validate(document, schema("simulation"))
    assert document["model"] == "pipeline"
    command = ["estimate", str(folder / f"{name}.cl"), "--size", "tiny", "--gpu", "v100"]
    assert main([*command, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)["estimates"]
    times = {e["configuration"]["kernel"]: e["time_us"] for e in found}
    for launch in document["launches"]:
        of_kernel = launch["time_us"] - OVERHEAD_CYCLES / launch["clock_mhz"]
        assert of_kernel == pytest.approx(times[launch["kernel"]] - LAUNCH_US, rel=1e-3)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name", ["convolution", "hotspot", "matmul", "nbody", "pathfinder", "reduction", "transpose"]
)
def test_counted_flow_is_the_computed_one(name: str):
    """Two ways to the same numbers, where nothing has to be assumed."""
    recorder = LaunchRecorder()
    run_script(str(ROOT / "kernels" / name / "workload.py"), size="tiny", observer=recorder)
    estimator, compared = LaunchEstimator(recorder.ran), 0
    for number, ran in enumerate(recorder.ran):
        counted = estimator.subject(number)
        computed = flow_of(ran.kernel, counted.facts)
        if not computed.assumed:
            compared += 1
            assert counted.flow.executions == pytest.approx(computed.executions, abs=1e-6)
            assert counted.flow.lanes == pytest.approx(computed.lanes)
            assert counted.flow.trips == pytest.approx(computed.trips)
    assert compared


def test_busy_thread_blocks_count():
    """A launch of few rounds takes what the SM with most to do takes."""
    recorder = LaunchRecorder(["kernel_gpu_opencl"])
    run_script(str(ROOT / "kernels" / "lavamd" / "workload.py"), size="tiny", observer=recorder)
    (ran,) = recorder.ran
    subject = LaunchEstimator(recorder.ran).subject(0)
    work = subject.work_by_block(Generation.VOLTA)
    assert work.tolist() == ran.profile.per_block.warp_instructions.tolist()
    v100 = load_gpu("v100")
    uneven = estimate(subject, GpuReader(v100)).cycles
    subject.works = dict.fromkeys(Generation, np.full_like(work, work.mean()))
    even = estimate(subject, GpuReader(v100)).cycles
    launch = LAUNCH_US * machine_of(GpuReader(v100)).clock_mhz
    assert (uneven - launch) / (even - launch) == pytest.approx(work.max() / work.mean(), rel=1e-3)


def test_parts_add_up(capsys: pytest.CaptureFixture[str]):
    script = str(ROOT / "kernels" / "bfs" / "workload.py")
    document = simulated(script, capsys, "--size", "tiny")
    jsonschema.validate(document, schema("simulation"))
    for launch in document["launches"]:
        total = launch["cycles"] * launch["schedulers"]
        assert sum(launch["cpi_stack"].values()) == pytest.approx(total)
        assert sum(line["cycles"] for line in launch["lines"]) == pytest.approx(total)
    again = simulated(script, capsys, "--size", "tiny")
    assert again == document


def test_launches_are_chosen(capsys: pytest.CaptureFixture[str]):
    script = str(ROOT / "kernels" / "bfs" / "workload.py")
    chosen = simulated(script, capsys, "--size", "tiny", "--launches", "1-2", "--kernel", "BFS_1")
    assert [launch["launch"] for launch in chosen["launches"]] == [2]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["trace.kct"], "takes a script"),
        (["kernelslist.g"], "takes a script"),
        (["script.py", "--csv", "a.csv"], "--csv"),
        (["script.py", "--timeline", "a.json"], "--timeline"),
        (["script.py", "--sample", "tbpoint"], "--sample"),
    ],
)
def test_bad_usage(capsys: pytest.CaptureFixture[str], options: list[str], word: str):
    assert main(["simulate", *options, "--gpu", "v100", "--model", "pipeline"]) == 2
    assert word in capsys.readouterr().err
