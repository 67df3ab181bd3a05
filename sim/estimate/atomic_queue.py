"""How long atomic operations queue for one line of global memory (:mod:`kcc.sim.machine.atomics`).

Addresses that memory decides are not known to be few, and do not queue here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kcc.sim.caches.streams import LINE, Stream
from kcc.sim.estimate.subject import Subject
from kcc.sim.machine.atomics import queue_of
from kcc.sim.machine.costs import Generation
from kcc.sim.program.joined_atomics import is_joined
from kcc.sim.program.operations import MachineOperation, Memory


def queue_cycles(
    subject: Subject, operations: Sequence[MachineOperation], executions: Sequence[float],
    generation: Generation,
) -> float:  # fmt: skip
    """Cycles in which L2 does all operations of a launch on the line that most of them are for.
    ``executions`` are those of ``operations``, by warps."""
    found = dict[tuple[str, int], float]()
    cycles, by_line = queue_of(generation)
    piece = LINE if by_line else 1
    for stream, operation, times in _atomics(subject, operations, executions):
        if stream.rows is None:
            continue
        joined = is_joined(subject.kernel.function.instructions[operation.instruction])
        lanes = 1.0 if joined and stream.is_uniform else stream.lanes * stream.width
        line = stream.array, int(stream.rows.min()) // piece
        found[line] = found.get(line, 0.0) + times * lanes / _pieces(subject, stream, piece)
    return max(found.values(), default=0.0) * cycles


def one_word_cycles(
    subject: Subject, operations: Sequence[MachineOperation], executions: Sequence[float],
    generation: Generation,
) -> float:  # fmt: skip
    """The same for those whose place memory decides, if it is one word of each array."""
    found = dict[str, float]()
    for stream, _, times in _atomics(subject, operations, executions):
        if stream.rows is None:
            found[stream.array] = found.get(stream.array, 0.0) + times * stream.lanes * stream.width
    return max(found.values(), default=0.0) * queue_of(generation).operation_cycles


def _atomics(
    subject: Subject, operations: Sequence[MachineOperation], executions: Sequence[float]
) -> Iterator[tuple[Stream, MachineOperation, float]]:
    streams = {stream.access: stream for stream in subject.streams}
    for operation, times in zip(operations, executions, strict=True):
        if operation.memory is Memory.GLOBAL_ATOMIC and operation.access in streams:
            yield streams[operation.access], operation, times


def _pieces(subject: Subject, stream: Stream, piece: int) -> float:
    """How many pieces of so many bytes an access goes to, thread blocks and iterations included."""
    assert stream.rows is not None
    steps = [*zip(subject.places, stream.groups, strict=True)]
    steps += [(max(subject.flow.trips[loop], 1.0), step) for loop, step in stream.loops.items()]
    found = float(len(np.unique(stream.rows // piece)))
    for count, step in steps:
        found *= max(count * min(abs(step) / piece, 1.0), 1.0)
    return found
