"""Quantities as text, each with the unit that fits it."""

from __future__ import annotations


def duration(microseconds: float) -> str:
    """A time with a fitting unit."""
    if microseconds < 1e3:
        return f"{microseconds:.3g} us"
    if microseconds < 1e6:
        return f"{microseconds / 1e3:.3g} ms"
    seconds = microseconds / 1e6
    return f"{seconds:.3g} s" if seconds < 1e3 else f"{seconds:,.0f} s"


def volume(sectors: float) -> str:
    """What sectors of 32 bytes hold, with a fitting unit."""
    size_bytes = 32 * sectors
    if size_bytes < 1e6:
        return f"{size_bytes / 1e3:.1f} KB"
    if size_bytes < 1e11:
        return f"{size_bytes / 1e6:.1f} MB"
    return f"{size_bytes / 1e9:.1f} GB"
