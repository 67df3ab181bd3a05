"""A script's launches as a trace, for the commands that model what a script does."""

from __future__ import annotations

import argparse
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kcc.base.records import dataclass
from kcc.base.scratch import scratch_folder
from kcc.commands.hosts import check_script, run_host
from kcc.commands.sources import SourceLines

IMPOSSIBLE = ("K805", "K807", "K871", "K877")
"""What is wrong with a GPU, not with the launches: values that contradict each other or are not
known, a thread block that does not fit, warps of another size."""


@dataclass(frozen=True, slots=True)
class Launches:
    """A trace file or list, and which of its launches are meant (all for none); ``registers`` of a
    work-item by kernel, where they are known."""

    path: str
    registers: Mapping[str, int]
    kernels: tuple[str, ...] = ()
    numbers: tuple[range, ...] = ()


@contextmanager
def launches_of(
    arguments: argparse.Namespace, sources: SourceLines, *, quiet: bool
) -> Generator[Launches, None, None]:
    """The launches of the trace or list that is named, or of the script, which is traced."""
    path, chosen = arguments.script, (tuple(arguments.kernels), tuple(arguments.launches))
    if path.endswith((".kct", ".g")):
        yield Launches(path, {}, *chosen)
        return
    check_script(arguments)
    with scratch_folder() as folder:
        trace = folder / "trace.kct"
        registers = trace_script(arguments, sources, trace, quiet=quiet)
        yield Launches(str(trace), registers, *chosen)


def add_traced_sources(path: str, sources: SourceLines) -> None:
    """Add the texts that a trace keeps of its kernels' sources."""
    from kcc.base.trace.reader import open_trace

    if not path.endswith(".kct"):
        return
    with open_trace(path) as trace:
        for tables in trace.tables:
            for name, text in zip(tables.files, tables.texts, strict=True):
                if text:
                    sources.add(name, text)


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
