"""What kernels print: OpenCL C's printf (OpenCL 1.2, section 6.12.13) formatted on the host."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence

_DIRECTIVE = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d+)?(?:\.(?P<precision>\d*))?(?:v(?P<lanes>2|3|4|8|16))?"
    r"(?P<length>hh|hl|h|l)?(?P<kind>[diouxXfFeEgGaAcsp%])"
)

_LENGTH_BITS = {"hh": 8, "h": 16, "hl": 32, "l": 64}


def format_printf(format_: str, words: Sequence[int], read_string: Callable[[int], str]) -> str:
    """The text a call prints. ``words`` has one signed 64-bit word per scalar or lane (floating
    point as the bits of a double); ``read_string`` gives the string at an address."""
    remaining = iter(words)

    def show(match: re.Match[str]) -> str:
        if match["kind"] == "%":
            return "%"
        lanes = int(match["lanes"] or 1)
        return ",".join(_value(match, next(remaining, 0), read_string) for _ in range(lanes))

    return _DIRECTIVE.sub(show, format_)


def _value(match: re.Match[str], word: int, read_string: Callable[[int], str]) -> str:
    kind = match["kind"]
    precision = None if match["precision"] is None else f".{match['precision'] or 0}"
    layout = f"%{match['flags']}{match['width'] or ''}{precision or ''}"
    match kind:
        case "d" | "i":
            return f"{layout}d" % _signed(word, _bits(match))
        case "u":
            return f"{layout}d" % (word & ((1 << _bits(match)) - 1))
        case "o" | "x" | "X":
            return f"{layout}{kind}" % (word & ((1 << _bits(match)) - 1))
        case "c":
            return f"{layout}c" % chr(word & 0xFF)
        case "s":
            return f"{layout}s" % read_string(word)
        case "p":
            return f"{layout}s" % hex(word)
        case "a" | "A":
            text = _double(word).hex()
            return f"{layout}s" % (text.upper() if kind == "A" else text)
        case _:
            return f"{layout}{kind}" % _double(word)


def _bits(match: re.Match[str]) -> int:
    return _LENGTH_BITS.get(match["length"] or "", 32)


def _signed(word: int, bits: int) -> int:
    low = word & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def _double(word: int) -> float:
    (value,) = struct.unpack("<d", struct.pack("<q", word))
    return value
