"""Whether control can reach the end of a statement (for the warning of a missing return)."""

from __future__ import annotations

from kcc.frontend.tree import (
    Block,
    Break,
    Case,
    Constant,
    Continue,
    Convert,
    Default,
    DoWhile,
    Expr,
    For,
    Goto,
    If,
    Label,
    Return,
    Stmt,
    Switch,
    While,
)


def may_end(statement: Stmt) -> bool:
    """False only where control certainly does not come out at the end."""
    match statement:
        case Return() | Goto() | Break() | Continue():
            return False
        case Block(statements=statements):
            return _sequence_may_end(statements)
        case If():
            return _if_may_end(statement)
        case While(condition=condition, body=body):
            return not _is_true(condition) or _breaks(body)
        case DoWhile(condition=condition, body=body):
            if _breaks(body):
                return True
            return not _is_true(condition) and (may_end(body) or _continues(body))
        case For(condition=condition, body=body):
            return (condition is not None and not _is_true(condition)) or _breaks(body)
        case Switch(body=body):
            return not _has_default(body) or may_end(body) or _breaks(body)
        case Case(body=body) | Default(body=body) | Label(body=body):
            return may_end(body)
        case _:
            return True


def _sequence_may_end(statements: tuple[Stmt, ...]) -> bool:
    reachable = True
    for statement in statements:
        if not reachable and not _has_label(statement):
            continue
        reachable = may_end(statement)
    return reachable


def _if_may_end(statement: If) -> bool:
    """Along a chain of else-if without recursion."""
    link: Stmt | None = statement
    while isinstance(link, If):
        if may_end(link.then):
            return True
        link = link.otherwise
    return link is None or may_end(link)


def _is_true(condition: Expr) -> bool:
    while isinstance(condition, Convert):
        condition = condition.operand
    return isinstance(condition, Constant) and bool(condition.value)


def _children(statement: Stmt) -> tuple[Stmt, ...]:
    match statement:
        case Block(statements=statements):
            return statements
        case If(then=then, otherwise=otherwise):
            return (then,) if otherwise is None else (then, otherwise)
        case Case(body=body) | Default(body=body) | Label(body=body):
            return (body,)
        case _:
            return ()


def _loop_body(statement: Stmt) -> tuple[Stmt, ...]:
    match statement:
        case While(body=body) | DoWhile(body=body) | For(body=body) | Switch(body=body):
            return (body,)
        case _:
            return ()


def _breaks(statement: Stmt) -> bool:
    """Whether a break in it leaves the loop or switch around it."""
    pending = [statement]
    while pending:
        current = pending.pop()
        if isinstance(current, Break):
            return True
        pending.extend(_children(current))
    return False


def _continues(statement: Stmt) -> bool:
    pending = [statement]
    while pending:
        current = pending.pop()
        if isinstance(current, Continue):
            return True
        pending.extend(_children(current))
        pending.extend(() if not isinstance(current, Switch) else (current.body,))
    return False


def _has_label(statement: Stmt) -> bool:
    """Whether a goto or switch may jump into it."""
    pending = [statement]
    while pending:
        current = pending.pop()
        if isinstance(current, (Label, Case, Default)):
            return True
        pending.extend((*_children(current), *_loop_body(current)))
    return False


def _has_default(statement: Stmt) -> bool:
    pending = [statement]
    while pending:
        current = pending.pop()
        if isinstance(current, Default):
            return True
        if not isinstance(current, Switch):
            pending.extend((*_children(current), *_loop_body(current)))
    return False
