"""The same buffers whichever front end compiled a kernel, and from its CUDA twin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from kcc.frontend.kernel import CompiledUnit
from kcc.tracegen.execute import KernelArgument, NDRange, execute
from tests.frontend.clang.sources import KERNELS, workload


@dataclass(frozen=True)
class Case:
    """A launch; a number with a type is a scalar, a plain one the length of a random buffer."""

    name: str
    kernel: str
    launch: NDRange
    arguments: tuple[int | np.generic, ...]


def i(value: int) -> np.generic:
    return np.int32(value)


def f(value: float) -> np.generic:
    return np.float32(value)


CASES = (
    Case("vecadd", "vecadd", NDRange((1024,), (64,)), (1000, 1000, 1000, i(1000))),
    Case("vecadd", "vecadd4", NDRange((256,), (64,)), (1000, 1000, 1000, i(998))),
    Case("saxpy", "saxpy_grid_stride", NDRange((128,), (64,)), (i(1000), f(2), 1000, 1000)),
    Case("transpose", "transpose_padded", NDRange((64, 16), (32, 8)), (4096, 4096, i(60), i(64))),
    Case(
        "matmul", "matmul_tiled", NDRange((32, 32), (16, 16)), (840, 600, 560, i(30), i(28), i(20))
    ),
    Case(
        "matmul", "matmul_float4", NDRange((16, 16), (16, 16)),
        (4096, 4096, 4096, i(60), i(64), i(64)),
    ),
    Case(
        "hotspot", "hotspot", NDRange((64, 64), (16, 16)),
        (i(2), 1600, 1600, 1600, i(40), i(40), i(2), i(2), f(1), f(2), f(3), f(4), f(0.1)),
    ),
    Case(
        "stencil3d", "block2D_reg_tiling", NDRange((32, 16), (32, 4)),
        (f(0.3), f(0.2), 4896, 4896, i(34), i(18), i(8)),
    ),
)  # fmt: skip


def buffers(unit: CompiledUnit, case: Case) -> list[bytes]:
    """What a launch leaves in its buffers."""
    chance = np.random.default_rng(1)
    arguments: list[KernelArgument] = [
        chance.random(a, dtype=np.float32) if isinstance(a, int) else a for a in case.arguments
    ]
    kernel = next(k for k in unit.kernels if k.name == case.kernel)
    done = execute(unit, kernel, case.launch, arguments)
    return [done.buffers[number].tobytes() for number in sorted(done.buffers)]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kernel)
def test_buffers(case: Case):
    opencl, cuda = (KERNELS / case.name / f"{case.name}{suffix}" for suffix in (".cl", ".cu"))
    expected = buffers(workload(opencl, "builtin"), case)
    assert buffers(workload(opencl, "clang"), case) == expected
    assert buffers(workload(cuda, "clang"), case) == expected
