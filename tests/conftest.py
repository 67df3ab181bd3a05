"""Options and fixtures that all tests share."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from hypothesis import settings

from kcc.commands.machine_code import code_request
from tests import pocl
from tests.golden import Golden

if TYPE_CHECKING:
    import pyopencl

NO_TIME = "for which --seconds left no time"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the large counts too")
    parser.addoption("--unthinned", action="store_true", help="run all cases of thinned tests")
    parser.addoption("--seconds", type=float, help="run no further test after so much CPU time")
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


def pytest_configure(config: pytest.Config) -> None:
    """Random inputs are the same few in every run, or with --full many and new ones."""
    pocl.provide_linker()
    os.environ["KCC_CODE"] = "kcc"
    settings.register_profile("quick", max_examples=60, deadline=None, derandomize=True)
    settings.register_profile("full", max_examples=5000, deadline=None)
    settings.load_profile("full" if config.getoption("--full") else "quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked `full`, unless --full asks for it, and without PoCL its tests."""
    if not pocl.is_installed():
        for item in items:
            if item.get_closest_marker("pocl"):
                item.add_marker(pytest.mark.skip(reason=pocl.NOT_INSTALLED))
    if code_request("auto", None) is None:
        for item in items:
            if item.get_closest_marker("nvidia"):
                item.add_marker(pytest.mark.skip(reason="kcc[nvidia] is not installed"))
    if config.getoption("--full"):
        return
    left_out = {item for item in items if item.get_closest_marker("full")}
    if not config.getoption("--unthinned"):
        left_out |= thinned_out([item for item in items if item not in left_out])
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=list(left_out))


def thinned_out(items: list[pytest.Item]) -> set[pytest.Item]:
    """Cases that `thinned(n)` leaves out: each function keeps every n-th, from a place of its own,
    so that over all functions together no kernel is left out."""
    seen, found = dict[str, int](), set[pytest.Item]()
    for item in items:
        marker = item.get_closest_marker("thinned")
        if marker is None:
            continue
        function = item.nodeid.partition("[")[0]
        place = seen.setdefault(function, crc32(function.encode()))
        seen[function] += 1
        if place % int(marker.args[0]):
            found.add(item)
    return found


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what stands behind the time that --seconds gives."""
    seconds: float | None = item.config.getoption("--seconds")
    if seconds is not None and time.process_time() > seconds:
        pytest.skip(NO_TIME)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say by name what was not run."""
    reports: list[pytest.TestReport] = terminalreporter.stats.get("skipped", [])
    without = sorted(r.nodeid for r in reports if pocl.NOT_INSTALLED in str(r.longrepr))
    if without:
        terminalreporter.section(f"not run: {len(without)} comparisons with PoCL")
        terminalreporter.write_line(pocl.NOT_INSTALLED)
        for name in without:
            terminalreporter.write_line(f"  {name}")
    late = sum(NO_TIME in str(r.longrepr) for r in reports)
    if late:
        terminalreporter.write_line(f"not run: {late} tests, {NO_TIME}")
    if not terminalreporter.config.getoption("--full"):
        terminalreporter.write_line("not run: large counts (scripts/check --full runs them)")


@pytest.fixture(scope="session")
def full(pytestconfig: pytest.Config) -> bool:
    """Whether --full was given: tests that draw samples draw many then."""
    return bool(pytestconfig.getoption("--full"))


@pytest.fixture
def golden(pytestconfig: pytest.Config) -> Golden:
    """Compares a text with a file under tests/golden/, or writes it with --update-golden."""
    return Golden(update=bool(pytestconfig.getoption("--update-golden")))


@pytest.fixture(scope="session")
def pocl_context() -> pyopencl.Context:
    """A context on the CPU device of the PoCL that the tests extra installs."""
    import pyopencl

    return pyopencl.Context([pocl.choose_device()])


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, as it does unless the process was started in the background
    of a shell, which makes it deaf to Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
