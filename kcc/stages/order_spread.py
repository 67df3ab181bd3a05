"""By how much what DRAM moves depends on the order of warps: the memory model's word to an estimate
of a kernel's source (`kcc estimate --cache-trials`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kcc.base.diagnostics import DiagnosticError
from kcc.base.scratch import scratch_folder

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.sim.caches.options import CacheOptions
    from kcc.stages.analyze import AnalysisRequest


def order_spread(
    request: AnalysisRequest, gpu: GpuDescription, analysis: CacheOptions, registers: int | None
) -> float:
    """The standard deviation of the sectors that DRAM moves over orders of warps
    (:mod:`kcc.sim.memory`), as a share of them; 0 where the kernel asked for cannot be traced
    without a run, or not be on this GPU."""
    from kcc.sim.memory.offer import dram_deviation
    from kcc.sim.memory.runs import Options, memory_of_trace
    from kcc.sim.memory.trials import Plan
    from kcc.stages.static_tracing import trace_source

    (kernel,) = request.kernels
    known = {} if registers is None else {kernel: registers}
    options = Options(Plan(analysis.trials, seed=analysis.seed), cold=not analysis.warm)
    with scratch_folder() as folder:
        trace = folder / "trace.kct"
        try:
            trace_source(request, trace)
            found = list(memory_of_trace(str(trace), gpu, options, registers=known))
        except DiagnosticError:
            return 0.0
    return max(map(dram_deviation, found), default=0.0)
