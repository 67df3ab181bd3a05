"""Files that are cut off, foreign, changed or hostile give an error that says what and where."""

from __future__ import annotations

import json
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kcc.base.diagnostics import DiagnosticError
from kcc.base.trace.reader import open_trace
from tests.kcc.base.trace.sample import SAMPLE

DATA = SAMPLE.read_bytes()
RECORD = struct.Struct("<4sIQQI")
Records = list[tuple[bytes, bytes]]


def read_all(path: Path) -> None:
    """Everything a file holds."""
    with open_trace(path) as trace:
        for launch in trace.launches:
            for batch in launch.batches():
                assert len(batch) >= 0


def code_of(data: bytes, folder: Path) -> str | None:
    """The code of the error that reading gives."""
    path = folder / "damaged.kct"
    path.write_bytes(data)
    try:
        read_all(path)
    except DiagnosticError as error:
        (found,) = error.diagnostics
        assert found.span is not None
        assert found.span.file == str(path)
        assert found.message
        return found.code
    return None


def test_whole(tmp_path: Path):
    assert code_of(DATA, tmp_path) is None


@pytest.mark.parametrize("length", [*range(40), *range(40, len(DATA), 211), len(DATA) - 1])
def test_cut_off(tmp_path: Path, length: int):
    assert code_of(DATA[:length], tmp_path) == ("K760" if length == 0 else "K762")


def test_longer(tmp_path: Path):
    assert code_of(DATA + b"\n", tmp_path) == "K762"


@pytest.mark.parametrize(
    "data", [b"", b"\x7fELF", b"\x89PNG\r\n\x1a\n" + bytes(100), b"text\n" * 9]
)
def test_foreign(tmp_path: Path, data: bytes):
    assert code_of(data, tmp_path) == "K760"


def test_copied_as_text(tmp_path: Path):
    path = tmp_path / "x.kct"
    path.write_bytes(DATA.replace(b"\r\n", b"\n"))
    with pytest.raises(DiagnosticError) as caught:
        open_trace(path)
    assert "text" in (caught.value.diagnostics[0].hint or "")


@pytest.mark.parametrize("version", [0, 4, 0xFFFFFFFF])
def test_other_version(tmp_path: Path, version: int):
    data = DATA[:8] + version.to_bytes(4, "little") + DATA[12:]
    path = tmp_path / "x.kct"
    path.write_bytes(data)
    with pytest.raises(DiagnosticError) as caught:
        open_trace(path)
    (found,) = caught.value.diagnostics
    assert found.code == "K761"
    assert str(version) in found.message


def test_missing_file_and_folder(tmp_path: Path):
    for path in (tmp_path / "missing.kct", tmp_path):
        with pytest.raises(DiagnosticError) as caught:
            open_trace(path)
        assert caught.value.diagnostics[0].code == "K001"


def flip(place: int, bit: int) -> bytes:
    changed = bytearray(DATA)
    changed[place] ^= 1 << bit
    return bytes(changed)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("start", range(13))
def test_flipped_bits(tmp_path: Path, start: int):
    for place in range(start * 7, len(DATA), 13 * 7):
        assert code_of(flip(place, place % 8), tmp_path) is not None, place


@pytest.mark.full
@pytest.mark.parametrize("bit", range(8))
def test_every_flipped_bit(tmp_path: Path, bit: int):
    for place in range(len(DATA)):
        assert code_of(flip(place, bit), tmp_path) is not None, place


def test_swapped_records(tmp_path: Path):
    """Two records of equal length exchanged have right checksums."""
    first = DATA.index(b"CHNK")
    record = RECORD.unpack_from(DATA, first)
    other = b"CLSS" + DATA[first + 4 : first + 24]
    payload = DATA[first + 28 : first + 28 + record[2]]
    check = zlib.crc32(payload, zlib.crc32(other))
    data = DATA[:first] + other + check.to_bytes(4, "little") + payload
    assert code_of(data + DATA[len(data) :], tmp_path) == "K763"


def split(data: bytes) -> Records:
    """The records of a file, unpacked, without the index."""
    found, place = Records(), 12
    while True:
        tag, coding, stored, _, _ = RECORD.unpack_from(data, place)
        payload = data[place + 28 : place + 28 + stored]
        if tag == b"TEND":
            return found
        found.append((tag, zlib.decompress(payload) if coding else payload))
        place += 28 + stored


def build(records: Records, index: bytes | None = None) -> bytes:
    """A file whose checksums, lengths and places are right; the index is that of the sample with
    the places put right, unless one is given."""
    data, places = bytearray(DATA[:12]), list[int]()
    for tag, contents in records:
        places.append(len(data))
        data += record(tag, contents)
    last = len(data)
    rows = bytearray(index or split_index())
    for number, place in enumerate(places):
        if len(rows) >= 48 + 40 * number + 16:
            struct.pack_into("<Q", rows, 48 + 40 * number + 8, place)
    data += record(b"TEND", bytes(rows))
    footer = struct.pack("<QQ", last, len(data) + 28)
    return bytes(data) + footer + zlib.crc32(footer).to_bytes(4, "little") + b"kct end\n"


def record(tag: bytes, contents: bytes) -> bytes:
    head = RECORD.pack(tag, 0, len(contents), len(contents), 0)[:24]
    return head + zlib.crc32(contents, zlib.crc32(head)).to_bytes(4, "little") + contents


def split_index() -> bytes:
    last, _ = struct.unpack_from("<QQ", DATA, len(DATA) - 28)
    return DATA[last + 28 : len(DATA) - 28]


RECORDS = split(DATA)
CODES = {None, "K763", "K764"}


def test_rebuilt(tmp_path: Path):
    assert code_of(build(RECORDS), tmp_path) is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


EDITS = st.lists(
    st.tuples(st.integers(0, len(RECORDS)), st.integers(0, 1 << 20), st.binary(max_size=9)),
    min_size=1, max_size=3,
)  # fmt: skip


@settings(
    max_examples=150, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(edits=EDITS, inserting=st.booleans())
def test_hostile_contents_with_right_checksums(
    folder: Path, edits: list[tuple[int, int, bytes]], inserting: bool
):
    records, index = list(RECORDS), split_index()
    for number, place, data in edits:
        contents = index if number == len(records) else records[number][1]
        place %= len(contents) + 1
        end = place if inserting else place + len(data)
        contents = contents[:place] + data + contents[end:]
        if number == len(records):
            index = contents
        else:
            records[number] = records[number][0], contents
    assert code_of(build(records, index), folder) in CODES


def in_json(tag: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """The sample with the first record of a tag changed."""
    records = list(RECORDS)
    number = next(i for i, (t, _) in enumerate(records) if t == tag)
    value: dict[str, Any] = json.loads(records[number][1])
    changed = change(value)
    text = json.dumps(value if changed is None else changed)
    records[number] = tag, text.encode()
    return build(records)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("value", [None, -1, 1 << 70, "x", [], {}, 1.5, True, [None], [[1]], [-9]])
@pytest.mark.parametrize("tag", [b"HEAD", b"KERN", b"LNCH", b"DONE"])
def test_every_key_with_a_wrong_value(folder: Path, tag: bytes, value: object):
    contents = next(data for t, data in RECORDS if t == tag)
    for key in json.loads(contents):
        code = code_of(in_json(tag, lambda found, key=key: found.update({key: value})), folder)
        assert code in CODES, key


def test_numbers_inside_the_tables(folder: Path):
    """Each number of the tables, out of its range, is noticed."""
    contents = json.loads(next(data for tag, data in RECORDS if tag == b"KERN"))
    quiet = {"line", "column", "address", "size_bytes", "result_bytes"}
    quiet |= {"element_bytes", "incoming", "classes", "argument"}
    for name in ("blocks", "segments", "instructions", "accesses"):
        for key, value in contents[name][-1].items():
            if type(value) is int and key not in quiet:
                data = in_json(b"KERN", lambda t, n=name, k=key: t[n][-1].update({k: 999}))
                assert code_of(data, folder) == "K764", (name, key)


def test_deep_json(folder: Path):
    records = [(t, b"[" * 200_000 if t == b"HEAD" else d) for t, d in RECORDS]
    assert code_of(build(records), folder) == "K764"


def huge(tag: bytes, offset: int, number: int, kind: str = "<Q") -> bytes:
    records = list(RECORDS)
    place = next(i for i, (t, _) in enumerate(records) if t == tag)
    contents = bytearray(records[place][1])
    struct.pack_into(kind, contents, offset, number)
    records[place] = tag, bytes(contents)
    return build(records)


def bomb() -> bytes:
    """Tables that unpack to 128 MiB of zeros, and say that they are 1 MiB."""
    machine = zlib.compressobj(1)
    packed = b"".join(machine.compress(bytes(1 << 20)) for _ in range(128)) + machine.flush()
    head = RECORD.pack(b"KERN", 1, len(packed), 1 << 20, 0)[:24]
    start = DATA.index(b"KERN")
    stored = RECORD.unpack_from(DATA, start)[2]
    body = head + zlib.crc32(packed, zlib.crc32(head)).to_bytes(4, "little") + packed
    data = DATA[:start] + body + DATA[start + 28 + stored :]
    last, _ = struct.unpack_from("<QQ", DATA, len(DATA) - 28)
    grown = len(data) - len(DATA)
    index = bytearray(split_index())
    for row in range(2, (len(index) - 48) // 40):
        (old,) = struct.unpack_from("<Q", index, 48 + 40 * row + 8)
        struct.pack_into("<Q", index, 48 + 40 * row + 8, old + grown)
    data = data[: last + grown] + record(b"TEND", bytes(index))
    footer = struct.pack("<QQ", last + grown, len(data) + 28)
    return data + footer + zlib.crc32(footer).to_bytes(4, "little") + b"kct end\n"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "make",
    [
        lambda: huge(b"CHNK", 48, 0xFFFFFFFF, "<I"),
        lambda: huge(b"CHNK", 52 + 8, 1 << 62),
        lambda: huge(b"CLSS", 28, 0xFFFFFFFF, "<I"),
        lambda: huge(b"CLSS", 32, 0xFFFFFFFF, "<I"),
        lambda: huge(b"CLSS", 40, 1 << 60),
        lambda: huge(b"CLWD", 12, 1 << 60),
        lambda: huge(b"CLWD", 20, 1 << 60),
        lambda: huge(b"CLWD", 28, 1 << 60),
        lambda: in_json(b"LNCH", lambda v: v.update(local_size=[1 << 40], global_size=[1 << 60])),
        bomb,
    ],
)  # fmt: skip
def test_hostile_lengths_allocate_little(folder: Path, make: Callable[[], bytes]):
    data = make()
    read_all(SAMPLE)
    tracemalloc.start()
    try:
        assert code_of(data, folder) in {"K763", "K764"}
        assert tracemalloc.get_traced_memory()[1] < 60 << 20
    finally:
        tracemalloc.stop()
