"""Which launches of a script or trace a command is about."""

from __future__ import annotations

import argparse
from typing import Any, Protocol


class Group(Protocol):
    """A group of options."""

    def add_argument(self, *names: str, **settings: Any) -> Any: ...


def add_launch_choice(group: Group, *, rest: str = "; others still run") -> None:
    """Add --kernel and --launches; ``rest`` says what becomes of the others."""
    group.add_argument(
        "--kernel", dest="kernels", metavar="NAME", action="append", default=[],
        help=f"only launches of this kernel (repeatable){rest}",
    )  # fmt: skip
    group.add_argument(
        "--launches", metavar="RANGES", type=launch_ranges, default=(),
        help=f"only these launches, from 0: 3, 0-9, 0-3,8{rest}",
    )  # fmt: skip


def launch_ranges(text: str) -> tuple[range, ...]:
    """``0-3,8`` as ranges."""
    found = list[range]()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        start = whole_number(first.strip())
        end = whole_number(last.strip()) if dash else start
        if end < start:
            raise argparse.ArgumentTypeError(f"'{part}' ends before it begins")
        found.append(range(start, end + 1))
    return tuple(found)


def whole_number(text: str) -> int:
    """The number of a launch, block or warp."""
    if not (text.isascii() and text.isdecimal()) or len(text) > 18:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 0 on")
    return int(text)
