"""A plugin for pytest: which lines each test runs, or how long it takes (`scripts/short_suite.py`).

    pytest -p tests.lines_run --measure-lines FOLDER
    pytest -p tests.lines_run --measure-times FOLDER

Each process writes a file of its own: `lines.*`, of the coverage package with a context for each
test, or `times.*.json`, CPU seconds by test.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

from tests.cpu_time import CpuTime

OPTIONS = ("--measure-lines", "--measure-times")


def pytest_addoption(parser: pytest.Parser) -> None:
    for option in OPTIONS:
        parser.addoption(option, type=Path, help="a folder for what is measured")


def pytest_configure(config: pytest.Config) -> None:
    """Measure in the processes that run tests."""
    lines, times = (config.getoption(option) for option in OPTIONS)
    if lines:
        config.pluginmanager.register(Lines(lines))
    if times:
        config.pluginmanager.register(Times(times))


class Lines:
    """The lines that each test runs in this process."""

    def __init__(self, folder: Path) -> None:
        file = folder / f"lines.{os.getpid()}"
        outside = ["*/site-packages/*", "*/tests/*"]
        self.coverage = coverage.Coverage(file, config_file=False, omit=outside)
        self.coverage.set_option("run:relative_files", value=True)
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool, bool]:
        """The lines belong to the test."""
        self.coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self.coverage.switch_context("")

    def pytest_unconfigure(self) -> None:
        self.coverage.stop()
        self.coverage.save()


class Times:
    """CPU seconds of each test."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / f"times.{os.getpid()}.json"
        self.time = CpuTime()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool, bool]:
        """The time belongs to the test."""
        with self.time.of(item.nodeid):
            return (yield)

    def pytest_unconfigure(self) -> None:
        self.file.write_text(json.dumps(dict(self.time.files)), encoding="utf-8")
