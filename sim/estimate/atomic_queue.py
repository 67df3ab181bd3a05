"""How long atomic operations queue for one line of global memory (:mod:`kcc.sim.machine.atomics`).

Addresses that memory decides are not known to be few, and do not queue here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kcc.sim.caches.streams import LINE, SECTOR, Ints, Stream
from kcc.sim.estimate.subject import Subject
from kcc.sim.machine.atomics import AtomicQueue
from kcc.sim.program.operations import MachineOperation, Memory


def queue_cycles(
    subject: Subject, operations: Sequence[MachineOperation], executions: Sequence[float],
    queue: AtomicQueue,
) -> float:  # fmt: skip
    """Cycles in which L2 does all operations of a launch on the line that most of them are for.
    ``executions`` are those of ``operations``, by warps."""
    found = dict[tuple[str, int], float]()
    piece = LINE if queue.several >= 0 else 1
    for stream, times in _atomics(subject, operations, executions):
        if stream.rows is None:
            continue
        taken = 1.0 if stream.joined else stream.lanes * _operations(stream.rows, queue)
        line = stream.array, int(stream.rows.min()) // piece
        found[line] = found.get(line, 0.0) + times * taken / _pieces(subject, stream, piece)
    return max(found.values(), default=0.0) * queue.operation_cycles


def _operations(rows: Ints, queue: AtomicQueue) -> float:
    """As how many operations those of the lanes of a warp count, in the mean over warps."""
    if queue.several <= 0:
        return float(rows.shape[1])
    taken = 0
    for row in rows:
        words, lanes = np.unique(row, return_counts=True)
        _, first, count = np.unique(words // SECTOR, return_index=True, return_counts=True)
        most = np.maximum.reduceat(lanes, first)
        taken += int(np.where(count > 1, np.maximum(most, queue.several), most).sum())
    return taken / len(rows)


def one_word_cycles(
    subject: Subject, operations: Sequence[MachineOperation], executions: Sequence[float],
    queue: AtomicQueue,
) -> float:  # fmt: skip
    """The same for those whose place memory decides, if it is one word of each array."""
    found = dict[str, float]()
    for stream, times in _atomics(subject, operations, executions):
        if stream.rows is None:
            found[stream.array] = found.get(stream.array, 0.0) + times * stream.lanes * stream.width
    return max(found.values(), default=0.0) * queue.operation_cycles


def _atomics(
    subject: Subject, operations: Sequence[MachineOperation], executions: Sequence[float]
) -> Iterator[tuple[Stream, float]]:
    streams = {stream.access: stream for stream in subject.streams}
    for operation, times in zip(operations, executions, strict=True):
        if operation.memory is Memory.GLOBAL_ATOMIC and operation.access in streams:
            yield streams[operation.access], times


def _pieces(subject: Subject, stream: Stream, piece: int) -> float:
    """How many pieces of so many bytes an access goes to, thread blocks and iterations included."""
    assert stream.rows is not None
    steps = [*zip(subject.places, stream.groups, strict=True)]
    steps += [(max(subject.flow.trips[loop], 1.0), step) for loop, step in stream.loops.items()]
    found = float(len(np.unique(stream.rows // piece)))
    for count, step in steps:
        found *= max(count * min(abs(step) / piece, 1.0), 1.0)
    return found
