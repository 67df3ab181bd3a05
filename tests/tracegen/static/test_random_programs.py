"""Static traces of random kernels that memory decides nothing of, beside those of runs."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import KernelArgument, NDRange
from tests.tracegen.static.affine_programs import ELEMENTS, affine_program, masking_program
from tests.tracegen.static.comparing import both, difference

Shapes = dict[int, list[tuple[tuple[int, ...], tuple[int, ...]]]]

SHAPES: Shapes = {
    1: [((256,), (64,)), ((240,), (40,)), ((128,), (128,)), ((512,), (8,)), ((720,), (24,))],
    2: [((32, 12), (8, 4)), ((64, 4), (64, 2)), ((30, 10), (10, 5)), ((24, 12), (24, 6))],
    3: [
        ((8, 8, 4), (4, 4, 4)),
        ((32, 4, 2), (16, 2, 2)),
        ((12, 8, 6), (12, 4, 3)),
        ((8, 8, 8), (8, 4, 4)),
        ((64, 2, 2), (64, 2, 2)),
        ((32, 4, 4), (4, 2, 2)),
    ],
}

MANY_BLOCKS: Shapes = {1: [((2048,), (16,)), ((2400,), (24,)), ((4096,), (64,)), ((4096,), (32,))]}


def check(
    seed: int,
    program: Callable[[int], tuple[str, int]] = affine_program,
    shapes: Shapes = SHAPES,
) -> None:
    text, dimensions = program(seed)
    rng = random.Random(seed + 1)
    level = rng.choice((OptLevel.O1, OptLevel.O2))
    unit = compile_source(SourceText("k.cl", text, ""), BuildOptions(opt_level=level))
    arguments: list[KernelArgument] = [
        np.zeros(ELEMENTS, np.int32), np.zeros(ELEMENTS, np.float32),
        np.int32(rng.randint(0, 12)), np.int32(rng.randint(-3, 6)),
    ]  # fmt: skip
    whole, part = rng.choice(shapes[dimensions])
    static, traced = both(unit, unit.kernels[0], NDRange(whole, part), arguments)
    assert static.summary.notes == (), text
    assert difference(static, traced) is None, text


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(8))
def test_program(seed: int):
    check(seed)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", range(24))
def test_masking_program(seed: int):
    check(seed, masking_program, MANY_BLOCKS)


@pytest.mark.full
@pytest.mark.parametrize("first", range(0, 1000, 50))
def test_many_programs(first: int):
    for seed in range(first, first + 50):
        check(seed)
