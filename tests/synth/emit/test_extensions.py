"""Integers that LLVM knows not to be negative, made wider."""

from __future__ import annotations

from pathlib import Path

from kcc.stages.synth import Study, settle, study_script
from kcc.synth.reduction.reductions import largest_factors
from tests.synth.making import settings

HOST = '''
import numpy as np
import kcc.opencl as cl

SOURCE = """
__kernel void wide(__global int4 *x, __global long4 *y, __global long *z, int n) {
    int i = get_global_id(0);
    if (i < n) {
        y[i] = convert_long4(min(max(x[i], (int4)(0)), (int4)(1000))) + (long4)(i & 7);
        z[i & 1023] = i;
    }
}
"""

def main(size, seed):
    context = cl.create_some_context()
    queue = cl.CommandQueue(context)
    x, y, z = (cl.Buffer(context, cl.mem_flags.READ_WRITE, 1024 * each) for each in (16, 32, 8))
    kernel = cl.Program(context, SOURCE).build().wide
    kernel(queue, (1024,), (128,), x, y, z, np.int32(1000))
'''


def test_vectors_and_scalars_that_are_not_negative(tmp_path: Path):
    """Vectors were cast as scalars are, which ended kcc with an internal error."""
    script = tmp_path / "script.py"
    script.write_text(HOST)
    study = study_script(str(script), Study(), settings())
    settled = settle(study, largest_factors(study.kernels, study.launches, 1), settings())
    assert "convert_ulong4(" in settled.source.text
    assert "(ulong)(long)(int)" in settled.source.text
