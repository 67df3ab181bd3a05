"""``--assume``: what it takes, what it refuses, and what it says of assumptions without use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.base.assumptions import parse_assumptions
from kcc.base.diagnostics import DiagnosticError, Span
from kcc.passes.control.assumption_use import unused_assumptions
from tests.passes.compiled_loops import facts_of, launch

AT = Span("--assume", 1, 1)


def test_loops_and_branches():
    found = parse_assumptions([("loop@12=8", AT), (" branch @ 7 = 0.3 ", AT), ("loop@3=0", AT)])
    assert found.loops == {12: 8, 3: 0}
    assert found.branches == {7: 0.3}


WRONG = [
    ("loop=8", "K820"), ("while@3=8", "K820"), ("loop@x=8", "K820"), ("loop@0=8", "K820"),
    ("loop@3", "K820"), ("", "K820"), ("loop@3=-1", "K821"), ("loop@3=2.5", "K821"),
    ("loop@3=99999999999999", "K821"), ("branch@3=1.5", "K821"), ("branch@3=nan", "K821"),
    ("branch@3=often", "K821"), (f"loop@{'9' * 5000}=1", "K820"), (f"loop@3={'9' * 9000}", "K821"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), WRONG)
def test_refused(text: str, code: str):
    with pytest.raises(DiagnosticError) as error:
        parse_assumptions([(text, AT)])
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.code, diagnostic.span) == (code, AT)


def test_twice_is_an_error():
    with pytest.raises(DiagnosticError) as error:
        parse_assumptions([("loop@3=8", AT), ("loop@3=9", AT)])
    assert error.value.diagnostics[0].code == "K822"


@given(st.text(max_size=30))
def test_any_text_gives_assumptions_or_a_diagnostic(text: str):
    codes = list[str]()
    try:
        parse_assumptions([(text, AT)])
    except DiagnosticError as error:
        codes = [diagnostic.code for diagnostic in error.diagnostics]
    assert set(codes) <= {"K820", "K821"}


def test_assumptions_without_use():
    body = "for (int i = 0; i < a[0]; i++) a[i] += 1;\nfor (int i = 0; i < n; i++) a[i] += 2;"
    given_ = parse_assumptions([("loop@2=8", AT), ("loop@3=9", AT), ("branch@40=0.5", AT)])
    facts = facts_of(body, launch(), assumed_trips=given_.loops, assumed_shares=given_.branches)
    found = unused_assumptions(given_, [facts])
    assert [(d.code, d.message) for d in found] == [
        ("K824", "the loop in line 3 is known: the assumption is not used"),
        ("K823", "there is no branch in line 40"),
    ]
