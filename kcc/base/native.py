"""Plain Python functions on numpy arrays, compiled by numba. Import it only where they are about
to run: numba takes seconds to import."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

import kcc
from kcc.base.cache_folder import is_trusted

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGES = ("base", "sim", "tracegen")
"""Those with native code."""

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


def native(function: F) -> F:
    """The function as native code, compiled when it is first called and kept in numba's cache
    where that has a place."""
    return _compiled(function, counted=True)


def uncounted(function: F) -> F:
    """Like :func:`native` for a function that makes no arrays: references are not counted. Counting
    them is an atomic operation per array wherever one is handed on, which in simulators takes
    longer than the work itself."""
    return _compiled(function, counted=False)


def inlined(function: F) -> F:
    """Like :func:`uncounted` for a part of such a function: its code stands wherever it is called,
    since handing on a dozen arrays takes longer than what small parts do."""
    return numba.njit(nogil=True, _nrt=False, forceinline=True, **NOT_FROM_C)(function)


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


@intrinsic
def trailing_zeros(_: Any, word: Any) -> Any:  # noqa: ARG001 -- its type is known
    """The number of the lowest bit of a word of 64 bits that is set, 64 if there is none."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.int64(types.int64), generate


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


@intrinsic
def ones(_: Any, word: Any) -> Any:  # noqa: ARG001 -- its type is known
    """How many bits of a word of 64 bits are set."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def equal_of_16(_: Any, array: Any, index: Any, word: Any) -> Any:
    """Which of 16 numbers of 32 bits from ``index`` on are ``word``, as bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        data = context.make_array(kind)(context, builder, arguments[0])
        place = cgutils.get_item_pointer(
            context, builder, kind, data, [arguments[1]], wraparound=False
        )
        lane = ir.IntType(32)
        lanes = ir.VectorType(lane, 16)
        numbers = builder.load(builder.bitcast(place, lanes.as_pointer()), align=4)
        first = ir.Constant(lanes, ir.Undefined)
        first = builder.insert_element(first, builder.trunc(arguments[2], lane), lane(0))
        wanted = builder.shuffle_vector(first, first, ir.Constant(lanes, [0] * 16))
        found = builder.icmp_signed("==", numbers, wanted)
        return builder.zext(builder.bitcast(found, ir.IntType(16)), ir.IntType(64))

    return types.int64(array, index, word), generate


@intrinsic
def near_of_16(_: Any, array: Any, index: Any, word: Any, span: Any) -> Any:
    """Which of 16 numbers of 64 bits from ``index`` on differ from ``word`` by less than ``span``,
    a power of two, in no higher bit: as bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers, _ = _lanes(context, builder, signature.args[0], arguments)
        differing = builder.xor(numbers, _in_all(builder, arguments[2]))
        found = builder.icmp_unsigned("<", differing, _in_all(builder, arguments[3]))
        return builder.zext(builder.bitcast(found, ir.IntType(16)), ir.IntType(64))

    return types.int64(array, index, word, span), generate


@intrinsic
def put_first_of_16(_: Any, array: Any, index: Any, word: Any, place: Any) -> Any:
    """Of 16 numbers of 64 bits from ``index`` on, those before ``place`` move on by one, over the
    one that is there, and ``word`` comes first."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers, pointer = _lanes(context, builder, signature.args[0], arguments)
        order = ir.Constant(ir.VectorType(ir.IntType(32), 16), [16, *range(15)])
        moved = builder.shuffle_vector(numbers, _in_all(builder, arguments[2]), order)
        lanes = ir.Constant(numbers.type, list(range(16)))
        changes = builder.icmp_unsigned("<=", lanes, _in_all(builder, arguments[3]))
        builder.store(builder.select(changes, moved, numbers), pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, index, word, place), generate


def _lanes(context: Any, builder: Any, kind: Any, arguments: Any) -> Any:
    """16 numbers of an array from an index on, and where they are."""
    data = context.make_array(kind)(context, builder, arguments[0])
    place = cgutils.get_item_pointer(context, builder, kind, data, [arguments[1]], wraparound=False)
    pointer = builder.bitcast(place, ir.VectorType(ir.IntType(64), 16).as_pointer())
    return builder.load(pointer, align=8), pointer


def _in_all(builder: Any, word: Any) -> Any:
    """16 lanes that hold one number."""
    lanes, lane = ir.VectorType(ir.IntType(64), 16), ir.IntType(32)
    first = builder.insert_element(ir.Constant(lanes, ir.Undefined), word, lane(0))
    zeros = ir.Constant(ir.VectorType(lane, 16), [0] * 16)
    return builder.shuffle_vector(first, first, zeros)


@intrinsic
def prefetch(_: Any, array: Any, index: Any) -> Any:
    """Ask the host for an element of an array that will be read soon: one of many streams, each
    read in order but all in turn, is nothing that it would see by itself."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        data = context.make_array(kind)(context, builder, arguments[0])
        place = cgutils.get_item_pointer(
            context, builder, kind, data, [arguments[1]], wraparound=False
        )
        word, pointer = ir.IntType(32), cgutils.voidptr_t
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.VoidType(), [pointer, word, word, word]),
            "llvm.prefetch.p0",
        )  # fmt: skip
        reads, near, data_cache = word(0), word(3), word(1)
        builder.call(function, [builder.bitcast(place, pointer), reads, near, data_cache])
        return context.get_dummy_value()

    return types.void(array, index), generate


def _compiled(function: F, *, counted: bool) -> F:
    try:
        compiled: Any = numba.njit(cache=True, nogil=True, _nrt=counted, **NOT_FROM_C)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return numba.njit(nogil=True, _nrt=counted)(function)
    file = compiled._cache._cache_file  # noqa: SLF001 -- numba has no other way
    if not is_trusted(Path(compiled._cache.cache_path)):  # noqa: SLF001 -- what lies there is run
        return numba.njit(nogil=True, _nrt=counted)(function)
    # As part of the version, which is read first: what an older index names may be gone.
    file._version = f"{file._version} {_sources()}"  # noqa: SLF001
    file._load_index = partial(index_of, file._load_index)  # noqa: SLF001
    return compiled


def index_of(load: Callable[[], dict[Any, Any]]) -> dict[Any, Any]:
    """The index of a cache; empty where it cannot be read, as for records of another folder that
    have another name since."""
    try:
        return load()
    except (AttributeError, EOFError, ImportError, IndexError, KeyError, TypeError, ValueError,
            pickle.UnpicklingError):  # fmt: skip
        return {}


@cache
def _sources() -> str:
    """Numba looks only at the file of the function whether its code is still good; the functions
    that it calls and the layout of its records stand in other files, of other packages too."""
    digest = sha256(Path(__file__).read_bytes())
    for package in _PACKAGES:  # links to them, in a checkout
        for rule in ("*_native.py", "*layout.py"):
            for path in sorted((Path(kcc.__path__[0]) / package).rglob(rule)):
                digest.update(path.read_bytes())
    return digest.hexdigest()
