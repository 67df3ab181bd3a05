"""Work shared by the workers of Dask distributed: on this machine, or wherever a scheduler is.

Idle workers take work from busy ones; what a worker had that died is done by another. The workers'
Python has to have kcc, of the same version.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.commands.engine import Key, Run, Tool, Work, outcome_of, result_of
from kcc.commands.errors import usage_error
from kcc.commands.stages import StageRunner

if TYPE_CHECKING:
    from collections.abc import Generator

    from kcc.commands.launch_choice import Group

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


@contextmanager
def on_cluster(work: Work, cluster: str, jobs: int) -> Generator[Run]:
    """What does pieces of ``work`` on the workers of a cluster.

    :raises DiagnosticError: K897 without Dask, K898 without a scheduler, where it went away, and
        where a piece kills every worker.
    """
    with _client(cluster, jobs) as client:
        # A task, so that it is made again where the workers that have it died.
        shared = client.submit(_same, work, pure=False)
        yield lambda pieces: _done_by(client, shared, pieces)


def _done_by(
    client: Any, shared: Any, pieces: Sequence[tuple[Key, Any]]
) -> Iterator[tuple[Key, Any]]:
    distributed: Any = import_module("distributed")
    futures = [client.submit(done_piece, shared, key, piece, pure=False) for key, piece in pieces]
    waiting = distributed.as_completed(futures)
    while True:
        try:
            future = next(waiting)
            key, outcome = future.result()
            future.release()
        except StopIteration:
            return
        except (distributed.scheduler.KilledWorker, distributed.CancelledError, OSError) as error:
            message = f"Dask gave up: {type(error).__name__}: {error}"
            raise DiagnosticError([Diagnostic("K898", message)]) from error
        yield key, result_of(outcome)


def _same(work: Work) -> Work:
    return work


def done_piece(work: Work, key: Key, piece: Any) -> tuple[Key, Any]:
    """In a worker: what comes of a piece. What does the pieces of a work is kept for the next."""
    return key, outcome_of(_tool_of(work), piece)


_made = dict[str, tuple[Tool, ExitStack]]()
"""Of this worker: by the work that was done last, its tool and what goes with it."""


def _tool_of(work: Work) -> Tool:
    if work.name not in _made:
        for _, held in _made.values():
            held.close()
        _made.clear()
        held = ExitStack()
        folder = held.enter_context(tempfile.TemporaryDirectory(prefix="kcc-work-"))
        _made[work.name] = work.tool(Path(folder), StageRunner(), held), held
    return _made[work.name][0]
