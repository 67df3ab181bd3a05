"""Tests of a module are those that mirror it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import changed


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("passes/no_such_folder/test.py", ["tests/passes"]),
        ("scripts/changed.py", ["tests/scripts/test_changed.py"]),
        ("tests/scripts/test_changed.py", ["tests/scripts/test_changed.py"]),
        ("tests/scripts/helper.py", ["tests/scripts"]),
        ("tests/conftest.py", []),
        ("nowhere/else.py", []),
    ],
)
def test_nearest_tests(path: str, tests: list[str]):
    assert list(map(str, changed.tests_of(Path(path)))) == tests
