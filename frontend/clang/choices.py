"""``?:`` between variables and constants as a select, which is what every GPU compiler makes of it.

clang branches unless both sides are constants. Sides that only read variables of the function,
converted or negated or not, cost less than the branch; the built-in front end chooses likewise.
"""

from __future__ import annotations

import re

_DIAMOND = re.compile(
    r"^  br i1 (?P<condition>\S+), label %(?P<then>cond\.true\d*), label %(?P<else>cond\.false\d*)"
    r"(?P<tail>[^\n]*)\n\n"
    r"(?P=then): +; preds = %[\w.]+\n(?P<then_body>(?:  [^\n]*\n)*?)"
    r"  br label %(?P<end>cond\.end\d*)[^\n]*\n\n"
    r"(?P=else): +; preds = %[\w.]+\n(?P<else_body>(?:  [^\n]*\n)*?)"
    r"  br label %(?P=end)[^\n]*\n\n"
    r"(?P=end): +; preds = %(?P=else), %(?P=then)\n"
    r"  (?P<result>%[\w.]+) = phi "
    r"(?P<flags>(?:(?:fast|reassoc|nnan|ninf|nsz|arcp|contract|afn) )*)"
    r"(?P<type>[^\[]+?) \[ (?P<then_value>\S+), %(?P=then) \], "
    r"\[ (?P<else_value>\S+), %(?P=else) \](?P<phi_tail>[^\n]*)\n",
    re.MULTILINE,
)
_LOAD = re.compile(r"  %[\w.]+ = load [^,]+, ptr(?: addrspace\(4\))? (%[\w.]+), align")
_CHEAP = re.compile(
    r"  %[\w.]+ = (?:trunc|zext|sext|fptrunc|fpext|fptosi|fptoui|sitofp|uitofp|fneg)\b"
    r"|  %[\w.]+ = extractelement\b"
    r"|  %[\w.]+ = sub (?:nsw |nuw )*\w+ 0, "
)
_ALLOCA = re.compile(r"^  (%[\w.]+) = alloca ", re.MULTILINE)
_FUNCTION = re.compile(r"^define .*?^\}\n", re.MULTILINE | re.DOTALL)


def with_selects(text: str) -> str:
    """The module with a select for every choice between simple values."""
    return _FUNCTION.sub(lambda m: _choose(m[0]), text)


def _choose(text: str) -> str:
    variables = set(_ALLOCA.findall(text))
    variables |= {f"{name}.ascast" for name in variables}

    def replace(match: re.Match[str]) -> str:
        bodies = match["then_body"] + match["else_body"]
        if not all(_is_simple(line, variables) for line in bodies.splitlines()):
            return match[0]
        kind = match["type"]
        return (
            f"{bodies}  {match['result']} = select {match['flags']}i1 {match['condition']}, {kind} "
            f"{match['then_value']}, {kind} {match['else_value']}{match['phi_tail']}\n"
            f"  br label %{match['end']}{match['tail']}\n\n{match['end']}:\n"
        )

    previous = ""
    while previous != text:
        previous, text = text, _DIAMOND.sub(replace, text)
    return text


def _is_simple(line: str, variables: set[str]) -> bool:
    load = _LOAD.match(line)
    if load:
        return load[1] in variables
    return _CHEAP.match(line) is not None
