"""Where clang is: the ziglang wheel, else a clang of the system."""

from __future__ import annotations

import importlib.util
import shutil
from functools import cache
from pathlib import Path

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass

NAMES = (
    "clang-22",
    "clang-21",
    "clang-20",
    "clang-19",
    "clang-18",
    "clang-17",
    "clang-16",
    "clang",
)
"""Names on PATH, newest first; the last may be any version."""


@dataclass(frozen=True, slots=True)
class Clang:
    """How clang's compiler proper is called: ``command`` comes before ``-cc1``."""

    command: tuple[str, ...]
    origin: str


@cache
def find_clang() -> Clang | None:
    """The wheel's clang where it is installed, since it is the version that is tested; else the
    newest on PATH; None where there is neither."""
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        program = Path(folder, "zig")
        if program.exists():
            return Clang((str(program), "clang"), "the ziglang wheel")
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return Clang((found,), found)
    return None


def need_clang(purpose: str) -> Clang:
    """clang, or the error that says how to get it; ``purpose`` ends "... is needed for"."""
    found = find_clang()
    if found is None:
        message = f"clang is needed for {purpose}, and there is none"
        hint = "install a clang from 16 on, or `pip install ziglang`"
        raise DiagnosticError([Diagnostic("K011", message, hint=hint)])
    return found
