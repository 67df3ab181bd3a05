"""Brings clang into a clone's environment when a command is the first to need it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def provide_clang(source: str, frontend: str) -> None:
    """Install the ziglang wheel where clang is needed, missing, and the environment is a clone's.

    Elsewhere the front end says what to install (K011).
    """
    from kcc.frontend import needs_clang

    if not needs_clang(source, frontend):
        return
    from kcc.frontend.clang.find import find_clang

    root = Path(__file__).resolve().parents[2]
    script = root / "scripts" / "environment.py"
    if find_clang() is not None or Path(sys.prefix) != root / ".venv" or not script.exists():
        return
    sys.stderr.write("kcc: this needs clang: installing the ziglang wheel, once (about 100 MB)\n")
    subprocess.run([sys.executable, str(script), "clang"], check=False, stdout=sys.stderr)
    find_clang.cache_clear()
