"""What an analysis says of a value it cannot tell."""

from __future__ import annotations

from kcc.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that is not known; ``reason`` says why, in words that follow a colon."""

    reason: str
