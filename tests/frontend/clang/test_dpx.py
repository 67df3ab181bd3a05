"""CUDA's functions for dynamic programming, beside numpy."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, SourceText
from kcc.tracegen.execute import NDRange, execute

THREADS = 512
WORDS = {"s32": np.int32, "u32": np.uint32, "s16x2": np.int16, "u16x2": np.uint16}
BEST = {"max": np.maximum, "min": np.minimum}
NAMES = [
    *(f"__vi{best}3_{kind}" for best in BEST for kind in WORDS),
    *(f"__viadd{best}_{kind}" for best in BEST for kind in WORDS),
    *(f"__vi{best}3_{kind}_relu" for best in BEST for kind in ("s32", "s16x2")),
    *(f"__viadd{best}_{kind}_relu" for best in BEST for kind in ("s32", "s16x2")),
    *(f"__vi{best}_{kind}_relu" for best in BEST for kind in ("s32", "s16x2")),
    *(f"__vib{best}_{kind}" for best in BEST for kind in WORDS),
]
"""All of them (CUDA C++ Programming Guide, "DPX")."""


def called(name: str) -> str:
    if "vib" not in name:
        two = name[2:6] in ("vima", "vimi") and "3" not in name.partition("_s")[0]
        return f"{name}({'a, b' if two else 'a, b, c'})"
    flags = "&high, &low" if "x2" in name else "&high"
    return f"{name}(a, b, {flags})"


@pytest.fixture(scope="module")
def results() -> dict[str, np.ndarray]:
    lines = "".join(
        f"  high = low = false; o[{n}] = {called(name)}; q[{n}] = high * 2 + low;\n"
        for n, name in enumerate(NAMES)
    )
    text = (
        "__global__ void k(const unsigned *x, unsigned *out, unsigned *which) {\n"
        "  int i = threadIdx.x; unsigned a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];\n"
        f"  unsigned *o = out + {len(NAMES)} * i, *q = which + {len(NAMES)} * i;\n"
        f"  bool high, low;\n{lines}}}\n"
    )
    unit = compile_source(SourceText("dpx.cu", text, "."), BuildOptions(), frontend="clang")
    shape = (THREADS, len(NAMES))
    empty = np.zeros(shape, np.uint32)
    done = execute(
        unit, unit.kernels[0], NDRange((THREADS,), (THREADS,)), [numbers(), empty, empty.copy()]
    )
    return {
        "value": done.buffers[1].view(np.uint32).reshape(shape),
        "which": done.buffers[2].view(np.uint32).reshape(shape),
    }


def numbers() -> np.ndarray:
    """Three a thread; some equal, some at the ends of what a half holds."""
    drawn = np.random.default_rng(5).integers(0, 2**32, (THREADS, 3), dtype=np.uint32)
    drawn[: THREADS // 4, 1] = drawn[: THREADS // 4, 0]
    drawn[:8] = [0x7FFF8000, 0x80007FFF, 0]
    return drawn


@pytest.mark.parametrize("name", NAMES)
def test_beside_numpy(name: str, results: dict[str, np.ndarray]) -> None:
    kind = next(k for k in WORDS if f"_{k}" in name)
    best = BEST["max" if "max" in name else "min"]
    a, b, c = (np.ascontiguousarray(column).view(WORDS[kind]) for column in numbers().T)
    with np.errstate(over="ignore"):
        wanted = best(a + b, c) if "add" in name else best(a, b)
    if "3" in name.partition("_s")[0].partition("_u")[0]:
        wanted = best(wanted, c)
    if "relu" in name:
        wanted = np.maximum(wanted, 0)
    index = NAMES.index(name)
    got = np.ascontiguousarray(results["value"][:, index])
    assert got.tolist() == np.ascontiguousarray(wanted).view(np.uint32).tolist()
    if "vib" in name:
        first = (a >= b if "max" in name else a <= b).reshape(THREADS, -1)
        flags = first[:, -1] * 2 + (first[:, 0] if "x2" in name else 0)
        assert results["which"][:, index].tolist() == flags.tolist()
