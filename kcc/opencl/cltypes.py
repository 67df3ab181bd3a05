"""The types of OpenCL C as numpy types, as ``pyopencl.cltypes`` has them.

``float4`` is a dtype with the fields s0 to s3, also called x to w; ``make_float4(1, 2, 3, 4)``,
``filled_float4(0)``, ``zeros_float4()`` and ``ones_float4()`` give values of it. Vectors of three
have the size of those of four.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.opencl.missing import missing

char, uchar, short, ushort = np.int8, np.uint8, np.int16, np.uint16
int, uint, long, ulong = np.int32, np.uint32, np.int64, np.uint64
half, float, double = np.float16, np.float32, np.float64

_SCALARS = {
    "char": char, "uchar": uchar, "short": short, "ushort": ushort, "int": int, "uint": uint,
    "long": long, "ulong": ulong, "float": float, "double": double,
}  # fmt: skip

_COUNTS = (2, 3, 4, 8, 16)


def _vector(scalar: type[np.generic], count: Any) -> np.dtype[Any]:
    """The dtype of a vector."""
    padded = 4 if count == 3 else count
    names = [f"s{i}" if i < count else f"padding{i - count}" for i in range(padded)]
    titles = [*"xyzw"[:count], *[None] * padded][:padded]
    return np.dtype({"names": names, "formats": [scalar] * padded, "titles": titles})


def _maker(dtype: np.dtype[Any], count: Any) -> Callable[..., NDArray[Any]]:
    def make(*values: Any, **named: Any) -> NDArray[Any]:
        """A value of the type: one number for each component."""
        names = dtype.names or ()
        if len(values) > count:
            raise TypeError(f"{len(values)} values for {count} components")
        made = np.zeros((), dtype)
        for name, value in [*zip(names, values, strict=False), *named.items()]:
            made[name] = value
        return made

    return make


def _filler(make: Callable[..., NDArray[Any]], count: Any) -> Callable[[Any], NDArray[Any]]:
    return lambda value: make(*[value] * count)


def _constant(fill: Callable[[Any], NDArray[Any]], value: Any) -> Callable[[], NDArray[Any]]:
    return lambda: fill(value)


vec_types: dict[tuple[np.dtype[Any], Any], np.dtype[Any]] = {}
vec_type_to_scalar_and_count: dict[np.dtype[Any], tuple[np.dtype[Any], Any]] = {}


def _names() -> dict[str, Any]:
    """Every vector type and its makers by name."""
    found = dict[str, Any]()
    for base, scalar in _SCALARS.items():
        for count in _COUNTS:
            name, dtype = f"{base}{count}", _vector(scalar, count)
            make = _maker(dtype, count)
            fill = _filler(make, count)
            found |= {name: dtype, f"make_{name}": make, f"filled_{name}": fill}
            found |= {f"zeros_{name}": _constant(fill, 0), f"ones_{name}": _constant(fill, 1)}
            vec_types[np.dtype(scalar), count] = dtype
            vec_type_to_scalar_and_count[dtype] = np.dtype(scalar), count
    return found


_VECTORS = _names()


def __getattr__(name: str) -> Any:
    if name in _VECTORS:
        return _VECTORS[name]
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing(f"cltypes.{name}", _VECTORS)
