"""The engine does with random programs what PoCL does, and what a plain interpreter does.

With ``--full`` 5,000 programs; to reduce one that fails:
``python -m tests.tracegen.reduce_program SEED``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tracegen.many_programs import FINE, REFUSED, outcomes
from tests.tracegen.programs import PREAMBLE, write_kernel
from tests.tracegen.random_launches import (
    PER_BUILD,
    SETTINGS,
    Setting,
    compared_kernels,
    compiled,
    on_pocl,
    pocl_difference,
    reference_difference,
    setting_of,
    sources,
)
from tests.tracegen.reducer import reduce

if TYPE_CHECKING:
    import pyopencl

SAMPLE = range(0, 4 * PER_BUILD, PER_BUILD)
"""One program for each setting."""
MANY = 5_000
BATCH = 5 * PER_BUILD
MANY_HALVES = 200

KEPT = sorted((Path(__file__).parent / "programs").glob("*.cl"))
ON_POCL = [path for path in KEPT if "PoCL 3.0 crashes" not in path.read_text(encoding="utf-8")]


def show(setting: Setting) -> str:
    shape = "x".join(map(str, setting.local_size))
    return f"{setting.level.value}-{setting.width}-{setting.workers}-{shape}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", SAMPLE)
def test_interpreter_agrees_on_buffers_blocks_and_masks(seed: int):
    assert reference_difference(sources(seed, 1), setting_of(seed)) is None


@pytest.mark.parametrize("seed", [PER_BUILD + 1])
def test_half_precision(seed: int):
    assert reference_difference(sources(seed, 1, halves=True), setting_of(seed)) is None


@pytest.mark.full
@pytest.mark.parametrize("first", range(0, MANY_HALVES, BATCH))
def test_half_precision_of_many(first: int):
    for seed in range(first, first + BATCH):
        found = reference_difference(sources(seed, 1, halves=True), setting_of(seed))
        assert found is None, f"seed {seed}"


@pytest.mark.sampled(2)
@pytest.mark.pocl
@pytest.mark.parametrize("first", [1, 2 * PER_BUILD + 1])
def test_pocl_and_interpreter_agree(first: int, pocl_context: pyopencl.Context):
    source, setting = sources(first, 2), setting_of(first)
    unit = compiled(source, setting.level)
    wanted = on_pocl(pocl_context, source, [k.name for k in unit.kernels], setting)
    assert list(compared_kernels(unit, wanted, setting)) == [None, None]


@pytest.mark.pocl
@pytest.mark.full
@pytest.mark.parametrize("first", range(0, MANY, BATCH))
def test_pocl_and_interpreter_agree_on_many(first: int):
    found = outcomes(first, BATCH)
    assert not {s: text for s, text in found.items() if text not in (FINE, REFUSED)}
    assert sorted(found) == list(range(first, first + BATCH))
    assert list(found.values()).count(REFUSED) <= BATCH // 10


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
@pytest.mark.parametrize("setting", SETTINGS, ids=show)
def test_kept_program(path: Path, setting: Setting):
    assert reference_difference(path.read_text(encoding="utf-8"), setting) is None


@pytest.mark.sampled(3)
@pytest.mark.pocl
@pytest.mark.parametrize("path", ON_POCL, ids=lambda path: path.stem)
def test_kept_program_on_pocl(path: Path, pocl_context: pyopencl.Context):
    source = path.read_text(encoding="utf-8")
    assert pocl_difference(pocl_context, source, SETTINGS[0]) is None


def test_equal_seeds_give_equal_programs():
    assert write_kernel(7, 40) == write_kernel(7, 40) != write_kernel(8, 40)


def test_programs_have_what_they_should():
    """Every construct the engine must cope with occurs among the programs of the large run."""
    text = PREAMBLE + "".join(write_kernel(seed, 40) for seed in range(100))
    wanted = (
        "barrier(", "atomic_max(", "switch (", "continue;", "break;", "return;", "do {", "while (",
        "double16", "uchar3", "record", ".lo", ".even", "convert_short4_sat(", "fma(", "&&", "||",
        "goto end", "vload3(", "vload_half2(", "vstore_half4(", "atom_max(", "atomic_dec(", "pun ",
        "_table[", "item p", "shuffle(", "upsample(", "mad24(", "get_local_size(", "int *p",
    )  # fmt: skip
    assert not [word for word in wanted if word not in text]


def test_reducer_keeps_what_fails():
    source = "a;\nif (x) {\n  b;\n  c;\n}\nd;\n"
    assert reduce(source, lambda text: "c;" in text) == "  c;\n"
    assert reduce(source, lambda text: "if" in text and "}" in text) == "if (1) {\n}\n"
    sum_ = "a = f((b + c), (d * (e)));\n"
    assert reduce(sum_, lambda text: "f(" in text and "(e)" in text) == "a = f(e);\n"
