"""Whether a miniature behaves as its original: both simulated, both profiled, side by side."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.writer import TraceWriter
from kcc.passes.registers.counts import estimate_registers
from kcc.sim.cycle.launch import LaunchSimulation
from kcc.sim.cycle.sources import Watcher, no_watcher, simulate_trace
from kcc.sim.result import Timing
from kcc.stages.compilation import preparation
from kcc.stages.host import HostLaunch, HostSettings, Observer, Progress, run_script
from kcc.stages.tracing import Together, Tracer, header_of
from kcc.synth.comparison.behaviour import Simulated
from kcc.tracegen.workers import TraceCallback


@dataclass(frozen=True, slots=True)
class Traced:
    """A trace file, and the registers of its kernels by estimate; lines of the source that stand
    for nothing in an original."""

    path: str
    registers: Mapping[str, int]
    auxiliary: frozenset[int] = frozenset()


class _RegisterTracer(Tracer):
    """Notes the registers of kernels beside."""

    def __init__(
        self, writer: TraceWriter, kernels: Sequence[str], launches: Sequence[range]
    ) -> None:
        super().__init__(writer, kernels=kernels, launches=launches)
        self.registers = dict[str, int]()

    def before(self, launch: HostLaunch) -> TraceCallback | None:
        callback = super().before(launch)
        name = launch.kernel.name
        if callback is not None and name not in self.registers:
            self.registers[name] = estimate_registers(launch.kernel.function).count
        return callback


def trace_run(  # noqa: PLR0913 - the options of a run
    script: str, target: Path, settings: HostSettings, *, size: str = "small", seed: int = 0,
    arguments: Sequence[str] = (), kernels: Sequence[str] = (), launches: Sequence[range] = (),
    beside: Observer | None = None, progress: Progress | None = None,
) -> Traced:  # fmt: skip
    """Trace the launches of a script (all, or those named) into the file ``target``; ``beside``
    looks at the same run."""
    with TraceWriter(target, header_of(script)) as writer:
        tracer = _RegisterTracer(writer, kernels, launches)
        try:
            run_script(
                script, size=size, seed=seed, arguments=arguments,
                observer=Together(tracer, beside) if beside else tracer, settings=settings,
                progress=progress,
            )  # fmt: skip
        except SystemExit as end:  # `sys.exit(main())` ends many scripts well
            if end.code not in (None, 0):
                raise
        tracer.finish()
    return Traced(str(target), tracer.registers)


def simulate_run(traced: Traced, gpu: GpuDescription, watch: Watcher = no_watcher) -> Simulated:
    """Simulate what was traced on a GPU, launch after launch. CPU seconds are those of simulating,
    from when a launch's kernel has been read and lowered, which takes as long for one thread block
    as for a million; those in which the simulator itself is compiled or loaded are in neither."""
    with preparation() as prepared:

        def clock() -> float:
            return time.process_time() - prepared.seconds

        def watched(simulation: LaunchSimulation) -> None:
            nonlocal begun
            begun = clock() if begun is None else begun
            watch(simulation)

        start, begun, seconds = clock(), None, 0.0
        registers, found = dict(traced.registers), list[Timing]()
        for timing in simulate_trace(traced.path, gpu, registers=registers, watch=watched):
            seconds += clock() - (start if begun is None else begun)
            begun = None
            found.append(timing)
        return _summed(found, seconds, clock() - start - seconds, traced.auxiliary)


def _summed(
    found: Sequence[Timing], seconds: float, start_seconds: float, auxiliary: frozenset[int]
) -> Simulated:
    hits, accesses = dict[str, float](), dict[str, float]()
    for timing in found:
        for cache in timing.caches:
            hits[cache.level] = hits.get(cache.level, 0) + cache.hits
            accesses[cache.level] = accesses.get(cache.level, 0) + cache.accesses
    return Simulated(
        gpu=found[0].gpu if found else "",
        cycles=sum(t.cycles for t in found),
        issued=sum(t.issued for t in found),
        instructions=sum(t.instructions for t in found),
        hits={level: hits[level] / n if n else 0.0 for level, n in accesses.items()},
        cpu_seconds=seconds,
        auxiliary=sum(_issued_in(t, auxiliary) for t in found),
        start_seconds=start_seconds,
    )


def _issued_in(timing: Timing, lines: frozenset[int]) -> float:
    """What a launch issues of some lines: as large a share as they have of the slots in which
    anything issues."""
    slots = own = 0.0
    for line in timing.lines:
        issued = next((part.cycles for part in line.stack if part.name == "issued"), 0)
        slots += issued
        own += issued if line.line in lines else 0
    return timing.issued * own / slots if slots else 0.0
