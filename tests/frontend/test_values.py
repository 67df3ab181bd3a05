"""Values: lowered, optimised and run on the host, kernels give what PoCL gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from tests.frontend import jit
from tests.frontend.random_expressions import SCALARS, Case, draw_cases, kernel_source
from tests.frontend.random_programs import OUTPUTS, program
from tests.pocl import build

if TYPE_CHECKING:
    import pyopencl

ITEMS = 8
MARGIN = 16
CASES_PER_KERNEL = 40

INTEGERS: dict[str, type[np.integer]] = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16,
    "int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64,
}  # fmt: skip
NUMPY: dict[str, type[np.number]] = {**INTEGERS, "float": np.float32, "double": np.float64}


def inputs(seed: int) -> list[jit.Buffer]:
    """A buffer for each scalar kind: extremes first, then anything; floats in quarters."""
    rng = np.random.default_rng(seed)
    found = list[jit.Buffer]()
    for kind in SCALARS:
        if kind not in INTEGERS:
            found.append((rng.integers(-256, 257, ITEMS + MARGIN) / 4).astype(NUMPY[kind]))
            continue
        type_ = INTEGERS[kind]
        low, high = int(np.iinfo(type_).min), int(np.iinfo(type_).max)
        drawn = rng.integers(low, high, ITEMS + MARGIN, dtype=type_, endpoint=True)
        drawn[rng.integers(0, ITEMS + MARGIN, 6)] = [0, 1, low, high, 2, 31]
        found.append(drawn)
    return found


def outputs(cases: list[Case]) -> list[jit.Buffer]:
    """Zeroed room for each case's results."""
    found = list[jit.Buffer]()
    for case in cases:
        kind = case.type.rstrip("0123456789")
        lanes = int(case.type[len(kind) :] or 1)
        found.append(np.zeros(ITEMS * (4 if lanes == 3 else lanes), NUMPY[kind]))
    return found


def on_pocl(
    context: pyopencl.Context, source: str, given: list[jit.Buffer], results: list[jit.Buffer]
) -> None:
    import pyopencl as cl

    kernel = cl.Kernel(build(context, source, "-cl-std=CL1.2"), "k")
    queue = cl.CommandQueue(context)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(context, flags, hostbuf=b) for b in (*given, *results)]
    kernel(queue, (ITEMS,), (1,), *buffers)
    for result, buffer in zip(results, buffers[len(given) :], strict=True):
        cl.enqueue_copy(queue, result, buffer)


def visible(case: Case, result: jit.Buffer) -> jit.Buffer:
    """The lanes that are defined: a vector of 3 leaves every fourth element alone."""
    if case.type.endswith("3"):
        return result.reshape(-1, 4)[:, :3]
    return result


def seeds(full: bool) -> range:
    return range(100) if full else range(1)


@pytest.mark.pocl
def test_random_expressions_have_the_values_of_pocl(
    pocl_context: pyopencl.Context, full: bool
) -> None:
    for seed in seeds(full):
        cases = draw_cases(seed, CASES_PER_KERNEL)
        source, given = kernel_source(cases), inputs(seed)
        expected = outputs(cases)
        on_pocl(pocl_context, source, given, expected)
        for level in OptLevel:
            unit = compile_source(SourceText("k.cl", source, "."), BuildOptions(opt_level=level))
            found = outputs(cases)
            jit.run(unit.ir, "k", [*given, *found], [ITEMS])
            for case, wanted, got in zip(cases, expected, found, strict=True):
                same = np.array_equal(visible(case, wanted), visible(case, got), equal_nan=False)
                assert same, (seed, level, case, wanted, got)


def test_random_programs_give_the_same_at_every_level(full: bool) -> None:
    for seed in range(1000 if full else 4):
        source = program(seed)
        found = dict[OptLevel, list[int]]()
        for level in OptLevel:
            unit = compile_source(SourceText("k.cl", source, "."), BuildOptions(opt_level=level))
            out = np.arange(OUTPUTS, dtype=np.uint32)
            given = np.arange(16, dtype=np.uint32) * (seed % 977 + 1)
            jit.run(unit.ir, "k", [out, given, seed % 9], [1])
            found[level] = [int(value) for value in out]
        assert found[OptLevel.O0] == found[OptLevel.O1] == found[OptLevel.O2], (seed, source)
