"""Random programs: kcc's engine and PoCL agree; kept ones; the reducer.

``python -P -m tests.robustness programs --count 5000 --journal FILE`` runs many.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kcc.frontend.options import OptLevel
from tests.robustness.journal import Entry
from tests.robustness.programs.campaign import (
    BY_OCLGRIND,
    FAULT_OF_KCC,
    FAULT_OF_POCL,
    LEVELS_AGREE,
    OPEN,
    decided,
)
from tests.robustness.programs.drawing import RandomProgram, draw_program
from tests.robustness.programs.engines import digest, on_device, on_kcc
from tests.robustness.programs.reducing import KEPT, right_digest, smaller_program

if TYPE_CHECKING:
    import pyopencl

SAMPLE, MANY = (5, 4), 200
"""Not seed 3: PoCL's LLVM 14 runs out of memory for it on an EPYC (znver4)."""


def results(source: str, level: OptLevel) -> str:
    return digest(on_kcc(source, level))


@pytest.mark.pocl
@pytest.mark.parametrize("seed", SAMPLE)
def test_kcc_and_pocl_agree(seed: int, pocl_context: pyopencl.Context):
    source = draw_program(seed).source()
    wanted = digest(on_device(pocl_context.devices[0])(source))
    assert results(source, OptLevel.O1 if seed % 2 else OptLevel.O2) == wanted


@pytest.mark.pocl
@pytest.mark.full
def test_levels_and_pocl_agree_on_many(tmp_path: Path):
    from contextlib import ExitStack

    from tests.robustness.programs.campaign import Comparison

    with ExitStack() as stack:
        comparison = Comparison(stack)
        bad = (FAULT_OF_KCC, OPEN)
        found = [comparison.judge(str(seed)) for seed in range(10_000, 10_000 + MANY)]
        assert not [entry for entry in found if entry.outcome in bad]


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.cl")), ids=lambda path: path.stem)
def test_kept_program(path: Path):
    """Each says in its first line what it gives."""
    source = path.read_text(encoding="utf-8")
    wanted = source.split("\n", 1)[0].removeprefix("// ")
    assert results(source, OptLevel.O1) == results(source, OptLevel.O2) == wanted


def test_programs_have_what_they_should():
    text = "".join(draw_program(seed).source() for seed in range(120))
    wanted = (
        "char16", "int8", "double3", "if (", "} else {", "while (", "do {", "switch (", "continue;",
        "break;", "return;", "barrier(", "atomic_max(", "record r", "pun u",
        "__global const int *q",
        "shuffle(", ".even", "_sat_rtz(", "convert_float", "as_uchar", "mad_sat(", "vload8(",
    )  # fmt: skip
    assert not [word for word in wanted if word not in text]


def test_equal_seeds_give_equal_programs():
    assert draw_program(5) == draw_program(5) != draw_program(6)


def test_smaller_programs_keep_what_is_asked_for():
    """Down to a statement with the word; all between are whole programs."""

    def fails(program: RandomProgram) -> bool:
        text = program.source()
        assert text.count("{") == text.count("}")
        return "mad_sat(" in text

    seed = next(n for n in range(100) if "mad_sat(" in draw_program(n).source())
    reduced = smaller_program(draw_program(seed), fails)
    assert len(reduced.body) == 1
    assert reduced.source().count("\n") < 16


@pytest.mark.parametrize(
    ("kcc", "pocl", "third", "wanted"),
    [
        (("a", "a", "b"), "a", "a", FAULT_OF_KCC),
        (("!K712", "!K712", "!K712"), "a", "a", FAULT_OF_KCC),
        (("a", "a", "a"), "b", "a", FAULT_OF_POCL),
        (("a", "a", "a"), "!died -11", "a", BY_OCLGRIND),
        (("a", "a", "a"), "b", "b", FAULT_OF_KCC),
        (("a", "a", "a"), "!died -11", "!died -11", LEVELS_AGREE),
        (("a", "a", "a"), "b", "!died -11", OPEN),
        (("a", "a", "a"), "b", "c", OPEN),
    ],
)
def test_who_is_wrong(kcc: tuple[str, str, str], pocl: str, third: str, wanted: str):
    levels = dict(zip(("kcc-O0", "kcc-O1", "kcc-O2"), kcc, strict=True))
    assert decided({**levels, "pocl": pocl, "oclgrind": third}) == wanted


A, B = 16 * "a", 16 * "b"


@pytest.mark.parametrize(
    ("outcome", "detail", "wanted"),
    [
        (FAULT_OF_KCC, f"kcc-O0={A} kcc-O1={A} kcc-O2={B} pocl={A} oclgrind={A}", A),
        (FAULT_OF_KCC, f"kcc-O0=!K712 a={B} kcc-O1=!K712 kcc-O2=!K712 pocl={A}", A),
        (FAULT_OF_POCL, f"kcc-O0={A} kcc-O1={A} kcc-O2={A} pocl={B} oclgrind={A}", A),
        (LEVELS_AGREE, f"kcc-O0={A} kcc-O1={A} kcc-O2={A} pocl=!died -11 oclgrind=!timeout", A),
    ],
)
def test_the_digest_of_a_kept_program(outcome: str, detail: str, wanted: str):
    assert right_digest(Entry("1", outcome, detail)) == wanted


def test_no_digest_of_an_open_program():
    with pytest.raises(ValueError, match="no one digest"):
        right_digest(
            Entry("1", OPEN, f"kcc-O0={A} kcc-O1={A} kcc-O2={A} pocl={B} oclgrind={B[:-1]}c")
        )
