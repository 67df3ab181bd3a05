"""Values of options that `kcc simulate` and `kcc explore` share."""

from __future__ import annotations

import argparse
import re


def sweep_values(text: str) -> tuple[str, tuple[str, ...]]:
    """``KEY=V1,V2`` as the key and its values."""
    key, equals, values = text.partition("=")
    found = tuple(dict.fromkeys(value.strip() for value in values.split(",")))
    if not equals or not re.fullmatch(r"[A-Za-z_][\w.]*", key) or not all(found):
        raise argparse.ArgumentTypeError(f"'{text}' is not KEY=V1,V2,...")
    return key, found


def launch_ranges(text: str) -> tuple[range, ...]:
    """``0-3,8`` as ranges."""
    found = list[range]()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise argparse.ArgumentTypeError(f"'{part}' is no launch and no range of them")
        start, end = int(first), int(last) if dash else int(first)
        if end < start:
            raise argparse.ArgumentTypeError(f"'{part}' ends before it begins")
        found.append(range(start, end + 1))
    return tuple(found)
