"""Kernels of a source in place of a script: `kcc run kernel.ptx --global ... --arg ...`, and so
for what else runs scripts."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kcc.commands.console import say
from kcc.commands.errors import usage_error
from kcc.commands.hosts import add_execution, count, host_settings
from kcc.commands.options import (
    SOURCES,
    Parser,
    add_argv,
    add_compilation,
    add_launch,
    add_meaning,
)
from kcc.commands.outputs import Output, check_targets, write_outputs
from kcc.commands.sources import SourceLines
from kcc.commands.static_trace import SOURCE_SUFFIXES, static_request, write_messages
from kcc.frontend.options import OptLevel

if TYPE_CHECKING:
    from kcc.stages.host import Observer, Progress, ScriptRun

_BUFFERS = """
Every kernel that is asked for is launched once. Buffers are what --arg says: a=float[n] has zeros,
a=half[m*k]=uniform(-1,1), =iota, =random(seed), =1.5 or =file('a.npy') other contents."""


def offer_sources(
    parser: argparse.ArgumentParser,
    add_options: Callable[[Parser], None],
    run: Callable[[argparse.Namespace, SourceLines], int],
    *,
    what: str,
    examples: str,
) -> None:
    """Let a command that runs scripts run kernels of a source too. ``what`` says what is done with
    them, ``add_options`` adds the command's own options."""

    def make(prog: str) -> Parser:
        own = Parser(
            prog=prog,
            usage=f"{prog} FILE.cl --global N --arg a=float[N] [OPTION ...]",
            description=f"{what}\n{_BUFFERS}",
            epilog=examples,
        )
        add_source_run(own)
        add_options(own)
        own.set_defaults(run=run, size="", script_arguments=(), launches=())
        return own

    assert isinstance(parser, Parser)
    parser.other = make, SOURCE_SUFFIXES


def add_source_run(parser: Parser) -> None:
    """The source, its launch, and how it is executed."""
    parser.add_argument("script", metavar="FILE", help=SOURCES)
    add_meaning(parser)
    add_compilation(parser, OptLevel.O2)
    add_argv(add_launch(parser))
    group = parser.add_argument_group("run")
    group.add_argument(
        "--seed", type=count, default=0, metavar="N",
        help="seed of uniform(low, high) (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--save", dest="kept", metavar="NAME=FILE", action="append", type=_kept, default=[],
        help="write a buffer as it is after the launch, in NumPy's format (repeatable)",
    )  # fmt: skip
    add_execution(group)


def run_kernels(
    arguments: argparse.Namespace,
    sources: SourceLines,
    observer: Observer | None,
    progress: Progress,
) -> ScriptRun:
    """Run the kernels that the command line names; raises what
    :func:`kcc.stages.source_run.run_source` does."""
    from kcc.stages.source_run import SourceRun, run_source

    kept: Sequence[tuple[str, str]] = arguments.kept
    check_targets([target for _, target in kept], arguments.script)
    request, remarks = static_request(arguments, arguments.script, sources)
    say("".join(f"{each}\n" for each in remarks))
    names = tuple(name for name, _ in kept)
    asked = SourceRun(request, arguments.seed, names)
    ran = run_source(asked, host_settings(arguments), observer, progress)
    for name, lines in progress.sources.items():
        sources.add(name, "\n".join(lines))
    write_messages(ran.said, sources)
    missing = {name for name, _ in kept} - {name for name, _ in ran.kept}
    if missing:
        raise usage_error(f"--save {min(missing)}: no kernel that ran has this buffer")
    targets = dict(kept)
    write_outputs([Output(targets[name], "", data) for name, data in ran.kept])
    return ran.script


def _kept(text: str) -> tuple[str, str]:
    name, equals, file = text.partition("=")
    if not (name and equals and file):
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=FILE")
    return name, file
