"""Results of many launches: those after the first hundreds lie in a file, so that memory does not
grow with their number."""

from __future__ import annotations

import io
import pickle
import tempfile
import weakref
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, BinaryIO, TypeVar, cast, overload

from kcc.sim.result import Timing

T = TypeVar("T")

ROWS_OF = ("kcc.sim.result", "kcc.base.gpu.occupancy", "kcc.base.gpu.needs")
"""Modules of the rows that timings consist of."""

IN_MEMORY = 256
"""Launches that are kept whole: 0.1 MB each on a GPU of 80 SMs."""


class _Pickler(pickle.Pickler):
    """Writes frozen rows as calls of their classes: read three times as fast as field by field."""

    def reducer_override(self, value: Any, /) -> Any:
        if not is_dataclass(value) or isinstance(value, type):
            return NotImplemented
        return type(value), tuple(getattr(value, f.name) for f in fields(value))


class _Unpickler(pickle.Unpickler):
    """Makes rows of results and nothing else, whatever a file says."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if module_name in ROWS_OF:
            found = super().find_class(module_name, global_name)
            if isinstance(found, type) and (is_dataclass(found) or issubclass(found, Enum)):
                return found
        raise pickle.UnpicklingError(f"{module_name}.{global_name}")


def packed(timing: Timing) -> bytes:
    """A timing as bytes."""
    found = io.BytesIO()
    _Pickler(found, pickle.HIGHEST_PROTOCOL).dump(timing)
    return zlib.compress(found.getvalue(), 1)


def unpacked(data: bytes) -> Timing:
    """The timing that :func:`packed` wrote; raises ValueError for other bytes."""
    try:
        found = _Unpickler(io.BytesIO(zlib.decompress(data))).load()
    except (pickle.UnpicklingError, zlib.error, EOFError, TypeError, AttributeError) as error:
        raise ValueError(str(error)) from error
    if not isinstance(found, Timing):
        raise ValueError("no timing")  # noqa: TRY004 -- as for other bytes
    return found


class KeptTimings(Sequence[Timing]):
    """Timings in their order. Of those in the file only ones that took longer than all before have
    the stacks of single schedulers."""

    def __init__(self, timings: Iterable[Timing] = ()) -> None:
        self._first = list[Timing]()
        self._places = array("Q")
        self._file: BinaryIO | None = None
        self._longest = 0.0
        self.memory = dict[object, Any]()
        for timing in timings:
            self.append(timing)

    def append(self, timing: Timing) -> None:
        """One more."""
        self.memory.clear()
        is_longest = timing.cycles > self._longest
        self._longest = max(timing.cycles, self._longest)
        if len(self._first) < IN_MEMORY:
            self._first.append(timing)
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 -- nameless, as long as this
            weakref.finalize(self, self._file.close)
        if not is_longest:
            timing = replace(timing, scheduler_stacks=())
        self._places.append(self._file.seek(0, 2))
        self._file.write(packed(timing))

    def __len__(self) -> int:
        return len(self._first) + len(self._places)

    @overload
    def __getitem__(self, place: int) -> Timing: ...
    @overload
    def __getitem__(self, place: slice) -> list[Timing]: ...
    def __getitem__(self, place: int | slice) -> Timing | list[Timing]:
        if isinstance(place, slice):
            return [self[n] for n in range(len(self))[place]]
        place = range(len(self))[place]
        if place < len(self._first):
            return self._first[place]
        return self._read(place - len(self._first))

    def __iter__(self) -> Iterator[Timing]:
        yield from self._first
        for number in range(len(self._places)):
            yield self._read(number)

    def __reduce__(self) -> tuple[type[KeptTimings], tuple[list[Timing]]]:
        return KeptTimings, (list(self),)

    def _read(self, number: int) -> Timing:
        assert self._file is not None
        self._file.seek(self._places[number])
        end = self._places[number + 1] if number + 1 < len(self._places) else None
        data = self._file.read(-1 if end is None else end - self._places[number])
        return unpacked(data)


class Some(Sequence[Timing]):
    """Some of the timings, by their places."""

    def __init__(self, timings: Sequence[Timing]) -> None:
        self._timings, self._places = timings, array("Q")
        self.memory = dict[object, Any]()

    def append(self, place: int) -> None:
        """One more."""
        self.memory.clear()
        self._places.append(place)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Timing: ...
    @overload
    def __getitem__(self, place: slice) -> list[Timing]: ...
    def __getitem__(self, place: int | slice) -> Timing | list[Timing]:
        if isinstance(place, slice):
            return [self._timings[n] for n in self._places[place]]
        return self._timings[self._places[place]]


def remembered(timings: Iterable[Timing], what: object, find: Callable[[Iterable[Timing]], T]) -> T:
    """What ``find`` finds of timings: of those that lie in a file, where each look takes long,
    found once."""
    if not isinstance(timings, (KeptTimings, Some)):
        return find(timings)
    if what not in timings.memory:
        timings.memory[what] = find(timings)
    return cast(T, timings.memory[what])
