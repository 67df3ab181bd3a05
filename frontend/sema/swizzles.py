"""Names of vector components (OpenCL C 1.2, section 6.1.7)."""

from __future__ import annotations

from kcc.frontend.types import VECTOR_LANES, WIDEST_LANES

_LETTERS = {"x": 0, "y": 1, "z": 2, "w": 3}
_COLOURS = {"r": 0, "g": 1, "b": 2, "a": 3}
"""From OpenCL C 3.0; clang takes them in 1.2 with a warning."""

_HALVES = ("lo", "hi", "even", "odd")

_RESULT_LANES = (1, *VECTOR_LANES, WIDEST_LANES)


class BadComponents(Exception):
    """The message says why a name picks nothing from a vector."""


def lanes_of(name: str, lanes: int) -> tuple[int, ...]:
    """The lanes that ``name`` picks from a vector of ``lanes``; raises :class:`BadComponents`.

    A vector of 3 counts as one of 4 for lo, hi, even and odd: lane 3 may come up, which has no
    defined value and swallows what is stored in it.
    """
    if name in _HALVES:
        return _half(name, 4 if lanes == 3 else lanes)
    picked = _numbered(name, lanes) if name[0] in "sS" and len(name) > 1 else _lettered(name)
    for lane, shown in zip(picked, _shown(name), strict=True):
        if lane >= lanes:
            raise BadComponents(f"component '{shown}' is beyond a vector of {lanes}")
    if len(picked) not in _RESULT_LANES:
        raise BadComponents(f"{len(picked)} components make no vector: 1, 2, 3, 4, 8 or 16 do")
    return picked


def _shown(name: str) -> str:
    return name[1:] if name[0] in "sS" and len(name) > 1 else name


def _half(name: str, lanes: int) -> tuple[int, ...]:
    half = lanes // 2
    return {
        "lo": tuple(range(half)),
        "hi": tuple(range(half, lanes)),
        "even": tuple(range(0, lanes, 2)),
        "odd": tuple(range(1, lanes, 2)),
    }[name]


def _numbered(name: str, lanes: int) -> tuple[int, ...]:
    """Hexadecimal digits, and those up to ``v`` for vectors of 32."""
    digits = "0123456789abcdefghijklmnopqrstuv"[: max(16, lanes)]
    for letter in name[1:]:
        if letter.lower() not in digits:
            raise BadComponents(f"'{letter}' is no hexadecimal number of a component")
    return tuple(digits.index(letter.lower()) for letter in name[1:])


def _lettered(name: str) -> tuple[int, ...]:
    table = _COLOURS if name[0] in _COLOURS else _LETTERS
    for letter in name:
        if letter not in table:
            raise BadComponents(f"'{letter}' names no component here")
    return tuple(table[letter] for letter in name)


def is_colour(name: str) -> bool:
    """Whether a valid name is one of r, g, b, a, which came with OpenCL C 3.0."""
    return name[0] in _COLOURS
