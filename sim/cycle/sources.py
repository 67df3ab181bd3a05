"""What can be simulated: trace files of kcc, lists of Accel-Sim kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from kcc.base.diagnostics import Diagnostic
from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.reader import open_trace
from kcc.sim.accelsim.reader import SassKernel, batches_of, read_kernel, read_list
from kcc.sim.cycle.accelsim import launch_of_sass, program_of_sass, tables_of_sass
from kcc.sim.cycle.compiled import compiled_launch
from kcc.sim.cycle.launch import CycleSimulator, LaunchSimulation, launch_machine
from kcc.sim.result import Timing

Watcher = Callable[[LaunchSimulation], None]
"""Called after each batch."""


def no_watcher(_: LaunchSimulation) -> None:
    """Looks at nothing."""


def simulate_trace(  # noqa: PLR0913 -- what a command line says
    path: str,
    gpu: GpuDescription,
    *,
    kernels: Sequence[str] = (),
    launches: Sequence[range] = (),
    registers: dict[str, int] | None = None,
    timeline: int = 0,
    cold: bool = False,
    watch: Watcher = no_watcher,
) -> Iterator[Timing]:
    """The launches of a trace file, in order; all or those named. ``cold``: each begins with an
    empty L2. Raises K76x for a file that is no good trace and what :meth:`CycleSimulator.begin`
    does."""
    simulator = CycleSimulator(gpu, registers, timeline=timeline)
    with open_trace(path) as trace:
        for launch in trace.launches:
            number = launch.launch.number
            if kernels and launch.tables.kernel not in kernels:
                continue
            if launches and not any(number in chosen for chosen in launches):
                continue
            if cold:
                simulator.memory = None
            compiled = compiled_launch(launch, gpu)
            simulation = simulator.begin(compiled.tables, compiled.launch)
            for batch in compiled.batches():
                simulation.feed(batch)
                watch(simulation)
            yield simulation.finish()


def simulate_list(  # noqa: PLR0913 -- as above
    path: str,
    gpu: GpuDescription,
    *,
    kernels: Sequence[str] = (),
    launches: Sequence[range] = (),
    timeline: int = 0,
    cold: bool = False,
    watch: Watcher = no_watcher,
    warn: Callable[[Diagnostic], None] = lambda _: None,
) -> Iterator[Timing]:
    """The kernels of an Accel-Sim kernelslist.g, in order. Raises K001 and K873; K874 for opcodes
    that are not known goes to ``warn``."""
    simulator = CycleSimulator(gpu, timeline=timeline)
    for number, file in enumerate(read_list(Path(path))):
        if launches and not any(number in chosen for chosen in launches):
            continue
        kernel = read_kernel(file, number)
        if kernels and kernel.name not in kernels:
            continue
        if kernel.unknown:
            warn(_unknown(kernel))
        if cold:
            simulator.memory = None
        tables, launch = tables_of_sass(kernel), launch_of_sass(kernel)
        machine = launch_machine(gpu, tables, launch, {kernel.name: kernel.registers})
        program = program_of_sass(kernel, machine)
        simulation = simulator.begin_program(tables, launch, machine, program)
        for batch in batches_of(kernel):
            simulation.feed(batch)
            watch(simulation)
        yield simulation.finish()


def _unknown(kernel: SassKernel) -> Diagnostic:
    times = ", ".join(f"{name} ({count:,})" for name, count in sorted(kernel.unknown.items()))
    message = f"{kernel.path}: opcodes that are not known count as integer operations: {times}"
    return Diagnostic("K874", message)
