"""Macros that options define and no line of a source uses: mostly a slip of the pen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

from kcc.base.diagnostics import Diagnostic
from kcc.frontend.options import MacroOption

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_ASKED = re.compile(
    r"^[ \t]*#[ \t]*(?:define|undef|ifdef|ifndef)[ \t]+(\w+)|\bdefined[ \t(]+(\w+)", re.MULTILINE
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


def unused_macros(
    macros: Iterable[MacroOption], sources: Mapping[str, Sequence[str]]
) -> list[Diagnostic]:
    """A warning (K144) for each macro that no line of ``sources`` has, with the nearest name that
    one has. None where a file that is included is not among them; names that begin with an
    underscore are the compiler's.
    """
    from difflib import get_close_matches

    defined = {m.name.partition("(")[0]: m.value for m in macros if m.value is not None}
    files = {name: lines for name, lines in sources.items() if name[0] != "<"}
    text = _COMMENT.sub(" ", "\n".join("\n".join(lines) for lines in files.values()))
    read = {PurePath(name).name for name in files}
    if not defined or any(PurePath(name).name not in read for name in _INCLUDE.findall(text)):
        return []
    words = set(_WORD.findall(text))
    own = {first or second for first, second in _ASKED.findall(text)}
    found = list[Diagnostic]()
    for name in defined:
        values = (value for other, value in defined.items() if other != name)
        if name in words or name[0] == "_" or any(name in _WORD.findall(v or "") for v in values):
            continue
        near = get_close_matches(name, sorted(own), n=1) or get_close_matches(
            name, sorted(words), n=1, cutoff=0.75
        )
        hint = f"did you mean '{near[0]}'?" if near else None
        message = f"no line of the source uses macro '{name}', which an option defines"
        found.append(Diagnostic("K144", message, hint=hint))
    return found
