"""What statements and expressions of host code are parsed to."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.cuda.host.tokens import Token


@dataclass(frozen=True, slots=True)
class Literal:
    """A number or the text of a string or character."""

    value: int | float | str


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, or a function that is called; ``template`` are its explicit arguments."""

    text: str
    template: tuple[tuple[Token, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class Unary:
    """``sign`` before or (``after``) behind its operand."""

    sign: str
    operand: Expression
    after: bool = False


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic, comparisons, and assignments (their sign ends with ``=``)."""

    sign: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Choice:
    """``condition ? yes : no``."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """``function(arguments)``; also what makes a value of a type."""

    function: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """``array[index]``."""

    array: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Member:
    """``record.name`` or ``record->name``."""

    record: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Cast:
    """To the type with this name."""

    type: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Braces:
    """``{a, b}``."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class SizeOf:
    """Of a type or an expression: its tokens."""

    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Launch:
    """``kernel<template><<<sizes>>>(arguments)`` in a line."""

    kernel: str
    template: tuple[tuple[Token, ...], ...]
    sizes: tuple[Expression, ...]
    arguments: tuple[Expression, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Other:
    """What is not read."""


Expression = (
    Literal | Name | Unary | Binary | Choice | Call | Index | Member | Cast | Braces | SizeOf
    | Launch | Other
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Declared:
    """A variable: ``type`` without what qualifies it, ``kind`` is "", "*", "&" or "[]";
    ``made_of`` are the arguments of its constructor (None for none), ``extent`` is how many
    elements an array has."""

    type: str
    name: str
    kind: str
    made_of: tuple[Expression, ...] | None
    value: Expression | None
    extent: Expression | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """Statements in a scope of their own."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If:
    """``mentions_count``: whether the condition is on how many arguments the program has."""

    condition: Expression
    yes: Statement
    no: Statement | None
    mentions_count: bool


@dataclass(frozen=True, slots=True)
class Loop:
    """A ``for``, ``while`` or (``body_first``) ``do``; ``over`` is what a ``for`` of a range goes
    through."""

    first: tuple[Statement, ...]
    condition: Expression | None
    step: tuple[Expression, ...]
    body: Statement
    body_first: bool = False
    over: Expression | None = None


@dataclass(frozen=True, slots=True)
class Switch:
    """Statements behind labels: pairs of the label's value (None: default) and its place."""

    value: Expression
    labels: tuple[tuple[Expression | None, int], ...]
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Leave:
    """``return`` (with a value or without), ``break``, ``continue``, ``throw``, ``goto``."""

    word: str
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Variables:
    """A declaration."""

    declared: tuple[Declared, ...]


@dataclass(frozen=True, slots=True)
class Do:
    """Expressions, one after another."""

    expressions: tuple[Expression, ...]


Statement = Block | If | Loop | Switch | Leave | Variables | Do
