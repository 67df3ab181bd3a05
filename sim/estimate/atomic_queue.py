"""How long atomic operations queue for one word of global memory.

A slice of L2 does one of them a cycle (NVIDIA, "Kepler GK110" white paper, 2012, "Atomic
Operations": one per clock on a common address, nine times what Fermi does; AMD's are taken to be
alike); more words are served together. Addresses that memory decides are not known to be few, and
do not queue here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from kcc.sim.caches.streams import Stream
from kcc.sim.estimate.joined_atomics import is_joined
from kcc.sim.estimate.subject import Subject
from kcc.sim.machine.costs import Generation
from kcc.sim.program.operations import MachineOperation, Memory

OPERATION_CYCLES, FERMI_CYCLES = 1.0, 9.0


def queue_cycles(
    subject: Subject, operations: Sequence[MachineOperation], executions: Sequence[float],
    generation: Generation,
) -> float:  # fmt: skip
    """Cycles in which L2 does all operations of a launch on the word that most of them are for.
    ``executions`` are those of ``operations``, by warps."""
    found = dict[tuple[str, int], float]()
    for stream, operation, times in _atomics(subject, operations, executions):
        if stream.rows is None:
            continue
        joined = is_joined(subject.kernel.function.instructions[operation.instruction])
        lanes = 1.0 if joined and stream.is_uniform else stream.lanes * stream.width
        word = stream.array, int(stream.rows.min())
        found[word] = found.get(word, 0.0) + times * lanes / _words(subject, stream)
    return max(found.values(), default=0.0) * _cycles(generation)


def one_word_cycles(
    subject: Subject, operations: Sequence[MachineOperation], executions: Sequence[float],
    generation: Generation,
) -> float:  # fmt: skip
    """The same for those whose place memory decides, if it is one word of each array."""
    found = dict[str, float]()
    for stream, _, times in _atomics(subject, operations, executions):
        if stream.rows is None:
            found[stream.array] = found.get(stream.array, 0.0) + times * stream.lanes * stream.width
    return max(found.values(), default=0.0) * _cycles(generation)


def _atomics(
    subject: Subject, operations: Sequence[MachineOperation], executions: Sequence[float]
) -> Iterator[tuple[Stream, MachineOperation, float]]:
    streams = {stream.access: stream for stream in subject.streams}
    for operation, times in zip(operations, executions, strict=True):
        if operation.memory is Memory.GLOBAL_ATOMIC and operation.access in streams:
            yield streams[operation.access], operation, times


def _cycles(generation: Generation) -> float:
    return FERMI_CYCLES if generation is Generation.FERMI else OPERATION_CYCLES


def _words(subject: Subject, stream: Stream) -> float:
    """How many addresses an access goes to, thread blocks and iterations included."""
    assert stream.rows is not None
    blocks = math.prod(
        count for count, step in zip(subject.places, stream.groups, strict=True) if step
    )
    iterations = (max(subject.flow.trips[loop], 1.0) for loop, step in stream.loops.items() if step)
    return len(np.unique(stream.rows)) * blocks * math.prod(iterations)
