"""Cuts a kernel of an Accel-Sim list to chosen thread blocks; the text of the rest stays as it is.

Accel-Sim dispatches thread blocks in the order of the file and expects as many as the grid has, so
the grid becomes one row of those that are left (version 5 of the format)."""

from __future__ import annotations

import gzip
import lzma
import re
from collections.abc import Sequence
from pathlib import Path
from typing import IO, cast

from kcc.sim.accelsim.files import opened, wrong
from kcc.sim.accelsim.reader import LARGEST_LINE, LAST_OF_HEADER, SassKernel

_GRID = re.compile(rb"-grid dim = \(.*\)")
_BLOCK = re.compile(rb"thread block = ")


def cut_kernel(kernel: SassKernel, target: Path, ranges: Sequence[tuple[int, int]]) -> int:
    """Write the thread blocks ``first`` to ``end`` (excluded) of each range, which ascend, to a
    file that is compressed where its name ends in .xz or .gz; gives the bytes of text. Raises K001
    and K873."""
    count = sum(end - first for first, end in ranges)
    with opened(kernel.path) as source, _writer(target) as file:
        size = _copy_header(source, file, count)
        place, at, kept, inside = -1, 0, 0, False
        for line in iter(lambda: source.readline(LARGEST_LINE), b""):
            if line.startswith(b"#BEGIN_TB"):
                place += 1
                while at < len(ranges) and place >= ranges[at][1]:
                    at += 1
                inside = at < len(ranges) and place >= ranges[at][0]
                kept += inside
            elif inside and _BLOCK.match(line):
                line = b"thread block = %d,0,0\n" % (kept - 1)
            if inside:
                size += file.write(line)
    if kept != count:
        raise wrong(kernel.path, 1, f"{count:,} thread blocks are chosen, and {kept:,} are there")
    return size


def _writer(target: Path) -> IO[bytes]:
    match target.suffix:
        case ".xz":
            return lzma.open(target, "wb", preset=1)
        case ".gz":
            return cast("IO[bytes]", gzip.open(target, "wb", compresslevel=1))
        case _:
            return target.open("wb")


def _copy_header(source: IO[bytes], file: IO[bytes], blocks: int) -> int:
    """The header up to the line that ends it, which was checked when it was read."""
    size, is_known = 0, False
    for line in iter(lambda: source.readline(LARGEST_LINE), b""):
        size += file.write(_GRID.sub(b"-grid dim = (%d,1,1)" % blocks, line))
        is_known = is_known or line.startswith(b"-" + LAST_OF_HEADER.encode())
        if is_known and line.startswith(b"#"):
            break
    return size
