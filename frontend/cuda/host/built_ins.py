"""What functions and methods give that no source here defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from kcc.frontend.cuda.host.expressions import TYPES
from kcc.frontend.cuda.host.nodes import Expression, Member, Name
from kcc.frontend.cuda.host.values import (
    FUNCTIONS,
    READERS,
    Array,
    Place,
    Record,
    Unknown,
    Value,
    computed,
    converted,
    extents_of,
    names_of,
    number_in,
)


class Run(Protocol):
    """What a function may look at and change (:mod:`evaluation`)."""

    options: int
    scopes: list[dict[str, Value]]

    @property
    def device(self) -> Mapping[str, int]: ...
    def value(self, node: Expression) -> Value: ...
    def place(self, node: Expression) -> Place | None: ...
    def held(self, holder: Any, key: Any) -> Value: ...
    def put(self, holder: Any, key: Any, value: Value) -> None: ...
    def forgotten(self, key: Any) -> Unknown: ...


ATTRIBUTES = {
    "MultiProcessorCount": "multiProcessorCount",
    "MultiprocessorCount": "multiProcessorCount",
    "WarpSize": "warpSize",
    "MaxThreadsPerBlock": "maxThreadsPerBlock",
    "MaxThreadsPerMultiProcessor": "maxThreadsPerMultiProcessor",
}
"""Ends of the names of a device's attributes, and the properties that they are."""

_GROWING = frozenset({"push_back", "emplace_back", "assign", "insert"})


def method(run: Run, function: Member, arguments: Sequence[Expression]) -> Value:
    """What a call of a member gives: sizes of what is held, and texts."""
    held = run.value(function.record)
    if isinstance(held, Place):
        held = run.held(held.holder, held.key)
    values = [run.value(each) for each in arguments]
    if function.name in ("size", "length") and not values:
        if isinstance(held, Array):
            return len(held.elements)
        return held.members.get("size()", Unknown()) if isinstance(held, Record) else Unknown()
    if function.name in ("c_str", "data") and isinstance(held, str):
        return held
    place = run.place(function.record)
    if place is not None and function.name == "resize" and values:
        run.put(place.holder, place.key, Record({"size()": values[0]}))
    elif place is not None and function.name in _GROWING:
        run.put(place.holder, place.key, run.forgotten(place.key))
    return Unknown()


def built_in(run: Run, name: str, arguments: Sequence[Expression]) -> Value:
    """What a function of C, C++ or CUDA gives; one that is not known forgets what it is given the
    address of."""
    values = [run.value(each) for each in arguments]
    if name == "dim3":
        return extents_of(values) if values else (1, 1, 1)
    if name in TYPES and len(values) == 1:
        return converted(values[0], name)
    if name in FUNCTIONS and values:
        return _number(name, values)
    found = _text(run, name, values)
    if found is not None:
        return found
    if (
        values
        and isinstance(values[0], Place)
        and _tells_of_device(run, name, arguments, values[0])
    ):
        return 0
    for value in values:
        if isinstance(value, Place):
            run.put(value.holder, value.key, run.forgotten(value.key))
    return Unknown()


def _number(name: str, values: Sequence[Value]) -> Value:
    numbers = [v for v in values if isinstance(v, int | float)]
    if len(numbers) != len(values):
        return Unknown(names_of(*values))
    try:
        found: int | float = FUNCTIONS[name](*numbers)
    except (ArithmeticError, ValueError, TypeError):
        return Unknown()
    return found


def _text(run: Run, name: str, values: Sequence[Value]) -> Value | None:
    """Of a function of texts; None of any other."""
    if name in READERS and values:
        text = values[0]
        return number_in(text, real=READERS[name]) if isinstance(text, str) else (
            Unknown(names_of(text))
        )  # fmt: skip
    if name == "string" and len(values) == 1:
        return values[0]
    if name in ("strcmp", "strcasecmp") and len(values) == 2:
        return computed("!=", values[0], values[1])
    if name in ("getopt", "getopt_long") and len(values) >= 3:
        return _option(run, values[1], values[2])
    return None


def _tells_of_device(run: Run, name: str, arguments: Sequence[Expression], place: Place) -> bool:
    """Whether a function gives properties of the device; they are put where it puts them."""
    if name.endswith("GetDeviceProperties"):
        run.put(place.holder, place.key, Record(dict(run.device)))
        return True
    if not name.endswith("DeviceGetAttribute") or len(arguments) < 2:
        return False
    asked = arguments[1].text if isinstance(arguments[1], Name) else ""
    wanted = next((v for k, v in ATTRIBUTES.items() if asked.endswith(k)), "")
    run.put(place.holder, place.key, run.device.get(wanted, run.forgotten(place.key)))
    return True


def _option(run: Run, argv: Value, letters: Value) -> Value:
    """getopt: the letter of the next option, -1 behind the last; its value is ``optarg``."""
    if not isinstance(argv, Array) or not isinstance(letters, str):
        return Unknown()
    words, at = argv.elements, run.options
    word = words[at] if at < len(words) else ""
    if not isinstance(word, str) or len(word) < 2 or word[0] != "-":
        return -1
    run.options += 1
    letter, rest = word[1], word[2:]
    if letter not in letters.replace(":", ""):
        return ord("?")
    if letters[letters.index(letter) + 1 :][:1] == ":":
        if not rest and at + 1 < len(words):
            run.options += 1
            rest = str(words[at + 1])
        run.put(run.scopes[0], "optarg", rest)
    return ord(letter)
