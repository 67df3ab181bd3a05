"""How much work evaluations of symbolic values may take: beyond, what is left is unknown."""

from __future__ import annotations

MAX_WORK = 20_000_000
"""Operations on elements of one evaluation (about a second)."""

MOST_WORK = 60 * MAX_WORK
"""The same of all passes over a kernel in one launch together: about a minute."""
