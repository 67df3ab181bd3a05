"""Miniatures of whole applications: run a host script, see what its kernels do, make others that do
alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.kernel import Kernel
from kcc.host import HostLaunch
from kcc.synth.contents import Footprints, described
from kcc.synth.model import Fill
from kcc.synth.observed import KernelFacts, LaunchFacts, kernel_facts
from kcc.trace.decode import TraceDecoder
from kcc.trace.launches import TraceLaunch
from kcc.tracegen.execute import Execution
from kcc.tracegen.image_data import ImageData
from kcc.tracegen.profiling.collect import LaunchCollector
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_file import describe_launch
from kcc.tracegen.trace_tables import tables_of
from kcc.tracegen.workers import TraceCallback


class Study:
    """An observer of a run (:class:`kcc.host.Observer`) that finds out what miniatures of its
    launches are made from. ``kernels`` and ``launches`` choose some; empty means all."""

    def __init__(self, kernels: Sequence[str] = (), launches: Sequence[range] = ()) -> None:
        self.wanted, self.numbers = frozenset(kernels), tuple(launches)
        self.kernels = list[KernelFacts]()
        self.launches = list[LaunchFacts]()
        self._numbers = dict[Kernel, int]()
        self._current: _Current | None = None

    @property
    def trace(self) -> TraceMode:
        return TraceMode.ADDRESSES

    def before(self, launch: HostLaunch) -> TraceCallback | None:
        self._current = None
        if not self._is_wanted(launch):
            return None
        tables = tables_of(launch.prepared.plan, launch.kernel, launch.unit)
        said = describe_launch(launch.prepared, launch.number, 0, addresses=True)
        collector = LaunchCollector(tables, said)
        if launch.kernel not in self._numbers:
            self._numbers[launch.kernel] = len(self.kernels)
            self.kernels.append(
                kernel_facts(
                    launch.kernel, launch.prepared.plan.function, launch.unit.module,
                    collector.info, tables,
                )
            )  # fmt: skip
        number = self._numbers[launch.kernel]
        self._current = _Current(number, self.kernels[number], said, collector, launch)
        decoder = TraceDecoder(tables, addresses=True)
        current = self._current

        def take(first_block: int, words: NDArray[np.uint32]) -> None:
            for batch in decoder.decode(first_block, words):
                collector.add(batch)
                current.footprints.add(batch)

        return take

    def after(self, launch: HostLaunch, execution: Execution) -> None:  # noqa: ARG002
        if self._current is not None:
            self.launches.append(self._current.finish())
            self._current = None

    def _is_wanted(self, launch: HostLaunch) -> bool:
        kernel = not self.wanted or launch.kernel.name in self.wanted
        return kernel and (not self.numbers or any(launch.number in r for r in self.numbers))


class _Current:
    """The launch that runs."""

    def __init__(
        self, number: int, facts: KernelFacts, said: TraceLaunch, collector: LaunchCollector,
        launch: HostLaunch,
    ) -> None:  # fmt: skip
        self.number, self.facts, self.said, self.collector = number, facts, said, collector
        watched = {*facts.leaves_of, *facts.filled}
        self.footprints = Footprints(facts.access_of[i] for i in watched if i in facts.access_of)
        arguments = launch.prepared.arguments
        self.contents = {
            argument: np.array(arguments[argument], np.uint8).reshape(-1)
            for argument in set(facts.filled.values())
            if isinstance(arguments[argument], np.ndarray)
        }
        self.images = {
            n: tuple(reversed(value.pixels.shape[:-1]))
            for n, value in enumerate(arguments)
            if isinstance(value, ImageData)
        }

    def finish(self) -> LaunchFacts:
        spans = dict[int, tuple[int, int]]()
        for access, (low, high, _) in self.footprints.found.items():
            base = self._base(low)
            spans[access] = low - base, high - base
        fills = dict[int, tuple[Fill, ...]]()
        for leaf, argument in sorted(self.facts.filled.items()):
            access = self.facts.access_of[leaf]
            if access in self.footprints.found and argument in self.contents:
                fills[argument] = (*fills.get(argument, ()), self._fill(access, argument))
        return LaunchFacts(
            self.number, self.said, self.collector.finish(self.number), spans,
            {a: tuple(dict.fromkeys(rows)) for a, rows in fills.items()}, self.images,
        )  # fmt: skip

    def _base(self, address: int) -> int:
        """Where the array begins that holds an address."""
        starts = [b.address for b in self.said.buffers if b.address <= address]
        starts += [a.address for a in self.collector.tables.arrays if a.address <= address]
        return max(starts, default=0)

    def _fill(self, access: int, argument: int) -> Fill:
        low, high, step = self.footprints.found[access]
        own = next(b for b in self.said.buffers if b.argument == argument)
        size = self.facts.info.accesses[access].bytes
        contents = self.contents[argument]
        return described(contents, low - own.address, high - own.address, step, size)
