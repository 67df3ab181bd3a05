"""Ways to damage a file: as a disk or an editor would, and inside its structure."""

from __future__ import annotations

import json
import random
import re
import zlib
from collections.abc import Callable
from typing import Any, cast

import yaml

from kcc.base.trace.container import FOOTER, PLAIN, RECORD, START, ZLIB

Damage = Callable[[random.Random, bytes], bytes]

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 10**30, -(2**63), 0.5, 1e308, float("nan"), "", "x", "0", [], {}, [1],
    {"x": 1}, "\x00", "a" * 5000,
)  # fmt: skip
NUMBERS = (b"-1", b"0", b"4294967296", b"1e400", b"nan", b"99999999999999999999", b"0x", b"''")


def bytes_damaged(rng: random.Random, data: bytes) -> bytes:
    """One to three of: cut off, a stretch changed, dropped, doubled, moved or filled with zeros."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((1, 1, 2, 4, 8, 100, 4096)))
        noise = rng.randbytes(rng.choice((1, 1, 2, 8)))
        match rng.randrange(7):
            case 0:
                data = data[:at]
            case 1:
                data = data[:at] + noise + data[at + len(noise) :]
            case 2:
                data = data[:at] + data[end:]
            case 3:
                data = data[:end] + data[at:]
            case 4:
                data = data[:at] + bytes(end - at) + data[end:]
            case 5:
                data = data[:at] + noise + data[at:]
            case _:
                data = data[end:] + data[at:end] + data[:at]
    return data


def words_damaged(rng: random.Random, data: bytes) -> bytes:
    """A number or word of a text becomes another, or a line is dropped, doubled or swapped."""
    lines = data.split(b"\n")
    for _ in range(rng.randint(1, 3)):
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        words = list(re.finditer(rb"[\w.+-]+", lines[at]))
        match rng.randrange(6):
            case 0:
                lines.insert(at, lines[other])
            case 1 if len(lines) > 1:
                del lines[at]
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case _ if words:
                word = rng.choice(words)
                others = re.findall(rb"[\w.+-]+", lines[other]) or [b"x"]
                new = rng.choice((rng.choice(NUMBERS), rng.choice(others)))
                lines[at] = lines[at][: word.start()] + new + lines[at][word.end() :]
            case _:
                pass
    return b"\n".join(lines)


def json_damaged(rng: random.Random, data: bytes) -> bytes:
    """Values of a document become others, or go."""
    return json.dumps(_changed(rng, json.loads(data))).encode()


def lines_of_json_damaged(rng: random.Random, data: bytes) -> bytes:
    """The same of one line of several."""
    lines = data.splitlines()
    at = rng.randrange(len(lines))
    lines[at] = json_damaged(rng, lines[at])
    return b"\n".join(lines) + b"\n"


def yaml_damaged(rng: random.Random, data: bytes) -> bytes:
    return yaml.safe_dump(_changed(rng, yaml.safe_load(data)), allow_unicode=True).encode()


def _changed(rng: random.Random, document: Any) -> Any:
    for _ in range(rng.randint(1, 3)):
        places = list(_places(document))
        if not places:
            return rng.choice(VALUES)
        holder, key = rng.choice(places)
        match rng.randrange(6):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder["surplus"] = _copy(holder[key])
            case 2:
                other, place = rng.choice(places)
                holder[key] = _copy(other[place])
            case _:
                holder[key] = _copy(rng.choice(VALUES))
    return document


def _places(document: Any) -> list[tuple[Any, Any]]:
    found = list[tuple[Any, Any]]()
    items = list[tuple[Any, Any]]()
    if isinstance(document, dict):
        items = list(cast(dict[Any, Any], document).items())
    elif isinstance(document, list):
        items = list(enumerate(cast(list[Any], document)))
    for key, value in items:
        found.append((cast(Any, document), key))
        found += _places(value)
    return found


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


def trace_resealed(rng: random.Random, data: bytes) -> bytes:
    """Records of a trace damaged inside, with right lengths and checksums again, so that what
    stands behind these checks is reached."""
    records, at = list[tuple[bytes, bytes]](), START.size
    last, _, _, _ = FOOTER.unpack(data[-FOOTER.size :])
    while at < len(data) - FOOTER.size:
        tag, coding, stored, _, _ = RECORD.unpack_from(data, at)
        body = data[at + RECORD.size : at + RECORD.size + stored]
        records.append((tag, zlib.decompress(body) if coding == ZLIB else body))
        at += RECORD.size + stored
    chosen = rng.randrange(len(records))
    tag, body = records[chosen]
    inside = json_damaged if body[:1] == b"{" and rng.random() < 0.7 else bytes_damaged
    records[chosen] = (tag, inside(rng, body))
    return _sealed(data[: START.size], records, last)


def _sealed(start: bytes, records: list[tuple[bytes, bytes]], last: int) -> bytes:
    whole, place = start, 0
    for tag, body in records:
        place = len(whole)
        head = RECORD.pack(tag, PLAIN, len(body), len(body), 0)[:-4]
        whole += head + zlib.crc32(body, zlib.crc32(head)).to_bytes(4, "little") + body
    places = FOOTER.pack(
        place if last else 0, len(whole) + FOOTER.size, 0, data_end := b"kct end\n"
    )
    check = zlib.crc32(places[:16]).to_bytes(4, "little")
    return whole + places[:16] + check + data_end


def any_of(*damages: Damage) -> Damage:
    """One of several ways."""
    return lambda rng, data: rng.choice(damages)(rng, data)
