"""Plain Python functions on numpy arrays that run as native code.

numba compiles them when they are first called. That takes seconds, and even code of its own cache
comes only after numba itself, which takes longer to import than an estimate; so code is kept by
:mod:`kcc.base.native_kept` and runs without numba from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import local
from typing import Any, TypeVar, cast

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])


asked = local()
"""``by``: the function that this thread calls from Python, and the kinds of its arguments."""


class Native:
    """A function that is compiled when it is first called, by Python or by another one."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.py_func = function
        self.options = options
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        self._compiled: Any = None
        self._kept = dict[Any, Any]()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if named or self.options.get("inlined"):
            return self.compiled(*arguments, **named)
        from kcc.base.native_kept import kinds_of, load

        kinds = kinds_of(arguments)
        if kinds not in self._kept:
            self._kept[kinds] = load(self, kinds)
        kept = self._kept[kinds]
        if kept is not None:
            return kept(arguments)
        asked.by = self, kinds
        try:
            return self.compiled(*arguments)
        finally:
            asked.by = None

    @property
    def compiled(self) -> Any:
        """The function as numba's, which other compiled functions call."""
        if self._compiled is None:
            from kcc.base.native_numba import compiled

            self._compiled = compiled(self)
        return self._compiled


class Intrinsic:
    """A function of :mod:`kcc.base.native_intrinsics`, which only compiled ones can call."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def compiled(self) -> Any:
        from kcc.base import native_intrinsics

        return getattr(native_intrinsics, self.name)

    def __call__(self, *_: Any) -> Any:
        raise TypeError(f"{self.name} is part of compiled code")


def native(function: F) -> F:
    """The function as native code, compiled when it is first called and kept where there is a place
    for it."""
    return cast("F", Native(function, {"counted": True}))


def uncounted(function: F) -> F:
    """Like :func:`native` for a function that makes no arrays: references are not counted. Counting
    them is an atomic operation per array wherever one is handed on, which in simulators takes
    longer than the work itself."""
    return cast("F", Native(function, {"counted": False}))


def inlined(function: F) -> F:
    """Like :func:`uncounted` for a part of such a function: its code stands wherever it is called,
    since handing on a dozen arrays takes longer than what small parts do."""
    return cast("F", Native(function, {"counted": False, "inlined": True}))


trailing_zeros: Any = Intrinsic("trailing_zeros")
ones: Any = Intrinsic("ones")
equal_of_16: Any = Intrinsic("equal_of_16")
near_of_16: Any = Intrinsic("near_of_16")
put_first_of_16: Any = Intrinsic("put_first_of_16")
prefetch: Any = Intrinsic("prefetch")


@inlined
def scatter(line: int) -> int:
    """A number of 31 bits that looks random, every bit of the line having a say: what chooses sets,
    slices and banks where a GPU hashes addresses, of which vendors say nothing. The two rounds are
    the first of triple32 (Wellons, "hash-prospector", 2018)."""
    x = np.uint64(line)
    x ^= x >> np.uint64(17)
    x *= np.uint64(0xED5AD4BB)
    x ^= x >> np.uint64(11)
    x *= np.uint64(0xAC4C1B51)
    x ^= x >> np.uint64(15)
    masked: Any = np.int64(x & np.uint64(0x7FFFFFFF))
    return masked


@inlined
def quotient(number: int, by: int) -> int:
    """``number // by`` without a division where that is a power of two, as it mostly is."""
    if by & (by - 1) == 0:
        return number >> trailing_zeros(by)
    return number // by


@inlined
def remainder(number: int, by: int) -> int:
    """``number % by``, likewise."""
    if by & (by - 1) == 0:
        return number & (by - 1)
    return number % by
