"""What a launch takes of memory goes with it, whether or not the collector of cycles comes by."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, SourceText
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute
from kcc.tracegen.simt.program import TraceMode

UNIT = compile_source(
    SourceText("one.cl", "__kernel void one(__global int *x) { x[get_global_id(0)] += 1; }", "."),
    BuildOptions(),
)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("trace", [TraceMode.OFF, TraceMode.ADDRESSES])
def test_no_cycle_keeps_a_launch(workers: int, trace: TraceMode) -> None:
    def launch() -> None:
        def take(_first: int, _words: NDArray[np.uint32]) -> None: ...

        options = ExecutionOptions(workers=workers, trace=trace, on_trace=take)
        execute(UNIT, UNIT.kernels[0], NDRange((256,), (32,)), [np.zeros(256, np.int32)], options)

    launch()  # compiles
    gc.collect()
    gc.freeze()  # what is there already need not be searched again
    gc.disable()
    try:
        for _ in range(4):
            launch()
        assert gc.collect() == 0
    finally:
        gc.enable()
        gc.unfreeze()
