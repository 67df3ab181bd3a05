"""A launch of a trace as a compiler's code would have run it."""

from __future__ import annotations

from collections.abc import Iterator

from kcc.sim.cycle.ordering import ordered
from kcc.sim.cycle.wide_loads import may_be_wide, wide_loads
from kcc.trace.decode import TraceBatch
from kcc.trace.reader import LaunchTrace


class CompiledLaunch:
    """A launch of a trace file with wide loads, and with loads ahead of what need not wait."""

    def __init__(self, traced: LaunchTrace) -> None:
        self.launch, self._traced = traced.launch, traced
        first = next(traced.batches(), None) if may_be_wide(traced.tables) else None
        self._wide = wide_loads(traced.tables, first) if first is not None else None
        self._ordered = ordered(self._wide.tables if self._wide else traced.tables)
        self.tables = self._ordered.tables

    def batches(self, first: int = 0, blocks: int | None = None) -> Iterator[TraceBatch]:
        """As :meth:`kcc.trace.reader.LaunchTrace.batches`, with the accesses of the tables."""
        return map(self.batch, self._traced.batches(first, blocks))

    def batch(self, batch: TraceBatch) -> TraceBatch:
        """A batch of the trace, with the accesses of the tables."""
        return self._ordered.batch(self._wide.batch(batch) if self._wide else batch)
