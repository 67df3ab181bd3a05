"""What the commands that run host scripts share: options, progress, how a script ends."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.commands.console import is_terminal, say
from kcc.commands.errors import usage_error
from kcc.commands.launch_choice import Group
from kcc.commands.launch_progress import WatchedLaunch
from kcc.commands.options import DEFAULT_SIZE, SIZE_NAMES, Parser
from kcc.commands.progress import progress_line
from kcc.commands.sources import SourceLines

if TYPE_CHECKING:
    from kcc.stages.host import HostSettings, Observer, Progress, ScriptRun

REFRESHES_PER_SECOND = 4

KERNELS_LIST = "kernelslist.g"
"""What Accel-Sim's post-processing calls the list of a folder's kernels."""

WARP_SIZES = (32, 64)
DEFAULT_WARP = 32
"""Lanes of a warp of which nobody says what GPU it is of."""


def _list_of(path: str) -> str:
    """The list of kernels of a folder of Accel-Sim traces; any other path as it is."""
    inside = Path(path) / KERNELS_LIST
    return str(inside) if inside.is_file() else path


def add_script(parser: argparse.ArgumentParser, *, also: str = "") -> None:
    """The script and how it is run. Words after ``--`` are the script's. ``also``: what the
    command takes in place of a script, in words."""
    assert isinstance(parser, Parser)
    parser.rest = "script_arguments"
    parser.add_argument(
        "script", metavar="FILE", type=_list_of,
        help="a Python script that uses PyOpenCL or kcc.opencl" + also,
    )  # fmt: skip
    group = parser.add_argument_group("run")
    group.add_argument(
        "--size",
        choices=SIZE_NAMES,
        default=DEFAULT_SIZE,
        help="size given to main(size, seed) of a workload (default: %(default)s)",
    )
    group.add_argument(
        "--seed",
        type=count,
        default=0,
        metavar="N",
        help="seed given to main(size, seed) (default: %(default)s)",
    )
    add_execution(group)
    group.add_argument(
        "--keep-imports",
        action="store_true",
        help="let 'import pyopencl' give PyOpenCL itself, not kcc.opencl",
    )


def add_execution(group: Group) -> None:
    """How kernels are executed."""
    group.add_argument(
        "--workers",
        type=_positive,
        metavar="N",
        help="threads that run thread blocks (default: one per processor)",
    )
    group.add_argument(
        "--warp-size",
        type=int,
        choices=WARP_SIZES,
        help="lanes of a warp (default: those of the GPU, where one is named, else 32)",
    )
    group.add_argument(
        "--races", action="store_true", help="detect data races, launch by launch: slow"
    )
    group.add_argument(
        "--unwritten",
        action="store_true",
        help="let kernels read local and private memory that was never written: it gives any value",
    )
    group.add_argument(
        "--budget",
        type=_positive,
        metavar="N",
        help="limit of warp instructions per warp, for infinite loops (default: 2^28)",
    )


def lanes_of_warp(arguments: argparse.Namespace) -> int:
    """The lanes that are asked for, else those of the GPUs that are named, if they agree."""
    from kcc.base.gpu import load_gpu

    if arguments.warp_size:
        return int(arguments.warp_size)
    named: Sequence[str] = getattr(arguments, "gpus", None) or ()
    overrides: Sequence[str] = getattr(arguments, "overrides", None) or ()
    loaded = [load_gpu(name, list(overrides)) for name in named]
    sizes = {gpu.warp_size.value for gpu in loaded if gpu.warp_size is not None}
    return sizes.pop() if len(sizes) == 1 else DEFAULT_WARP


def host_settings(arguments: argparse.Namespace) -> HostSettings:
    """What :func:`add_script` collected; compiled kernels go to the user's cache folder."""
    from kcc.stages.host import HostSettings, user_cache_dir
    from kcc.tracegen.execute import DEFAULT_BUDGET

    return HostSettings(
        workers=arguments.workers or _processors(),
        cache_dir=user_cache_dir(),
        width=lanes_of_warp(arguments),
        budget=arguments.budget or DEFAULT_BUDGET,
        races=arguments.races,
        unwritten=getattr(arguments, "unwritten", False),
        check=getattr(arguments, "check", False),
        redirect=not getattr(arguments, "keep_imports", False),
        clock=time.process_time,
    )


def run_host(
    arguments: argparse.Namespace,
    sources: SourceLines,
    observer: Observer | None = None,
    *,
    quiet: bool = False,
    status: Callable[[], str] = str,
) -> ScriptRun:
    """Run the script that the command line names, or the kernels of a source, with progress on a
    terminal.

    ``quiet``: what the script prints goes to standard error, since standard output is taken.
    ``status`` gives what a terminal shows beside the launches.
    Raises what :func:`kcc.stages.host.run_script` does; SystemExit only for another code than 0.
    """
    from kcc.stages.host import Progress, ScriptRun, run_script

    progress = Progress()
    watched = None
    if observer is not None and is_terminal(sys.stderr):
        observer = watched = WatchedLaunch(observer)
    try:
        with (
            _shown(progress, status, watched),
            redirect_stdout(sys.stderr if quiet else sys.stdout),
        ):
            if is_source_run(arguments):
                from kcc.commands.source_runs import run_kernels

                return run_kernels(arguments, sources, observer, progress)
            return run_script(
                arguments.script,
                size=arguments.size,
                seed=arguments.seed,
                arguments=arguments.script_arguments,
                observer=observer,
                settings=host_settings(arguments),
                progress=progress,
            )
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
        return ScriptRun(tuple(progress.launches), progress.sources, tuple(progress.warnings))
    finally:
        for name, lines in progress.sources.items():
            sources.add(name, "\n".join(lines))
        if progress.warnings:
            from kcc.commands.static_trace import write_messages

            write_messages(progress.warnings, sources)


@contextmanager
def _shown(
    progress: Progress, status: Callable[[], str], watched: WatchedLaunch | None
) -> Generator[None, None, None]:
    """A line on the terminal that counts launches, of which only the script knows how many there
    will be, and says how far the one is that runs."""

    def line() -> str:
        done = sum(row.warp_instructions for row in list(progress.launches))
        launches = f"{len(progress.launches):,} launches, {done / 1e6:,.1f} M warp instructions"
        return launches + (watched.words() if watched else "") + status()

    with _live(line):
        yield


@contextmanager
def shown_run(words: str, launches: int) -> Generator[Progress]:
    """A run of so many launches, to be filled in, with a line on the terminal: ``40 %, 12 s left,
    WORDS``."""
    from kcc.stages.host import Progress

    progress, began = Progress(), time.monotonic()

    def line() -> str:
        share = len(progress.launches) / max(launches, 1)
        return progress_line(share, 0, time.monotonic() - began, words)

    with _live(line):
        yield progress


@contextmanager
def _live(line: Callable[[], str]) -> Generator[None]:
    """A line on the terminal while something lasts; elsewhere nothing."""
    if not is_terminal(sys.stderr):
        yield
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(
        get_renderable=lambda: Text(line()),
        console=Console(stderr=True),
        refresh_per_second=REFRESHES_PER_SECOND,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ):
        yield


def is_source_run(arguments: argparse.Namespace) -> bool:
    """Whether kernels of a source are run, without a script."""
    return hasattr(arguments, "kept")


def script_exit_code(end: SystemExit) -> int:
    """The exit code that Python would end with; a text goes to standard error."""
    if isinstance(end.code, int):
        return end.code & 0xFF
    if end.code is not None:
        say(f"{end.code}\n")
    return 0 if end.code is None else 1


def check_script(arguments: argparse.Namespace) -> None:
    """Refuse what only looks like a script; raises :class:`UsageError`."""
    if arguments.script.endswith(".kct"):
        message = f"'{arguments.script}' is a trace, and this command runs host scripts"
        raise usage_error(message, "kcc profile, simulate and explore read traces")


def _processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _positive(text: str) -> int:
    return _whole(text, 1)


def count(text: str) -> int:
    """A whole number from 0 on."""
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {least} on")
    return int(text)
