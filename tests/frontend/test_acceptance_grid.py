"""Our front end takes what PoCL takes and refuses what it refuses, but for the listed differences.

Programs are drawn from a grid (acceptance_cases, acceptance_programs): a few of each family, or
with ``--full`` thousands. What both take is lowered to IR as well.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.frontend.acceptance import (
    lower,
    own_errors,
    own_verdict,
    pocl_refuses,
    pocl_refuses_late,
    pocl_verdicts,
)
from tests.frontend.acceptance_cases import FAMILIES, Case
from tests.frontend.acceptance_programs import MORE_FAMILIES
from tests.frontend.differences import DIFFERENCES, Difference, listed

QUICK, FULL = 11, 700
ALONE_QUICK = 2
"""Of those that need a build of their own."""

SEED = 20261121


def sample(*, full: bool) -> list[Case]:
    """The same number of each family; smaller families whole."""
    rng = random.Random(SEED)
    chosen = list[Case]()
    for family in (*FAMILIES, *MORE_FAMILIES):
        cases = list(family())
        together = [case for case in cases if not case.alone]
        alone = [case for case in cases if case.alone]
        chosen += rng.sample(together, min(len(together), FULL if full else QUICK))
        chosen += rng.sample(alone, min(len(alone), FULL if full else ALONE_QUICK))
    return chosen


@pytest.mark.slow
@pytest.mark.pocl
def test_what_is_taken_is_what_pocl_takes(pocl_context: Any, *, full: bool) -> None:
    cases = sample(full=full)
    refused = pocl_verdicts(pocl_context, cases)
    own = [own_verdict(case) for case in cases]
    wrong = [
        (case.key, ours or "taken", theirs or "taken")
        for case, ours, theirs in zip(cases, own, refused, strict=True)
        if bool(ours) != bool(theirs)
        and not listed(case.key, taken=not ours)
        and not (ours and pocl_refuses_late(pocl_context, case))
    ]
    # -s shows the counts of docs/reference/opencl-c.md
    print(f"{len(cases)} programs, PoCL refuses {sum(map(bool, refused))}")  # noqa: T201
    assert wrong == []
    assert len(cases) > (2000 if full else 150)
    assert 0.3 < sum(map(bool, refused)) / len(cases) < 0.8
    taken = [c for c, ours in zip(cases, own, strict=True) if not ours and not c.alone]
    for start in range(0, len(taken), 200):
        lower(taken[start : start + 200])


@pytest.mark.sampled(10)
@pytest.mark.pocl
@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: row.title)
def test_differences_are_as_listed(pocl_context: Any, row: Difference) -> None:
    assert (not own_errors(row.example)) == row.taken
    assert pocl_refuses(pocl_context, row.example) == row.taken


def test_rows_are_described() -> None:
    titles = [row.title for row in DIFFERENCES]
    assert len(set(titles)) == len(titles)
    assert all(row.reason for row in DIFFERENCES)
