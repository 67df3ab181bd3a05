"""Measured rows simulated by the cycle-level model, from a source alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kcc.base.scratch import scratch_folder
from kcc.sim.machine.launch_overhead import EMPTY_KERNEL_CYCLES, launch_cycles, profiled_cycles
from kcc.validation.case import Case, Work
from kcc.validation.outcome import Basis
from kcc.validation.predict import Answer, Predictor, Refused, described

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.base.trace.reader import LaunchTrace
    from kcc.sim.cycle.compiled import CompilerCode

WARMED = 1 << 24
"""Warp instructions up to which a launch that finds its data in L2 is simulated twice, the first
time to bring them there. A longer one brings its own; it is sampled."""


class CyclePredictor(Predictor):
    """As :class:`Predictor`, by the cycle-level model: each launch is traced without data and
    simulated, long ones by a sample of their thread blocks (TBPoint, kcc's strata). A range is the
    sample's interval alone, and there are no counts; a sample has no limiter either."""

    def _launch(self, case: Case, work: Work) -> Answer:
        if case.failed:
            raise Refused("what did not run is not simulated")
        key = (work.key, work.launches, work.local_bytes, case.gpu, case.caches)
        if key not in self._answers:
            self._answers[key] = self._simulated(case, work)
        return self._answers[key]

    def _simulated(self, case: Case, work: Work) -> Answer:
        from kcc.base.trace.reader import open_trace
        from kcc.frontend.options import Costs
        from kcc.stages.machine_code import compiler_code
        from kcc.stages.static_tracing import trace_source

        gpu = described(case.gpu)
        width = 32 if gpu.warp_size is None else gpu.warp_size.value
        with scratch_folder() as folder:
            path = folder / "trace.kct"
            code = compiler_code(self.question.codes.get(gpu.stem))
            request = work.request()
            if gpu.is_amd and code is not None:
                request = replace(request, options=replace(request.options, costs=Costs.AMD))
            traced = trace_source(request, path, width=width)
            (kernel,) = traced.kernels
            summary = kernel.summary
            guessed = summary.assumed_segments / max(summary.totals.segments, 1)
            unknown = summary.assumed_accesses / max(summary.totals.accesses, 1)
            with open_trace(str(path)) as trace:
                launches = [_with_local(each, work.local_bytes) for each in trace.launches]
                warps_us, half, limiter, clock = _timed(launches, gpu, code, warm=case.caches.warm)
        launch = launch_cycles(gpu, clock, work.launches)
        profiled = profiled_cycles(launch, clock, is_amd=gpu.is_amd)
        launch_us, profiled_us = launch / clock, profiled / clock
        low, high = warps_us * (1 - half), warps_us * (1 + half)
        basis = Basis(guessed_share=guessed, unknown_share=unknown)
        return Answer(
            warps_us + launch_us, warps_us + profiled_us, low + launch_us,
            high + launch_us, limiter, basis, {},
        )  # fmt: skip


def _with_local(launch: LaunchTrace, local_bytes: int | None) -> LaunchTrace:
    """With so much local memory of a thread block, where that is not what the source declares."""
    if local_bytes is None:
        return launch
    return replace(launch, launch=replace(launch.launch, local_bytes=local_bytes))


def _timed(
    launches: Sequence[LaunchTrace], gpu: GpuDescription, code: CompilerCode | None, *, warm: bool
) -> tuple[float, float, str, float]:
    """Microseconds of a launch without its overhead, half of the sample's interval over it, what
    most cycles go to beside issue, and the clock."""
    from kcc.sim.cycle.compiled import compiled_launch
    from kcc.sim.cycle.launch import CycleSimulator
    from kcc.sim.sampling.block_profile import profile_launch
    from kcc.sim.sampling.stratified import sample_stratified

    known = gpu.launch_overhead_cycles
    overhead = EMPTY_KERNEL_CYCLES if known is None else float(known.value)
    profiles = [profile_launch(each) for each in launches]
    instructions = sum(int(profile.warp_instructions.sum()) for profile in profiles)
    if not warm or instructions > WARMED:
        found = sample_stratified(launches, profiles, gpu, code=code)
        warps_us = (found.cycles - overhead) / found.clock_mhz
        half = (found.half_width or 0.0) / max(found.cycles, 1.0)
        return warps_us, half, "", found.clock_mhz
    simulator, timing = CycleSimulator(gpu, code=code), None
    for _ in range(2):
        for each in launches:
            compiled = compiled_launch(each, gpu, code)
            simulation = simulator.begin(compiled.tables, compiled.launch)
            for batch in compiled.batches():
                simulation.feed(batch)
            timing = simulation.finish()
    assert timing is not None
    most = max((p for p in timing.stack if not p.is_launch), key=lambda part: part.cycles)
    return (timing.cycles - overhead) / timing.clock_mhz, 0.0, most.name, timing.clock_mhz
