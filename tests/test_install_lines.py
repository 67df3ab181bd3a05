"""Nothing tells anybody to install the package that is called kcc on the index: it is not this."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]

WRONG = re.compile(r"(?:pip3?|pipx|uv tool|uv pip)\s+install\s+(?:-\S+\s+)*['\"]?kcc(?![\w-])")

QUOTED = ("tests/test_install_lines.py", "tests/words/banned.py", "tests/words/test_code.py")
"""Tests that quote what is wrong."""


def texts() -> list[tuple[str, str]]:
    """All files that are kept."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True
    )
    found = list[tuple[str, str]]()
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file() and name not in QUOTED:
            found.append((name, path.read_bytes().decode("utf-8", "replace")))
    return found


def test_no_line_installs_somebody_elses_kcc():
    assert WRONG.search("pip install kcc")
    assert WRONG.search("pip install -U 'kcc[clang]'")
    assert not WRONG.search("pip install kcc-gpu")
    assert not WRONG.search("pip install '.[clang]'")
    found = [f"{name}: {m[0]}" for name, text in texts() for m in WRONG.finditer(text)]
    assert found == []


def test_the_distribution_has_a_free_name():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == "kcc-gpu"
    assert project["scripts"] == {"kcc": "kcc.cli:main"}
