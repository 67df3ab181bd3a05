"""What kcc.opencl does not have, named."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

ADVICE = "docs/reference/hosts.md lists what is there"


class NotInKcc(AttributeError):
    """A name of PyOpenCL that kcc.opencl lacks."""


def missing(name: str, known: Iterable[str] = ()) -> NotInKcc:
    """The error for ``name``; ``known`` are names it may have been meant for."""
    near = get_close_matches(name.rpartition(".")[2], list(known), n=1)
    hint = f"did you mean '{near[0]}'? " if near else ""
    return NotInKcc(f"kcc.opencl does not have '{name}'; {hint}{ADVICE}")
