"""Loads whose lanes are not contiguous: permuted out of a window, or one by one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute
from kcc.tracegen.simt import gather
from kcc.tracegen.simt.host_cpu import HostCpu

SOURCE = """
kernel void k(global T *out, global const T *in, global const int *at, int low) {
    int i = get_global_id(0);
    if (i % 32 >= low) out[i] = in[at[i]];
}
"""
Lanes = NDArray[np.int64]
INDICES: dict[str, Callable[[Lanes], Lanes]] = {
    "one place": lambda i: i * 0 + 7,
    "side by side": lambda i: i + 3,
    "two rows": lambda i: i % 16 + i // 16 * 16,
    "two places": lambda i: i // 16 * 9,
    "backwards": lambda i: 31 - i,
    "every second": lambda i: 2 * i,
    "window but one": lambda i: np.where(i == 9, 32, i % 3),
    "far apart": lambda i: i * 37 % 128,
    "first not lowest": lambda i: np.where(i == 0, 5, i),
}
TYPES = {"uchar": np.uint8, "short": np.int16, "float": np.float32, "double": np.float64}


def no_extension() -> HostCpu:
    return HostCpu("x86-64", {})


@pytest.fixture(params=[True, False], ids=["permute", "single"], autouse=True)
def permuting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the host's permutations, if it has them, and without."""
    if not request.param:
        monkeypatch.setattr(gather, "host_cpu", no_extension)


def compiled(type_: str) -> CompiledUnit:
    source = SourceText("k.cl", SOURCE.replace("T", type_), ".")
    return compile_source(source, BuildOptions(opt_level=OptLevel.O2))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("type_", TYPES)
def test_every_pattern(type_: str) -> None:
    unit, lanes = compiled(type_), np.arange(32)
    at = np.concatenate([make(lanes) for make in INDICES.values()]).astype(np.int32)
    data = (np.arange(128) * 3 % 251).astype(TYPES[type_])
    out, shape = np.zeros(len(at), TYPES[type_]), NDRange((len(at),), (96,))
    for width, low in ((32, 0), (32, 1), (32, 9), (64, 9)):
        arguments = [out, data, at, low]
        done = execute(unit, unit.kernels[0], shape, arguments, ExecutionOptions(width=width))
        expected = np.where(np.arange(len(at)) % 32 >= low, data[at], 0)
        assert np.array_equal(done.buffers[0], expected), (width, low)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("lane", [0, 3, 31])
def test_one_lane_beyond_the_end(lane: int) -> None:
    unit, data = compiled("float"), np.ones(40, np.float32)
    at = np.full(32, 39, np.int32)
    arguments = [np.zeros(32, np.float32), data, at, 0]
    assert execute(unit, unit.kernels[0], NDRange((32,), (32,)), arguments).buffers[0].all()
    at[lane] = 40
    with pytest.raises(DiagnosticError, match=rf"byte offset 160 .*\({lane}, 0, 0\)"):
        execute(unit, unit.kernels[0], NDRange((32,), (32,)), arguments)
