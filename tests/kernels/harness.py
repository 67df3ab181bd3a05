"""Runs a kernel of kernels/ on PoCL as its kernel.toml says, with guards around every buffer.

An oracle's helper: it reads kernel.toml on its own, so that it also checks the format of the file.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Value = Array | float | int
Arguments = dict[str, Value]

KERNELS = Path(__file__).parents[2] / "kernels"
WORKLOADS = sorted(path.parent.name for path in KERNELS.glob("*/kernel.toml"))

GUARD_BYTES = 4096  # a multiple of every alignment that a device asks of a sub-buffer
GUARD_VALUE = 0x47  # a large number in every type: reading it does not go unnoticed

DTYPES: dict[str, type[np.generic]] = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.int64,
    "ulong": np.uint64,
    "float": np.float32,
    "double": np.float64,
}


def _roundup(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


FUNCTIONS: dict[str, Callable[..., float]] = {
    "roundup": _roundup,
    "min": min,
    "max": max,
    "ceil": math.ceil,
    "floor": math.floor,
    "log2": math.log2,
}


@dataclass(frozen=True, slots=True)
class Workload:
    """A kernel.toml, read: texts as written, the numeric defines among the names."""

    name: str
    source: Path
    options: tuple[str, ...]
    defines: Mapping[str, int | float | str]
    sizes: Mapping[str, Mapping[str, float]]
    launches: Mapping[str, Mapping[str, str]]
    args: Mapping[str, Mapping[str, str]]
    provenance: Mapping[str, str]

    def names(self, size: str) -> dict[str, float]:
        """The free names of expressions for one size."""
        numbers: Mapping[str, float] = {
            name: value for name, value in self.defines.items() if not isinstance(value, str)
        }
        return {**numbers, **self.sizes[size]}


@cache
def load(name: str) -> Workload:
    """The workload of kernels/NAME."""
    folder = KERNELS / name
    table = tomllib.loads((folder / "kernel.toml").read_text())
    source = table["source"]
    defines = source.get("defines", {})
    options = [f"-D {key}={value}" for key, value in defines.items()]
    options += [f"-I {folder / path}" for path in source.get("includes", [])]
    options += source.get("options", [])
    return Workload(
        name=name,
        source=folder / source["file"],
        options=tuple(options),
        defines=defines,
        sizes=table["sizes"],
        launches=table["launch"],
        args=table["args"],
        provenance=table["provenance"],
    )


def evaluate(text: str, names: Mapping[str, float]) -> Any:
    """The value of one expression, or a tuple for several dimensions."""
    known: dict[str, Any] = {"__builtins__": None, **FUNCTIONS}
    return eval(text, known, dict(names))


_BUFFER = re.compile(r"(?P<type>[a-z]+)(?P<width>\d*)\[(?P<count>[^\]]*)\](=(?P<init>.*))?")
_IMAGE = re.compile(r"image2d\((?P<order>\w+), (?P<type>\w+)\)\[(?P<size>[^\]]*)\](=(?P<init>.*))?")
_SAMPLER = re.compile(r"sampler\((?P<mode>\w+), (?P<filter>\w+), (?P<norm>\w+)\)")


def buffer_of(text: str, names: Mapping[str, float], rng: np.random.Generator) -> Array | None:
    """The buffer that `type[count]=initialiser` describes, None when the text is something else."""
    found = _BUFFER.fullmatch(text)
    if found is None:
        return None
    count = evaluate(found["count"], names) * int(found["width"] or 1)
    dtype = np.dtype(DTYPES[found["type"]])
    return initialised(found["init"], int(count), dtype, names, rng)


def initialised(
    init: str | None,
    count: int,
    dtype: np.dtype[Any],
    names: Mapping[str, float],
    rng: np.random.Generator,
) -> Array:
    """`count` elements as the initialiser says."""
    if init is None:
        return np.zeros(count, dtype)
    if init == "iota":
        return np.arange(count).astype(dtype)
    kind, _, rest = init.partition("(")
    values = evaluate(f"({rest[:-1]},)", names)
    integral = np.issubdtype(dtype, np.integer)
    match kind:
        case "fill":
            return np.full(count, values[0], dtype)
        case "uniform":
            low, high = values
            if integral:
                return rng.integers(low, high, count).astype(dtype)
            return rng.uniform(low, high, count).astype(dtype)
        case "random":
            own = np.random.default_rng(values[0])
            if integral:
                limits = np.iinfo(dtype)
                return own.integers(limits.min, limits.max, count, dtype, endpoint=True)
            return own.random(count).astype(dtype)
        case _:
            raise ValueError(f"unknown initialiser {init!r}")


def struct_of(text: str, names: Mapping[str, float]) -> Array | None:
    """The struct that `{type value, ...}` describes, laid out as in C."""
    if not text.startswith("{"):
        return None
    members = [member.strip().split(" ", 1) for member in text[1:-1].split(",")]
    layout = np.dtype([(f"m{i}", DTYPES[m[0]]) for i, m in enumerate(members)], align=True)
    return np.array([tuple(evaluate(m[1], names) for m in members)], layout)


@dataclass(frozen=True, slots=True)
class Image:
    """Channels of a two-dimensional image, shape (height, width, channels), and its format."""

    pixels: Array
    order: str
    channel_type: str


@dataclass(frozen=True, slots=True)
class Sampler:
    """A sampler argument, in the words of kernel.toml."""

    mode: str
    filtering: str
    normalized: bool


CHANNEL_DTYPES: dict[str, type[np.generic]] = {"UNORM_INT8": np.uint8, "FLOAT": np.float32}
CHANNELS = {"RGBA": 4, "R": 1}


def image_of(text: str, names: Mapping[str, float], rng: np.random.Generator) -> Image | None:
    """The image that `image2d(ORDER, TYPE)[width, height]=initialiser` describes."""
    found = _IMAGE.fullmatch(text)
    if found is None:
        return None
    width, height = evaluate(found["size"], names)
    channels = CHANNELS[found["order"]]
    dtype = np.dtype(CHANNEL_DTYPES[found["type"]])
    flat = initialised(found["init"], width * height * channels, dtype, names, rng)
    return Image(flat.reshape(height, width, channels), found["order"], found["type"])


def sampler_of(text: str) -> Sampler | None:
    """The sampler that `sampler(mode, filter, normalized)` describes."""
    found = _SAMPLER.fullmatch(text)
    if found is None:
        return None
    return Sampler(found["mode"], found["filter"], found["norm"] == "normalized")


def argument(text: str, names: Mapping[str, float], rng: np.random.Generator) -> Any:
    """What one line of an [args] table stands for."""
    candidates = (
        buffer_of(text, names, rng),
        image_of(text, names, rng),
        sampler_of(text),
        struct_of(text, names),
    )
    for candidate in candidates:
        if candidate is not None:
            return candidate
    return evaluate(text, names)


def dimensions(value: Any) -> tuple[int, ...]:
    """A launch size as a tuple of ints."""
    if isinstance(value, tuple):
        return tuple(int(size) for size in cast(tuple[int, ...], value))
    return (int(value),)


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch with everything evaluated; `arguments` holds host values by argument name."""

    workload: Workload
    kernel: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    arguments: Mapping[str, Any]

    def given(self, **arguments: Any) -> Launch:
        """The same launch with other arguments."""
        unknown = set(arguments) - set(self.arguments)
        if unknown:
            raise KeyError(f"{self.kernel} has no argument {sorted(unknown)}")
        return replace(self, arguments=dict(self.arguments) | arguments)


def geometry(
    workload: Workload, kernel: str, names: Mapping[str, float]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Global and local size of a launch."""
    table = workload.launches[kernel]
    return (
        dimensions(evaluate(table["global"], names)),
        dimensions(evaluate(table["local"], names)),
    )


def launch_of(
    name: str,
    kernel: str,
    size: str = "tiny",
    seed: int = 1,
    names: Mapping[str, float] | None = None,
) -> Launch:
    """The launch that kernel.toml gives for a kernel, with some free names set otherwise."""
    workload = load(name)
    known = workload.names(size) | dict(names or {})
    rng = np.random.default_rng(seed)
    global_size, local_size = geometry(workload, kernel, known)
    return Launch(
        workload=workload,
        kernel=kernel,
        global_size=global_size,
        local_size=local_size,
        arguments={k: argument(v, known, rng) for k, v in workload.args[kernel].items()},
    )
