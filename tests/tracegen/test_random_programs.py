"""The engine does with random programs what PoCL does, and what a plain interpreter does.

With ``--full`` 5,000 programs each; to reduce one that fails:
``python -m tests.tracegen.reduce_program SEED``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tracegen.programs import PREAMBLE, reduce, write_kernel
from tests.tracegen.random_launches import (
    SETTINGS,
    Setting,
    pocl_difference,
    reference_difference,
    sources,
)

if TYPE_CHECKING:
    import pyopencl

SAMPLE = 4
MANY = 5_000
BATCH = 50
PER_BUILD = 3
"""Kernels in one program for PoCL, which takes its time for each build."""

BATCHES = [pytest.param(b, marks=pytest.mark.full) for b in range(SAMPLE, MANY, BATCH)]
KEPT = sorted((Path(__file__).parent / "programs").glob("*.cl"))
ON_POCL = [path for path in KEPT if "PoCL 3.0 crashes" not in path.read_text(encoding="utf-8")]


def show(setting: Setting) -> str:
    return f"{setting.level.value}-{setting.width}-{setting.workers}"


@pytest.mark.parametrize("seed", range(SAMPLE))
def test_interpreter_agrees_on_buffers_blocks_and_masks(seed: int):
    setting = SETTINGS[seed % len(SETTINGS)]
    assert reference_difference(sources(seed, 1), setting) is None, f"seed {seed}"


@pytest.mark.parametrize("first", BATCHES)
def test_interpreter_agrees_on_many(first: int):
    for seed in range(first, first + BATCH):
        setting = SETTINGS[seed % len(SETTINGS)]
        assert reference_difference(sources(seed, 1), setting) is None, f"seed {seed}"


@pytest.mark.pocl
def test_pocl_leaves_the_same_buffers(pocl_context: pyopencl.Context):
    source = sources(0, PER_BUILD)
    for setting in SETTINGS[:2]:
        assert pocl_difference(pocl_context, source, setting) is None


@pytest.mark.pocl
@pytest.mark.parametrize("first", BATCHES)
def test_pocl_agrees_on_many(first: int, pocl_context: pyopencl.Context):
    for seed in range(first, first + BATCH, PER_BUILD):
        setting = SETTINGS[seed % len(SETTINGS)]
        found = pocl_difference(pocl_context, sources(seed, PER_BUILD), setting)
        assert found is None, f"seeds from {seed}"


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
@pytest.mark.parametrize("setting", SETTINGS, ids=show)
def test_kept_program(path: Path, setting: Setting):
    assert reference_difference(path.read_text(encoding="utf-8"), setting) is None


@pytest.mark.pocl
@pytest.mark.parametrize("path", ON_POCL, ids=lambda path: path.stem)
def test_kept_program_on_pocl(path: Path, pocl_context: pyopencl.Context):
    source = path.read_text(encoding="utf-8")
    assert pocl_difference(pocl_context, source, SETTINGS[0]) is None


def test_equal_seeds_give_equal_programs():
    assert write_kernel(7, 40) == write_kernel(7, 40) != write_kernel(8, 40)


def test_programs_have_what_they_should():
    """Every construct the engine must cope with occurs among the programs of the large run."""
    text = PREAMBLE + "".join(write_kernel(seed, 40) for seed in range(120))
    wanted = (
        "barrier(", "atomic_max(", "switch (", "continue;", "break;", "return;", "do {", "while (",
        "double16", "uchar3", "record", ".lo", ".even", "convert_short4_sat(", "fma(", "&&", "||",
    )  # fmt: skip
    assert not [word for word in wanted if word not in text]


def test_reducer_keeps_what_fails():
    source = "a;\nif (x) {\n  b;\n  c;\n}\nd;\n"
    assert reduce(source, lambda text: "c;" in text) == "  c;\n"
    assert reduce(source, lambda text: "if" in text and "}" in text) == "if (x) {\n}\n"
