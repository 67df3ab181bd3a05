"""A script's launches as a trace, for the commands that model what a script does."""

from __future__ import annotations

import argparse
from pathlib import Path

from kcc.commands.hosts import run_host
from kcc.commands.sources import SourceLines


def trace_script(
    arguments: argparse.Namespace, sources: SourceLines, target: Path, *, quiet: bool
) -> dict[str, int]:
    """Trace the script's launches; gives the registers that their kernels need, by estimate."""
    from kcc.base.trace.writer import TraceWriter
    from kcc.passes.registers.counts import estimate_registers
    from kcc.stages.host import HostLaunch
    from kcc.stages.tracing import Tracer, header_of
    from kcc.tracegen.workers import TraceCallback

    registers = dict[str, int]()

    class RegisterTracer(Tracer):
        """Notes registers beside."""

        def before(self, launch: HostLaunch) -> TraceCallback | None:
            callback = super().before(launch)
            if callback is not None and launch.kernel.name not in registers:
                estimate = estimate_registers(launch.kernel.function)
                registers[launch.kernel.name] = estimate.count
            return callback

    with TraceWriter(target, header_of(arguments.script)) as writer:
        tracer = RegisterTracer(writer, kernels=arguments.kernels, launches=arguments.launches)
        run_host(arguments, sources, tracer, quiet=quiet)
        tracer.finish()
    return registers
