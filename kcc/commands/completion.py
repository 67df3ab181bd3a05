"""`kcc completion SHELL`: a script that lets the shell complete kcc's command line."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
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
    parser.add_argument(
        "shell", choices=SHELLS, nargs="?",
        help="the shell to write for; without it, how to install the script for yours",
    )  # fmt: skip
    add_debug(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, _sources: SourceLines) -> int:
    """Print the script for ``arguments.shell`` from the parser ``arguments.root``."""
    import shtab

    if arguments.shell is None:
        write_standard(_instructions(Path(os.environ.get("SHELL", "")).name))
        return 0
    parser: argparse.ArgumentParser = arguments.root
    for action in _actions(parser):
        if action.metavar == "FILE":
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar == "FOLDER":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    write_standard(shtab.complete(parser, arguments.shell) + "\n")
    return 0


_INSTALL = {
    "bash": (
        "mkdir -p ~/.local/share/bash-completion/completions",
        "kcc completion bash > ~/.local/share/bash-completion/completions/kcc",
    ),
    "zsh": (
        "mkdir -p ~/.zfunc",
        "kcc completion zsh > ~/.zfunc/_kcc",
        "# and in ~/.zshrc, before compinit: fpath=(~/.zfunc $fpath)",
    ),
    "fish": ("kcc completion fish > ~/.config/fish/completions/kcc.fish",),
}


def _instructions(shell: str) -> str:
    """What to type so that the shell completes; of all shells where it is none of them."""
    shown = [shell] if shell in _INSTALL else list(_INSTALL)
    lines = [
        "Completion lets the shell finish commands, options and file names of kcc on Tab.",
        *(f"\n{name}:\n" + "\n".join(f"  {each}" for each in _INSTALL[name]) for name in shown),
        "\nThen open a new shell. `kcc completion SHELL` prints the script for bash, zsh or fish.",
    ]
    return "\n".join(lines) + "\n"


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """All actions of a parser and of its subcommands; argparse has no public way to them."""
    own: list[argparse.Action] = parser._actions  # noqa: SLF001
    found = [*own]
    for action in own:
        if isinstance(action, Subparsers):
            subparsers = cast("Subparsers[argparse.ArgumentParser]", action)
            found += (inner for each in subparsers.choices.values() for inner in _actions(each))
    return found
