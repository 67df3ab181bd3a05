"""Work shared by the workers of Dask distributed: on this machine, or wherever a scheduler is.

Idle workers take work from busy ones; what a worker had that died is done by another. The workers'
Python has to have kcc, of the same version.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kcc.base.diagnostics import Diagnostic, DiagnosticError, InternalError
from kcc.commands.errors import usage_error

if TYPE_CHECKING:
    from collections.abc import Generator

    from kcc.commands.estimate_sweep import Failure, Piece
    from kcc.commands.journal import Done
    from kcc.commands.launch_choice import Group
    from kcc.stages.estimate import Question

LOCAL = "local"
ALLOWED_DEATHS = 10
"""Workers that may die at one task before it is taken to be their killer (Dask's default is 3)."""

CONNECT_SECONDS = 30


def add_cluster(group: Group) -> None:
    """Where work is done other than in processes of this command."""
    group.add_argument(
        "--scheduler", metavar="ADDRESS",
        help="share the work among the workers of a Dask scheduler, e.g. tcp://host:8786 "
        "(extra: cluster)",
    )  # fmt: skip
    group.add_argument(
        "--dask", choices=(LOCAL,),
        help="start Dask's scheduler and --jobs workers here: workers that die are replaced",
    )  # fmt: skip


def cluster_of(arguments: argparse.Namespace) -> str | None:
    """The scheduler's address, :data:`LOCAL`, or None for processes of our own."""
    if arguments.scheduler and arguments.dask:
        raise usage_error("--scheduler is a scheduler elsewhere, --dask one here: not both")
    return arguments.scheduler or arguments.dask


@contextmanager
def _client(cluster: str, jobs: int) -> Generator[Any]:
    """Connected; raises :class:`DiagnosticError` K897 without Dask, K898 without a scheduler."""
    try:
        distributed: Any = import_module("distributed")
        settings: Any = import_module("dask.config")
    except ImportError as error:
        hint = "kcc's extra `cluster` has it: pip install distributed"
        message = "sharing work among Dask's workers needs Dask distributed"
        raise DiagnosticError([Diagnostic("K897", message, hint=hint)]) from error
    quiet = {
        "distributed.scheduler.allowed-failures": ALLOWED_DEATHS,
        "distributed.worker.daemon": True,
        "logging.distributed": "critical",
    }
    with settings.set(quiet):
        started: Any = None
        try:
            if cluster == LOCAL:
                started = distributed.LocalCluster(
                    n_workers=jobs, threads_per_worker=1, dashboard_address=None,
                    silence_logs="CRITICAL",
                )  # fmt: skip
            client = distributed.Client(started or cluster, timeout=CONNECT_SECONDS)
        except (OSError, TimeoutError, ValueError) as error:
            if started is not None:
                started.close()
            message = f"no Dask scheduler answers at '{cluster}': {error}"
            raise DiagnosticError([Diagnostic("K898", message)]) from error
        try:
            yield client
        finally:
            with suppress(Exception):
                client.close()
            if started is not None:
                started.close()


def run_on_cluster(
    question: Question, pieces: Sequence[Piece], cluster: str, jobs: int
) -> Iterator[tuple[int, tuple[Done, ...]]]:
    """Results of pieces in the order in which they end.

    :raises DiagnosticError: as :func:`kcc.commands.estimate_sweep.run_plan` does, and K898 where
        the scheduler went away or a piece kills every worker.
    """
    from kcc.commands.estimate_sweep import Failure

    distributed: Any
    with _client(cluster, jobs) as client:
        distributed = import_module("distributed")
        futures = [client.submit(estimate_piece, question, piece, pure=False) for piece in pieces]
        waiting = distributed.as_completed(futures)
        while True:
            try:
                future = next(waiting)
                number, found = future.result()
                future.release()
            except StopIteration:
                return
            except (
                distributed.scheduler.KilledWorker,
                distributed.CancelledError,
                OSError,
            ) as error:
                message = f"Dask gave up: {type(error).__name__}: {error}"
                raise DiagnosticError([Diagnostic("K898", message)]) from error
            if isinstance(found, Failure):
                raise found.error or InternalError(found.stage, found.detail)
            yield number, found


def estimate_piece(question: Question, piece: Piece) -> tuple[int, tuple[Done, ...] | Failure]:
    """In a worker: the records of a piece. What the last piece compiled is kept."""
    from kcc.commands.estimate_sweep import outcome_of

    return outcome_of(piece, _maker_of(repr(question), question))


_made = dict[str, tuple[Any, Any]]()
"""Of this worker: by what was asked last, what answers it and the folder that goes with it."""


def _maker_of(asked: str, question: Question) -> Any:
    from kcc.commands.estimate_sweep import make_maker
    from kcc.commands.stages import StageRunner

    if asked not in _made:
        _made.clear()
        folder = tempfile.TemporaryDirectory(prefix="kcc-estimate-")
        _made[asked] = make_maker(question, Path(folder.name), StageRunner()), folder
    return _made[asked][0]
