"""Where the buffers of a miniature lie in memory.

Which sets of a cache, channels and banks of DRAM a kernel meets at a time follows from how far
apart its buffers are. An allocator that puts one after the other, as that of kcc does, places the
miniature's buffers as the original's were, modulo :data:`PERIOD_BYTES`, when they come in the same
order and each is longer by the gap after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

PERIOD_BYTES = 1 << 20
"""No cache has its sets further apart, and no memory takes longer turns of its channels."""

ALIGNMENT_BYTES = 256
"""Of buffers, as of cudaMalloc and kcc's own device memory."""

GAP_BYTES = 256
"""What kcc's device memory leaves after a buffer."""

Place = tuple[int, int]
"""Address and bytes of a buffer of the original."""


class Buffers:
    """The buffers of the host, each once however many launches use it, in order of their places."""

    def __init__(self, places: Iterable[Place], slack_bytes: Mapping[Place, int]) -> None:
        self._places = sorted(set(places))
        self._slack = slack_bytes
        self._number = {place: n for n, place in enumerate(self._places)}

    def number(self, place: Place) -> int:
        """The number of a buffer."""
        return self._number[place]

    @property
    def sizes_bytes(self) -> tuple[int, ...]:
        """The length of each, with its slack and the gap after it."""
        found = list[int]()
        start = self._places[0][0] if self._places else 0
        for number, place in enumerate(self._places):
            size = place[1] + self._slack.get(place, 0)
            following = start + _rounded(size) + GAP_BYTES
            if number + 1 < len(self._places):
                missing = (self._places[number + 1][0] - following) % PERIOD_BYTES
                missing = _rounded(missing)
                size = _rounded(size) + missing if missing else size
                following += missing
            found.append(size)
            start = following
        return tuple(found)


def _rounded(size: int) -> int:
    return -(-size // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
