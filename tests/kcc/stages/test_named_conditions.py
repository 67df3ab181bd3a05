"""What keeps a GPU from working is named: each by a kernel that was made to have it, estimated
from its source and simulated with its data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import kcc.api
from kcc.base.advice import Advice
from kcc.report.estimate.verdict import verdict_of
from kcc.report.simulation.verdict import advice_on_run, verdict_of_run

WORK = """\
__kernel void updates(__global float *out, int n)
{{
    const int i = get_global_id(0);
    const int times = {times};
    float a = i;
    for (int k = 0; k < times; ++k)
        a = a * 1.0001f + 0.5f;
    out[i] = a;
}}
"""

LANES = """\
__kernel void some(__global const float *in, __global float *out)
{
    const int i = get_global_id(0);
    if ((get_local_id(0) & 31) < 4)
        out[i] = in[i] * in[i + 32];
}
"""

HELD = """\
__kernel void held(__global const float *in, __global float *out)
{
    __local float tile[12000];
    const int l = get_local_id(0);
    tile[l * 37 % 12000] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l];
}
"""

VALUES = 300


def many_values() -> str:
    """More values that live through a loop than a thread has registers."""
    numbers = range(VALUES)
    loads = "".join(f"    float v{k} = in[i + {k} * n];\n" for k in numbers)
    updates = "".join(f"        v{k} = v{k} * v{(k + 7) % VALUES} + 1.0f;\n" for k in numbers)
    total = " + ".join(f"v{k}" for k in numbers)
    return (
        "__kernel void many(__global const float *in, __global float *out, int n)\n{\n"
        f"    const int i = get_global_id(0);\n{loads}"
        f"    for (int r = 0; r < n; ++r) {{\n{updates}    }}\n    out[i] = {total};\n}}\n"
    )


def advised(source: str, tmp_path: Path, **asked: Any) -> tuple[dict[str, Advice], str]:
    path = tmp_path / "k.cl"
    path.write_text(source, encoding="utf-8")
    (found,) = kcc.api.estimate(path, gpu="v100", **asked).estimates
    return {each.code: each for each in found.advice}, verdict_of(found)


def test_a_thread_block_with_more_to_do_than_others_is_named(tmp_path: Path):
    source = WORK.format(times="get_group_id(0) == 37 ? 20000 : 10")
    advice, verdict = advised(source, tmp_path, grid=160, block=128, args={"n": 1})
    assert advice["imbalance"].text.startswith("Work-group 37 of 160 executes ")
    assert "work-group 37 of 160" in verdict


def test_a_last_wave_that_is_not_full(tmp_path: Path):
    source = WORK.format(times="n")
    # 2 work-groups of 1024 on each of 80 SMs: one wave and a tenth
    advice, _ = advised(source, tmp_path, grid=176, block=1024, args={"n": 4096})
    assert advice["tail"].text == "The last of 2 waves is 10 % full"
    assert (advice["tail"].gain_us or 0) > 0
    full, _ = advised(source, tmp_path, grid=160, block=1024, args={"n": 4096})
    assert "tail" not in full


def test_half_empty_warps(tmp_path: Path):
    advice, _ = advised(LANES, tmp_path, grid=8192, block=256)
    assert "with 4 active lanes of 32" in advice["inactive-lanes"].text


def test_occupancy_that_local_memory_limits(tmp_path: Path):
    advice, _ = advised(HELD, tmp_path, grid=4096, block=64)
    text = advice["occupancy"].text
    assert text.startswith("4 of 64 warps are resident per SM (6 %), limited by shared memory")
    assert (advice["occupancy"].gain_us or 0) > 0


@pytest.mark.slow
def test_values_that_registers_do_not_hold(tmp_path: Path):
    advice, _ = advised(many_values(), tmp_path, grid=1024, block=128, args={"n": 16})
    text = advice["spill"].text
    assert "bytes per work-item are spilled to private memory" in text
    assert int(text.split()[0]) >= 4 * (VALUES - 255)
    few, _ = advised(LANES, tmp_path, grid=1024, block=128)
    assert "spill" not in few


SCRIPT = """\
import numpy as np
import pyopencl as cl

SOURCE = '''{source}'''


def main(size: str, seed: int) -> None:
    context = cl.create_some_context()
    queue = cl.CommandQueue(context)
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * {items})
    kernel = cl.Program(context, SOURCE).build().updates
    kernel(queue, ({items},), ({block},), out, np.int32({n}))
    queue.finish()
"""


def simulated(
    tmp_path: Path, times: str, *, items: int, block: int, n: int = 1
) -> tuple[dict[str, Advice], str]:
    path = tmp_path / "made.py"
    source = WORK.format(times=times)
    path.write_text(SCRIPT.format(source=source, items=items, block=block, n=n), encoding="utf-8")
    (run,) = kcc.api.simulate(path, gpu="v100").runs
    assert not hasattr(run, "reason")
    return {each.code: each for each in advice_on_run(run)}, verdict_of_run(run)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("times", "items", "block", "code", "text"),
    [
        ("n", 16 * 256, 256, "grid-too-small", "has 16 thread blocks for 80 SMs: 64 SMs have no"),
        ("get_group_id(0) == 37 ? n : 1", 160 * 64, 64, "imbalance", "Thread block 37 of launch 0"),
        ("get_global_id(0) / 32 == 5 ? n : 1", 160 * 32, 32, "imbalance", "as a single warp"),
    ],
    ids=["few thread blocks", "a thread block", "the tail of one warp"],
)
def test_cycles_without_a_warp_are_explained_by_the_run(
    times: str, items: int, block: int, code: str, text: str, tmp_path: Path
):
    advice, verdict = simulated(tmp_path, times, items=items, block=block, n=2000)
    assert text in advice[code].text
    assert verdict.startswith("Bottleneck: no resident warp (")
    assert advice[code].gain_us
