"""What the host scripts of workloads share: sizes and build options of their kernel.toml, a device
to run on, and the check of results.

Nothing here knows which OpenCL it works on: a script hands in its ``cl`` module, be it
``kcc.opencl`` or ``pyopencl``.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kcc.base.records import dataclass
from kcc.base.workload_file import FILE_NAME, WorkloadFile, load_workload_file

Array = NDArray[Any]


def workload_file(script: str) -> WorkloadFile:
    """The kernel.toml beside a script."""
    return load_workload_file(Path(script).parent / FILE_NAME)


def sizes(script: str, size: str) -> SimpleNamespace:
    """The numbers of kernel.toml at one size, and its numeric defines, as attributes.

    :param script: the ``__file__`` of the script that stands beside kernel.toml.
    :raises ValueError: when kernel.toml has no such size.
    """
    file = workload_file(script)
    if size not in file.sizes:
        raise ValueError(f"no size '{size}' in {file.path}; it has {', '.join(file.sizes)}")
    return SimpleNamespace(**file.names(size))


def roundup(value: int, multiple: int) -> int:
    """The least multiple that is no less than a value, as in launch expressions."""
    return -(-value // multiple) * multiple


def build(cl: Any, context: Any, script: str) -> Any:
    """The program beside a script, built with the defines, includes and options of kernel.toml."""
    file = workload_file(script)
    options = ["-cl-std=CL1.2"]
    options += [f"-D{name}={text}" for name, text in file.defines.items()]
    for include in file.includes:
        options += ["-I", str(include)]
    options += file.options
    return cl.Program(context, file.source.read_text(encoding="utf-8")).build(options)


@dataclass(frozen=True, slots=True)
class Device:
    """A queue on the default device and the built program of a workload.

    Kernels are launched as PyOpenCL does it: ``kernel(device.queue, global, local, *arguments)``.
    """

    cl: Any
    context: Any
    queue: Any
    program: Any

    def kernels(self, *names: str) -> list[Any]:
        """Kernels of the program, in the order named."""
        return [self.cl.Kernel(self.program, name) for name in names]

    def buffer(self, array: Array) -> Any:
        """A new buffer that holds a copy of an array."""
        flags = self.cl.mem_flags.READ_WRITE | self.cl.mem_flags.COPY_HOST_PTR
        return self.cl.Buffer(self.context, flags, hostbuf=np.ascontiguousarray(array))

    def zeros(self, count: int, dtype: type[np.generic]) -> Any:
        """A new buffer of `count` zeros."""
        return self.buffer(np.zeros(count, dtype))

    def write(self, buffer: Any, array: Array) -> None:
        """Overwrite the start of a buffer."""
        self.cl.enqueue_copy(self.queue, buffer, np.ascontiguousarray(array))

    def read(self, buffer: Any, dtype: type[np.generic] | np.dtype[Any]) -> Array:
        """The contents of a buffer, as a one-dimensional array."""
        layout: np.dtype[Any] = np.dtype(dtype)
        array = cast("Array", np.empty(buffer.size // layout.itemsize, layout))
        self.cl.enqueue_copy(self.queue, array, buffer)
        return array


def open_device(cl: Any, script: str) -> Device:
    """A device that is ready to launch the kernels beside a script."""
    context = cl.create_some_context(interactive=False)
    return Device(cl, context, cl.CommandQueue(context), build(cl, context, script))


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a value may be from the one wanted: rtol * abs(wanted) + atol, or, if that is more,
    `ulp` units in the last place of the wanted value. All 0: exactly equal."""

    rtol: float = 0.0
    atol: float = 0.0
    ulp: float = 0.0

    def allowed(self, wanted: Array) -> Array:
        """The largest difference allowed, per value."""
        bound = self.rtol * np.abs(wanted.astype(np.float64)) + self.atol
        if self.ulp:
            bound = np.maximum(bound, self.ulp * np.spacing(np.abs(wanted)).astype(np.float64))
        return bound


@dataclass(frozen=True, slots=True)
class Checked:
    """One comparison that a workload made. Results may differ between correct devices by the same
    tolerance as from what was wanted."""

    name: str
    got: Array
    tolerance: Tolerance


_recorded: ContextVar[list[Checked] | None] = ContextVar("_recorded", default=None)


@contextmanager
def recording() -> Generator[list[Checked]]:
    """Collects what :func:`check` is given in the meantime, whether it is right or wrong."""
    found: list[Checked] = []
    token = _recorded.set(found)
    try:
        yield found
    finally:
        _recorded.reset(token)


def check(
    name: str,
    got: ArrayLike,
    wanted: ArrayLike,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    ulp: float = 0.0,
) -> None:
    """Compare a result with a reference; see :class:`Tolerance`. NaN equals NaN.

    :raises AssertionError: with the first difference and the worst one.
    """
    found, right = np.asarray(got), np.asarray(wanted)
    tolerance = Tolerance(rtol, atol, ulp)
    records = _recorded.get()
    if records is not None:
        records.append(Checked(name, found.copy(), tolerance))
    if found.shape != right.shape:
        raise AssertionError(f"{name}: shape {found.shape}, wanted {right.shape}")
    message = difference(found, right, tolerance)
    if message is not None:
        raise AssertionError(f"{name}: {message}")


def difference(found: Array, wanted: Array, tolerance: Tolerance) -> str | None:
    """What is different between two arrays of the same shape, None if nothing is."""
    wrong = found != wanted
    if not wrong.any():
        return None
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(found.astype(np.float64) - wanted.astype(np.float64))
        if tolerance != Tolerance():
            wrong &= ~(np.isfinite(apart) & (apart <= tolerance.allowed(np.asarray(wanted))))
    if found.dtype.kind == "f" and wanted.dtype.kind == "f":
        wrong &= ~(np.isnan(found) & np.isnan(wanted))
    if not wrong.any():
        return None
    first = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    worst = np.unravel_index(int(np.argmax(np.where(wrong, apart, -1.0))), wrong.shape)

    def at(place: tuple[Any, ...]) -> str:
        index = ", ".join(str(int(i)) for i in place)
        return f"[{index}]: got {found[place]}, wanted {wanted[place]}"

    message = f"{int(wrong.sum())} of {found.size} values are wrong, the first {at(first)}"
    return message if worst == first else f"{message}; the worst {at(worst)}"
