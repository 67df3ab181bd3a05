"""Runs the calls of a capture over kcc.opencl, and compares what launches leave in memory with what
they left on the implementation that the program ran on."""

from __future__ import annotations

import sys
import traceback
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kcc.opencl as cl
from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.capture.log import Call, Capture, damaged
from kcc.frontend.types import AddressSpace

COPY_HOST_PTR, OF_THE_HOST = 1 << 5, (1 << 3) | (1 << 4) | (1 << 5)
"""CL_MEM_COPY_HOST_PTR; USE_, ALLOC_ and COPY_HOST_PTR (cl.h)."""

ANY_HOST_ACCESS = (1 << 7) | (1 << 8) | (1 << 9)
"""CL_MEM_HOST_WRITE_ONLY, _READ_ONLY and _NO_ACCESS: the replay reads and writes as it needs."""

WHOLE = frozenset({
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "bool", "void",
})  # fmt: skip
"""Elements that have to be equal; any other type but double, structures among them, is looked at as
floats."""

TOLERANCE = {"float": 1e-4, "double": 1e-9}
"""How far an element may differ, as a share of the largest magnitude in its array: implementations
round built-in functions differently (OpenCL C 3.0, section 7.4), and sums in another order."""


@dataclass(slots=True)
class Compared:
    """Memory objects after launches: how many were equal in every byte, how many within the
    tolerance, and what was said of the others."""

    equal: int = 0
    near: int = 0
    different: list[str] = field(default_factory=list[str])
    largest: float = 0.0


def replay(capture: Capture) -> Compared:
    """Run a capture in the current session.

    :raises DiagnosticError: K771 for a damaged capture, K772 for what a capture cannot hold, K776
        for calls that kcc.opencl does not take, K732 where the results differ.
    """
    player = _Player(capture)
    for call in capture.calls:
        try:
            player.play(call)
        except _REFUSALS as error:
            room = _room_of(error)
            if room.startswith("kcc.capture."):
                raise damaged(capture.path, call) from error
            if room.startswith("kcc.opencl.") and isinstance(error, _NOT_TAKEN):
                raise _refused(capture.path, call, error) from error
            raise
    player.queue.finish()
    compared = player.compared
    if capture.ending:
        sys.stdout.write(f"{capture.path}: not the whole run: {capture.ending}\n")
    if compared.equal or compared.near or compared.different:
        whole = compared.equal + compared.near + len(compared.different)
        sys.stdout.write(
            f"{capture.path}: {compared.equal} of {whole} memory objects equal after launches, "
            f"{compared.near} within the tolerance (largest difference {compared.largest:.1e})\n"
        )
    if compared.different:
        raise DiagnosticError([Diagnostic("K732", each) for each in compared.different[:8]])
    return compared


_NOT_TAKEN = (ValueError, TypeError, cl.LogicError)
_REFUSALS = (*_NOT_TAKEN, KeyError, IndexError, AttributeError)


def _room_of(error: Exception) -> str:
    """The module that raised an exception: what reads lines, kcc.opencl, or the engine."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__"))


def _refused(path: str, call: Call, error: Exception) -> DiagnosticError:
    """The error for a call that kcc.opencl does not take."""
    message = f"'{path}': line {call.line} ('{call.what[:40]}') cannot be replayed: {error}"
    return DiagnosticError([Diagnostic("K776", message)])


class _Player:
    """The objects of a run, by their numbers."""

    def __init__(self, capture: Capture) -> None:
        self.capture, self.compared = capture, Compared()
        context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
        self.context, self.queue = context, cl.CommandQueue(context)
        self.objects, self.last = dict[int, Any](), dict[int, int]()

    def play(self, call: Call) -> None:
        done = getattr(self, f"_{call.what}", None)
        if done is None:
            raise damaged(self.capture.path, call)
        done(call)

    def _data(self, call: Call) -> NDArray[np.uint8] | None:
        name = call.values["data"]
        return None if name == "-" else np.frombuffer(self.capture.data[name], np.uint8)

    def _text(self, name: str) -> str:
        return bytes(self.capture.data[name]).decode("utf-8", "replace").rstrip("\0")

    def _of(self, call: Call, name: str = "id") -> Any:
        return self.objects[call.number(name)]

    # what is made

    def _program(self, call: Call) -> None:
        self.objects[call.number("id")] = cl.Program(
            self.context, self._text(call.values["source"])
        )

    def _build(self, call: Call) -> None:
        self._of(call).build(self._text(call.values["options"]))

    def _kernel(self, call: Call) -> None:
        made = cl.Kernel(self._of(call, "program"), call.values["name"])
        self.objects[call.number("id")] = made

    def _clone(self, call: Call) -> None:
        self.objects[call.number("id")] = self._of(call, "kernel").clone()

    def _buffer(self, call: Call) -> None:
        data, flags = self._data(call), call.number("flags") & ~OF_THE_HOST & ~ANY_HOST_ACCESS
        flags |= COPY_HOST_PTR if data is not None else 0
        self.objects[call.number("id")] = cl.Buffer(
            self.context, flags, call.number("size"), hostbuf=data
        )

    def _subbuffer(self, call: Call) -> None:
        parent, origin = self._of(call, "parent"), call.number("origin")
        self.objects[call.number("id")] = parent.unaligned_sub_region(origin, call.number("size"))

    def _free(self, call: Call) -> None:
        del self.objects[call.number("id")]

    # commands

    def _write(self, call: Call) -> None:
        data = self._data(call)
        if data is not None and len(data):
            cl.enqueue_copy(self.queue, self._of(call), data, dst_offset=call.number("offset"))

    def _writerect(self, call: Call) -> None:
        cl.enqueue_copy(
            self.queue, self._of(call), self._data(call), buffer_origin=call.numbers("origin"),
            host_origin=(0, 0, 0), region=call.numbers("region"),
            buffer_pitches=call.numbers("pitches"), host_pitches=call.numbers("host"),
        )  # fmt: skip

    def _copy(self, call: Call) -> None:
        cl.enqueue_copy(
            self.queue, self._of(call, "to"), self._of(call, "from"),
            src_offset=call.number("from_offset"), dst_offset=call.number("to_offset"),
            byte_count=call.number("size"),
        )  # fmt: skip

    def _copyrect(self, call: Call) -> None:
        cl.enqueue_copy(
            self.queue, self._of(call, "to"), self._of(call, "from"),
            src_origin=call.numbers("from_origin"), dst_origin=call.numbers("to_origin"),
            region=call.numbers("region"), src_pitches=call.numbers("from_pitches"),
            dst_pitches=call.numbers("to_pitches"),
        )  # fmt: skip

    def _fill(self, call: Call) -> None:
        pattern = np.frombuffer(bytes.fromhex(call.values["pattern"]), np.uint8)
        offset, size = call.number("offset"), call.number("size")
        cl.enqueue_fill_buffer(self.queue, self._of(call), pattern, offset, size)

    def _arg(self, call: Call) -> None:
        kernel, index = self._of(call), call.number("index")
        parameter = kernel.kernel.arguments[index]
        kernel.set_arg(index, self._value(call, kernel, parameter))

    def _value(self, call: Call, kernel: Any, parameter: Any) -> Any:
        function = kernel.kernel.function.arguments[call.number("index")]
        is_pointer = function.attributes.byval is None and str(function.type).startswith("ptr")
        if not is_pointer:
            return np.frombuffer(bytes.fromhex(call.values["value"]), np.uint8)
        if parameter.address_space is AddressSpace.LOCAL:
            return cl.LocalMemory(call.number("size"))
        number = call.number("object")
        return self.objects[number] if number else None

    def _launch(self, call: Call) -> None:
        kernel, dimensions = self._of(call, "kernel"), call.number("dimensions")
        local = call.numbers("local")[:dimensions]
        cl.enqueue_nd_range_kernel(
            self.queue, kernel, call.numbers("global")[:dimensions], local if any(local) else None,
            call.numbers("offset")[:dimensions],
        )  # fmt: skip
        self.last = {call.number("number"): call.number("kernel")}

    def _output(self, call: Call) -> None:
        expected, memory = self._data(call), self._of(call, "object")
        kernel = self.objects[self.last[call.number("launch")]]
        parameter = kernel.kernel.arguments[call.number("index")]
        if expected is None:
            return
        self.queue.finish()
        found, type_ = memory.data[: len(expected)], parameter.type.rstrip("*0123456789")
        if np.array_equal(found, expected):
            self.compared.equal += 1
            return
        type_ = type_ if type_ in WHOLE or type_ == "double" else "float"
        share = _difference(found, expected, type_)
        if share <= TOLERANCE.get(type_, 0.0):
            self.compared.near += 1
            self.compared.largest = max(share, self.compared.largest)
            return
        bytes_off = int(np.count_nonzero(found != expected))
        self.compared.different.append(
            f"launch {call.values['launch']} of '{kernel.function_name}': '{parameter.name}' "
            f"differs in {bytes_off:,} of {len(expected):,} bytes, by up to {share:.1e} of its "
            "largest magnitude"
        )

    def _refused(self, call: Call) -> None:
        message = f"the program calls {call.values['what']}, which a capture does not hold"
        hint = "captures hold OpenCL C sources, buffers and launches"
        raise DiagnosticError([Diagnostic("K772", message, hint=hint)])


def _difference(found: NDArray[np.uint8], expected: NDArray[np.uint8], type_: str) -> float:
    """The largest difference, as a share of the largest magnitude; infinite for other types, and
    where bytes behind the last element differ."""
    kinds: dict[str, Any] = {"float": np.float32, "double": np.float64}
    if type_ not in kinds:
        return float("inf")
    whole = len(found) // np.dtype(kinds[type_]).itemsize * np.dtype(kinds[type_]).itemsize
    if not np.array_equal(found[whole:], expected[whole:]):
        return float("inf")
    one = found[:whole].view(kinds[type_]).astype(float)
    two = expected[:whole].view(kinds[type_]).astype(float)
    same = (one == two) | (np.isnan(one) & np.isnan(two))
    if not np.isfinite(one[~same]).all() or not np.isfinite(two[~same]).all():
        return float("inf")
    finite = two[np.isfinite(two)]
    scale = float(np.abs(finite).max()) if finite.size else 0.0
    return float(np.abs(one[~same] - two[~same]).max() / scale) if scale else float("inf")
