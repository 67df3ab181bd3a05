"""In which order filled contents come."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc.frontend import compile_source
from kcc.frontend.ir.instructions import FloatCompare, Load
from kcc.frontend.ir.model import users
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.synth.assembly.fields import field_bytes
from kcc.synth.original.observed import steady
from kcc.synth.original.order import Correlation, ascends_in, correlation_of, series
from kcc.synth.original.roles import roles_of

Ints = NDArray[np.int64]


def test_words_are_taken_apart():
    source = """
    kernel void bytes(global uint *in, global int *t) {
        uint w = in[get_global_id(0)];
        t[w & 255] = 1; t[(w >> 8) & 255] = 2; t[w >> 24] = 3;
    }
    kernel void word(global uint *in, global int *t) {
        uint w = in[get_global_id(0)];
        t[w & 255] = 1; t[(w >> 8) & 255] = 2; t[1000] = w;
    }
    """
    unit = compile_source(SourceText("k.cl", source, "."), BuildOptions(opt_level=OptLevel.O1))
    found = {
        kernel.name: [
            field_bytes(i, users(kernel.function))
            for i in kernel.function.instructions
            if isinstance(i, Load)
        ]
        for kernel in unit.kernels
    }
    assert found == {"bytes": [1], "word": [0]}


def test_floats_that_are_compared_as_they_lie_in_memory_decide():
    source = """
    kernel void found(global const float *sums, global const float *wanted, global int *out) {
        int i = get_global_id(0), x = 0;
        while (x < 64 && !(sums[x] >= wanted[i])) ++x;
        out[i] = x;
    }
    kernel void computed(global const float *sums, global const float *wanted, global int *out) {
        int i = get_global_id(0), x = 0;
        while (x < 64 && !(sums[x] * 3.0f >= wanted[i])) ++x;
        out[i] = x;
    }
    kernel void changed(global float *sums, global const float *wanted, global int *out) {
        int i = get_global_id(0), x = 0;
        while (x < 64 && !(sums[x] >= wanted[i])) sums[++x] += 1.0f;
        out[i] = x;
    }
    """
    unit = compile_source(SourceText("k.cl", source, "."), BuildOptions(opt_level=OptLevel.O1))
    found = dict[str, list[bool]]()
    for kernel in unit.kernels:
        roles = roles_of(kernel.function, steady(kernel, kernel.function))
        compared = [i for i in kernel.function.instructions if isinstance(i, FloatCompare)]
        found[kernel.name] = [i.index in roles.decided for i in compared]
    assert found == {"found": [True], "computed": [False], "changed": [False]}


@pytest.mark.parametrize(("kept", "warps"), [(1.0, 8), (0.9, 8)])
def test_values_ascend_in_rows(kept: float, warps: int):
    rng = np.random.default_rng(0)
    starts: Ints = np.cumsum(rng.integers(4, 60, 32 * warps), dtype=np.int64) - 4
    places: Ints = np.arange(int(starts[-1]))
    row: Ints = np.asarray(np.searchsorted(starts, places, "right"), np.int64)
    drawn = rng.integers(0, 10_000, len(row))
    values = drawn[np.argsort(10_000 * row + drawn)]
    some = rng.random(len(starts)) < kept
    assert (ascends_in(values, {3: starts[some]}) == 3) is (kept == 1)
    assert ascends_in(drawn, {3: starts}) is None


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("coefficient", [0.0, 0.9, 0.99])
def test_correlations_are_found(coefficient: float, times: int):
    """Of what has one: as many different values in a warp come out as went in."""
    made = series(np.random.default_rng(5), 1 << 15, Correlation(coefficient, times))
    values = np.argsort(np.argsort(made)) // 512
    found = correlation_of(values, np.sort(values))
    again = np.empty_like(values)
    again[np.argsort(series(np.random.default_rng(7), 1 << 15, found))] = np.sort(values)

    def different(rows: Ints) -> float:
        ordered = np.sort(rows.reshape(-1, 32), axis=1)
        return 1 + np.count_nonzero(np.diff(ordered), axis=1).mean()

    assert different(again) == pytest.approx(different(values), rel=0.15)
