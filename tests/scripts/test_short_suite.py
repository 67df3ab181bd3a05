"""The short suite has what is quick, what is close to one function, and all lines."""

from __future__ import annotations

from scripts.short_suite import LONG_TESTS, ROOT, short_of

QUICK, UNIT, SLOW_UNIT, WIDE, WIDER, SAME = (
    f"tests/{name}.py::test" for name in ("quick", "unit", "slow_unit", "wide", "wider", "same")
)
SECONDS = {QUICK: 0.01, UNIT: 0.4, SLOW_UNIT: 9.0, WIDE: 2.0, WIDER: 2.5, SAME: 2.0}
RAN = {
    QUICK: frozenset(range(100)),
    UNIT: frozenset(range(50)),
    SLOW_UNIT: frozenset(range(50)),
    WIDE: frozenset(range(1000)),
    WIDER: frozenset(range(500, 2000)),
    SAME: frozenset(range(1000)),
}


def test_quick_tests_and_those_of_few_lines_come_first():
    assert short_of(SECONDS, RAN, 0.0) == {QUICK, UNIT}


def test_of_the_others_as_many_new_lines_for_their_time_as_the_time_allows():
    assert short_of(SECONDS, RAN, 1.0) == {QUICK, UNIT, WIDER}
    assert short_of(SECONDS, RAN, 100.0) in ({QUICK, UNIT, WIDER, WIDE}, {QUICK, UNIT, WIDER, SAME})


def test_a_test_without_lines_is_one_of_another_process():
    other, long = "tests/kcc/test_cli.py::other", "tests/kcc/test_cli.py::long"
    assert short_of({other: 0.5, long: 5.0}, {}, 100.0) == {other}


def test_lines_of_native_code_are_not_seen():
    native, plain = "tests/sim/cycle/test_cycle.py::a", "tests/sim/flow/test_groups.py::a"
    ran = {test: frozenset(range(500)) for test in (native, plain)}
    seconds = {native: 0.3, plain: 0.3}
    assert short_of(seconds, ran, 0.0) == {native}


def test_long_tests_are_there():
    for name in LONG_TESTS.read_text("utf-8").splitlines():
        if not name.startswith("#"):
            file, _, function = name.partition("::")
            place = ROOT / file
            assert place.is_file(), name
            assert f"def {function.partition('[')[0]}(" in place.read_text("utf-8"), name
