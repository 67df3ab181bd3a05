"""Values of options that are numbers."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def percent(text: str) -> float:
    """``1%`` or ``1`` as 0.01."""
    try:
        value = float(text.removesuffix("%")) / 100
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a percentage between 0 and 100")
    return value


def count_from(least: int) -> Callable[[str], int]:
    """Reads a whole number of at least ``least``."""

    def read(text: str) -> int:
        if not text.isdecimal() or len(text) > 15 or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {least} on")
        return int(text)

    return read
