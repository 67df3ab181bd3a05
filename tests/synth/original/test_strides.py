"""Loops whose step is no constant."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.stages.synth import Study, settle, study_script
from kcc.synth.assembly.model import LoopControl
from kcc.synth.reduction.reductions import largest_factors
from tests.synth.making import settings

HOST = '''
import numpy as np
import kcc.opencl as cl

SOURCE = """
__kernel void strided(__global float *out, int n, int step) {
    for (LOOP) { out[i] = 2.0f * out[i]; }
}
"""

def main(size, seed):
    context = cl.create_some_context()
    queue = cl.CommandQueue(context)
    flags = cl.mem_flags.COPY_HOST_PTR
    out = cl.Buffer(context, flags, hostbuf=np.ones(4096, np.float32))
    kernel = cl.Program(context, SOURCE).build().strided
    kernel(queue, (128,), (32,), out, np.int32(COUNT), np.int32(128))
'''

LOOPS = {
    "grid": "int i = get_global_id(0); i < n; i += get_global_size(0)",
    "grid, unsigned": "uint i = get_global_id(0); i < (uint)n; i += get_global_size(0)",
    "argument": "int i = get_global_id(0); i <= n - 1; i += step",
    "down": "int i = n - 1 - (int)get_global_id(0); i >= 0; i -= (int)get_global_size(0)",
    "argument, other way round": "int i = get_global_id(0); n > i; i = step + i",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(
    ("count", "factor"), [(128 * 3 + 40, 2), (128 * 7 + 40, 2), (128 * 7 + 40, 4), (100, 2)]
)
def test_trips_are_divided_without_drawing(tmp_path: Path, loop: str, count: int, factor: int):
    script = tmp_path / "script.py"
    script.write_text(HOST.replace("LOOP", LOOPS[loop]).replace("COUNT", str(count)))
    study = study_script(str(script), Study(), settings())
    settled = settle(study, largest_factors(study.kernels, study.launches, factor), settings())
    (original,) = study.launches
    (made,) = settled.miniature.kernels[0].loops
    (factors,) = settled.miniature.reductions
    assert made.control in (LoopControl.KEPT, LoopControl.COUNT, LoopControl.BOUND)
    wanted = dict[int, int]()
    for trips, entries in original.profile.loops[0].histogram.items():
        own = max(1, trips // factors[0])
        wanted[own] = wanted.get(own, 0) + entries
    assert dict(settled.profile.launches[0].loops[0].histogram) == wanted
