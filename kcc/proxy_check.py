"""Whether a miniature behaves as its original: both simulated, both profiled, side by side."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kcc.gpu.description import GpuDescription
from kcc.host import HostLaunch, HostSettings, run_script
from kcc.passes.registers import estimate_registers
from kcc.profile.model import Histogram, LaunchProfile, Profile
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.result import Timing
from kcc.trace.writer import TraceWriter
from kcc.tracegen.workers import TraceCallback
from kcc.tracing import Tracer, header_of

LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Traced:
    """A trace file, and the registers of its kernels by estimate."""

    path: str
    registers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What the launches of a run did, all together, whatever the GPU. Shares are from 0 to 1.

    ``mix`` are shares of warp instructions by class; ``lanes`` active of those of all warp
    instructions; ``sectors`` of 32 bytes per access to global and constant memory, ``passes`` per
    access to local memory.
    """

    warp_instructions: int
    mix: Mapping[str, float]
    lanes: float
    sectors: float
    passes: float


@dataclass(frozen=True, slots=True)
class Simulated:
    """What the simulation of a run's launches on one GPU says, all together. ``hits`` are hit
    rates by level; ``cpu_seconds`` are those of the simulation."""

    gpu: str
    cycles: float
    issued: float
    instructions: float
    hits: Mapping[str, float]
    cpu_seconds: float

    @property
    def ipc(self) -> float:
        return self.issued / self.cycles if self.cycles else 0.0


@dataclass(frozen=True, slots=True)
class Pair:
    """Original and miniature on one GPU."""

    original: Simulated
    miniature: Simulated

    @property
    def ipc_error(self) -> float:
        """Equation (4) of Yu et al. (IEEE TC 2015) for IPC."""
        return self.miniature.ipc / self.original.ipc - 1 if self.original.ipc else 0.0

    @property
    def instruction_speedup(self) -> float:
        return self.original.instructions / max(self.miniature.instructions, 1)

    @property
    def time_speedup(self) -> float:
        """Equation (3), in CPU time of the simulator."""
        return self.original.cpu_seconds / max(self.miniature.cpu_seconds, 1e-9)


class _RegisterTracer(Tracer):
    """Notes the registers of kernels beside."""

    def __init__(self, writer: TraceWriter, kernels: Sequence[str], launches: Sequence[range]):
        super().__init__(writer, kernels=kernels, launches=launches)
        self.registers = dict[str, int]()

    def before(self, launch: HostLaunch) -> TraceCallback | None:
        callback = super().before(launch)
        name = launch.kernel.name
        if callback is not None and name not in self.registers:
            self.registers[name] = estimate_registers(launch.kernel.function).count
        return callback


def trace_run(
    script: str, target: Path, settings: HostSettings, *, size: str = "small", seed: int = 0,
    arguments: Sequence[str] = (), kernels: Sequence[str] = (), launches: Sequence[range] = (),
) -> Traced:  # fmt: skip
    """Trace the launches of a script (all, or those named) into the file ``target``."""
    with TraceWriter(target, header_of(script)) as writer:
        tracer = _RegisterTracer(writer, kernels, launches)
        run_script(
            script, size=size, seed=seed, arguments=arguments, observer=tracer, settings=settings
        )
        tracer.finish()
    return Traced(str(target), tracer.registers)


def simulate_run(traced: Traced, gpu: GpuDescription) -> Simulated:
    """Simulate what was traced on a GPU, launch after launch."""
    began = time.process_time()
    found = list(simulate_trace(traced.path, gpu, registers=dict(traced.registers)))
    return _summed(found, time.process_time() - began)


def _summed(found: Sequence[Timing], seconds: float) -> Simulated:
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
    )


def behaviour(profile: Profile) -> Behaviour:
    """The launches of a profile, all together."""
    launches = profile.launches
    mix = dict[str, int]()
    for launch in launches:
        for name, (warps, _) in launch.mix.items():
            mix[name] = mix.get(name, 0) + warps
    total = sum(mix.values())
    slots = sum(x.warp_instructions * x.width for x in launches)
    return Behaviour(
        warp_instructions=sum(x.warp_instructions for x in launches),
        mix={name: count / total for name, count in mix.items()} if total else {},
        lanes=sum(x.thread_instructions for x in launches) / slots if slots else 0.0,
        sectors=_mean(_histograms(launches, "sectors")),
        passes=_mean(_histograms(launches, "bank_passes")),
    )


def _histograms(launches: Sequence[LaunchProfile], name: str) -> list[Histogram]:
    return [getattr(access, name) for launch in launches for access in launch.accesses]


def _mean(histograms: Sequence[Histogram]) -> float:
    count = sum(n for h in histograms for n in h.values())
    return sum(value * n for h in histograms for value, n in h.items()) / count if count else 0.0


def mix_difference(one: Behaviour, other: Behaviour) -> float:
    """The largest difference between the shares of a class of instructions."""
    names = {*one.mix, *other.mix}
    return max((abs(one.mix.get(n, 0) - other.mix.get(n, 0)) for n in names), default=0.0)
