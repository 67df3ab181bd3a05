"""What tests of the command line share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

SOURCE = """\
__kernel void twice(__global float *a, int n)
{
    const int i = get_global_id(0);
    if (i < n) {
        a[i] = 2.0f * a[i];
    }
}

__kernel void zero(__global float *b)
{
    b[get_global_id(1)] = 0.0f;
}
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run of kcc ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


def first_lines(err: str) -> list[str]:
    """The lines that begin a message."""
    return [line for line in err.splitlines() if re.search(r"(error|warning)\[K\d{3}\]: ", line)]


def check_bad_input(ended: Ended, code: str, message: str) -> None:
    assert ended.code == 1
    assert ended.out == ""
    assert f"error[{code}]: " in first_lines(ended.err)[0]
    assert message in ended.err
    assert "Traceback" not in ended.err
