"""What branches depend on, and who takes which side."""

from __future__ import annotations

import pytest

from kcc.passes.control.branch_conditions import BranchCondition, BranchConditions, Terminal
from kcc.passes.symbolic.ranges import Known
from tests.passes.compiled_loops import facts_of, launch


def branches(
    body: str, known: Known | None = None, shares: dict[int, float] | None = None
) -> list[BranchCondition]:
    facts = facts_of(body, known, assumed_shares=shares or {})
    return list(facts[BranchConditions].conditions)


def sides(body: str, known: Known | None = None) -> list[tuple[float | None, str]]:
    (branch,) = branches(body, known)
    return [(side.share, side.items) for side in branch.sides]


ONE = "a[get_global_id(0)] = 1;"

TERMINALS = [
    ("n > 3", {Terminal.ARGUMENT}),
    ("get_local_id(0) < 4", {Terminal.ID}),
    ("get_global_id(0) < n", {Terminal.ID, Terminal.ARGUMENT}),
    ("get_local_size(0) > 64", {Terminal.SIZE}),
    ("a[n] > 0", {Terminal.LOAD, Terminal.ARGUMENT}),
]


@pytest.mark.parametrize(("condition", "wanted"), TERMINALS, ids=[t[0] for t in TERMINALS])
def test_terminals(condition: str, wanted: set[Terminal]):
    (branch,) = branches(f"if ({condition}) {ONE}")
    assert branch.terminals == wanted
    assert not branch.floating


def test_loop_counters_and_floats():
    found = branches(f"for (int i = 0; i < 8; i++) if (i == get_local_id(0)) {ONE}")
    assert found[0].terminals == {Terminal.COUNTER}
    assert found[1].terminals == {Terminal.COUNTER, Terminal.ID}
    assert found[1].loops == {0}
    (branch,) = branches(f"if (f > 1.0f) {ONE}")
    assert branch.floating


def test_lanes_of_every_warp():
    known = Known((256,), (128,), {2: 1})
    assert sides(f"if ((get_local_id(0) & 31) < 16) {ONE}", known) == [
        (0.5, "lanes 0..15"), (0.5, "lanes 16..31"),
    ]  # fmt: skip
    assert sides(f"if (get_local_id(0) < 32) {ONE}", known) == [
        (0.25, "warps 0"), (0.75, "warps 1..3"),
    ]  # fmt: skip


def test_ranges_of_ids():
    assert sides(f"if (get_global_id(0) < n) {ONE}", launch(n=50)) == [
        (50 / 64, "get_global_id(0) 0..49"), (14 / 64, "get_global_id(0) 50..63"),
    ]  # fmt: skip
    assert sides(f"if (n > 3) {ONE}", launch(n=50)) == [(1.0, "all"), (0.0, "none")]


def test_shares_are_of_executions():
    """In iteration i the first i work-items of 32."""
    body = f"for (int i = 0; i < 8; i++) if (get_local_id(0) < i) {ONE}"
    _, inner = branches(body, launch())
    assert inner.sides[0].share == pytest.approx(sum(range(8)) / (8 * 32))
    assert inner.sides[0].items == "lanes 0..6"


def test_data_is_named_and_may_be_assumed():
    (branch,) = branches(f"if (a[n] > 0) {ONE}", launch(n=4))
    assert branch.reason == "depends on a[4], read in line 2"
    assert [side.share for side in branch.sides] == [None, None]
    (branch,) = branches(f"if (a[n] > 0) {ONE}", launch(n=4), {2: 0.3})
    assert [side.share for side in branch.sides] == [0.3, pytest.approx(0.7)]
    assert all(side.assumed for side in branch.sides)


def test_without_a_launch_sides_are_open():
    assert sides(f"if (get_global_id(0) < n) {ONE}") == [(None, ""), (None, "")]


def test_switch_sides_add_up():
    body = f"switch (get_local_id(0) % 5) {{ case 0: {ONE} break; case 3: a[0] = 2; break; }}"
    (branch,) = branches(body, launch())
    assert len(branch.sides) == 3
    assert sum(side.share or 0 for side in branch.sides) == pytest.approx(1)
