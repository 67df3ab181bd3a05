"""The math library keeps OpenCL's error limits, judged by mpmath with 200 bits."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import NDRange, execute

mpmath: Any = import_module("mpmath")  # has no types
mp: Any = mpmath.mp
mp.prec = 200

UNARY: dict[str, tuple[str, float, Callable[[Any], Any]]] = {
    "acos": ("unit", 4, mpmath.acos),
    "acosh": ("above one", 4, mpmath.acosh),
    "acospi": ("unit", 5, lambda x: mpmath.acos(x) / mp.pi),
    "asin": ("unit", 4, mpmath.asin),
    "asinh": ("any", 4, mpmath.asinh),
    "asinpi": ("unit", 5, lambda x: mpmath.asin(x) / mp.pi),
    "atan": ("any", 5, mpmath.atan),
    "atanh": ("unit", 5, mpmath.atanh),
    "atanpi": ("any", 5, lambda x: mpmath.atan(x) / mp.pi),
    "cbrt": ("any", 2, lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x))),
    "cos": ("huge", 4, mpmath.cos),
    "cosh": ("exponent", 4, mpmath.cosh),
    "cospi": ("any", 4, mpmath.cospi),
    "erf": ("small", 16, mpmath.erf),
    "erfc": ("small", 16, mpmath.erfc),
    "exp": ("exponent", 3, mpmath.exp),
    "exp10": ("exponent", 3, lambda x: mpmath.mpf(10) ** x),
    "exp2": ("exponent", 3, lambda x: mpmath.mpf(2) ** x),
    "expm1": ("exponent", 3, mpmath.expm1),
    "log": ("positive", 3, mpmath.log),
    "log10": ("positive", 3, mpmath.log10),
    "log1p": ("positive", 2, mpmath.log1p),
    "log2": ("positive", 3, lambda x: mpmath.log(x) / mpmath.log(2)),
    "rsqrt": ("positive", 2, lambda x: 1 / mpmath.sqrt(x)),
    "sin": ("huge", 4, mpmath.sin),
    "sinh": ("exponent", 4, mpmath.sinh),
    "sinpi": ("any", 4, mpmath.sinpi),
    "tan": ("huge", 5, mpmath.tan),
    "tanh": ("exponent", 5, mpmath.tanh),
    "tanpi": ("any", 6, lambda x: mpmath.sinpi(x) / mpmath.cospi(x)),
    "tgamma": ("gamma", 16, mpmath.gamma),
}
"""Inputs, the limit in ulp (OpenCL 1.2, tables 7.1 and 7.2, the stricter) and the exact function.
lgamma has no limit there."""

BINARY: dict[str, tuple[str, float, Callable[[Any, Any], Any]]] = {
    "atan2": ("any", 6, mpmath.atan2),
    "atan2pi": ("any", 6, lambda y, x: mpmath.atan2(y, x) / mp.pi),
    "fmod": ("any", 0, lambda x, y: mpmath.sign(x) * (abs(x) - abs(y) * (abs(x) // abs(y)))),
    "hypot": ("any", 4, mpmath.hypot),
    "pow": ("powers", 16, lambda x, y: x**y),
    "powr": ("powers", 16, lambda x, y: x**y),
    "remainder": ("any", 0, lambda x, y: x - y * mpmath.nint(x / y)),
}


NORMAL: dict[type, tuple[float, float, int]] = {
    np.float32: (2.0**-126, 2.0**128 * (1 - 2.0**-24), 23),
    np.float64: (sys.float_info.min, sys.float_info.max, 52),
}
"""Smallest and largest normal numbers, and digits after the point (IEEE 754)."""


def draw(domain: str, dtype: type, count: int, seed: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    small = 10.0 ** rng.integers(-4, 1, count)
    match domain:
        case "unit":
            values = rng.uniform(-1, 1, count) * small
        case "positive":
            values = np.exp(rng.uniform(-80, 80, count))
            values[: count // 4] = 1 + rng.uniform(-0.1, 0.1, count // 4)
        case "above one":
            values = 1 + np.exp(rng.uniform(-10, 60, count))
        case "exponent":
            values = rng.uniform(-80, 80, count) * small
        case "small":
            values = rng.uniform(-8, 8, count) * small
        case "gamma":
            values = rng.uniform(-30, 33, count)
        case "powers":
            values = np.exp(rng.uniform(-3, 3, count))
        case "huge":
            values = rng.uniform(-1, 1, count) * 10.0 ** rng.integers(-5, 38, count)
        case _:
            values = rng.uniform(-1, 1, count) * 10.0 ** rng.integers(-5, 6, count)
    return values.astype(dtype)


def ulp_distance(found: float, exact: Any, dtype: type) -> float:
    """Distance in units of the last place of the exact result; 0 for what is not normal."""
    smallest, largest, digits = NORMAL[dtype]
    if not smallest <= abs(exact) <= largest:
        return 0.0
    exponent = int(mpmath.floor(mpmath.log(abs(exact), 2)))
    unit = mpmath.mpf(2) ** (exponent - digits)
    return float(abs(mpmath.mpf(float(found)) - exact) / unit) if math.isfinite(found) else 1e9


def run(names: list[str], type_: str, inputs: list[np.ndarray[Any, Any]]) -> list[Any]:
    """One kernel that applies every function to its own inputs, row by row."""
    count = inputs[0].shape[1]
    operands = ", ".join(f"global const {type_} *x{i}" for i in range(len(inputs)))
    arguments = ", ".join(f"x{i}[ROW * {count} + i]" for i in range(len(inputs)))
    lines = [
        f"  o[{row} * {count} + i] = {name}({arguments.replace('ROW', str(row))});"
        for row, name in enumerate(names)
    ]
    source = f"kernel void k({operands}, global {type_} *o) {{\n  int i = get_global_id(0);\n"
    text = SourceText("math.cl", source + "\n".join(lines) + "\n}", ".")
    unit = compile_source(text, BuildOptions(opt_level=OptLevel.O2))
    out = np.zeros((len(names), count), inputs[0].dtype)
    done = execute(unit, unit.kernels[0], NDRange((count,), (64,)), [*inputs, out])
    return list(done.buffers[len(inputs)])


@pytest.mark.sampled(9)
@pytest.mark.parametrize("type_", ["float", "double"])
@pytest.mark.parametrize("part", range(4))
def test_unary_functions_keep_their_limits(type_: str, part: int, full: bool):
    dtype = {"float": np.float32, "double": np.float64}[type_]
    names = sorted(UNARY)[part::4]
    count = 4096 if full else 64
    inputs = np.stack([draw(UNARY[n][0], dtype, count, 1 + part) for n in names])
    for name, row, found in zip(names, inputs, run(names, type_, [inputs]), strict=True):
        _, limit, exact = UNARY[name]
        for x, y in zip(row, found, strict=True):
            distance = ulp_distance(y, exact(mpmath.mpf(float(x))), dtype)
            assert distance <= limit, f"{name}({x!r}) = {y!r}: {distance} ulp"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("type_", ["float", "double"])
def test_binary_functions_keep_their_limits(type_: str, full: bool):
    dtype = {"float": np.float32, "double": np.float64}[type_]
    names = sorted(BINARY)
    count = 4096 if full else 64
    pairs = [np.stack([draw(BINARY[n][0], dtype, count, s) for n in names]) for s in (3, 4)]
    for row, (name, found) in enumerate(zip(names, run(names, type_, pairs), strict=True)):
        _, limit, exact = BINARY[name]
        for x, y, z in zip(pairs[0][row], pairs[1][row], found, strict=True):
            wanted = exact(mpmath.mpf(float(x)), mpmath.mpf(float(y)))
            assert ulp_distance(z, wanted, dtype) <= limit, f"{name}({x!r}, {y!r}) = {z!r}"


EDGES: dict[str, Callable[[float], float]] = {
    "exp": lambda x: math.inf if x == math.inf else math.exp(x),
    "expm1": lambda x: math.inf if x == math.inf else math.expm1(x),
    "log": lambda x: -math.inf if x == 0 else math.nan if x < 0 else math.log(x),
    "log1p": lambda x: -math.inf if x == -1 else math.nan if x < -1 else math.log1p(x),
    "sin": lambda x: math.nan if math.isinf(x) else math.sin(x),
    "cos": lambda x: math.nan if math.isinf(x) else math.cos(x),
    "atan": math.atan,
    "asinh": math.asinh,
    "tanh": math.tanh,
    "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
    "erf": math.erf,
}


def test_special_values():
    values = [0.0, -0.0, 1.0, -1.0, -2.0, math.inf, -math.inf, math.nan]
    row = np.array(values * 8, np.float64)
    names = sorted(EDGES)
    inputs = np.stack([row] * len(names))
    for name, found in zip(names, run(names, "double", [inputs]), strict=True):
        for x, y in zip(values, found, strict=False):
            wanted = EDGES[name](x)
            same = math.isnan(wanted) if math.isnan(y) else math.isclose(y, wanted, rel_tol=1e-14)
            assert same, f"{name}({x}) = {y}, not {wanted}"
            if wanted == 0:
                assert math.copysign(1, y) == math.copysign(1, wanted), f"{name}({x}) = {y}"


def test_powers_of_special_values():
    cases = [
        (1.0, math.nan), (math.nan, 0.0), (-0.0, -1.0), (-0.0, -3.0), (-0.0, -2.0), (0.0, -1.5),
        (-1.0, math.inf), (0.5, -math.inf), (2.0, -math.inf), (-math.inf, 3.0), (-math.inf, -3.0),
        (-8.0, 3.0), (-8.0, 0.5), (math.inf, -1.0),
    ]  # fmt: skip
    padded = (cases * 5)[:64]
    bases, exponents = (np.array(c, np.float64)[None] for c in zip(*padded, strict=True))
    (found,) = run(["pow"], "double", [bases, exponents])
    for (x, y), z in zip(cases, found, strict=False):
        with np.errstate(all="ignore"):
            wanted = float(np.power(np.float64(x), np.float64(y)))
        assert z == wanted or (math.isnan(z) and math.isnan(wanted)), f"pow({x}, {y}) = {z}"
