"""Runs the configurations of `kcc estimate`: in this process or in several, with a journal."""

from __future__ import annotations

import hashlib
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import kcc
from kcc.commands.console import is_terminal
from kcc.commands.journal import Done, Journal
from kcc.commands.stages import StageRunner
from kcc.diagnostics import DiagnosticError, InternalError
from kcc.estimating import PreparedKernel, Question, Workshop, asked_configuration
from kcc.report.estimate_record import EstimateRecord, record_of, refused

if TYPE_CHECKING:
    from kcc.gpu.description import GpuDescription
    from kcc.pipeline import AnalysisRequest

GPUS_PER_TASK = 8
"""So that a single kernel on all GPUs keeps several processes busy; the same for any number of
processes, since a journal counts tasks."""


@dataclass(frozen=True, slots=True)
class Task:
    """A request, and the GPUs from ``first`` on to before ``end``."""

    request: int
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is to be estimated: each request on each GPU."""

    requests: tuple[AnalysisRequest, ...]
    gpus: tuple[GpuDescription, ...]
    question: Question

    @property
    def tasks(self) -> tuple[Task, ...]:
        """What is done in one piece."""
        count = len(self.gpus)
        return tuple(
            Task(request, first, min(first + GPUS_PER_TASK, count))
            for request in range(len(self.requests))
            for first in range(0, count, GPUS_PER_TASK)
        )

    @property
    def is_sweep(self) -> bool:
        """Whether there is more than one configuration: then one that fails has a reason in the
        results and the others go on."""
        return len(self.requests) * len(self.gpus) > 1

    @property
    def digest(self) -> str:
        """Tells sweeps apart; files that the source includes are not looked into."""
        parts = (kcc.__version__, self.requests, self.gpus, self.question)
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def run_plan(
    plan: Plan, jobs: int, stage: StageRunner, journal: Journal | None
) -> list[EstimateRecord]:
    """The records of all configurations, in the order of requests, kernels and GPUs.

    :raises DiagnosticError: where all of a plan is refused for the same reason: its first request
        cannot be compiled and is the only one, or there is one configuration.
    """
    done = dict(journal.done) if journal else {}
    tasks = [(number, task) for number, task in enumerate(plan.tasks) if number not in done]
    results = (
        _here(plan, tasks, stage) if jobs == 1 or len(tasks) == 1 else _apart(plan, tasks, jobs)
    )
    with _progress(len(plan.tasks), len(done), plan.is_sweep) as advance:
        for number, found in results:
            if journal:
                journal.add(number, found)
            done[number] = found
            advance()
    every = [each for number in sorted(done) for each in done[number]]
    return [record for _, record in sorted(every, key=lambda each: each[0])]


def _here(
    plan: Plan, tasks: Iterable[tuple[int, Task]], stage: StageRunner
) -> Iterator[tuple[int, tuple[Done, ...]]]:
    workshop = Workshop(stage)
    for number, task in tasks:
        yield number, tuple(_run(plan, task, workshop))


def _run(plan: Plan, task: Task, workshop: Workshop) -> Iterator[Done]:
    request = plan.requests[task.request]
    gpus = list(enumerate(plan.gpus))[task.first : task.end]
    try:
        kernels = workshop.prepare(request)
    except DiagnosticError as error:
        if len(plan.requests) == 1:
            raise
        place = asked_configuration(request)
        for number, gpu in gpus:
            yield (task.request, 0, number), refused(place, gpu.stem, reason_of(error))
        return
    for index, prepared in enumerate(kernels):
        for number, gpu in gpus:
            yield (task.request, index, number), _record(plan, prepared, gpu, workshop)


def _record(
    plan: Plan, prepared: PreparedKernel, gpu: GpuDescription, workshop: Workshop
) -> EstimateRecord:
    try:
        return record_of(workshop.estimate(prepared, gpu, plan.question))
    except DiagnosticError as error:
        if not plan.is_sweep:
            raise
        return refused(prepared.configuration, gpu.stem, reason_of(error))


def reason_of(error: DiagnosticError) -> str:
    """What is wrong with a configuration, in a line."""
    first = error.diagnostics[0]
    return f"{first.code}: {first.message}"


# processes


@dataclass(frozen=True, slots=True)
class _Failure:
    """What a task raised, in a form that goes from process to process."""

    error: DiagnosticError | None
    stage: str = ""
    detail: str = ""


_plan: Plan | None = None
_workshop: Workshop | None = None


def _begin(plan: Plan) -> None:
    """Make a process ready; an interrupt from the keyboard is for the first process alone."""
    global _plan, _workshop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _plan, _workshop = plan, Workshop(StageRunner())


def _one(number: int, task: Task) -> tuple[int, tuple[Done, ...] | _Failure]:
    assert _plan is not None
    assert _workshop is not None
    try:
        return number, tuple(_run(_plan, task, _workshop))
    except DiagnosticError as error:
        return number, _Failure(error)
    except InternalError as error:
        return number, _Failure(None, error.stage, error.detail)


def _apart(
    plan: Plan, tasks: Sequence[tuple[int, Task]], jobs: int
) -> Iterator[tuple[int, tuple[Done, ...]]]:
    """Tasks run by several processes, in the order in which they end. New processes are started
    afresh, not forked: compiled code and its threads do not survive a fork."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), context, _begin, (plan,))
    try:
        for future in as_completed([pool.submit(_one, *each) for each in tasks]):
            number, found = future.result()
            if isinstance(found, _Failure):
                raise found.error or InternalError(found.stage, found.detail)
            yield number, found
    except BrokenProcessPool as error:
        raise InternalError("processes", "a process of the sweep ended by itself") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


# progress


def _progress(total: int, done: int, is_sweep: bool) -> AbstractContextManager[Callable[[], None]]:
    if is_sweep and total > 1 and is_terminal(sys.stderr):
        return _bar(total, done)
    return nullcontext(lambda: None)


@contextmanager
def _bar(total: int, done: int) -> Generator[Callable[[], None]]:
    """A bar with the rate and the time left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import (
        Task as Row,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Row) -> Text:
            return Text(f"{task.finished_speed or task.speed or 0:.1f}/s")

    shown = (TextColumn("estimates"), BarColumn(), MofNCompleteColumn(), Rate(),
             TimeRemainingColumn())  # fmt: skip
    with Progress(*shown, console=Console(stderr=True), transient=True) as progress:
        row = progress.add_task("", total=total, completed=done)
        yield lambda: progress.advance(row)
