"""Reduces a random program on which the engine fails, and keeps it under ``programs/``.

``python -m tests.tracegen.reduce_program SEED [--pocl]``
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import DiagnosticError
from tests.pocl import choose_device
from tests.tracegen.random_launches import (
    Setting,
    pocl_difference,
    reference_difference,
    setting_of,
    sources,
)
from tests.tracegen.reducer import reduce

if TYPE_CHECKING:
    import pyopencl

FOLDER = Path(__file__).parent / "programs"

FIXED = ("barrier(", "counts[lid]", "shared[lid]")
"""Lines that stay: without them the program would race."""


def checker(setting: Setting, *, pocl: bool) -> Callable[[str], str | None]:
    """What is wrong with a program, in a word; None for programs that are fine or not valid."""
    context = _context() if pocl else None

    def check(source: str) -> str | None:
        try:
            if context is not None:
                return "buffers" if pocl_difference(context, source, setting) else None
            return "steps" if reference_difference(source, setting) else None
        except DiagnosticError as error:
            codes = {d.code for d in error.diagnostics}
            return None if any(c < "K715" for c in codes) else min(codes)
        except AssertionError:
            return "assertion"
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is what we look for
            return type(error).__name__

    return check


def _context() -> pyopencl.Context:
    import pyopencl

    return pyopencl.Context([choose_device()])


def main() -> None:
    """Reduce the program of a seed and write it down."""
    parser = argparse.ArgumentParser(description="Reduce a random program that fails.")
    parser.add_argument("seed", type=int)
    parser.add_argument("--pocl", action="store_true")
    chosen = parser.parse_args()
    seed: int = chosen.seed
    check = checker(setting_of(seed), pocl=chosen.pocl)
    source = sources(seed, 1)
    failure = check(source)
    if failure is None:
        parser.exit(1, "the program does not fail\n")

    def still_fails(text: str) -> bool:
        kept = all(text.count(word) == source.count(word) for word in FIXED)
        return kept and check(text) == failure

    reduced = reduce(source, still_fails)
    (FOLDER / f"seed_{seed}.cl").write_text(reduced, encoding="utf-8")


if __name__ == "__main__":
    main()
