"""Profiles of whole runs: every launch of a host script, or of a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.profile.model import KernelInfo, LaunchProfile, Profile
from kcc.base.trace.decode import TraceDecoder
from kcc.base.trace.reader import open_trace
from kcc.stages.host import HostLaunch, HostSettings, Progress, run_script
from kcc.tracegen.execute import Execution
from kcc.tracegen.profiling.collect import LaunchCollector
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_file import describe_launch
from kcc.tracegen.trace_tables import tables_of
from kcc.tracegen.workers import TraceCallback


class Profiler:
    """An observer of a run (:class:`kcc.stages.host.Observer`) that profiles its launches; those of
    other kernels than ``kernels`` (all, if there are none) run without."""

    def __init__(self, kernels: Sequence[str] = ()) -> None:
        self.wanted = frozenset(kernels)
        self.kernels = list[KernelInfo]()
        self.launches = list[LaunchProfile]()
        self._collector: LaunchCollector | None = None

    @property
    def trace(self) -> TraceMode:
        return TraceMode.ADDRESSES

    def before(self, launch: HostLaunch) -> TraceCallback | None:
        self._collector = None
        if self.wanted and launch.kernel.name not in self.wanted:
            return None
        tables = tables_of(launch.prepared.plan, launch.kernel, launch.unit)
        said = describe_launch(launch.prepared, launch.number, 0, addresses=True)
        collector = LaunchCollector(tables, said)
        decoder = TraceDecoder(tables, addresses=True)
        self._collector = collector

        def take(first_block: int, words: NDArray[np.uint32]) -> None:
            for batch in decoder.decode(first_block, words):
                collector.add(batch)

        return take

    def after(self, launch: HostLaunch, execution: Execution) -> None:  # noqa: ARG002
        if self._collector is None:
            return
        info = self._collector.info
        if info not in self.kernels:
            self.kernels.append(info)
        self.launches.append(self._collector.finish(self.kernels.index(info)))
        self._collector = None

    def profile(self, run: Mapping[str, str | int]) -> Profile:
        """Of what has been seen."""
        return Profile(run, tuple(self.kernels), tuple(self.launches))


def profile_script(
    path: str,
    *,
    size: str = "small",
    seed: int = 0,
    arguments: Sequence[str] = (),
    kernels: Sequence[str] = (),
    settings: HostSettings | None = None,
    progress: Progress | None = None,
) -> Profile:
    """Run a host script and profile its launches (of ``kernels``, if any are named).

    Raises what :func:`kcc.stages.host.run_script` does.
    """
    profiler = Profiler(kernels)
    run_script(
        path, size=size, seed=seed, arguments=arguments, observer=profiler,
        settings=settings or HostSettings(), progress=progress,
    )  # fmt: skip
    return profiler.profile({"script": path, "size": size, "seed": seed})


def profile_trace(
    path: str, kernels: Sequence[str] = (), watch: Callable[[int, str], None] | None = None
) -> Profile:
    """Profile the launches of a trace file (of ``kernels``, if any are named). ``watch`` is told
    how many of all thread blocks are done, and where.

    Raises :class:`DiagnosticError`: K76x for a file that is no good trace, K781 for a launch that
    was traced without addresses.
    """
    found, launches = list[KernelInfo](), list[LaunchProfile]()
    with open_trace(path) as trace:
        done = 0
        for launch in trace.launches:
            said, begun = launch.launch, done
            done += said.thread_blocks
            if kernels and launch.tables.kernel not in kernels:
                continue
            if not said.addresses:
                message = f"'{path}': launch {said.number} was traced without addresses"
                hint = "`kcc trace` without --blocks-only traces them"
                raise DiagnosticError([Diagnostic("K781", message, hint=hint)])
            collector = LaunchCollector(launch.tables, said)
            for batch in launch.batches():
                collector.add(batch)
                if watch is not None and len(batch.thread_block):
                    at = begun + int(batch.thread_block[-1])
                    watch(at, f"launch {said.number} of {launch.tables.kernel}")
            if collector.info not in found:
                found.append(collector.info)
            launches.append(collector.finish(found.index(collector.info)))
        return Profile({"trace": path}, tuple(found), tuple(launches))
