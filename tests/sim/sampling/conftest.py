"""A trace with launches of several kinds, made once."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from kcc.cli import main

SCRIPT = """
import numpy as np
import kcc.opencl as cl

SOURCE = '''
__kernel void scale(__global const float *a, __global float *b, const int rounds) {
    const int i = get_global_id(0);
    float x = a[i];
    for (int n = 0; n < rounds; ++n) x = x * 1.5f + 2.0f;
    b[i] = x;
}
__kernel void gather(__global const int *at, __global const float *a, __global float *b) {
    const int i = get_global_id(0);
    float x = 0.0f;
    for (int n = 0; n < (at[i] & 7) + 1; ++n) x += a[(at[i] + 97 * n) & 1023];
    b[i] = x;
}
'''

def main(size, seed):
    context = cl.create_some_context()
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    count = 64 * 400
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    random = np.random.default_rng(seed)
    at = random.integers(0, 1024, count).astype(np.int32)
    a = cl.Buffer(context, flags, hostbuf=np.ones(count, np.float32))
    b = cl.Buffer(context, flags, hostbuf=np.ones(count, np.float32))
    index = cl.Buffer(context, flags, hostbuf=at)
    for step in range(6):
        program.scale(queue, (count,), (64,), a, b, np.int32(8 if step < 5 else 40))
    for step in range(2):
        program.gather(queue, (count,), (64,), index, a, b)
    queue.finish()
"""


@pytest.fixture(scope="session")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sampling")
    script, trace = folder / "script.py", folder / "trace.kct"
    script.write_text(textwrap.dedent(SCRIPT), encoding="utf-8")
    assert main(["trace", str(script), "-o", str(trace)]) == 0
    return trace
