"""Pieces of work done here, in several processes, or by the workers of a Dask cluster.

Whoever does them, results are the same; they come in the order in which they end.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

from kcc.base.diagnostics import DiagnosticError, InternalError
from kcc.base.records import dataclass
from kcc.base.scratch import scratch_folder
from kcc.commands.stages import StageRunner

Key = int | str
Tool = Callable[[Any], Any]
Run = Callable[[Sequence[tuple[Key, Any]]], Iterator[tuple[Key, Any]]]
"""Does pieces, each with the key that tells it from others, and gives what came of each.

:raises DiagnosticError: what a piece raised, K014 or K898 where those who do the work are gone.
"""


class Work(Protocol):
    """What pieces are pieces of; it goes from process to process."""

    @property
    def name(self) -> str:
        """Tells it from other work of the same kind."""
        ...

    def tool(self, scratch: Path, stage: StageRunner, held: ExitStack, /) -> Tool:
        """What does a piece, in the process that does it. ``scratch`` is a folder for what it
        keeps between pieces; what it opens is closed with ``held``."""
        ...


@dataclass(frozen=True, slots=True)
class Failure:
    """What a piece raised, in a form that goes from process to process."""

    error: DiagnosticError | None
    stage: str = ""
    detail: str = ""


def outcome_of(tool: Tool, piece: Any) -> Any:
    """What comes of a piece, or a :class:`Failure`."""
    try:
        return tool(piece)
    except DiagnosticError as error:
        return Failure(error)
    except InternalError as error:
        return Failure(None, error.stage, error.detail)


def result_of(outcome: Any) -> Any:
    """What came of a piece; raises what it raised."""
    if isinstance(outcome, Failure):
        raise outcome.error or InternalError(outcome.stage, outcome.detail)
    return outcome


@contextmanager
def engine(work: Work, jobs: int, stage: StageRunner, cluster: str | None = None) -> Generator[Run]:
    """What does pieces of ``work``: this process (``jobs`` 1), so many processes, or the workers of
    a Dask ``cluster``, as :func:`kcc.commands.cluster.cluster_of` names it."""
    if cluster is not None:
        from kcc.commands.cluster import on_cluster

        with on_cluster(work, cluster, jobs) as run:
            yield run
        return
    with scratch_folder("work-") as scratch, ExitStack() as held:
        if jobs == 1:
            tool = work.tool(scratch, stage, held)
            yield lambda pieces: ((key, tool(piece)) for key, piece in pieces)
            return
        from kcc.commands.workers import workers

        with workers(jobs, "spawn", _begin, (work, scratch)) as pool:
            yield lambda pieces: _done_by(pool, pieces)


def _done_by(pool: Any, pieces: Sequence[tuple[Key, Any]]) -> Iterator[tuple[Key, Any]]:
    """New processes are started afresh, not forked: compiled code and its threads do not survive a
    fork."""
    from concurrent.futures import as_completed

    from kcc.commands.workers import submit

    for future in as_completed(submit(pool, _one, pieces)):
        key, outcome = future.result()
        yield key, result_of(outcome)


_tools = list[Tool]()
"""Of a process that shares the work: the one that does it."""


def _begin(work: Work, scratch: Path) -> None:
    """Make a process ready."""
    _tools.append(work.tool(scratch, StageRunner(), ExitStack()))


def _one(key: Key, piece: Any) -> tuple[Key, Any]:
    return key, outcome_of(_tools[-1], piece)
