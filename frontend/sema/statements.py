"""Statements (C99 6.8, OpenCL C 1.2 section 6.9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pycparser import c_ast

from kcc.base.diagnostics import Note
from kcc.frontend.sema.assignments import discard
from kcc.frontend.sema.constants import evaluate
from kcc.frontend.sema.context import Context, FunctionState, Node, SwitchState
from kcc.frontend.sema.conversions import Purpose, assign, promote, truth
from kcc.frontend.sema.declarations import declaration
from kcc.frontend.sema.dispatch import expression, rvalue
from kcc.frontend.sema.numbers import wrap
from kcc.frontend.sema.suggestions import did_you_mean
from kcc.frontend.tree import (
    Block,
    Break,
    Case,
    Continue,
    Default,
    DoWhile,
    Expr,
    ExprStmt,
    For,
    Goto,
    If,
    Label,
    Return,
    Stmt,
    Switch,
    Unroll,
    While,
)
from kcc.frontend.types import ScalarKind, ScalarType, VoidType, is_integer


def statement(context: Context, node: Node) -> Stmt:
    """A statement; what is wrong in it has been reported and is left out."""
    rule = _RULES.get(type(node))
    if rule is not None:
        return rule(context, node)
    return _expression_statement(context, node)


def statements(context: Context, nodes: list[Node]) -> list[Stmt]:
    """The items of a block, in order: declarations and statements."""
    result = list[Stmt]()
    for node in nodes:
        if isinstance(node, (c_ast.Decl, c_ast.Typedef)):
            result += declaration(context, node)
        elif isinstance(node, (c_ast.Case, c_ast.Default)):
            result += _labelled(context, node)
        else:
            result.append(statement(context, node))
    return result


def block(context: Context, node: c_ast.Compound) -> Block:
    """``{ ... }`` with a scope of its own."""
    state = _state(context)
    context.push_scope()
    state.depth += 1
    body = statements(context, node.block_items or [])
    state.depth -= 1
    context.pop_scope()
    return Block(context.span(node), tuple(body))


def _state(context: Context) -> FunctionState:
    assert context.function is not None
    return context.function


def _expression_statement(context: Context, node: Node) -> Stmt:
    value = discard(context, expression(context, node), node)
    if value is None:
        return Block(context.span(node), ())
    return ExprStmt(context.span(node), value)


def _empty(context: Context, node: c_ast.EmptyStatement) -> Stmt:
    return Block(context.span(node), ())


# selection


def _if(context: Context, node: c_ast.If) -> Stmt:
    """With its chain of ``else if``, without recursion along it."""
    chain = [node]
    while isinstance(chain[-1].iffalse, c_ast.If):
        chain.append(chain[-1].iffalse)
    arms = [
        (link, _condition(context, link.cond, "the condition of 'if'"), _body(context, link.iftrue))
        for link in chain
    ]
    tail = chain[-1].iffalse
    result = None if tail is None else _body(context, tail)
    for link, condition, then in reversed(arms):
        if condition is None:
            parts = (then,) if result is None else (then, result)
            result = Block(context.span(link), parts)
        else:
            result = If(context.span(link), condition, then, result)
    assert result is not None
    return result


def _condition(context: Context, node: Node, where: str) -> Expr | None:
    return truth(context, rvalue(context, node), node, where)


def _body(context: Context, node: Node) -> Stmt:
    """The statement under a condition or loop: a scope of its own."""
    if isinstance(node, c_ast.Compound):
        return block(context, node)
    state = _state(context)
    context.push_scope()
    state.depth += 1
    result = statements(context, [node])
    state.depth -= 1
    context.pop_scope()
    return result[0] if len(result) == 1 else Block(context.span(node), tuple(result))


def _switch(context: Context, node: c_ast.Switch) -> Stmt:
    state = _state(context)
    value = rvalue(context, node.cond)
    if value is not None:
        if is_integer(value.type.type):
            value = promote(value)
        else:
            message = f"switch takes an integer, not '{value.type.type}'"
            context.report("K380", message, node.cond)
            value = None
    kind = None
    if value is not None:
        assert isinstance(value.type.type, ScalarType)
        kind = SwitchState(value.type.type)
    state.switches.append(kind)
    state.breakable += 1
    body = _body(context, node.stmt)
    state.breakable -= 1
    state.switches.pop()
    return body if value is None else Switch(context.span(node), value, body)


def _labelled(context: Context, node: c_ast.Case | c_ast.Default) -> list[Stmt]:
    """A case or default label with its statement, then the statements moved under it."""
    if isinstance(node, c_ast.Case):
        value = _case_value(context, node)
    else:
        value = None
        _check_default(context, node)
    rest = statements(context, node.stmts)
    span = context.span(node)
    first = rest[0] if rest else Block(span, ())
    if isinstance(node, c_ast.Default):
        labelled: Stmt = Default(span, first)
    elif value is None:
        labelled = first
    else:
        labelled = Case(span, value, first)
    return [labelled, *rest[1:]]


def _single_labelled(context: Context, node: c_ast.Case | c_ast.Default) -> Stmt:
    result = _labelled(context, node)
    return result[0] if len(result) == 1 else Block(context.span(node), tuple(result))


def _case_value(context: Context, node: c_ast.Case) -> int | None:
    switches = _state(context).switches
    given = rvalue(context, node.expr)
    if not switches:
        context.report("K378", "'case' stands outside of a switch", node)
        return None
    if given is None or switches[-1] is None:
        return None
    value = evaluate(given, context.known)
    if not isinstance(value, int) or not is_integer(given.type.type):
        context.report("K381", "the value of a case label is an integer constant", node.expr)
        return None
    switch = switches[-1]
    wrapped = wrap(switch.type.kind, value)
    if wrapped != value and not _same_bits(switch.type.kind, value):
        message = f"{value} does not fit in '{switch.type}' and counts as {wrapped}"
        context.report("K399", message, node.expr)
    if wrapped in switch.cases:
        notes = [Note("the first one is here", switch.cases[wrapped])]
        context.report("K379", f"the case {wrapped} stands twice", node.expr, notes=notes)
        return None
    switch.cases[wrapped] = context.span(node)
    return wrapped


def _same_bits(kind: ScalarKind, value: int) -> bool:
    """Whether a value merely changes between signed and unsigned."""
    bits = kind.size_bytes * 8
    return -(1 << (bits - 1)) <= value < 1 << bits


def _check_default(context: Context, node: c_ast.Default) -> None:
    switches = _state(context).switches
    if not switches:
        context.report("K378", "'default' stands outside of a switch", node)
        return
    switch = switches[-1]
    if switch is None:
        return
    if switch.default is not None:
        notes = [Note("the first one is here", switch.default)]
        context.report("K379", "a switch has one default", node, notes=notes)
        return
    switch.default = context.span(node)


# loops


def _loop_body(context: Context, node: Node) -> Stmt:
    state = _state(context)
    state.loops += 1
    state.breakable += 1
    body = _body(context, node)
    state.breakable -= 1
    state.loops -= 1
    return body


def _unroll(context: Context, node: Node) -> Unroll | None:
    count = context.unit.unroll_of(node)
    return None if count is None else Unroll(count)


def _while(context: Context, node: c_ast.While) -> Stmt:
    condition = _condition(context, node.cond, "the condition of 'while'")
    body = _loop_body(context, node.stmt)
    if condition is None:
        return body
    return While(context.span(node), condition, body, _unroll(context, node))


def _do_while(context: Context, node: c_ast.DoWhile) -> Stmt:
    body = _loop_body(context, node.stmt)
    condition = _condition(context, node.cond, "the condition of 'while'")
    if condition is None:
        return body
    return DoWhile(context.span(node), body, condition, _unroll(context, node))


def _for(context: Context, node: c_ast.For) -> Stmt:
    state = _state(context)
    context.push_scope()
    state.depth += 1
    init: list[Stmt] = []
    if isinstance(node.init, c_ast.DeclList):
        init = statements(context, node.init.decls)
    elif node.init is not None:
        init = [_expression_statement(context, node.init)]
    condition = None
    if node.cond is not None:
        condition = _condition(context, node.cond, "the condition of 'for'")
    step = None
    if node.next is not None:
        step = discard(context, expression(context, node.next), node.next)
    body = _loop_body(context, node.stmt)
    state.depth -= 1
    context.pop_scope()
    return For(context.span(node), tuple(init), condition, step, body, _unroll(context, node))


# jumps


def _break(context: Context, node: c_ast.Break) -> Stmt:
    if not _state(context).breakable:
        context.report("K377", "'break' stands outside of a loop or switch", node)
    return Break(context.span(node))


def _continue(context: Context, node: c_ast.Continue) -> Stmt:
    if not _state(context).loops:
        context.report("K377", "'continue' stands outside of a loop", node)
    return Continue(context.span(node))


def _return(context: Context, node: c_ast.Return) -> Stmt:
    span = context.span(node)
    state = _state(context)
    result = state.result
    value = None if node.expr is None else rvalue(context, node.expr)
    if result is None or (node.expr is not None and value is None):
        return Return(span, None)
    name = state.function.name
    if value is None:
        if not isinstance(result, VoidType):
            context.report("K382", f"'{name}' must return a value of type '{result}'", node)
        return Return(span, None)
    if isinstance(result, VoidType):
        if not isinstance(value.type.type, VoidType):
            context.report("K382", f"'{name}' returns nothing: its result is void", node)
            return Return(span, None)
        return Block(span, (ExprStmt(value.span, value), Return(span, None)))
    assert node.expr is not None
    return Return(span, assign(context, value, result, node.expr, Purpose.RETURN))


def _goto(context: Context, node: c_ast.Goto) -> Stmt:
    _state(context).gotos.append((node.name, node))
    return Goto(context.span(node), node.name)


def _label(context: Context, node: c_ast.Label) -> Stmt:
    labels, span = _state(context).labels, context.span(node)
    if node.name in labels:
        notes = [Note("the first one is here", labels[node.name])]
        context.report("K376", f"the label '{node.name}' stands twice", node, notes=notes)
    labels.setdefault(node.name, span)
    inner = statements(context, [node.stmt])
    body = inner[0] if len(inner) == 1 else Block(span, tuple(inner))
    return Label(span, node.name, body)


def check_gotos(context: Context, state: FunctionState) -> None:
    """At the end of a function: every goto has its label."""
    for name, node in state.gotos:
        if name not in state.labels:
            hint = did_you_mean(name, state.labels)
            context.report("K375", f"there is no label '{name}' in this function", node, hint=hint)


_RULES: dict[type[Node], Callable[[Context, Any], Stmt]] = {
    c_ast.Compound: block,
    c_ast.EmptyStatement: _empty,
    c_ast.If: _if,
    c_ast.Switch: _switch,
    c_ast.Case: _single_labelled,
    c_ast.Default: _single_labelled,
    c_ast.While: _while,
    c_ast.DoWhile: _do_while,
    c_ast.For: _for,
    c_ast.Break: _break,
    c_ast.Continue: _continue,
    c_ast.Return: _return,
    c_ast.Goto: _goto,
    c_ast.Label: _label,
}
