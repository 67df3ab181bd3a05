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
