"""Commands write the same bytes whatever Python hashes strings to, in however many processes, and
for whatever level of x86-64 the code of kernels is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from kcc.tracegen.simt.host_cpu import VARIABLE, levels_of, own_cpu

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Setting:
    """What must not show in any output."""

    hash_seed: int
    jobs: int = 1
    level: str = ""


PLAIN = Setting(0)
ALL = [
    *(Setting(seed, 1 + seed % 2) for seed in range(1, 6)),
    Setting(0, 2),
    *(Setting(1, 2, level) for level in levels_of(own_cpu())),
]
QUICK = ("analyze", "static")
"""Of the commands those that take little time."""


def written(folder: Path, setting: Setting, names: tuple[str, ...]) -> Mapping[str, bytes]:
    """All files by name after the commands ran."""
    folder.mkdir()
    environment = {
        **os.environ, "PYTHONHASHSEED": str(setting.hash_seed), VARIABLE: setting.level,
        "PYTHONPATH": str(ROOT), "KCC_CACHE_DIR": str(folder.parent / "cache"),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tests.kcc.determinism", folder, str(setting.jobs), *names],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def differences(folder: Path, setting: Setting, names: tuple[str, ...] = ()) -> list[str]:
    """Files that are not what they are in the plain setting."""
    found = written(folder / "found", setting, names)
    wanted = written(folder / "wanted", PLAIN, names)
    assert len(wanted) >= len(names)
    return [n for n in sorted(found.keys() | wanted) if found.get(n) != wanted.get(n)]


@pytest.mark.slow
def test_quick_commands(tmp_path: Path):
    assert differences(tmp_path, Setting(3, 2), QUICK) == []


@pytest.mark.full
@pytest.mark.parametrize("setting", ALL, ids=lambda s: f"{s.hash_seed}-{s.jobs}-{s.level}")
def test_all_commands(setting: Setting, tmp_path: Path):
    assert differences(tmp_path, setting) == []
