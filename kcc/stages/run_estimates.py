"""Estimates of the launches of a host script: the warp pipeline of :mod:`kcc.stages.estimate`, with
branches, loops and scattered accesses as they were counted in the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.needs import GpuReader
from kcc.base.profile.model import LaunchProfile
from kcc.base.records import dataclass
from kcc.frontend.ir.types import FloatTy, IntTy, VecTy, size_bytes
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.passes.facts import Facts
from kcc.passes.registers.counts import estimate_registers
from kcc.passes.symbolic.ranges import ArgumentValue, Known
from kcc.sim.cycle.launch import check_warps
from kcc.sim.estimate.facts import estimate_facts
from kcc.sim.estimate.model import estimate
from kcc.sim.estimate.options import EVERYTHING
from kcc.sim.estimate.result import Estimate
from kcc.sim.estimate.subject import Subject, subject_of
from kcc.sim.estimate.timing import timing_of
from kcc.sim.flow.executed_flow import Executed
from kcc.sim.machine.launch_overhead import EMPTY_KERNEL_CYCLES
from kcc.sim.machine.pipeline_columns import machine_of
from kcc.sim.result import Timing
from kcc.stages.host import HostLaunch
from kcc.stages.profile import Profiler
from kcc.tracegen.execute import Execution, bytes_of
from kcc.tracegen.simt.plan import only_read
from kcc.tracegen.workers import TraceCallback


@dataclass(frozen=True, slots=True)
class Ran:
    """A launch that ran: its kernel, with the blocks that the profile speaks of."""

    unit: CompiledUnit
    kernel: Kernel
    known: Known
    instructions: tuple[int, ...]
    """Of the profile's accesses."""
    profile: LaunchProfile

    @property
    def key(self) -> tuple[Kernel, str]:
        """What the kernel and the numbers that it was launched with are."""
        return self.kernel, repr(self.known)


class LaunchRecorder(Profiler):
    """An observer of a run that keeps what estimates of its launches need; ``launches`` chooses
    some by their number (all, if there are none)."""

    def __init__(self, kernels: Sequence[str] = (), launches: Sequence[range] = ()) -> None:
        super().__init__(kernels)
        self.numbers, self.ran = tuple(launches), list[Ran]()
        self._kernels = dict[Kernel, Kernel]()

    def before(self, launch: HostLaunch) -> TraceCallback | None:
        if self.numbers and not any(launch.number in chosen for chosen in self.numbers):
            return None
        return super().before(launch)

    def after(self, launch: HostLaunch, execution: Execution) -> None:
        collector = self._collector
        super().after(launch, execution)
        if collector is not None:
            self.ran.append(Ran(
                launch.unit, self._as_executed(launch), _known(launch),
                tuple(access.instruction for access in collector.tables.accesses),
                self.launches[-1],
            ))  # fmt: skip

    def _as_executed(self, launch: HostLaunch) -> Kernel:
        """The kernel with the blocks that ran: the same one for all its launches."""
        function = launch.prepared.plan.function
        kept = self._kernels.get(launch.kernel)
        if kept is None or kept.function is not function:
            kept = replace(launch.kernel, function=function)
            self._kernels[launch.kernel] = kept
        return kept


def _known(launch: HostLaunch) -> Known:
    """What the passes may take for granted: sizes, arguments that are numbers or vectors, and
    structs that the kernel only reads."""
    prepared, values = launch.prepared, dict[int, ArgumentValue]()
    image, structures = prepared.argument_image.tobytes(), dict[int, bytes]()
    read = only_read(prepared.plan.function)
    for index, argument in enumerate(prepared.plan.function.arguments):
        if isinstance(argument.type, IntTy | FloatTy | VecTy):
            found = _numbers(image, prepared.plan.argument_offsets[index], argument.type)
            values[index] = found if isinstance(argument.type, VecTy) else found[0]
        elif argument.attributes.byval is not None and index in read:
            structures[index] = bytes_of(prepared.arguments[index])
    shape = prepared.launch
    x, y, z = (*shape.offset, 0, 0, 0)[:3]
    return Known(
        tuple(shape.global_size), tuple(shape.local_size), values, (x, y, z), structures,
        warp=launch.prepared.options.width,
    )  # fmt: skip


def _numbers(data: bytes, place: int, type_: IntTy | FloatTy | VecTy) -> tuple[int | float, ...]:
    """The number or the numbers of a vector that stand at a place."""
    lanes, element = (type_.lanes, type_.element) if isinstance(type_, VecTy) else (1, type_)
    kind = "f" if isinstance(element, FloatTy) else "i"
    numbers = np.frombuffer(data, f"<{kind}{size_bytes(element)}", lanes, place)
    return tuple(numbers.tolist())


class LaunchEstimator:
    """Estimates launches that ran, on any GPU. What is found of a kernel is kept for its next
    launch, and of a launch for the next GPU."""

    def __init__(self, ran: Sequence[Ran]) -> None:
        self.ran = ran
        self._facts = dict[tuple[Kernel, str], Facts]()
        self._registers = dict[Kernel, int]()
        self._subjects: list[Subject | None] = [None] * len(ran)

    def on(
        self, gpu: GpuDescription, done: Callable[[int], None], *, cold: bool = False
    ) -> list[Timing]:
        """The launches on a GPU, in order; ``done`` is told how many are. L2 begins with what an
        earlier launch of the same kernel and arguments has left, unless each is to begin ``cold``.

        :raises DiagnosticError: K807 for a value of the GPU that is needed and not known, K871
            where no thread block fits, K875 where there is no launch.
        """
        if not self.ran:
            message = "no launch is there, or none that is asked for"
            raise DiagnosticError([Diagnostic("K875", message)])
        found, before = list[Timing](), set[tuple[Kernel, str]]()
        for number, ran in enumerate(self.ran):
            warm = ran.key in before and not cold
            before.add(ran.key)
            result = self.estimated(number, gpu, warm=warm)
            if result.invalid:
                message = f"'{ran.kernel.name}': {result.invalid}"
                raise DiagnosticError([Diagnostic("K871", message)])
            machine, launch = machine_of(GpuReader(gpu)), gpu.launch_overhead_cycles
            cycles = EMPTY_KERNEL_CYCLES if launch is None else float(launch.value)
            found.append(timing_of(self.subject(number), result, machine, ran.profile, cycles))
            done(number + 1)
        return found

    def estimated(self, number: int, gpu: GpuDescription, *, warm: bool = False) -> Estimate:
        """A launch on a GPU. Raises :class:`DiagnosticError` K807."""
        ran = self.ran[number]
        check_warps(gpu, ran.kernel.name, ran.known.warp)
        caches = replace(EVERYTHING.analysis, warm=warm)
        subject = self.subject(number)
        return estimate(subject, GpuReader(gpu), replace(EVERYTHING, analysis=caches))

    def subject(self, number: int) -> Subject:
        """A launch, looked at for all GPUs."""
        kept = self._subjects[number]
        if kept is not None:
            return kept
        ran = self.ran[number]
        kernel, key = ran.kernel, ran.key
        if key not in self._facts:
            self._facts[key] = estimate_facts(kernel, ran.unit.module, ran.known, {}, {})
        if kernel not in self._registers:
            self._registers[kernel] = estimate_registers(kernel.function).count
        executed = Executed(ran.profile, ran.instructions)
        found = subject_of(
            kernel, self._facts[key], self._registers[kernel], ran.profile.local_bytes, executed
        )
        self._subjects[number] = found
        return found
