"""A launch of a trace as a compiler's code would have run it."""

from __future__ import annotations

from collections.abc import Iterator

from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.reader import LaunchTrace
from kcc.sim.cycle.ordering import ordered
from kcc.sim.cycle.unrolling import may_be_unrolled, unrolled
from kcc.sim.cycle.wide_loads import may_be_wide, wide_loads


class CompiledLaunch:
    """A launch of a trace file with wide loads, short loops taken apart, and loads ahead of what
    need not wait."""

    def __init__(self, traced: LaunchTrace) -> None:
        self.launch, self._traced = traced.launch, traced
        tables, self._wide, self._unrolled = traced.tables, None, None
        wide, short = may_be_wide(tables), may_be_unrolled(tables)
        first = next(traced.batches(), None) if wide or short else None
        if first is not None and wide and (merged := wide_loads(tables, first)) is not None:
            self._wide, tables, first = merged, merged.tables, merged.batch(first)
        if first is not None and short and (apart := unrolled(tables, first)) is not None:
            self._unrolled, tables = apart, apart.tables
        self._ordered = ordered(tables)
        self.tables = self._ordered.tables

    def batches(self, first: int = 0, blocks: int | None = None) -> Iterator[TraceBatch]:
        """As :meth:`kcc.base.trace.reader.LaunchTrace.batches`, with the accesses of the tables."""
        if self._unrolled:
            self._unrolled.begin()
        return map(self.batch, self._traced.batches(first, blocks))

    def batch(self, batch: TraceBatch) -> TraceBatch:
        """The next batch of the trace, with the accesses of the tables."""
        if self._wide:
            batch = self._wide.batch(batch)
        if self._unrolled:
            batch = self._unrolled.batch(batch)
        return self._ordered.batch(batch)
