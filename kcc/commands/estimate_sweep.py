"""Runs the configurations of `kcc estimate`: in this process or in several, with a journal."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import kcc
from kcc.base.diagnostics import DiagnosticError
from kcc.base.records import dataclass
from kcc.commands.console import is_terminal
from kcc.commands.engine import engine
from kcc.commands.journal import Done, Journal, Sweep
from kcc.commands.stages import StageRunner
from kcc.report.estimate.record import EstimateRecord, record_of, refused
from kcc.stages.estimate import (
    Configuration,
    PreparedKernel,
    Question,
    Workshop,
    asked_configuration,
)

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.stages.analyze import AnalysisRequest

P = TypeVar("P", bound="_Prepared")

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
class Piece:
    """A task with all that is needed for it: the request's ``place`` among all, GPUs with theirs,
    whether there is no other request, and whether there is more than one configuration."""

    place: int
    request: AnalysisRequest
    gpus: tuple[tuple[int, GpuDescription], ...]
    only_request: bool
    is_sweep: bool


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

    def piece(self, task: Task) -> Piece:
        """A task as one does it who does not have the plan."""
        gpus = tuple(enumerate(self.gpus))[task.first : task.end]
        request = self.requests[task.request]
        only = len(self.requests) == 1
        return Piece(task.request, request, gpus, only, self.is_sweep)

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


class _Prepared(Protocol):
    """A kernel in one launch, ready for any GPU."""

    @property
    def configuration(self) -> Configuration: ...


class Maker(Protocol[P]):
    """Prepares kernels and makes records of them, by some model."""

    def prepare(self, request: AnalysisRequest) -> Sequence[P]: ...

    @property
    def left_out(self) -> Sequence[tuple[Configuration, DiagnosticError]]:
        """Kernels that were not prepared, and why."""
        ...

    def record(self, prepared: P, gpu: GpuDescription) -> EstimateRecord: ...


class SourceMaker:
    """Models that look at a kernel's source."""

    def __init__(self, question: Question, stage: StageRunner) -> None:
        ahead = question.codes.values() if len(question.codes) <= GPUS_PER_TASK else ()
        self.question, self.workshop = question, Workshop(stage, ahead)

    def prepare(self, request: AnalysisRequest) -> Sequence[PreparedKernel]:
        """The kernels that are asked for; raises :class:`DiagnosticError`."""
        return self.workshop.prepare(request)

    @property
    def left_out(self) -> Sequence[tuple[Configuration, DiagnosticError]]:
        """Kernels that the host of the source launches with sizes that are not known."""
        return self.workshop.left_out

    def record(self, prepared: PreparedKernel, gpu: GpuDescription) -> EstimateRecord:
        """The estimate of one; raises :class:`DiagnosticError`."""
        return record_of(self.workshop.estimate(prepared, gpu, self.question))


def make_maker(question: Question, scratch: Path, stage: StageRunner) -> Maker[Any]:
    """``scratch`` is a folder for what is kept between the estimates of a launch."""
    if question.model == "interval":
        from kcc.commands.estimate_interval import IntervalWorkshop

        return IntervalWorkshop(scratch, stage, question.launches, question.codes)
    return SourceMaker(question, stage)


def run_plan(
    plan: Plan, jobs: int, stage: StageRunner, journal: Journal[Sweep] | None,
    cluster: str | None = None,
) -> list[EstimateRecord]:  # fmt: skip
    """The records of all configurations, in the order of requests, kernels and GPUs; made by
    ``jobs`` processes, or by the workers of a Dask ``cluster``.

    :raises DiagnosticError: where all of a plan is refused for the same reason: its first request
        cannot be compiled and is the only one, or there is one configuration.
    """
    done = dict(journal.done) if journal else {}
    tasks = [(number, task) for number, task in enumerate(plan.tasks) if number not in done]
    jobs, cluster = (min(jobs, len(tasks)), cluster) if tasks else (1, None)
    with (
        engine(EstimateWork(plan.question), jobs, stage, cluster) as run,
        _progress(len(plan.tasks), len(done), plan.is_sweep) as advance,
    ):
        for number, found in run([(number, plan.piece(task)) for number, task in tasks]):
            if journal:
                journal.add(number, found)
            done[number] = found
            advance()
    every = [each for number in sorted(done) for each in done[number]]
    return [record for _, record in sorted(every, key=lambda each: each[0])]


@dataclass(frozen=True, slots=True)
class EstimateWork:
    """The records of requests on GPUs, of which a piece is some."""

    question: Question

    @property
    def name(self) -> str:
        """By what is asked."""
        return repr(self.question)

    def tool(
        self, scratch: Path, stage: StageRunner, _: ExitStack
    ) -> Callable[[Piece], tuple[Done, ...]]:
        """What makes records; what the last piece compiled is kept."""
        maker = make_maker(self.question, scratch, stage)
        return lambda piece: tuple(_run(piece, maker))


def _run(piece: Piece, maker: Maker[Any]) -> Iterator[Done]:
    try:
        kernels = maker.prepare(piece.request)
    except DiagnosticError as error:
        if piece.only_request:
            raise
        place = asked_configuration(piece.request)
        for number, gpu in piece.gpus:
            yield (piece.place, 0, number), refused(place, gpu.stem, reason_of(error))
        return
    for index, prepared in enumerate(kernels):
        for number, gpu in piece.gpus:
            yield (piece.place, index, number), _record(piece, prepared, gpu, maker)
    for index, (place, error) in enumerate(maker.left_out, start=len(kernels)):
        for number, gpu in piece.gpus:
            yield (piece.place, index, number), refused(place, gpu.stem, reason_of(error))


def _record(piece: Piece, prepared: P, gpu: GpuDescription, maker: Maker[P]) -> EstimateRecord:
    try:
        return maker.record(prepared, gpu)
    except DiagnosticError as error:
        if not piece.is_sweep:
            raise
        return refused(prepared.configuration, gpu.stem, reason_of(error))


def reason_of(error: DiagnosticError) -> str:
    """What is wrong with a configuration, in a line."""
    first = error.diagnostics[0]
    return f"{first.code}: {first.message}"


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
