"""The outer form of a trace file: magic, version, records with checksums, footer.

All numbers are little-endian. Nothing here knows what is in a record.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.records import dataclass

MAGIC = b"\x89KCT\r\n\x1a\n"
"""As that of PNG: shows files that were taken for text on their way."""
VERSION = 3
READABLE = (1, 2, 3)
"""Files of version 2 have no IR of their kernels; those of version 1 no radices and no shifts by
lane either. Else they are the same."""
START = struct.Struct("<8sI")
"""Magic, version."""

RECORD = struct.Struct("<4sIQQI")
"""Tag, coding, bytes stored, bytes when unpacked, CRC-32 of what stands before and of the bytes
stored."""
PLAIN, ZLIB = range(2)
"""Codings."""
LEVEL = 1
"""Of zlib: on traces higher ones take three times as long for a tenth less."""

FOOTER = struct.Struct("<QQI8s")
"""Place of the last record, bytes of the file, CRC-32 of these two, magic."""
END_MAGIC = b"kct end\n"

MAX_RECORD_BYTES = 64 << 20
"""No record is larger when unpacked; a reader needs no more memory than this."""

MAX_JSON_BYTES = 32 << 20
"""Python takes ten times as much for what stands in it."""

COMPRESS_FROM = 128
"""Bytes; below, packing gains nothing."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its tag, its contents unpacked, where it begins and where it ends."""

    tag: str
    data: bytes
    offset: int
    end: int


def bad_file(code: str, path: Path | str, message: str, hint: str | None = None) -> DiagnosticError:
    """The error of a file that cannot be used."""
    return DiagnosticError([Diagnostic(code, message, Span(str(path), 0), hint=hint)])


def damaged(path: Path | str, offset: int, message: str) -> DiagnosticError:
    """K763: a part of the file has changed since it was written."""
    return bad_file("K763", path, f"the trace is damaged at byte {offset}: {message}")


def contradictory(path: Path | str, offset: int, message: str) -> DiagnosticError:
    """K764: what a part of the file says cannot be."""
    return bad_file("K764", path, f"the trace says what cannot be at byte {offset}: {message}")


class RecordFile:
    """Writes records one after another into a file that gets its name when it is complete. Until
    then it is ``partial``, where it stays if it is not completed; else nothing is left of it."""

    def __init__(self, path: Path, partial: Path | None = None) -> None:
        self.path, self._partial = path, partial
        target = path.resolve()  # a link stays a link
        self._target = target
        hidden = target.with_name(f".{target.name[:200]}.{os.urandom(4).hex()}.tmp")
        self._temporary = partial or hidden
        self._file: BinaryIO | None = None
        self.offset = 0

    def open(self) -> None:
        """Begin; raises K008 where the file cannot be."""
        try:
            if self._target.is_dir():
                raise IsADirectoryError(21, os.strerror(21))
            mode = self._target.stat().st_mode & 0o777 if self._target.exists() else 0o666
            flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if self._partial else os.O_EXCL)
            self._file = os.fdopen(os.open(self._temporary, flags, mode), "wb")
        except OSError as error:
            raise self._cannot_write(error) from error
        self._write(START.pack(MAGIC, VERSION))

    def go_on(self, offset: int) -> None:
        """Begin with what is there up to ``offset``; raises K008."""
        try:
            self._file = self._temporary.open("r+b")
        except OSError as error:
            raise self._cannot_write(error) from error
        self.cut(offset)

    def add(self, tag: str, data: bytes, *, pack: bool = True) -> int:
        """Append a record; gives its place."""
        coding, stored = PLAIN, data
        if pack and len(data) >= COMPRESS_FROM:
            packed = zlib.compress(data, LEVEL)
            if len(packed) < len(data):
                coding, stored = ZLIB, packed
        place = self.offset
        head = RECORD.pack(tag.encode("ascii"), coding, len(stored), len(data), 0)[:-4]
        check = zlib.crc32(stored, zlib.crc32(head))
        self._write(head + check.to_bytes(4, "little"))
        self._write(stored)
        return place

    def cut(self, offset: int) -> None:
        """Take back what was written from ``offset`` on."""
        assert self._file is not None, "the file is not open"
        try:
            self._file.truncate(offset)
            self._file.seek(offset)
        except OSError as error:
            raise self._cannot_write(error) from error
        self.offset = offset

    def finish(self, last_record: int) -> None:
        """Write the footer and give the file its name."""
        places = struct.pack("<QQ", last_record, self.offset + FOOTER.size)
        self._write(places + zlib.crc32(places).to_bytes(4, "little") + END_MAGIC)
        try:
            assert self._file is not None
            self._file.close()
            self._temporary.replace(self._target)
            self._file = None
        except OSError as error:
            raise self._cannot_write(error) from error
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Leave nothing behind but what is to stay; does nothing to a finished file."""
        if self._file is not None:
            file, self._file = self._file, None
            with suppress(OSError):  # what could not be written is thrown away in any case
                file.close()
            if self._partial is None:
                self._temporary.unlink(missing_ok=True)

    def _write(self, data: bytes) -> None:
        assert self._file is not None, "the file is not open"
        try:
            self._file.write(data)
        except OSError as error:
            raise self._cannot_write(error) from error
        self.offset += len(data)

    def _cannot_write(self, error: OSError) -> DiagnosticError:
        reason = error.strerror or str(error)
        return DiagnosticError([Diagnostic("K008", f"cannot write '{self.path}': {reason}")])


class RecordStream:
    """A record whose contents, ``size`` bytes, are unpacked in their order. Raises K764 where they
    are not what the record says."""

    def __init__(
        self, path: Path, tag: str, offset: int, end: int, size: int, coding: int, stored: bytes
    ) -> None:
        self.path, self.tag, self.offset, self.end, self.size = path, tag, offset, end, size
        if coding not in (PLAIN, ZLIB):
            raise contradictory(path, offset, f"coding {coding} is not known")
        if coding == PLAIN and len(stored) != size:
            raise contradictory(path, offset, f"{len(stored)} bytes in place of {size}")
        self._machine = zlib.decompressobj() if coding == ZLIB else None
        self._left = stored
        self._place = 0

    def read(self, count: int) -> bytes:
        """The next bytes: so many."""
        data = self._next(count)
        self._place += len(data)
        if len(data) != count:
            message = f"{self._place} bytes in place of {self.size}"
            raise contradictory(self.path, self.offset, message)
        return data

    def finish(self) -> None:
        """All was read: see that nothing is left."""
        machine = self._machine
        if machine is not None and not machine.eof:
            self._next(1)
        if machine is not None and (not machine.eof or machine.unused_data):
            raise contradictory(self.path, self.offset, "packed data that goes on")

    def _next(self, count: int) -> bytes:
        if self._machine is None:
            data = self._left[self._place : self._place + count]
        elif count:  # for zlib 0 means that there is no limit
            try:
                data = self._machine.decompress(self._left, count)
            except zlib.error as error:
                message = f"packed data: {error}"
                raise contradictory(self.path, self.offset, message) from None
            self._left = self._machine.unconsumed_tail
        else:
            data = b""
        return data


def records_of(path: Path) -> Iterator[Record]:
    """The whole records of a file that is not complete; nothing of one of another version."""
    with path.open("rb") as file:
        if file.read(START.size) != START.pack(MAGIC, VERSION):
            return
        offset = START.size
        while len(head := file.read(RECORD.size)) == RECORD.size:
            tag, coding, stored, size, check = RECORD.unpack(head)
            if max(stored, size) > MAX_RECORD_BYTES:
                return
            data = file.read(stored)
            if len(data) < stored or zlib.crc32(data, zlib.crc32(head[:-4])) != check:
                return
            end = offset + RECORD.size + stored
            stream = RecordStream(path, tag.decode("latin-1"), offset, end, size, coding, data)
            yield Record(stream.tag, stream.read(size), offset, end)
            offset = end


class RecordReader:
    """Reads the records of a complete file; raises K760 to K763 for any other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise bad_file("K001", path, f"cannot read '{path}': {error.strerror}") from None
        try:
            self.size = self._file.seek(0, os.SEEK_END)
            self._check_start()
            self.last_record = self._read_footer()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        self._file.close()

    @property
    def end(self) -> int:
        """Where the records end."""
        return self.size - FOOTER.size

    def _check_start(self) -> None:
        start = self._bytes(0, START.size)
        if not start.startswith(MAGIC[: len(start)]) or not start:
            hint = "it may have been copied as text" if start[1:4] == MAGIC[1:4] else None
            raise bad_file("K760", self.path, "this is not a trace of kcc", hint)
        if len(start) < START.size:
            raise self._cut_off("it ends before its version")
        version = START.unpack(start)[1]
        if version not in READABLE:
            message = f"the trace has version {version}; this kcc reads versions up to {VERSION}"
            raise bad_file("K761", self.path, message)

    def _read_footer(self) -> int:
        if self.size < START.size + FOOTER.size:
            raise self._cut_off(f"it has only {self.size} bytes")
        data = self._bytes(self.end, FOOTER.size)
        last, size, check, magic = FOOTER.unpack(data)
        if magic != END_MAGIC:
            raise self._cut_off("its last bytes are missing or overwritten")
        if zlib.crc32(data[:16]) != check:
            raise damaged(self.path, self.end, "the footer has a wrong checksum")
        if size != self.size:
            raise self._cut_off(f"it has {self.size} bytes in place of {size}")
        return last

    def _cut_off(self, message: str) -> DiagnosticError:
        hint = "it was not written to its end, or not copied in full"
        return bad_file("K762", self.path, f"the trace is cut off: {message}", hint)

    def read(self, offset: int, limit: int = MAX_RECORD_BYTES) -> Record:
        """The record that begins at ``offset``, with at most ``limit`` bytes when unpacked."""
        stream = self.open(offset, limit)
        data = stream.read(stream.size)
        stream.finish()
        return Record(stream.tag, data, offset, stream.end)

    def open(self, offset: int, limit: int = MAX_RECORD_BYTES) -> RecordStream:
        """The same record, to be unpacked as far as it is wanted. Its checksum is right."""
        head = self._bytes(offset, RECORD.size) if START.size <= offset < self.end else b""
        if len(head) < RECORD.size:
            raise damaged(self.path, offset, "there is no record here")
        tag, coding, stored, unpacked, check = RECORD.unpack(head)
        end = offset + RECORD.size + stored
        if end > self.end:
            raise damaged(self.path, offset, "the record goes beyond the end of the file")
        if max(stored, unpacked) > limit:
            raise damaged(self.path, offset, f"the record has {max(stored, unpacked)} bytes")
        data = self._bytes(offset + RECORD.size, stored)
        if zlib.crc32(data, zlib.crc32(head[:-4])) != check:
            raise damaged(self.path, offset, "the record has a wrong checksum")
        return RecordStream(self.path, tag.decode("latin-1"), offset, end, unpacked, coding, data)

    def _bytes(self, offset: int, count: int) -> bytes:
        try:
            self._file.seek(offset)
            return self._file.read(count)
        except OSError as error:
            message = f"cannot read '{self.path}': {error.strerror}"
            raise bad_file("K001", self.path, message) from None
