"""Corners of the language: each program gives on the host what it gives on PoCL.

A file of ``programs/`` defines a function of its name that fills ``PER_ITEM`` elements of each
output for its work-item and may read any input; several run in one kernel, since PoCL takes its
time for each. A file with a kernel of its own runs alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from tests.frontend import jit
from tests.pocl import build

if TYPE_CHECKING:
    import pyopencl

PROGRAMS = Path(__file__).parent / "programs"
PER_ITEM = 16
ITEMS = 16
MARGIN = 64
PER_KERNEL = 15

PARAMETERS = (
    "__global int* out, __global const int* in, __global float* fout, __global const float* fin"
)


def groups() -> list[tuple[str, ...]]:
    """The names of programs that run together."""
    names = sorted(path.stem for path in PROGRAMS.glob("*.cl"))
    alone = [name for name in names if "__kernel" in source_of(name)]
    rest = [name for name in names if name not in alone]
    together = [tuple(rest[n : n + PER_KERNEL]) for n in range(0, len(rest), PER_KERNEL)]
    return together + [(name,) for name in alone]


def source_of(name: str) -> str:
    return (PROGRAMS / f"{name}.cl").read_text(encoding="utf-8")


def kernel_source(names: tuple[str, ...]) -> str:
    """One kernel ``k`` that runs every program on outputs of its own."""
    text = "\n".join(source_of(name) for name in names)
    if "__kernel" in text:
        return text
    size = ITEMS * PER_ITEM
    calls = [
        f"{name}(out + {n * size} + gid * {PER_ITEM}, in, "
        f"fout + {n * size} + gid * {PER_ITEM}, fin, gid, in[gid] & 15);"
        for n, name in enumerate(names)
    ]
    body = "\n".join(["int gid = get_global_id(0);", *calls])
    return f"{text}\n__kernel void k({PARAMETERS}) {{\n{body}\n}}\n"


def buffers(programs: int) -> list[jit.Buffer]:
    """Outputs and inputs in the order of the kernel's parameters."""
    rng = np.random.default_rng(7)
    numbers = rng.integers(-(2**31), 2**31, ITEMS + MARGIN).astype(np.int32)
    numbers[:ITEMS] = rng.permutation(ITEMS) + 16 * rng.integers(-9, 9, ITEMS)
    floats = (rng.integers(-200, 200, ITEMS + MARGIN) / 8).astype(np.float32)
    return [
        np.zeros(programs * ITEMS * PER_ITEM, np.int32),
        numbers,
        np.zeros(programs * ITEMS * PER_ITEM, np.float32),
        floats,
    ]


def on_pocl(context: pyopencl.Context, source: str, programs: int) -> list[jit.Buffer]:
    import pyopencl as cl

    kernel = cl.Kernel(build(context, source, "-cl-std=CL1.2"), "k")
    queue = cl.CommandQueue(context)
    host = buffers(programs)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    device = [cl.Buffer(context, flags, hostbuf=b) for b in host]
    kernel(queue, (ITEMS,), (4,), *device)
    for result, buffer in zip(host, device, strict=True):
        cl.enqueue_copy(queue, result, buffer)
    return host


@pytest.mark.pocl
@pytest.mark.parametrize("names", groups(), ids=lambda names: f"{names[0]}-{names[-1]}")
def test_programs_have_the_values_of_pocl(
    pocl_context: pyopencl.Context, names: tuple[str, ...]
) -> None:
    source = kernel_source(names)
    expected = on_pocl(pocl_context, source, len(names))
    for level in OptLevel:
        unit = compile_source(SourceText("k.cl", source, "."), BuildOptions(opt_level=level))
        found = buffers(len(names))
        jit.run(unit.ir, "k", found, [ITEMS], [4])
        for buffer in (0, 2):
            wanted = expected[buffer].reshape(len(names), ITEMS, PER_ITEM)
            got = found[buffer].reshape(wanted.shape)
            for number, name in enumerate(names):
                message = f"{name} at {level.value}"
                np.testing.assert_array_equal(got[number], wanted[number], message)
