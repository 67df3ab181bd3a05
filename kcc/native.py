"""Plain Python functions on numpy arrays, compiled by numba. Import it only where they are about
to run: numba takes seconds to import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def native(function: F) -> F:
    """The function as native code, compiled when it is first called and kept in numba's cache
    where that has a place."""
    return _compiled(function, counted=True)


def uncounted(function: F) -> F:
    """Like :func:`native` for a function that makes no arrays: references are not counted. Counting
    them is an atomic operation per array wherever one is handed on, which in simulators takes
    longer than the work itself."""
    return _compiled(function, counted=False)


def _compiled(function: F, *, counted: bool) -> F:
    try:
        return numba.njit(cache=True, nogil=True, _nrt=counted)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return numba.njit(nogil=True, _nrt=counted)(function)
