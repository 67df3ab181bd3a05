"""Traces launches of the engine into a file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kcc.base.trace.launches import CHUNKS, LaunchTotals, TracedBuffer, TracedScalar, TraceLaunch
from kcc.base.trace.tables import TraceTables
from kcc.base.trace.writer import TraceWriter
from kcc.frontend.ir.types import size_bytes
from kcc.tracegen.execute import Execution, LocalMemory, PreparedLaunch
from kcc.tracegen.image_data import ImageData, Sampler
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_tables import tables_of
from kcc.tracegen.workers import TraceCallback


def begin_launch(
    writer: TraceWriter, number: int, prepared: PreparedLaunch, tables: TraceTables | None = None
) -> TraceCallback:
    """A launch that is about to run, the ``number``-th of its program, begins in the file; gives
    what takes its trace (``prepared.options.trace`` says of what). ``tables`` are the kernel's, if
    they are at hand."""
    tables = tables or tables_of(prepared.plan, prepared.kernel, prepared.unit)
    addresses = prepared.options.trace is TraceMode.ADDRESSES
    launch = describe_launch(prepared, number, writer.add_tables(tables), addresses=addresses)
    writer.begin(launch)
    return writer.add


def end_launch(writer: TraceWriter, done: Execution) -> LaunchTotals:
    """The launch has run; its counts must be those of its trace."""
    return writer.end(counts_of(done))


def counts_of(done: Execution) -> tuple[tuple[int, int], ...]:
    """Executions and lanes of each block."""
    return tuple((c.executions, c.lanes) for c in done.counts)


def describe_launch(
    prepared: PreparedLaunch, number: int, tables: int, *, addresses: bool
) -> TraceLaunch:
    """What the file says of a launch."""
    shape = prepared.launch
    declared = sum(o.size_bytes for o in prepared.plan.locals.values())
    handed_in = sum(v.size_bytes for v in prepared.arguments if isinstance(v, LocalMemory))
    return TraceLaunch(
        number=number,
        tables=tables,
        global_size=tuple(map(int, shape.global_size)),
        local_size=tuple(map(int, shape.local_size)),
        offset=tuple(map(int, shape.offset)),
        local_bytes=declared + handed_in,
        scalars=tuple(_scalars(prepared)),
        buffers=tuple(_buffers(prepared)),
        form=CHUNKS,
        addresses=addresses,
    )


def _buffers(prepared: PreparedLaunch) -> Iterator[TracedBuffer]:
    for index, argument in enumerate(prepared.kernel.arguments):
        item = prepared.arena.buffers[index] or prepared.local_objects.get(index)
        value = prepared.arguments[index]
        if item is not None:
            space = argument.address_space.name.lower()
            yield TracedBuffer(index, argument.name, space, item.address, item.size_bytes)
        elif isinstance(value, ImageData):
            yield TracedBuffer(index, argument.name, "image", 0, value.pixels.nbytes)


def _scalars(prepared: PreparedLaunch) -> Iterator[TracedScalar]:
    for index, value in enumerate(prepared.arguments):
        argument = prepared.plan.function.arguments[index]
        item = prepared.arena.buffers[index]
        if isinstance(value, (LocalMemory, ImageData, Sampler)) or value is None:
            continue
        if item is not None and argument.attributes.byval is None:
            continue
        if item is not None:
            data = prepared.arena.view(item).tobytes()
        else:
            offset = prepared.plan.argument_offsets[index]
            data = prepared.argument_image[offset : offset + size_bytes(argument.type)].tobytes()
        is_number = isinstance(value, (int, float, np.generic)) and not isinstance(value, np.void)
        yield TracedScalar(index, data.hex(), str(value) if is_number else "")
