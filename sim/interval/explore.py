"""Many GPUs out of few cache passes: design points and what-if questions for the interval model.

What a cache pass depends on (caches, SMs, resident blocks) is passed once; whatever else differs is
computed anew from it, in milliseconds (dissertation, section 4.6.5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from types import TracebackType
from typing import Self

from kcc.base.diagnostics import DiagnosticError
from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.loading import load_gpu
from kcc.base.records import dataclass
from kcc.base.trace.reader import open_trace
from kcc.sim.cycle.compiled import IssuedLaunch, compiled_launch
from kcc.sim.interval.collect import Collection, SharedCache, collect, empty_cache
from kcc.sim.interval.facts import IntervalMachine, Operations
from kcc.sim.interval.inputs import interval_inputs
from kcc.sim.interval.model import LaunchModel
from kcc.sim.interval.options import Options
from kcc.sim.interval.timing import timing_of
from kcc.sim.machine.costs import generation_of_gpu
from kcc.sim.machine.warp_scheduling import Policy
from kcc.sim.program.registers import resident_on
from kcc.sim.result import Timing

PassKey = tuple[object, ...]
"""What the cache passes of all launches depend on."""

KEPT_PASSES = 64
"""GPUs whose cache passes are kept: megabytes each, where there may be thousands."""


@dataclass(frozen=True, slots=True)
class DesignPoint:
    """A GPU with some settings (KEY=VALUE), and what it makes of the launches."""

    settings: tuple[str, ...]
    timings: tuple[Timing, ...]

    @property
    def cycles(self) -> float:
        return sum(t.cycles for t in self.timings)

    @property
    def time_us(self) -> float:
        return sum(t.time_us for t in self.timings)

    @property
    def issued(self) -> float:
        return sum(t.issued for t in self.timings)

    @property
    def stack(self) -> dict[str, float]:
        """Cycles of all schedulers by part, over all launches."""
        found = dict[str, float]()
        for timing in self.timings:
            for part in timing.stack:
                found[part.name] = found.get(part.name, 0.0) + part.cycles
        return found

    def summary(self, passed_once: str = "") -> PointSummary:
        """What is kept of it where there are many."""
        first = self.timings[0]
        return PointSummary(
            self.settings, first.gpu, first.clock_mhz, first.schedulers, self.cycles,
            self.time_us, self.issued, self.stack, passed_once,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PointSummary:
    """Of a design point, over all launches. ``stack`` are cycles of all schedulers by part;
    points with the same ``cache_pass`` share their cache passes."""

    settings: tuple[str, ...]
    gpu: str
    clock_mhz: float
    schedulers: int
    cycles: float
    time_us: float
    issued: float
    stack: Mapping[str, float]
    cache_pass: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a GPU that may help: in words, and as settings."""

    words: str
    settings: tuple[str, ...]


class Explorer:
    """The launches of one trace on variants of a GPU; use it in a ``with`` statement.

    ``launches`` and ``kernels`` choose launches as for simulations; L2 stays as the launch before
    left it. ``passes`` counts cache passes; those of the last :data:`KEPT_PASSES` GPUs are kept.
    ``launches`` afterwards are those in the code of the GPU as it is; a variant whose code differs
    (by what an SM holds registers do) has its own.
    """

    def __init__(
        self, path: str, gpu: str, overrides: Sequence[str], options: Options, *,
        kernels: Sequence[str] = (), launches: Sequence[range] = (),
        registers: Mapping[str, int] | None = None,
    ) -> None:  # fmt: skip
        self.gpu, self.overrides, self.options = gpu, tuple(overrides), options
        self.registers = dict(registers or {})
        self.trace = open_trace(path)
        self._traced = tuple(
            launch
            for launch in self.trace.launches
            if (not kernels or launch.tables.kernel in kernels)
            and (not launches or any(launch.launch.number in r for r in launches))
        )
        self._coded = dict[object, tuple[IssuedLaunch, ...]]()
        described = load_gpu(gpu, list(overrides))
        self._base_code = _code_of(described)
        self.launches = self._launches_on(described)
        self.passes = 0
        self._collected = dict[PassKey, tuple[LaunchModel, ...]]()
        self._base: _Inputs | None = None
        with suppress(DiagnosticError):  # such a GPU there cannot be, but for some of its variants
            self._base = self._all_inputs(())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.trace.close()

    def at(self, settings: Sequence[str] = ()) -> DesignPoint:
        """The launches on the GPU with these settings. Raises what loading a GPU and
        :func:`kcc.sim.interval.inputs.interval_inputs` do."""
        inputs = self._all_inputs(settings)
        return DesignPoint(tuple(settings), tuple(self._timings(self._pass_key(inputs), inputs)))

    def summary_at(self, settings: Sequence[str] = ()) -> PointSummary:
        """The same in short."""
        inputs = self._all_inputs(settings)
        key = self._pass_key(inputs)
        point = DesignPoint(tuple(settings), tuple(self._timings(key, inputs)))
        return point.summary(sha256(repr(key).encode()).hexdigest()[:16])

    def pass_of(self, settings: Sequence[str] = ()) -> object:
        """What the cache passes with these settings depend on: equal for points that share them.
        Raises as :meth:`at` does."""
        return self._pass_key(self._all_inputs(settings))

    def _pass_key(self, inputs: _Inputs) -> PassKey:
        if self._base is None:  # there are no latencies to share
            return tuple(repr(each) for each in (inputs.code, *inputs.rows))
        shared = (getattr(machine, name) for machine, _ in inputs.rows for name in _PASSED_ONCE)
        return inputs.code, *shared

    def _timings(self, key: PassKey, inputs: _Inputs) -> Iterator[Timing]:
        models = self._collected.pop(key, None) or tuple(self._collect(inputs))
        self._collected[key] = models
        if len(self._collected) > KEPT_PASSES:
            del self._collected[next(iter(self._collected))]
        for model, (machine, operations) in zip(models, inputs.rows, strict=True):
            own = replace(model.collection, machine=machine, operations=operations)
            prediction = model.on(own).predict(machine, self.options)
            yield timing_of(own, machine, prediction, self.options)

    def _launches_on(self, gpu: GpuDescription) -> tuple[IssuedLaunch, ...]:
        """The launches in the code of a GPU; those in the last :data:`KEPT_PASSES` are kept."""
        code = _code_of(gpu)
        if code not in self._coded:
            self._coded[code] = tuple(compiled_launch(each, gpu) for each in self._traced)
            if len(self._coded) > KEPT_PASSES:
                del self._coded[next(iter(self._coded))]
        return self._coded[code]

    def _all_inputs(self, settings: Sequence[str]) -> _Inputs:
        gpu = load_gpu(self.gpu, [*self.overrides, *settings])
        launches = self._launches_on(gpu)
        rows = [interval_inputs(gpu, e.tables, e.launch, self.registers) for e in launches]
        return _Inputs(_code_of(gpu), launches, rows)

    def _collect(self, inputs: _Inputs) -> Iterator[LaunchModel]:
        """Cache passes with the latencies of the GPU as it is, whichever point comes first; in
        other code than that GPU's with those of the point."""
        cache: SharedCache | None = None
        is_base = self._base is not None and inputs.code == self._base_code
        base = self._base if is_base and self._base is not None else inputs
        for launch, (own, _), (as_it_is, operations) in zip(
            inputs.launches, inputs.rows, base.rows, strict=True
        ):
            machine = replace(as_it_is, **{name: getattr(own, name) for name in _PASSED_ONCE})
            cache = cache or empty_cache(machine)
            self.passes += 1
            found: Collection = collect(
                launch.tables, launch.launch, machine, operations, launch.batches(), cache
            )
            yield LaunchModel(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Inputs:
    """Of all launches on one GPU: its code (:func:`_code_of`), them in it, and what the model is
    given of each."""

    code: object
    launches: tuple[IssuedLaunch, ...]
    rows: list[tuple[IntervalMachine, Operations]]


def _code_of(gpu: GpuDescription) -> object:
    """What kcc's own code of a kernel depends on: equal for GPUs that have the same."""
    return generation_of_gpu(gpu), resident_on(gpu)


_PASSED_ONCE = (
    "sms", "blocks", "warps_per_block", "line_bytes", "sector_bytes", "local_banks",
    "lanes_together", "pairs_together", "l1", "l1_ports", "l2", "l2_slices", "l2_hashed",
    "l2_write_back", "channels", "banks", "bank_mapping", "row_lines", "atomics_together",
    "atomic_operation_cycles",
)  # fmt: skip
"""What a cache pass depends on. Latencies, which say what hits are pending, are left out."""


WARPS, MISS_ENTRIES, BANDWIDTH, L1, L2, SMS, SCHEDULER = (
    "warps", "mshrs", "bandwidth", "l1", "l2", "sms", "scheduler",
)  # fmt: skip
SHORT_NAMES = {
    WARPS: "max_warps_per_sm", MISS_ENTRIES: "l1.mshr", BANDWIDTH: "memory_bandwidth_gbs",
    L1: "l1.size_bytes", L2: "l2.size_bytes", SMS: "sm_count", SCHEDULER: "scheduler",
}  # fmt: skip
"""Short names of the keys that are swept most; ``warps`` raises the threads of an SM too."""


def settings_of(gpu: GpuDescription, key: str, value: str) -> tuple[str, ...]:
    """The settings that a short or a full key stands for."""
    if key == WARPS and value.isdecimal():
        warps, width = int(value), gpu.warp_size.value if gpu.warp_size else 32
        found = [f"max_warps_per_sm={warps}"]
        threads = gpu.max_threads_per_sm
        if threads is not None and warps * width > threads.value:
            found.append(f"max_threads_per_sm={warps * width}")
        return tuple(found)
    return (f"{SHORT_NAMES.get(key, key)}={value}",)


def changes_of(gpu: GpuDescription, machine: IntervalMachine) -> tuple[Change, ...]:
    """What could be done to a GPU, one thing at a time; only what its description has."""
    m = machine
    beyond = m.dram_cycles - m.l2_hit_cycles
    other = Policy.GREEDY if m.policy is Policy.ROUND_ROBIN else Policy.ROUND_ROBIN
    found = [
        Change("2 x L1 MSHRs", (f"l1.mshr={2 * m.l1_mshrs}",)),
        Change("2 x SMs", (f"sm_count={2 * m.sms}",)),
        Change("0.75 x L2 hit latency",
               (f"latency_cycles.l2_hit={m.l2_hit_cycles * 3 // 4}",
                f"latency_cycles.dram={m.l2_hit_cycles * 3 // 4 + beyond}")),
        Change("0.75 x DRAM latency beyond L2",
               (f"latency_cycles.dram={m.l2_hit_cycles + beyond * 3 // 4}",)),
        Change("2 x L1 lines per cycle", (f"l1.banks={2 * m.l1_ports}",)),
        Change("the other scheduling policy", (f"scheduler={other.value}",)),
    ]  # fmt: skip
    if gpu.memory_bandwidth_gbs:
        bandwidth = gpu.memory_bandwidth_gbs.value
        found.append(Change("2 x DRAM bandwidth", (f"memory_bandwidth_gbs={2 * bandwidth:g}",)))
    if gpu.max_warps_per_sm and gpu.max_threads_per_sm and gpu.max_blocks_per_sm:
        found.append(
            Change("2 x warps and blocks per SM",
                   (f"max_warps_per_sm={2 * gpu.max_warps_per_sm.value}",
                    f"max_threads_per_sm={2 * gpu.max_threads_per_sm.value}",
                    f"max_blocks_per_sm={2 * gpu.max_blocks_per_sm.value}"))
        )  # fmt: skip
    return (*found, *_larger_caches(gpu), *_faster_units(gpu))


def _larger_caches(gpu: GpuDescription) -> Iterator[Change]:
    if gpu.l1.size_bytes and not gpu.l1.unified_bytes:
        yield Change("2 x L1 size", (f"l1.size_bytes={2 * gpu.l1.size_bytes.value}",))
    if gpu.l2.size_bytes:
        yield Change("2 x L2 size", (f"l2.size_bytes={2 * gpu.l2.size_bytes.value}",))
    if gpu.l2.slices:
        slices = 2 * gpu.l2.slices.value
        yield Change("2 x L2 slices of half the size", (f"l2.slices={slices}",))


def _faster_units(gpu: GpuDescription) -> Iterator[Change]:
    if gpu.lanes_per_sm.sfu and gpu.lanes_per_sm.sfu.value:
        lanes = 2 * gpu.lanes_per_sm.sfu.value
        yield Change("2 x special-function units", (f"lanes_per_sm.sfu={lanes}",))
    latency = gpu.latency_cycles
    facts = {"fp32_fma": latency.fp32_fma, "int_add": latency.int_add}
    settings = tuple(
        f"latency_cycles.{name}={max(fact.value / 2, 1):g}" for name, fact in facts.items() if fact
    )
    if settings:
        yield Change("0.5 x arithmetic latency", settings)
