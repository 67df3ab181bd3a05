"""Traces of whole runs: the launches of a host script, into a file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import kcc
from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.trace.launches import DYNAMIC, TraceHeader, TraceLaunch
from kcc.base.trace.tables import TraceTables
from kcc.base.trace.writer import TraceWriter
from kcc.frontend.kernel import Kernel
from kcc.stages.host import HostLaunch, Observer
from kcc.tracegen.execute import Execution
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_file import begin_launch, counts_of, describe_launch, end_launch
from kcc.tracegen.trace_tables import tables_of
from kcc.tracegen.workers import TraceCallback


def header_of(script: str) -> TraceHeader:
    """What a trace says of the run of a script."""
    return TraceHeader(kcc.__version__, DYNAMIC, script)


class Tracer:
    """An observer of a run (:class:`kcc.stages.host.Observer`) that writes its launches to a file.

    ``kernels`` and ``launches`` (numbers in the run) say which; empty means all of them. Launches
    that fail are left out. Those that the file has from an earlier run are run without a trace, and
    must be the same (K893).
    """

    def __init__(
        self,
        writer: TraceWriter,
        *,
        addresses: bool = True,
        kernels: Sequence[str] = (),
        launches: Sequence[range] = (),
    ) -> None:
        self.writer = writer
        self.kernels, self.launches = frozenset(kernels), tuple(launches)
        self._mode = TraceMode.ADDRESSES if addresses else TraceMode.BLOCKS
        self._begun = False
        self._skipped: TraceLaunch | None = None
        self._seen, self._kept = 0, writer.launches
        """Launches of the run so far that are wanted, and how many are from an earlier run."""
        self._tables: dict[tuple[Kernel, int], TraceTables] = {}
        """By kernel and warp width."""

    @property
    def trace(self) -> TraceMode:
        return TraceMode.OFF if self._seen < self._kept else self._mode

    def before(self, launch: HostLaunch) -> TraceCallback | None:
        self.writer.cancel()  # one that failed, and the script goes on
        self._begun = self._is_wanted(launch)
        if not self._begun:
            return None
        plan = launch.prepared.plan
        key = launch.kernel, plan.width
        if key not in self._tables:
            self._tables[key] = tables_of(plan, launch.kernel, launch.unit)
        tables = self._tables[key]
        if self._seen < self._kept:
            number = self.writer.add_tables(tables)
            self._skipped = describe_launch(
                launch.prepared, launch.number, number,
                addresses=self._mode is TraceMode.ADDRESSES,
            )  # fmt: skip
            return None
        return begin_launch(self.writer, launch.number, launch.prepared, tables)

    def after(self, launch: HostLaunch, execution: Execution) -> None:  # noqa: ARG002
        if not self._begun:
            return
        if self._skipped is None:
            end_launch(self.writer, execution)
        elif not self.writer.again(self._seen, self._skipped, counts_of(execution)):
            message = f"launch {self._skipped.number} is another than in the run that is resumed"
            hint = "without --resume the trace begins anew"
            raise DiagnosticError([Diagnostic("K893", message, hint=hint)])
        self._seen += 1
        self._skipped = None

    def finish(self) -> None:
        """The run is over."""
        self.writer.cancel()

    def _is_wanted(self, launch: HostLaunch) -> bool:
        kernel = not self.kernels or launch.kernel.name in self.kernels
        return kernel and (not self.launches or any(launch.number in r for r in self.launches))


class Together:
    """Two observers of one run, which want the same traced."""

    def __init__(self, first: Observer, second: Observer) -> None:
        assert first.trace is second.trace, "one run has one kind of trace"
        self._both = first, second

    @property
    def trace(self) -> TraceMode:
        return self._both[0].trace

    def before(self, launch: HostLaunch) -> TraceCallback | None:
        found = [each.before(launch) for each in self._both]
        takers = [take for take in found if take is not None]

        def take(first_block: int, words: NDArray[np.uint32]) -> None:
            for each in takers:
                each(first_block, words)

        return take if takers else None

    def after(self, launch: HostLaunch, execution: Execution) -> None:
        for each in self._both:
            each.after(launch, execution)
