"""A second reader of trace files, made from docs/reference/trace.md alone: slow, no shared code."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

Step = tuple[int, int, int, int, list[tuple[int, list[int]]]]
"""Thread block, warp, segment, mask, and for each access its number and the active lanes'
addresses."""


@dataclass
class Launch:
    described: dict[str, Any]
    tables: dict[str, Any]
    totals: dict[str, Any] = field(default_factory=dict[str, Any])
    steps: list[Step] = field(default_factory=list[Step])
    classes: list[Class] = field(default_factory=list["Class"])

    @property
    def radices(self) -> list[list[int]]:
        given: list[list[int]] = self.described.get("radices", [])
        return given or [[], [], [], []]

    def stream(self) -> Stream:
        return Stream(self.tables, addresses=self.described["addresses"])


@dataclass
class Class:
    warps: int
    thread_block: int
    warp: int
    boxes: list[tuple[int, ...]]
    shifts: list[list[tuple[int, ...]]]
    """For each row one, or one for each lane."""
    rows: list[int] | None
    stream: Stream
    steps: list[Step] = field(default_factory=list[Step])
    event_rows: list[int] = field(default_factory=list[int])


class Stream:
    """The state of a stream of words."""

    def __init__(self, tables: dict[str, Any], *, addresses: bool) -> None:
        self.tables, self.addresses = tables, addresses
        self.block = self.warp = self.mask = 0
        self.last: dict[int, int] = {}
        self.patterns: dict[int, list[int]] = {}

    def read(self, words: list[int]) -> Iterator[Step]:
        width, place = self.tables["width"], 0
        while place < len(words):
            if words[place] == 0xFFFFFFFE:
                self.block = words[place + 1] + (words[place + 2] << 32)
                self.warp, self.mask = words[place + 3], 0
                place += 4
                continue
            number = words[place]
            place += 1
            if not number >> 30 & 1:
                self.mask = words[place]
                if width == 64:
                    self.mask += words[place + 1] << 32
                place += width // 32
            segment = self.tables["segments"][number & ~(1 << 30)]
            lanes = [lane for lane in range(width) if self.mask >> lane & 1]
            touched = list[tuple[int, list[int]]]()
            if self.addresses:
                for access in range(segment["first_access"], segment["end_access"]):
                    place, found = self.access(words, place, access, lanes)
                    touched.append((access, found))
            yield self.block, self.warp, number & ~(1 << 30), self.mask, touched

    def access(
        self, words: list[int], place: int, access: int, lanes: list[int]
    ) -> tuple[int, list[int]]:
        tag, low = words[place] >> 29, words[place] & ((1 << 29) - 1)
        place += 1
        if tag == 0:
            whole = words[place] + (words[place + 1] << 32)
            tag, address = whole >> 61, whole & ((1 << 61) - 1)
            place += 2
        else:
            address = self.last.get(access, 0) + (low - (1 << 29) if low >> 28 else low)
        self.last[access] = address
        if tag == 4:
            pattern = [0] * 64
            for lane in lanes:
                pattern[lane] = words[place] - ((1 << 32) if words[place] >> 31 else 0)
                place += 1
            self.patterns[access] = pattern
        size = self.tables["accesses"][access]["element_bytes"]
        pattern = self.patterns.get(access, [0] * 64)
        if tag == 2:
            pattern = [0] * 64
        elif tag == 3:
            pattern = [size * lane for lane in range(64)]
        else:
            assert tag in (1, 4)
        return place, [address + pattern[lane] for lane in lanes]


class Reader:
    """``launches`` of the file."""

    def __init__(self, path: Path) -> None:
        data = self.data = path.read_bytes()
        assert data[:8] == bytes.fromhex("894B43540D0A1A0A")
        assert struct.unpack_from("<I", data, 8)[0] in (1, 2, 3)
        last, size, check = struct.unpack_from("<QQI", data, len(data) - 28)
        assert data[-8:] == b"kct end\n"
        assert size == len(data)
        assert check == zlib.crc32(data[-28:-12])
        self.header: dict[str, Any] = {}
        self.tables = list[dict[str, Any]]()
        self.launches = list[Launch]()
        self.places = list[tuple[bytes, int]]()
        self.chunk: int | None = None
        place = 12
        while place < last:
            tag, contents, end = self.record(place)
            self.places.append((tag, place))
            self.take(tag, contents)
            place = end
        tag, contents, end = self.record(last)
        assert (tag, end) == (b"TEND", len(data) - 28)
        self.check_index(contents)

    def record(self, place: int) -> tuple[bytes, bytes, int]:
        tag, coding, stored, unpacked, check = struct.unpack_from("<4sIQQI", self.data, place)
        contents = self.data[place + 28 : place + 28 + stored]
        assert zlib.crc32(self.data[place : place + 24] + contents) == check
        if coding == 1:
            contents = zlib.decompress(contents)
        assert len(contents) == unpacked
        return tag, contents, place + 28 + stored

    def take(self, tag: bytes, contents: bytes) -> None:
        match tag:
            case b"HEAD":
                self.header = json.loads(contents)
            case b"KERN":
                self.tables.append(json.loads(contents))
            case b"LNCH":
                described: dict[str, Any] = json.loads(contents)
                number: int = described["tables"]
                self.launches.append(Launch(described, self.tables[number]))
                self.chunk = None
            case b"CHNK":
                self.take_chunk(self.launches[-1], contents)
            case b"CLSS":
                self.take_class(self.launches[-1], contents)
            case b"CLWD":
                self.take_words(self.launches[-1], contents)
            case _:
                assert tag == b"DONE"
                self.launches[-1].totals = json.loads(contents)

    def take_chunk(self, launch: Launch, contents: bytes) -> None:
        number, flags, lowest, blocks, segments, accesses, instructions, pieces = (
            struct.unpack_from("<IIQQQQQI", contents)
        )
        assert number == len(self.launches) - 1
        heads = [struct.unpack_from("<QQ", contents, 52 + 16 * i) for i in range(pieces)]
        place = 52 + 16 * pieces
        if not flags & 1:
            self.chunk = None
        before = len(launch.steps)
        for chunk, count in heads:
            words = list(struct.unpack_from(f"<{count}I", contents, place))
            place += 4 * count
            if chunk != self.chunk:
                self.chunk = chunk
                self.stream = launch.stream()
            launch.steps += self.stream.read(words)
        assert place == len(contents)
        own = launch.steps[before:]
        assert {step[0] for step in own} <= set(range(lowest, lowest + blocks))
        assert own[0][0] == lowest
        assert own[-1][0] == lowest + blocks - 1
        counted = [launch.tables["segments"][step[2]]["counted"] for step in own]
        touched = sum(len(step[4]) for step in own)
        assert (len(own), touched, sum(counted)) == (segments, accesses, instructions)

    def take_class(self, launch: Launch, contents: bytes) -> None:
        launch_number, number, warps, block, warp, boxes, rows, flags = struct.unpack_from(
            "<IIQQIIII", contents
        )
        assert (launch_number, number) == (len(self.launches) - 1, len(launch.classes))
        place = 40 + 4 * 8
        count = 4 + sum(len(own) for own in launch.radices)
        size = 3 * count
        sides = [
            struct.unpack_from(f"<{size}q", contents, place + 8 * size * i) for i in range(boxes)
        ]
        place += 8 * size * boxes
        lanes = launch.tables["width"] if flags & 2 else 1
        size = count * lanes
        numbers = [
            struct.unpack_from(f"<{size}q", contents, place + 8 * size * i) for i in range(rows)
        ]
        place += 8 * size * rows
        shifts = [[row[i : i + count] for i in range(0, size, count)] for row in numbers]
        by_access = None
        if not flags & 1:
            count = len(launch.tables["accesses"])
            by_access = list(struct.unpack_from(f"<{count}I", contents, place))
            place += 4 * count
        assert place == len(contents)
        stream = launch.stream()
        launch.classes.append(Class(warps, block, warp, sides, shifts, by_access, stream))

    def take_words(self, launch: Launch, contents: bytes) -> None:
        _, number, flags, words, segments, accesses = struct.unpack_from("<IIIQQQ", contents)
        found = launch.classes[number]
        place = 36 + 4 * words
        stream = found.stream.read(list(struct.unpack_from(f"<{words}I", contents, 36)))
        found.steps += stream
        if flags & 1:
            found.event_rows += struct.unpack_from(f"<{accesses}I", contents, place)
            place += 4 * accesses
        if flags & 2:
            place += -(-segments // 8) + -(-accesses // 8)
        assert place == len(contents)

    def check_index(self, contents: bytes) -> None:
        *totals, rows = struct.unpack_from("<6Q", contents)
        own = [launch.totals for launch in self.launches]
        names = ("segments", "accesses", "warp_instructions", "thread_instructions")
        assert totals == [len(own), *(sum(t[name] for t in own) for name in names)]
        assert len(contents) == 48 + 40 * rows
        found = [struct.unpack_from("<4sIQ", contents, 48 + 40 * i) for i in range(rows)]
        assert [(tag, place) for tag, _, place in found] == self.places

    def warps(self, number: int) -> dict[tuple[int, int], list[Step]]:
        """What each warp of a launch did, by thread block and warp."""
        launch, found = self.launches[number], dict[tuple[int, int], list[Step]]()
        for step in launch.steps:
            found.setdefault(step[:2], []).append(step)
        sizes = zip(launch.described["global_size"], launch.described["local_size"], strict=True)
        nx, ny, _ = (*(whole // own for whole, own in sizes), 1, 1)[:3]
        for class_ in launch.classes:
            radices = launch.radices
            first = class_.thread_block
            there = (first % nx, first // nx % ny, first // (nx * ny), class_.warp)
            from_ = digits(there, radices)
            for place in members(class_):
                x, y, z, warp = whole(place, radices)
                assert digits((x, y, z, warp), radices) == list(place)
                block = x + nx * (y + ny * z)
                assert x < nx
                assert y < ny
                apart = [a - b for a, b in zip(place, from_, strict=True)]
                assert (block, warp) not in found
                found[block, warp] = list(shifted(class_, block, warp, apart))
        return found


def digits(numbers: tuple[int, ...], radices: list[list[int]]) -> list[int]:
    found = list[int]()
    for number, own in zip(numbers, radices, strict=True):
        rest = number
        for radix in own:
            found.append(rest % radix)
            rest = rest // radix
        found.append(rest)
    return found


def whole(place: tuple[int, ...], radices: list[list[int]]) -> list[int]:
    found, at = list[int](), 0
    for own in radices:
        number, weight = 0, 1
        for radix in own:
            number += place[at] * weight
            weight *= radix
            at += 1
        found.append(number + place[at] * weight)
        at += 1
    return found


def members(class_: Class) -> Iterator[tuple[int, ...]]:
    for box in class_.boxes:
        sides = [
            [box[i] + box[i + 2] * k for k in range(box[i + 1])] for i in range(0, len(box), 3)
        ]
        yield from product(*sides)


def shifted(class_: Class, block: int, warp: int, apart: list[int]) -> Iterator[Step]:
    event = 0
    for _, _, segment, mask, touched in class_.steps:
        active = [lane for lane in range(64) if mask >> lane & 1]
        moved = list[tuple[int, list[int]]]()
        for access, lanes in touched:
            rows = class_.shifts[
                class_.event_rows[event] if class_.rows is None else class_.rows[access]
            ]
            each = [sum(a * b for a, b in zip(apart, row, strict=True)) for row in rows]
            by_lane = [each[0] if len(each) == 1 else each[lane] for lane in active]
            moved.append((access, [a + b for a, b in zip(lanes, by_lane, strict=True)]))
            event += 1
        yield block, warp, segment, mask, moved
