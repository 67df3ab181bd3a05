"""Options and fixtures that all tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pocl import choose_device, provide_linker

if TYPE_CHECKING:
    import pyopencl


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the large counts too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked `full`, unless --full asks for it."""
    if config.getoption("--full"):
        return
    left_out = [item for item in items if item.get_closest_marker("full")]
    items[:] = [item for item in items if not item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def full(pytestconfig: pytest.Config) -> bool:
    """Whether --full was given: tests that draw samples draw many then."""
    return bool(pytestconfig.getoption("--full"))


@pytest.fixture(scope="session")
def pocl_context() -> pyopencl.Context:
    """A context on the CPU device of the PoCL that the tests extra installs."""
    import pyopencl

    provide_linker()
    return pyopencl.Context([choose_device()])
