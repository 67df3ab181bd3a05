"""Where the rules for expressions and declarators meet, each keyed by its class of node.

Expressions hold types (casts, sizeof) and types hold expressions (array sizes): the two tables
are filled by :mod:`kcc.frontend.sema.expressions` and :mod:`kcc.frontend.sema.type_names`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.conversions import to_value
from kcc.frontend.tree import Expr
from kcc.frontend.types import QualType

EXPRESSION_RULES: dict[type[Node], Callable[[Context, Any], Expr | None]] = {}

DECLARATOR_RULES: dict[type[Node], Callable[[Context, Any], QualType | None]] = {}


def expression(context: Context, node: Node) -> Expr | None:
    """The typed expression, an lvalue where the source has one; None after an error."""
    return EXPRESSION_RULES[type(node)](context, node)


def rvalue(context: Context, node: Node) -> Expr | None:
    """The value of an expression; None after an error."""
    return to_value(context, expression(context, node), node)


def declared_type(context: Context, node: Node) -> QualType | None:
    """The type of a declarator (``Decl.type``, ``Typename.type``); None after an error."""
    return DECLARATOR_RULES[type(node)](context, node)
