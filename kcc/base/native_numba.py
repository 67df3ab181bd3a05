"""Functions of :mod:`kcc.base.native` as numba compiles them. Import it lazily, as numba."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from types import CodeType
from typing import Any

import numba

from kcc.base.native import Intrinsic, Native
from kcc.base.native_kept import Keeper

NOT_FROM_C: Any = {"no_cfunc_wrapper": True}
"""What would make that possible is a part of the compiler's work."""


def _register_arrays() -> None:
    """Load what numba knows of arrays, which it does anyway before it runs anything, but without
    looking for SciPy's linear algebra: that takes an eighth of a cold start, and nothing here
    uses that. Who does still gets it, when it is first used."""
    if "scipy.linalg" in sys.modules or "numba.np.arraymath" in sys.modules:
        return
    sys.modules["scipy.linalg"] = None  # type: ignore[assignment] -- so that it cannot be imported
    try:
        from numba.np import arraymath
    finally:
        del sys.modules["scipy.linalg"]
    arraymath.__dict__["_HAVE_BLAS"] = find_spec("scipy") is not None  # as it would have found


_register_arrays()


def compiled(function: Native) -> Any:
    """What numba calls a dispatcher: compiled for the types with which it is first called."""
    plain, options = function.py_func, function.options
    _name_compiled(plain)
    if options.get("inlined"):
        return numba.njit(nogil=True, _nrt=False, forceinline=True, **NOT_FROM_C)(plain)
    made: Any = numba.njit(nogil=True, _nrt=options["counted"], **NOT_FROM_C)(plain)
    made._cache = Keeper(function)  # noqa: SLF001 -- numba has no other way
    return made


def _name_compiled(function: Callable[..., Any]) -> None:
    """Let a function find the compiled ones among its globals, where numba looks for them."""
    scope = function.__globals__
    for name in set(_names(function.__code__)):
        value = scope.get(name)
        if isinstance(value, Native | Intrinsic):
            scope[name] = value.compiled


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
