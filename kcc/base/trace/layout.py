"""The inner form of a trace file's records, as docs/reference/trace.md describes it."""

from __future__ import annotations

import struct

HEADER, TABLES, LAUNCH, CHUNK, CLASS, CLASS_WORDS, TOTALS, INDEX = (
    "HEAD", "KERN", "LNCH", "CHNK", "CLSS", "CLWD", "DONE", "TEND",
)  # fmt: skip
"""Tags. HEAD, KERN, LNCH and DONE hold JSON."""

CHUNK_HEAD = struct.Struct("<IIQQQQQI")
"""Launch, flags, lowest thread block, thread blocks, segments, accesses, warp instructions,
pieces."""
CONTINUES = 1
"""Flag: the first piece goes on with the chunk of the record before."""
PIECE = struct.Struct("<QQ")
"""First thread block of the chunk, words."""

CLASS_HEAD = struct.Struct("<IIQQIIIIQQQQ")
"""Launch, class, warps, thread block and warp of the representative, boxes, rows of shifts, flags;
segments, accesses, warp instructions and thread instructions of one warp."""
SHIFT_BY_EVENT = 1
"""Flag: each execution of an access has its own row of shifts, in the records of words."""
SHIFT_BY_LANE = 2
"""Flag: each row of shifts has its numbers for each lane."""
BOX_NUMBERS = 3
"""For each coordinate: first, count, step."""

WORDS_HEAD = struct.Struct("<IIIQQQ")
"""Launch, class, flags, words, segments, accesses."""
HAS_ROWS, HAS_ASSUMED = 1, 2

INDEX_HEAD = struct.Struct("<QQQQQQ")
"""Launches, segments, accesses, warp instructions, thread instructions, rows."""
INDEX_ROW = struct.Struct("<4sIQQQQ")
"""Tag, launch, place; of a chunk its lowest thread block, its thread blocks and its warp
instructions; of a class and its words the class, its warps and their warp instructions."""
NO_LAUNCH = 0xFFFF_FFFF

RECORD_WORDS_BYTES = 1 << 20
"""Chunks are collected until a record has this many bytes of words: well packed, soon written."""
