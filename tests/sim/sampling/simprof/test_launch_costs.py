"""What units of launches cost: simulated, and predicted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.cli import main
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.sampling.block_profile import profile_launch
from kcc.sim.sampling.simprof.launch_costs import predict_units, simulate_units
from kcc.sim.sampling.simprof.launch_units import cut_launches

SETTINGS = ["sm_count=2", "max_blocks_per_sm=4"]
LONG = 40
"""The thread block that takes long: of the unit of blocks 40 to 48, an epoch."""

SCRIPT = f"""
import numpy as np
import kcc.opencl as cl

SOURCE = '''
__kernel void walk(__global const int *rounds, __global float *b) {{
    float x = get_local_id(0);
    for (int n = 0; n < rounds[get_group_id(0)]; ++n) x = x * 1.5f + 2.0f;
    b[get_global_id(0)] = x;
}}
'''

def main(size, seed):
    context = cl.create_some_context()
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    rounds = np.full(120, 40, np.int32)
    rounds[{LONG}] = 400
    at = cl.Buffer(context, flags, hostbuf=rounds)
    b = cl.Buffer(context, flags, hostbuf=np.ones(120 * 64, np.float32))
    program.walk(queue, (120 * 64,), (64,), at, b)
    queue.finish()
"""


def test_a_long_block_holds_up_its_own_place_only(tmp_path: Path) -> None:
    """Other blocks follow in the places beside it. In its own unit it is predicted to take about
    a place's share of its time, where the unit alone would last until it has ended."""
    script, path = tmp_path / "script.py", tmp_path / "trace.kct"
    script.write_text(SCRIPT, encoding="utf-8")
    assert main(["trace", str(script), "-o", str(path)]) == 0
    gpu = load_gpu("macsim-fermi-tbpoint", SETTINGS)
    with open_trace(path) as trace:
        launches = list(trace.launches)
        units = cut_launches(launches, list(map(profile_launch, launches)), gpu, count=15)
        assert [unit.first for unit in units] == list(range(0, 120, 8))
        cost = simulate_units(launches, units, gpu, None, lambda _: None)
        predicted = predict_units(launches, units, gpu, None, lambda _: None)
    (whole,) = simulate_trace(str(path), gpu)
    assert cost.sum() == pytest.approx(whole.cycles)
    own, usual = LONG // 8, float(np.median(predicted))
    assert usual < predicted[own] < 4 * usual
    assert predicted.sum() == pytest.approx(whole.cycles, rel=0.2)
