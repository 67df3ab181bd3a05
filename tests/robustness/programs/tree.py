"""Programs as trees whose every subtree may be replaced by another of its type: what is drawn, what
is printed, and what the reducer works on.

A template says ``$0`` where its first part stands. Whatever makes a program defined (masks of
indices, odd divisors, detours over unsigned types, bounds of loops) is in templates, so that no
change of the parts can make it undefined.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tests.tracegen.program_types import Type

_PART = re.compile(r"\$(\d)")


@dataclass(frozen=True, slots=True)
class Expr:
    """A value of exactly ``type``; ``fixed`` ones are the same for all work-items of a group and
    are not taken apart."""

    type: Type
    template: str
    parts: tuple[Expr, ...] = ()
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Stmt:
    """``heads[0]``, the first body, ``heads[1]`` and so on; expressions stand in the heads."""

    heads: tuple[str, ...]
    parts: tuple[Expr, ...] = ()
    bodies: tuple[Body, ...] = ()


Body = tuple[Stmt, ...]


def shown(expression: Expr) -> str:
    """The expression as text."""
    return _filled(expression.template, expression.parts)


def _filled(template: str, parts: tuple[Expr, ...]) -> str:
    return _PART.sub(lambda found: shown(parts[int(found[1])]), template)


def lines(body: Body, depth: int = 1) -> list[str]:
    """The statements as lines of source."""
    found = list[str]()
    for statement in body:
        for place, head in enumerate(statement.heads):
            text = _filled(head, statement.parts)
            found += ["  " * depth + line for line in text.splitlines()]
            if place < len(statement.bodies):
                found += lines(statement.bodies[place], depth + 1)
    return found


def smaller_expressions(expression: Expr) -> list[Expr]:
    """Expressions of the same type with less in them, the smallest first."""
    if expression.fixed or not expression.parts:
        return []
    found = [Expr(expression.type, f"(({expression.type})(1))")]
    found += [part for part in expression.parts if part.type == expression.type]
    for place, part in enumerate(expression.parts):
        found += [
            replace(expression, parts=_with(expression.parts, place, new))
            for new in smaller_expressions(part)
        ]
    return found


def smaller_statements(statement: Stmt) -> list[Body]:
    """What may stand in the place of a statement: one of its bodies, or itself with less inside."""
    found: list[Body] = [b for b in statement.bodies if b and not _leaves("\n".join(lines(b)))]
    for place, part in enumerate(statement.parts):
        found += [
            (replace(statement, parts=_with(statement.parts, place, new)),)
            for new in smaller_expressions(part)
        ]
    return found


def _leaves(text: str) -> bool:
    """Whether a body has a ``break`` or ``continue``, which would mean another loop outside."""
    return "break" in text or "continue" in text


def _with(parts: tuple[Expr, ...], place: int, new: Expr) -> tuple[Expr, ...]:
    return (*parts[:place], new, *parts[place + 1 :])
