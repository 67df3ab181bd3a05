"""Corners of the language: each program gives on the host what it gives on PoCL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from tests.frontend import jit
from tests.frontend.programs import PER_ITEM, programs
from tests.pocl import build

if TYPE_CHECKING:
    import pyopencl

ITEMS = 16
MARGIN = 64


def buffers() -> list[jit.Buffer]:
    """Outputs and inputs in the order of the kernel's parameters."""
    rng = np.random.default_rng(7)
    numbers = rng.integers(-(2**31), 2**31, ITEMS + MARGIN).astype(np.int32)
    numbers[:ITEMS] = rng.permutation(ITEMS) + 16 * rng.integers(-9, 9, ITEMS)
    floats = (rng.integers(-200, 200, ITEMS + MARGIN) / 8).astype(np.float32)
    return [
        np.zeros(ITEMS * PER_ITEM, np.int32),
        numbers,
        np.zeros(ITEMS * PER_ITEM, np.float32),
        floats,
    ]


def on_pocl(context: pyopencl.Context, source: str) -> list[jit.Buffer]:
    import pyopencl as cl

    kernel = cl.Kernel(build(context, source, "-cl-std=CL1.2"), "k")
    queue = cl.CommandQueue(context)
    host = buffers()
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    device = [cl.Buffer(context, flags, hostbuf=b) for b in host]
    kernel(queue, (ITEMS,), (4,), *device)
    for result, buffer in zip(host, device, strict=True):
        cl.enqueue_copy(queue, result, buffer)
    return host


@pytest.mark.pocl
@pytest.mark.parametrize("name", programs())
def test_a_program_has_the_values_of_pocl(pocl_context: pyopencl.Context, name: str) -> None:
    source = programs()[name]
    expected = on_pocl(pocl_context, source)
    for level in OptLevel:
        unit = compile_source(SourceText("k.cl", source, "."), BuildOptions(opt_level=level))
        found = buffers()
        jit.run(unit.ir, "k", found, [ITEMS], [4])
        for wanted, got in zip(expected, found, strict=True):
            np.testing.assert_array_equal(got, wanted, f"{name} at {level.value}")
