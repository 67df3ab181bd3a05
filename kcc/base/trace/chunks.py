"""Records of chunks: the words of some thread blocks, unpacked only as far as they are wanted."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kcc.base.trace.container import RecordStream
from kcc.base.trace.layout import CHUNK_HEAD, CONTINUES, PIECE

Words = NDArray[np.uint32]


class ChunkRecord:
    """The head of a record and its pieces. Raises ValueError, which says why, where the record
    cannot be one of chunks."""

    def __init__(self, stream: RecordStream) -> None:
        if stream.size < CHUNK_HEAD.size:
            raise ValueError("the chunk is too short")
        head = CHUNK_HEAD.unpack(stream.read(CHUNK_HEAD.size))
        self.launch, flags, self.first, self.thread_blocks = head[:4]
        self.segments, self.accesses, self.warp_instructions, count = head[4:]
        self.continues = bool(flags & CONTINUES)
        start = CHUNK_HEAD.size + count * PIECE.size
        if count == 0 or start > stream.size:
            raise ValueError("the chunk is too short for its pieces")
        heads = list(PIECE.iter_unpack(stream.read(count * PIECE.size)))
        if start + 4 * sum(words for _, words in heads) != stream.size:
            raise ValueError("the chunk is not as long as its pieces")
        self.numbers = [number for number, _ in heads]
        """Of the chunk that each piece is of: its first thread block."""
        self._lengths = [words for _, words in heads]
        self._words = list[Words]()
        self._stream = stream

    def __len__(self) -> int:
        return len(self.numbers)

    def words(self, piece: int) -> Words:
        """The words of a piece."""
        while len(self._words) <= piece:
            data = self._stream.read(4 * self._lengths[len(self._words)])
            self._words.append(np.frombuffer(data, "<u4").astype(np.uint32, copy=False))
            if len(self._words) == len(self):
                self._stream.finish()
        return self._words[piece]

    def piece_of(self, block: int) -> int:
        """The piece to begin with where the thread blocks before one are not wanted: the first of
        its chunk, 0 where that may have begun in the record before."""
        begins = [n for n, (a, b) in enumerate(pairwise(self.numbers), 1) if a != b and b <= block]
        return begins[-1] if begins else 0
