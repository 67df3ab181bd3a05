"""Which browser the tests use: Chromium as it is installed, driven by Playwright."""

from __future__ import annotations

import importlib.util
import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")


def executable() -> str | None:
    """Chromium's path: KCC_CHROMIUM, else that of a package of the system."""
    named = os.environ.get("KCC_CHROMIUM")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


def missing() -> str:
    """What the tests lack, "" if nothing."""
    if importlib.util.find_spec("playwright") is None:
        return "Playwright is not installed: .venv/bin/pip install '.[browser]'"
    if executable() is None:
        return "Chromium is not installed: apt install chromium, or KCC_CHROMIUM names it"
    return ""
