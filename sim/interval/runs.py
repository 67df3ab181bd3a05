"""Launches of trace files through the interval model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.reader import open_trace
from kcc.sim.cycle.compiled import CompilerCode, compiled_launch
from kcc.sim.interval.collect import Collection, SharedCache, collect, empty_cache
from kcc.sim.interval.inputs import interval_inputs
from kcc.sim.interval.model import LaunchModel
from kcc.sim.interval.options import Options
from kcc.sim.interval.timing import timing_of
from kcc.sim.result import Timing


def collections_of_trace(
    path: str,
    gpu: GpuDescription,
    *,
    kernels: Sequence[str] = (),
    launches: Sequence[range] = (),
    registers: dict[str, int] | None = None,
    cold: bool = False,
    code: CompilerCode | None = None,
) -> Iterator[Collection]:
    """The collections of a trace file's launches, in order; all or those named. L2 stays as the
    launch before left it, unless each is to begin ``cold``. ``code``: a compiler's, where it is not
    kcc's own. Raises K76x for a file that is no good trace, K807, K870, K871."""
    cache: SharedCache | None = None
    with open_trace(path) as trace:
        for launch in trace.launches:
            number = launch.launch.number
            if kernels and launch.tables.kernel not in kernels:
                continue
            if launches and not any(number in chosen for chosen in launches):
                continue
            compiled = compiled_launch(launch, gpu, code)
            tables = compiled.tables
            machine, operations = interval_inputs(gpu, tables, launch.launch, registers or {})
            if cache is None or cold:
                cache = empty_cache(machine)
            batches = compiled.batches()
            yield collect(tables, launch.launch, machine, operations, batches, cache)


def interval_trace(  # noqa: PLR0913 -- what a command line says
    path: str,
    gpu: GpuDescription,
    options: Options,
    *,
    kernels: Sequence[str] = (),
    launches: Sequence[range] = (),
    registers: dict[str, int] | None = None,
    cold: bool = False,
    code: CompilerCode | None = None,
) -> Iterator[Timing]:
    """The interval model's results of a trace file's launches."""
    found = collections_of_trace(
        path, gpu, kernels=kernels, launches=launches, registers=registers, cold=cold, code=code
    )
    for collection in found:
        prediction = LaunchModel(collection).predict(collection.machine, options)
        yield timing_of(collection, collection.machine, prediction, options)
