"""docs/reference/commands.md from the parser of the command line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from typing import Any

from kcc.cli import build_parser

_HEAD = """\
# Commands and options

<!-- Written by `python -m scripts.make_docs` from the parser: change that, not this. -->

`kcc COMMAND --help` prints the same. Exit codes: 0 fine; 1 bad input, a failed check of a
workload or a failed gate; 2 bad usage; 3 a bug of kcc, which names the stage. Outputs are written
beside their target and renamed; `-` is standard output.

"""


def commands() -> str:
    """The whole page."""
    parser = build_parser()
    found = list(_commands(parser))
    index = "".join(f"| [kcc {name}](#{_anchor(name)}) | {about} |\n" for name, about, _ in found)
    table = f"| command | what it does |\n|---|---|\n{index}"
    return _HEAD + table + "".join(_section(name, own) for name, _, own in found)


Command = tuple[str, str, argparse.ArgumentParser]


def _inside(holder: object, name: str) -> Any:
    """What argparse keeps to itself: it has no public way to its own contents."""
    return vars(holder)[name]


def _commands(parser: argparse.ArgumentParser) -> Iterator[Command]:
    """Name, a line about it, and parser of each command; of forms with parsers of their own too."""
    for action in _inside(parser, "_actions"):
        if _is_commands(action):
            about = {a.dest: a.help or "" for a in _inside(action, "_choices_actions")}
            for name, own in action.choices.items():
                yield name, about.get(name, ""), own
                if getattr(own, "other", None):
                    make, suffixes = own.other
                    form = "record" if "record" in suffixes else "FILE.cl"
                    about_form = _RUN if name in _RUNNING else _FORMS[form]
                    yield f"{name} {form}", about_form, make(own.prog)


def _is_commands(action: Any) -> bool:
    """Whether an action holds parsers of commands."""
    return hasattr(action.choices, "values")


_FORMS = {
    "FILE.cl": "the same from a kernel source, without a run",
    "record": "record a run in units",
}


_RUNNING = {"run", "profile", "simulate", "synth"}
_RUN = "the same of kernels of a source, executed"


def _section(name: str, parser: argparse.ArgumentParser) -> str:
    parts = [f"\n## kcc {name}\n\n{_plain(parser.description or '')}\n"]
    for action in _inside(parser, "_actions"):
        if _is_commands(action):
            for own_name, own in action.choices.items():
                parts.append(f"\n**kcc {name} {own_name}**: {_plain(own.description or '')}\n")
                parts += _groups(own)
    parts += _groups(parser)
    if parser.epilog:
        parts.append(f"\n```text\n{parser.epilog.strip()}\n```\n")
    return "".join(parts)


def _groups(parser: argparse.ArgumentParser) -> Iterator[str]:
    for group in _inside(parser, "_action_groups"):
        rows = [
            _row(action, parser)
            for action in _inside(group, "_group_actions")
            if not _is_commands(action)
            and action.dest != "help"
            and action.help != argparse.SUPPRESS
        ]
        if rows:
            title = "" if group.title in {"positional arguments", "options"} else group.title
            yield f"\n| {title or 'argument'} | |\n|---|---|\n" + "".join(rows)


def _row(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    values = dict(vars(action), prog=parser.prog)
    said = ((action.help or "") % values).replace("|", "\\|")
    metavar = _metavar(action)
    names = action.option_strings or [metavar]
    shown = ", ".join(names) + (f" {metavar}" if action.option_strings and metavar else "")
    return f"| `{_cell(shown)}` | {_plain(said)} |\n"


def _anchor(name: str) -> str:
    return "kcc-" + re.sub(r"[^\w-]", "", name.lower().replace(" ", "-"))


def _metavar(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    if action.metavar is not None:
        return action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper() if action.option_strings else action.dest


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("<", "&lt;")
