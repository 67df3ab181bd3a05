"""Options and fixtures that all tests share."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest
from hypothesis import settings

from kcc.commands.machine_code import code_request
from tests import pocl
from tests.browser import chromium
from tests.cpu_time import LONG_SECONDS, MOST_SECONDS, CpuTime
from tests.golden import Golden

if TYPE_CHECKING:
    import pyopencl

LONG_TESTS = Path(__file__).parent / "long_tests.txt"
NO_TIME = "for which --seconds left no time"
TIME = CpuTime()
CPU_SECONDS = "cpu_seconds"
"""By which a process of several tells of its files."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the large counts too")
    parser.addoption("--whole", action="store_true", help="run what is marked slow or sampled too")
    parser.addoption("--all-short", action="store_true", help="run what long_tests.txt has too")
    parser.addoption("--only", type=Path, help="of what would run, the tests that a file names")
    parser.addoption("--unthinned", action="store_true", help="run all cases of thinned tests")
    parser.addoption("--seconds", type=float, help="run no further test after so much CPU time")
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


def pytest_configure(config: pytest.Config) -> None:
    """Random inputs are the same few in every run, or with --full many and new ones."""
    pocl.provide_linker()
    pocl.use_own_cache()
    os.environ["KCC_CODE"] = "kcc"
    settings.register_profile("quick", max_examples=60, deadline=None, derandomize=True)
    settings.register_profile("full", max_examples=5000, deadline=None)
    settings.load_profile("full" if config.getoption("--full") else "quick")


def pytest_unconfigure() -> None:
    pocl.remove_own_cache()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked `full`, `slow` and so on, unless an option or a test's whole name
    asks for it, and skip without PoCL, Chromium or NVIDIA's tools their tests."""
    if not pocl.is_installed():
        for item in items:
            if item.get_closest_marker("pocl"):
                item.add_marker(pytest.mark.skip(reason=pocl.NOT_INSTALLED))
    if (lacking := chromium.missing()) and not config.getoption("--full"):
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.skip(reason=lacking))
    found = code_request("auto", None)
    if found is None or found.tools is None or found.tools.nvdisasm is None:
        for item in items:
            if item.get_closest_marker("nvidia"):
                item.add_marker(pytest.mark.skip(reason="kcc[nvidia] is not installed"))
    kept = set(chosen(config, items))
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def chosen(config: pytest.Config, items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests that options and names ask for."""
    if only := config.getoption("--only"):
        items = named_in(only, items)
    elif config.getoption("--full") or any("::" in argument for argument in config.args):
        return items
    items = [item for item in items if not item.get_closest_marker("full")]
    if not config.getoption("--unthinned"):
        items = every_nth("thinned", items)
    if config.getoption("--whole"):
        return items
    items = every_nth("sampled", [i for i in items if not i.get_closest_marker("slow")])
    if config.getoption("--all-short"):
        return items
    long = {item.nodeid for item in named_in(LONG_TESTS, items)}
    return [item for item in items if item.nodeid not in long]


def named_in(file: Path, items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests whose names are lines of a file."""
    names = set(file.read_text(encoding="utf-8").splitlines())
    return [item for item in items if item.nodeid in names]


def every_nth(mark: str, items: list[pytest.Item]) -> list[pytest.Item]:
    """Without the cases that `thinned(n)` or `sampled(n)` leaves out: each function keeps every
    n-th, from a place of its own, so that over all functions together no kernel is left out."""
    seen, found = dict[str, int](), list[pytest.Item]()
    for item in items:
        marker = item.get_closest_marker(mark)
        function = item.nodeid.partition("[")[0]
        place = seen.setdefault(function, crc32(function.encode()))
        seen[function] += marker is not None
        if marker is None or place % int(marker.args[0]) == 0:
            found.append(item)
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    """Measure each file's time."""
    with TIME.of(item.nodeid.partition("::")[0]):
        return (yield)


def is_short(config: pytest.Config) -> bool:
    """Whether this is the short suite."""
    return not (config.getoption("--whole") or config.getoption("--full"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A file that makes the short suite long fails it; a process of several tells of its files."""
    told: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if told is not None:
        told[CPU_SECONDS] = dict(TIME.files)
        return
    if is_short(session.config) and TIME.longest(MOST_SECONDS) and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What a process of several has told."""
    for file, seconds in getattr(node, "workeroutput", {}).get(CPU_SECONDS, {}).items():
        TIME.files[file] += seconds


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what stands after the time that --seconds gives."""
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
    _say_of_browser(terminalreporter)
    late = sum(NO_TIME in str(r.longrepr) for r in reports)
    if late:
        terminalreporter.write_line(f"not run: {late} tests, {NO_TIME}")
    if is_short(terminalreporter.config):
        terminalreporter.write_line("not run: long tests and more cases (scripts/check --whole)")
        for file, seconds in TIME.longest(LONG_SECONDS):
            rule = f"at most {MOST_SECONDS:.0f}: mark tests slow or sampled"
            terminalreporter.write_line(f"{file}: {seconds:.0f} CPU seconds, {rule}")
    if not terminalreporter.config.getoption("--full"):
        terminalreporter.write_line("not run: large counts (scripts/check --full)")


def _say_of_browser(terminalreporter: pytest.TerminalReporter) -> None:
    """Whether pages were looked at in a browser."""
    ran = [
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        if report.nodeid.startswith("tests/browser/") and report.when == "call"
    ]
    said = chromium.missing() or f"{len(ran)} ran in {chromium.executable()}"
    terminalreporter.write_line(f"browser tests: {said}")


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
