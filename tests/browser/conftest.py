"""A browser for all tests, and pages that are written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import executable, missing
from tests.browser.pages import ROOT, made

Opened = Callable[..., Any]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium; a container has no sandbox for it. Without it --full, which skips nothing, says
    what is missing; else the tests were skipped before."""
    if lacking := missing():
        pytest.fail(lacking, pytrace=False)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture
def opened(browser: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """Opens the page of a name; ``errors`` of the page are what its console says is wrong."""
    monkeypatch.chdir(ROOT)
    contexts = list[Any]()

    def open_page(name: str, *, width: int = 1280, scheme: str = "light") -> Any:
        path = made(name, folder)
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.errors = []
        page.on("pageerror", partial(note_error, page))
        page.on("console", partial(note, page))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


def note_error(page: Any, error: Any) -> None:
    """Keep what a script raised."""
    page.errors.append(str(error))


def note(page: Any, said: Any) -> None:
    """Keep what the console says is wrong."""
    if said.type in {"error", "warning"}:
        page.errors.append(said.text)
