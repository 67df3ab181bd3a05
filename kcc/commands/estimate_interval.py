"""`kcc estimate --model interval`: interval analysis of a static trace.

A launch is traced once, from its source, into a file that each process has for itself; each GPU is
a run of the interval model on that trace.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import DiagnosticError
from kcc.base.records import dataclass
from kcc.commands.stages import StageRunner
from kcc.report.estimate.record import EstimateRecord
from kcc.report.estimate.timing import Assumed, timing_record
from kcc.sim.machine.launch_overhead import LaunchWay, launch_cycles, profiled_cycles
from kcc.stages.estimate import Configuration, asked_configuration

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.base.trace.reader import LaunchTrace
    from kcc.stages.analyze import AnalysisRequest
    from kcc.stages.machine_code import CodeRequest
    from kcc.stages.static_tracing import TracedKernel


@dataclass(frozen=True, slots=True)
class TracedLaunch:
    """A kernel's launch in a trace file; ``registers`` are those of a work-item, by kernel."""

    configuration: Configuration
    assumed: Assumed
    path: str
    number: int
    registers: dict[str, int]
    lanes: int
    """Of a warp."""


class IntervalWorkshop:
    """Prepares kernels by tracing them; what it prepared last is kept."""

    def __init__(
        self, scratch: Path, stage: StageRunner, launches: LaunchWay,
        codes: Mapping[str, CodeRequest],
    ) -> None:  # fmt: skip
        """``scratch`` is a folder for the trace; ``codes`` are the compilers, by GPU."""
        self.stage, self.launches, self.codes = stage, launches, codes
        self.left_out: tuple[tuple[Configuration, DiagnosticError], ...] = ()
        self._scratch = scratch
        self._prepared: tuple[AnalysisRequest, tuple[TracedLaunch, ...]] | None = None
        self._others = dict[int, tuple[TracedLaunch, ...]]()
        """The same in warps of other sizes."""

    def prepare(self, request: AnalysisRequest) -> Sequence[TracedLaunch]:
        """The launches that are asked for.

        :raises DiagnosticError: for bad input, and K85x for what cannot be traced.
        """
        if self._prepared is None or self._prepared[0] is not request:
            self._prepared, self._others = (request, self._traced(request, request.warp)), {}
        return self._prepared[1]

    def _on(self, prepared: TracedLaunch, gpu: GpuDescription) -> TracedLaunch:
        """A launch in warps of a GPU."""
        lanes = prepared.lanes if gpu.warp_size is None else gpu.warp_size.value
        if lanes == prepared.lanes or self._prepared is None:
            return prepared
        if lanes not in self._others:
            self._others[lanes] = self._traced(self._prepared[0], lanes)
        return next(each for each in self._others[lanes] if each.number == prepared.number)

    def _traced(self, request: AnalysisRequest, lanes: int) -> tuple[TracedLaunch, ...]:
        from kcc.base.trace.reader import open_trace
        from kcc.stages.static_tracing import kernel_registers, trace_source

        path = self._scratch / f"{os.getpid()}-{lanes}.kct"
        found = trace_source(request, path, width=lanes, stage=self.stage)
        if found.failures:
            raise DiagnosticError(list(found.failures))
        registers = kernel_registers(request, self.stage)
        asked = asked_configuration(request)
        with open_trace(str(path)) as trace:
            places = {
                each.launch.number: (
                    each.launch.global_size, each.launch.local_size, _scalars(each)
                )
                for each in trace.launches
            }  # fmt: skip
        return tuple(
            TracedLaunch(
                Configuration(each.kernel, asked.source, asked.macros, *places[each.number]),
                _assumed(each), str(path), each.number, registers, lanes,
            )
            for each in found.kernels
        )  # fmt: skip

    def record(self, prepared: TracedLaunch, gpu: GpuDescription) -> EstimateRecord:
        """The estimate of a launch on a GPU.

        :raises DiagnosticError: K807 for a value of the GPU that is not known, K871 where no thread
            block fits.
        """
        from kcc.sim.interval.options import Options
        from kcc.sim.interval.runs import interval_trace
        from kcc.stages.machine_code import compiler_code

        prepared = self._on(prepared, gpu)
        only = [range(prepared.number, prepared.number + 1)]
        (timing,) = self.stage(
            "model",
            lambda: list(
                interval_trace(
                    prepared.path,
                    gpu,
                    Options(),
                    launches=only,
                    registers=prepared.registers,
                    code=compiler_code(self.codes.get(gpu.stem)),
                )
            ),
        )
        launch = launch_cycles(gpu, timing.clock_mhz, self.launches)
        profiled = profiled_cycles(launch, timing.clock_mhz, is_amd=gpu.is_amd)
        timing = timing.with_launch(launch)
        return timing_record(prepared.configuration, prepared.assumed, timing, profiled)


def _scalars(trace: LaunchTrace) -> dict[str, int | float]:
    """The scalar arguments of a launch that are numbers."""
    names = [argument.name for argument in trace.tables.arguments]
    found = dict[str, int | float]()
    for scalar in trace.launch.scalars:
        number = _number(scalar.text)
        if number is not None:
            found[names[scalar.argument]] = number
    return found


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        return value if math.isfinite(value) else None
    return None


def _assumed(traced: TracedKernel) -> Assumed:
    summary = traced.summary
    return Assumed(
        traced.assumed_launch,
        summary.assumed_events / max(summary.totals.segments, 1),
        summary.assumed_accesses,
    )
