"""Hints for names that are not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """``did you mean 'x'?`` for the nearest of some names, None when none is near."""
    near = difflib.get_close_matches(name, list(candidates), n=1, cutoff=0.75)
    return f"did you mean '{near[0]}'?" if near else None
