"""What can be simulated: trace files of kcc, lists of Accel-Sim kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from kcc.base.diagnostics import Diagnostic
from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.reader import open_trace
from kcc.sim.accelsim.files import Warn, no_warning, read_list
from kcc.sim.accelsim.reader import SassKernel, batches_of, read_kernel
from kcc.sim.cycle.accelsim import launch_of_sass, program_of_sass, tables_of_sass
from kcc.sim.cycle.compiled import CompilerCode, compiled_launch
from kcc.sim.cycle.launch import CycleSimulator, LaunchSimulation, launch_machine
from kcc.sim.result import Timing

Watcher = Callable[[LaunchSimulation], None]
"""Called when a launch begins, its kernel read and lowered, and after each batch."""


def no_watcher(_: LaunchSimulation) -> None:
    """Looks at nothing."""


class Keeper(Protocol):
    """Remembers launches, so that an interrupted simulation can go on."""

    def begin(self, simulator: CycleSimulator) -> int:
        """Bring the simulator to where it was; gives how many of the launches are done."""
        ...

    def ended(self, timing: Timing, simulator: CycleSimulator) -> None:
        """One launch more."""
        ...


def simulate_trace(  # noqa: PLR0913 -- what a command line says
    path: str,
    gpu: GpuDescription,
    *,
    kernels: Sequence[str] = (),
    launches: Sequence[range] = (),
    registers: dict[str, int] | None = None,
    timeline: int = 0,
    cold: bool = False,
    code: CompilerCode | None = None,
    watch: Watcher = no_watcher,
    keeper: Keeper | None = None,
) -> Iterator[Timing]:
    """The launches of a trace file, in order; all or those named, without those that ``keeper``
    has. ``cold``: each begins with an empty L2. ``code``: a compiler's, where it is not kcc's own.
    Raises K76x for a file that is no good trace and
    what :meth:`CycleSimulator.begin` does."""
    simulator = CycleSimulator(gpu, registers, timeline=timeline, code=code)
    done = keeper.begin(simulator) if keeper else 0
    with open_trace(path) as trace:
        for launch in trace.launches:
            number = launch.launch.number
            if kernels and launch.tables.kernel not in kernels:
                continue
            if launches and not any(number in chosen for chosen in launches):
                continue
            done -= 1
            if done >= 0:
                continue
            if cold:
                simulator.memory = None
            compiled = compiled_launch(launch, gpu, code)
            simulation = simulator.begin(compiled.tables, compiled.launch)
            watch(simulation)
            for batch in compiled.batches():
                simulation.feed(batch)
                watch(simulation)
            timing = simulation.finish()
            if keeper:
                keeper.ended(timing, simulator)
            yield timing


def simulate_list(  # noqa: PLR0913 -- as above
    path: str,
    gpu: GpuDescription,
    *,
    kernels: Sequence[str] = (),
    launches: Sequence[range] = (),
    timeline: int = 0,
    cold: bool = False,
    watch: Watcher = no_watcher,
    warn: Warn = no_warning,
) -> Iterator[Timing]:
    """The kernels of an Accel-Sim kernelslist.g, in order. Raises K001, K873 and K897; what goes
    through all the same is said to ``warn`` (K874, K878, K879, K880)."""
    simulator = CycleSimulator(gpu, timeline=timeline)
    for number, file in enumerate(read_list(Path(path), warn)):
        if launches and not any(number in chosen for chosen in launches):
            continue
        kernel = read_kernel(file, number)
        if kernels and kernel.name not in kernels:
            continue
        for remark in _remarks(kernel, gpu):
            warn(remark)
        if cold:
            simulator.memory = None
        tables, launch = tables_of_sass(kernel), launch_of_sass(kernel)
        machine = launch_machine(gpu, tables, launch, {kernel.name: kernel.registers})
        program = program_of_sass(kernel, machine)
        simulation = simulator.begin_program(tables, launch, machine, program)
        watch(simulation)
        for batch in batches_of(kernel):
            simulation.feed(batch)
            watch(simulation)
        yield simulation.finish()


def _remarks(kernel: SassKernel, gpu: GpuDescription) -> Iterator[Diagnostic]:
    """What of a kernel is simulated otherwise than it was traced."""
    if kernel.unknown:
        times = ", ".join(f"{name} ({count:,})" for name, count in sorted(kernel.unknown.items()))
        message = f"{kernel.path}: opcodes that are not known count as integer operations: {times}"
        yield Diagnostic("K874", message)
    own = gpu.compute_capability.value.replace(".", "") if gpu.compute_capability else ""
    if own.isdecimal() and kernel.binary_version > int(own):
        message = (
            f"{kernel.path}: code for sm_{kernel.binary_version} on {gpu.stem}, an sm_{own}: its "
            "instructions take what they take there"
        )
        yield Diagnostic("K879", message)
    warps, block, warp = kernel.unended
    if warps:
        message = (
            f"{kernel.path}: {warps:,} warps have lanes that come to no EXIT, first warp {warp} of "
            f"the file's thread block {block:,}: each ends with its last instruction"
        )
        yield Diagnostic("K880", message)
