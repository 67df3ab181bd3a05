"""Brings clang into a clone's environment when a command is the first to need it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.commands.console import say

if TYPE_CHECKING:
    from kcc.frontend import FrontendName
    from kcc.frontend.options import BuildOptions, SourceText

STANDARD_ERROR = 2
"""The descriptor: `sys.stderr` may be something without one."""


def provide_clang(source: SourceText, options: BuildOptions, frontend: FrontendName) -> None:
    """Install the ziglang wheel where clang is needed, missing, and the environment is a clone's.

    Elsewhere the front end says what to install (K011).
    """
    from kcc.frontend import has_clang, language_of, needs_clang
    from kcc.frontend.kernel import Language

    asked = frontend == "clang" or language_of(source.name) is Language.CUDA
    if not asked or has_clang() or not needs_clang(source, options, frontend):
        return
    from kcc.frontend.clang.find import find_clang, need_clang

    root = Path(__file__).resolve().parents[2]
    script = root / "scripts" / "environment.py"
    if Path(sys.prefix) == root / ".venv" and script.exists():
        say("kcc: this needs clang: installing the ziglang wheel, once (100 MB)\n")
        subprocess.run([sys.executable, str(script), "clang"], check=False, stdout=STANDARD_ERROR)
        find_clang.cache_clear()
    need_clang(f"'{source.name}'")
