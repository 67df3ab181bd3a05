"""`kcc completion SHELL`: a script that lets the shell complete kcc's command line."""

from __future__ import annotations

import argparse
from typing import cast

from kcc.commands.options import Subparsers, add_debug
from kcc.commands.outputs import write_standard
from kcc.commands.sources import SourceLines

SHELLS = ("bash", "zsh", "fish")

_EXAMPLES = """examples:
  eval "$(kcc completion bash)"                               this shell only
  kcc completion bash > ~/.local/share/bash-completion/completions/kcc
  kcc completion zsh > ~/.zfunc/_kcc                          with ~/.zfunc in fpath
  kcc completion fish > ~/.config/fish/completions/kcc.fish"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc completion`."""
    parser = subparsers.add_parser(
        "completion",
        help="print a completion script for a shell",
        description="Print a script that makes the shell complete kcc's commands and options.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell to write for")
    add_debug(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, _sources: SourceLines) -> int:
    """Print the script for ``arguments.shell`` from the parser ``arguments.root``."""
    import shtab

    parser: argparse.ArgumentParser = arguments.root
    for action in _actions(parser):
        if action.metavar == "FILE":
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar == "FOLDER":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    write_standard(shtab.complete(parser, arguments.shell) + "\n")
    return 0


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """All actions of a parser and of its subcommands; argparse has no public way to them."""
    own: list[argparse.Action] = parser._actions  # noqa: SLF001
    found = [*own]
    for action in own:
        if isinstance(action, Subparsers):
            subparsers = cast("Subparsers[argparse.ArgumentParser]", action)
            found += (inner for each in subparsers.choices.values() for inner in _actions(each))
    return found
