"""What shared memory takes of an SM's memory that it has in common with L1."""

from __future__ import annotations

from collections.abc import Iterable


def carved_bytes(sizes: Iterable[int], needed: int) -> int:
    """The least of the ``sizes`` that the driver chooses from (``shared_carveouts_bytes``) that has
    room for what resident thread blocks need; that itself where no size is known to have it. An SM
    of Turing has 32 or 64 of its 96 KB as shared memory, and never more than 64 KB of L1."""
    return min((size for size in sizes if size >= needed), default=needed)
