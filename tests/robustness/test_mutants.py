"""Mutated kernels: they print, most are valid, and no command fails in an uncoded way."""

from __future__ import annotations

import random

import pytest

from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, SourceText
from tests.robustness.commands import BAD, REFUSED
from tests.robustness.mutants.campaign import (
    SMALL,
    Base,
    judge,
    mutant,
    run_kernels,
    small_names,
    typed,
)
from tests.robustness.mutants.printing import program_text

PRINTED = ("records.cl", "vector3.cl", "switch_nested.cl", "unions.cl", "program_constants.cl")


def instructions(unit: CompiledUnit) -> list[int]:
    return [len(kernel.function.instructions) for kernel in unit.kernels]


def compiled(text: str) -> CompiledUnit:
    return compile_source(SourceText("k.cl", text, "."), BuildOptions())


@pytest.mark.parametrize("name", PRINTED)
def test_what_is_printed_is_the_same_program(name: str):
    text = (SMALL / name).read_text("utf-8").replace("void ", "__kernel void ", 1)
    printed = program_text(typed(Base(name, text)))
    assert instructions(compiled(printed)) == instructions(compiled(text))


@pytest.mark.full
@pytest.mark.parametrize("name", small_names())
def test_all_small_programs_print(name: str):
    base = Base(name, (SMALL / name).read_text("utf-8"))
    compiled(program_text(typed(base)))


def test_equal_seeds_give_equal_mutants():
    drawn = random.Random(1).randrange(1000)
    assert mutant(drawn).split() == mutant(drawn).split() != mutant(drawn + 1).split()


def test_a_run_of_a_program_that_is_not_valid():
    """A mutant that does not compile is not valid, at the step that runs it too."""
    assert run_kernels("kernel void k(int *a) { }") == (REFUSED, "K333")


def test_commands_answer(full: bool):
    found = [judge(str(seed)) for seed in range(200 if full else 8)]
    assert not [entry for entry in found if entry.outcome in BAD]
    assert len([e for e in found if e.outcome.startswith("not valid")]) <= len(found) // 4
