"""Reads a capture file; ``layer/log.h`` has its format."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass

FIRST = b"kcc-capture version="
VERSION = "1"
LONGEST_LINE = 1 << 16


@dataclass(frozen=True, slots=True)
class Call:
    """A line: what was called, with its values as they stand there."""

    what: str
    values: Mapping[str, str]
    line: int

    def number(self, name: str) -> int:
        """A whole number."""
        return int(self.values[name])

    def numbers(self, name: str) -> tuple[int, ...]:
        """Whole numbers with commas between them."""
        return tuple(int(each) for each in self.values[name].split(","))


@dataclass(frozen=True, slots=True)
class Capture:
    """``data`` are contents by their SHA-256; ``ending`` says why the log ends before the program
    did, if it does."""

    path: str
    calls: tuple[Call, ...]
    data: Mapping[str, memoryview]
    ending: str


def is_capture(path: str) -> bool:
    """Whether a file begins as captures do."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(FIRST)) == FIRST
    except OSError:
        return False


def read_capture(path: str) -> Capture:
    """The capture in a file. One that is cut off is read up to there.

    :raises DiagnosticError: K770 for a file that cannot be one, or of another version; K771 where
        its contents are not those that were written.
    """
    with Path(path).open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    held = memoryview(mapped)
    calls, data = list[Call](), dict[str, memoryview]()
    place, ending = 0, "the program or its log was ended from outside"
    while place < len(held):
        end = mapped.find(b"\n", place, place + LONGEST_LINE + 16)
        if end < 0:
            break
        call = _call(path, bytes(held[place:end]), len(calls) + len(data) + 1)
        place = end + 1
        match call.what:
            case "data":
                size = call.values.get("size", "")
                if not size.isdecimal():
                    raise damaged(path, call)
                content = held[place : place + int(size)]
                place += int(size) + 1
                if place > len(held):
                    break
                name = sha256(content).hexdigest()
                if name != call.values.get("sha256"):
                    raise damaged(path, call)
                data[name] = content
            case "end":
                ending = ""
            case "cut":
                ending = "the log has reached --max-size"
            case _:
                calls.append(call)
    if not calls or calls[0].what != "kcc-capture" or calls[0].values.get("version") != VERSION:
        message = f"'{path}' is no capture of version {VERSION}"
        raise DiagnosticError([Diagnostic("K770", message)])
    return Capture(path, tuple(calls[1:]), data, ending)


def damaged(path: str, call: Call) -> DiagnosticError:
    """The error for a line that says what cannot be."""
    message = f"'{path}' is damaged: line {call.line} ('{call.what[:40]}')"
    return DiagnosticError([Diagnostic("K771", message)])


def _call(path: str, line: bytes, number: int) -> Call:
    text, _, check = line.decode("latin-1").rpartition(" #")
    what, *words = text.split(" ")
    pairs = (word.partition("=") for word in words)
    values = {name: value for name, _, value in pairs}
    call = Call(what, values, number)
    if sha256(text.encode("latin-1")).hexdigest()[:8] != check:
        raise damaged(path, call)
    return call
