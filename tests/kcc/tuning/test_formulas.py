"""Expressions of search spaces: what they give, and what they never do."""

from __future__ import annotations

import pytest

from kcc.tuning.formulas import formula


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("KWG % ((MDIMC * NDIMC) / MDIMA) == 0", True),
        ("use == 0 or MDIMA != 16", False),
        ("not (MDIMC == 8 and NDIMC == 8)", False),
        ("list(range(32, 129, 32))", [32, 64, 96, 128]),
        ("[2**i for i in range(4)]", [1, 2, 4, 8]),
        ("max(sizes) * 2 if use else min(sizes)", 12),
        ("KWG in (16, 32)", True),
        ("ProblemSize[0] * ProblemSize[1]", 64),
    ],
)
def test_values_are_those_of_python(text: str, value: object) -> None:
    names = {"KWG": 32, "MDIMC": 8, "NDIMC": 8, "MDIMA": 16, "use": 1, "sizes": [3, 6],
             "ProblemSize": (8, 8)}  # fmt: skip
    assert formula(text)(names) == value == eval(text, {}, names)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__",
        "open('x')",
        "(lambda: 1)()",
        "[x for x in ().__class__.__bases__]",
        "exec('1')",
        "f'{x}'",
        "x := 1",
        "1 +",
    ],
)
def test_what_runs_code_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expression|called|search space"):
        formula(text)


@pytest.mark.parametrize("text", ["9**9**9", "range(10**12)", "1 // 0", "missing + 1", "[1][5]"])
def test_what_has_no_value_says_so(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        formula(text)({})
