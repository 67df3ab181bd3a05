"""The `kcc` command: parses the command line, runs a subcommand, turns failures into messages.

Exit codes: 0 fine; 1 bad input; 2 bad usage; 3 a bug of kcc; 130 interrupted (128 + the
signal where one ended it: 143 for SIGTERM); 141 the reader of standard output went away.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module

import kcc
from kcc.base.cache_folder import refused_folders
from kcc.base.collecting import collect_seldom, keep_freed_memory
from kcc.base.diagnostics import Diagnostic, DiagnosticError, InternalError, render
from kcc.base.scratch import Terminated, tidy
from kcc.commands.console import paint_messages, say
from kcc.commands.errors import UsageError, is_of_the_machine
from kcc.commands.options import Parser, add_debug
from kcc.commands.outputs import abandon_standard, cannot_write, flush_standard
from kcc.commands.sources import SourceLines

EXIT_FINE, EXIT_BAD_INPUT, EXIT_BAD_USAGE, EXIT_BUG = 0, 1, 2, 3
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141

COMMANDS = (
    "analyze", "estimate", "tune", "compare", "capture", "run", "trace", "profile", "simulate",
    "explore", "memory", "synth", "phases", "validate", "report", "gpus", "completion",
)  # fmt: skip
"""In the order of --help; each is a module of :mod:`kcc.commands`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (default: the process's) and give the exit code."""
    collect_seldom()
    keep_freed_memory()
    arguments = list(sys.argv[1:] if argv is None else argv)

    sources = SourceLines()
    debug = "--debug" in arguments
    try:
        with tidy():
            code = _run(arguments, sources)
            flush_standard()
    except UsageError as error:
        code = _fail(error, error.diagnostics, sources, EXIT_BAD_USAGE, debug)
    except DiagnosticError as error:
        code = _fail(error, error.diagnostics, sources, EXIT_BAD_INPUT, debug)
    except BrokenPipeError:
        abandon_standard()
        code = EXIT_BROKEN_PIPE
    except Terminated as ended:
        code = ended.exit_code
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except InternalError as error:
        code = _report_bug(error, error, debug)
    except OSError as error:
        code = _fail_of_system(error, sources, debug)
    except Exception as error:  # noqa: BLE001 - whatever it is, the user gets a message
        wrapped = InternalError("command line", f"{type(error).__name__}: {error}")
        code = _report_bug(wrapped, error, debug)
    for folder, reason in refused_folders().items():
        remark = f"kcc: remark: '{folder}' {reason}: compiled code there is not used\n"
        sys.stderr.write(paint_messages(remark, sys.stderr))
    return code


_GUIDE = """\
What would you like to know?
  what does my kernel do, and what is wrong with it?    kcc analyze kernel.cl
  how long does it take on a GPU, and why?              kcc estimate kernel.cl --gpu a100
  which card suits it?                                  kcc estimate kernel.cl --gpu all
  did my change make it slower?                         kcc compare before.json after.json
  is my host program right?                             kcc run script.py
  where do the cycles go with real data?                kcc simulate script.py --gpu v100
  what should the next GPU have more of?                kcc explore script.py --gpu v100 --what-if
  can I hand out a benchmark without the source?        kcc synth script.py -o mini/

kcc --help lists all commands, kcc COMMAND --help the options of one; kcc gpus lists GPUs.
"""


def build_parser(commands: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of the whole command line, or of one that begins with one of some commands."""
    parser = Parser(
        prog="kcc",
        description="Static performance analysis of GPU kernels without a GPU.",
        epilog="examples:\n"
        "  kcc analyze kernel.cl          what the kernels in a file do\n"
        "  kcc analyze --help             options of a command, with examples",
    )
    parser.add_argument("--version", action="version", version=f"kcc {kcc.__version__}")
    add_debug(parser)
    subparsers = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", parser_class=Parser
    )
    for command in commands:
        import_module(f"kcc.commands.{command}").add_parser(subparsers)
    parser.set_defaults(root=parser)
    return parser


Runner = Callable[[argparse.Namespace, SourceLines], int]


def _asked_for(arguments: Sequence[str]) -> Sequence[str]:
    """The commands that a command line may be about: the others need not be imported. Completion is
    of all."""
    first = next((word for word in arguments if word != "--debug"), "")
    return [first] if first in COMMANDS and first != "completion" else COMMANDS


def _run(arguments: Sequence[str], sources: SourceLines) -> int:
    parser = build_parser(_asked_for(arguments))
    try:
        parsed = parser.parse_args(arguments)
    except SystemExit as end:  # --help and --version
        flush_standard()
        return EXIT_FINE if end.code in (None, 0) else EXIT_BAD_USAGE
    if parsed.command is None:
        say(f"{parser.format_usage()}\n{_GUIDE}")
        return EXIT_BAD_USAGE
    runner: Runner = parsed.run
    return runner(parsed, sources)


def _fail(
    error: Exception,
    diagnostics: Iterable[Diagnostic],
    sources: SourceLines,
    code: int,
    debug: bool,
) -> int:
    """Print the diagnostics on standard error, after the traceback if that is wanted."""
    if debug:
        traceback.print_exception(error)
    messages = "".join(render(d, sources) + "\n" for d in diagnostics)
    say(paint_messages(messages, sys.stderr))
    return code


def _report_bug(bug: InternalError, error: Exception, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    reason = bug.detail if debug else " ".join(bug.detail.split())[:300]
    advice = "" if debug else "Run it again with --debug for the traceback, and please report both."
    say(
        f"kcc: internal error in stage '{bug.stage}': {reason}\n"
        f"This is a bug in kcc {kcc.__version__}, not in your input. {advice}".rstrip()
        + "\n"
    )
    return EXIT_BUG


def _fail_of_system(error: OSError, sources: SourceLines, debug: bool) -> int:
    """A failure that the machine is the cause of is none of kcc: a disk that is full."""
    if not is_of_the_machine(error):
        wrapped = InternalError("command line", f"{type(error).__name__}: {error}")
        return _report_bug(wrapped, error, debug)
    name = error.filename
    what = f"'{os.fsdecode(name)}'" if isinstance(name, str | bytes) else "what kcc keeps"
    failed = cannot_write(what, error)
    return _fail(error, failed.diagnostics, sources, EXIT_BAD_INPUT, debug)
