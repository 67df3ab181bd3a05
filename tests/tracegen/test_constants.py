"""Constants whose contents are addresses of others, which no instruction names."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute

SOURCE = """__constant char *__constant names[2] = {"one", "two"};
__constant char *__constant *__constant all = names;
__kernel void k(__global int *out, int n) { out[0] = all[n & 1][1] + 1000 * names[1][0]; }
"""


@pytest.mark.parametrize("level", [OptLevel.O0, OptLevel.O2])
@pytest.mark.parametrize("n", [0, 1])
def test_tables_of_texts(level: OptLevel, n: int):
    unit = compile_source(SourceText("k.cl", SOURCE, "."), BuildOptions(opt_level=level))
    out = np.zeros(1, np.int32)
    given = [out, np.int32(n)]
    done = execute(unit, unit.kernels[0], NDRange((1,), (1,)), given, ExecutionOptions(workers=1))
    assert done.buffers[0][0] == ord("nw"[n]) + 1000 * ord("t")
