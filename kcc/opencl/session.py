"""What host programs of one run share: settings, device memory, observer, what was launched.

A :class:`Session` is made by whoever runs a script (:mod:`kcc.stages.host`). A program that imports
kcc.opencl by itself gets one with the defaults of :func:`plain_session`; that function alone looks
at the environment.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

from kcc.base.cache_folder import user_cache_dir
from kcc.base.diagnostics import Diagnostic
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.tracegen import execute
from kcc.tracegen.block_races import BlockRaces
from kcc.tracegen.device_memory import DeviceMemory
from kcc.tracegen.execute import (
    DEFAULT_BUDGET,
    Execution,
    ExecutionOptions,
    KernelArgument,
    NDRange,
    PreparedLaunch,
)
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.workers import TraceCallback


@dataclass(frozen=True, slots=True)
class HostSettings:
    """How kernels are run: see :class:`kcc.tracegen.execute.ExecutionOptions`. ``clock`` gives
    the CPU seconds that rows of launches show; without it they are 0."""

    workers: int = 1
    cache_dir: Path | None = None
    width: int = 32
    budget: int = DEFAULT_BUDGET
    races: bool = False
    check: bool = False
    """Programs are not optimised, and every value is watched."""
    unwritten: bool = False
    """Whether local and private memory may be read that was never written."""
    redirect: bool = True
    """Whether ``import pyopencl`` gives kcc.opencl."""
    clock: Callable[[], float] = lambda: 0.0


@dataclass(frozen=True, slots=True)
class HostLaunch:
    """A launch about to run, or done: ``number`` counts from 0 through the run; geometry and
    arguments stand in ``prepared``."""

    number: int
    unit: CompiledUnit
    kernel: Kernel
    prepared: PreparedLaunch


class Observer(Protocol):
    """Looks at every launch of a run."""

    @property
    def trace(self) -> TraceMode:
        """What it wants traced."""
        ...

    def before(self, launch: HostLaunch) -> TraceCallback | None:
        """Called before a launch; gives what takes its trace."""
        ...

    def after(self, launch: HostLaunch, execution: Execution) -> None:
        """Called when the launch is done."""
        ...


@dataclass(frozen=True, slots=True)
class LaunchRow:
    """What one launch did."""

    number: int
    kernel: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    warp_instructions: int
    thread_instructions: int
    cpu_seconds: float


def _print(text: str) -> None:
    """To standard output, whatever that is by then."""
    sys.stdout.write(text)


@dataclass
class Session:
    """The state of a run. ``folder`` is where the sources of programs are looked for by their
    text, so that messages can name the file; ``write`` takes what kernels print."""

    settings: HostSettings = field(default_factory=HostSettings)
    observer: Observer | None = None
    folder: Path | None = None
    write: Callable[[str], object] = _print
    launches: list[LaunchRow] = field(default_factory=list[LaunchRow])
    sources: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """The lines of every source compiled, by the name messages use."""
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    """What of kernels is found while they are traced: races between thread blocks."""
    looked_at: set[Kernel] = field(default_factory=set[Kernel])
    """Kernels whose races were looked for."""
    wheel: Path | None = None
    """Where PyOpenCL's own modules lie that run over kcc.opencl."""
    device_ns: int = 0
    """The device's clock: what events report."""

    @cached_property
    def memory(self) -> DeviceMemory:
        return DeviceMemory(watched=self.settings.check)

    def advance(self, ns: int) -> tuple[int, int]:
        """Let time pass on the device; gives when that began and ended."""
        start, self.device_ns = self.device_ns, self.device_ns + max(ns, 1)
        return start, self.device_ns


def run_launch(
    session: Session, unit: CompiledUnit, kernel: Kernel, shape: NDRange,
    arguments: Sequence[KernelArgument], *, unwritten: bool = False,
) -> Execution:  # fmt: skip
    """Run a launch as the session's settings ask, with its observer looking on, and add its row.
    Arrays of the session's memory are changed in place.

    ``unwritten``: local and private memory may be read that was never written. Raises
    :class:`DiagnosticError` as :func:`kcc.tracegen.execute.execute` does.
    """
    settings, observer = session.settings, session.observer
    options = ExecutionOptions(
        workers=settings.workers,
        width=settings.width,
        budget=settings.budget,
        trace=observer.trace if observer else TraceMode.OFF,
        cache_dir=settings.cache_dir,
        check=settings.check,
        unwritten=settings.unwritten or unwritten,
    )
    began = settings.clock()
    if settings.races:
        execute.look_for_races(unit, kernel, shape, arguments, options)
    prepared = execute.prepare(unit, kernel, shape, arguments, options, session.memory)
    launch = HostLaunch(len(session.launches), unit, kernel, prepared)
    races: BlockRaces | None = None
    if observer is not None:
        take = observer.before(launch)
        if take is not None and kernel not in session.looked_at and _at_once(prepared):
            session.looked_at.add(kernel)
            take = races = BlockRaces(prepared, take)
        prepared.options = replace(options, on_trace=take)
    execution = prepared.run()
    if races is not None and (found := races.finish()) is not None:
        session.warnings.append(found)
    session.launches.append(
        LaunchRow(
            launch.number,
            kernel.name,
            shape.global_size,
            shape.local_size,
            execution.warp_instructions,
            execution.thread_instructions,
            settings.clock() - began,
        )
    )
    if execution.printed:
        session.write("".join(execution.printed))
    if observer is not None:
        observer.after(launch, execution)
    return execution


def _at_once(prepared: PreparedLaunch) -> bool:
    """Whether a launch is traced with its addresses, and its thread blocks may run at once."""
    options = prepared.options
    traced = options.trace is TraceMode.ADDRESSES
    return traced and options.workers > 1 and prepared.program.order_free


class _Current:
    """The session that new contexts belong to."""

    session: Session | None = None


def current_session() -> Session:
    """The session of the run in progress, or one for plain Python."""
    if _Current.session is None:
        _Current.session = plain_session()
    return _Current.session


def use_session(session: Session | None) -> Session | None:
    """Make ``session`` the current one; gives the one before."""
    before, _Current.session = _Current.session, session
    return before


def plain_session() -> Session:
    """For a program that runs without kcc: one worker, the user's cache folder, sources looked for
    beside the program."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    folder = Path(main).resolve().parent if main else None
    return Session(HostSettings(cache_dir=user_cache_dir()), folder=folder)
