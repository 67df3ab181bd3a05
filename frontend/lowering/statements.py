"""Statements: each lowers into the current block and leaves the builder where control goes on.

Blocks bear clang's names, loops have clang's shape: condition, body, increment, end. Every loop
has one latch, which carries the loop's metadata: the place of its keyword and its unroll pragma.
"""

from __future__ import annotations

from typing import assert_never

from kcc.base.diagnostics import Span
from kcc.frontend import tree
from kcc.frontend.lowering import places
from kcc.frontend.lowering.conditions import jump_on
from kcc.frontend.lowering.context import FunctionContext, Jumps
from kcc.frontend.lowering.expressions import effect
from kcc.frontend.lowering.layout import is_aggregate
from kcc.frontend.lowering.objects import initialise, store
from kcc.frontend.tree import Expr, Stmt, Storage, Unroll


def statement(ctx: FunctionContext, stmt: Stmt) -> None:
    """Lower one statement."""
    if ctx.build.terminated and not isinstance(stmt, (tree.Case, tree.Default, tree.Label)):
        ctx.build.position_at(ctx.build.new_label("dead.code"))
    ctx.at(stmt.span)
    match stmt:
        case tree.Block():
            for inner in stmt.statements:
                statement(ctx, inner)
        case tree.ExprStmt():
            effect(ctx, stmt.expression)
        case tree.Declare():
            if stmt.initialiser is not None and stmt.variable.storage is Storage.AUTOMATIC:
                initialise(ctx, ctx.variable(stmt.variable), stmt.initialiser)
        case tree.If():
            _if(ctx, stmt)
        case tree.While() | tree.DoWhile() | tree.For():
            _loop(ctx, stmt)
        case tree.Switch():
            _switch(ctx, stmt)
        case tree.Case() | tree.Default() | tree.Label():
            _labelled(ctx, stmt)
        case tree.Goto() | tree.Break() | tree.Continue():
            ctx.build.branch(_destination(ctx, stmt))
        case tree.Return():
            _return(ctx, stmt)
        case _:
            assert_never(stmt)


def _if(ctx: FunctionContext, stmt: tree.If) -> None:
    build = ctx.build
    then, end = build.new_label("if.then"), build.new_label("if.end")
    otherwise = end if stmt.otherwise is None else build.new_label("if.else")
    jump_on(ctx, stmt.condition, then, otherwise)
    build.position_at(then)
    statement(ctx, stmt.then)
    _fall_to(ctx, end, stmt.span)
    if stmt.otherwise is not None:
        build.position_at(otherwise)
        statement(ctx, stmt.otherwise)
        _fall_to(ctx, end, stmt.span)
    build.position_at(end)


def _fall_to(ctx: FunctionContext, label: str, span: Span) -> None:
    if not ctx.build.terminated:
        ctx.at(span)
        ctx.build.branch(label)


# loops


def _loop(ctx: FunctionContext, stmt: tree.While | tree.DoWhile | tree.For) -> None:
    match stmt:
        case tree.While():
            _tested_loop(ctx, "while", stmt, stmt.condition, None)
        case tree.For():
            for inner in stmt.init:
                statement(ctx, inner)
            ctx.at(stmt.span)
            _tested_loop(ctx, "for", stmt, stmt.condition, stmt.step)
        case tree.DoWhile():
            _do_loop(ctx, stmt)


def _tested_loop(
    ctx: FunctionContext,
    stem: str,
    stmt: tree.While | tree.For,
    condition: Expr | None,
    step: Expr | None,
) -> None:
    build = ctx.build
    test, body, increment, end = (
        build.new_label(f"{stem}.{n}") for n in ("cond", "body", "inc", "end")
    )
    build.branch(test)
    build.position_at(test)
    if condition is None:
        build.branch(body)
    else:
        jump_on(ctx, condition, body, end)
    build.position_at(body)
    _loop_body(ctx, stmt.body, Jumps(end, increment))
    _fall_to(ctx, increment, stmt.span)
    build.position_at(increment)
    if step is not None:
        effect(ctx, step)
    ctx.at(stmt.span)
    build.branch(test, _loop_metadata(ctx, stmt.span, stmt.unroll))
    build.position_at(end)


def _do_loop(ctx: FunctionContext, stmt: tree.DoWhile) -> None:
    build = ctx.build
    body, test, end = (build.new_label(f"do.{n}") for n in ("body", "cond", "end"))
    build.branch(body)
    build.position_at(body)
    _loop_body(ctx, stmt.body, Jumps(end, test))
    _fall_to(ctx, test, stmt.span)
    build.position_at(test)
    metadata = _loop_metadata(ctx, stmt.span, stmt.unroll)
    if isinstance(stmt.condition, tree.Constant):
        ctx.at(stmt.span)
        again = stmt.condition.value != 0
        build.branch(body if again else end, metadata if again else "")
    else:
        latch = build.new_label("do.latch")
        jump_on(ctx, stmt.condition, latch, end)
        build.position_at(latch)
        ctx.at(stmt.span)
        build.branch(body, metadata)
    build.position_at(end)


def _loop_body(ctx: FunctionContext, body: Stmt, jumps: Jumps) -> None:
    ctx.jumps.append(jumps)
    statement(ctx, body)
    ctx.jumps.pop()


def _loop_metadata(ctx: FunctionContext, span: Span, unroll: Unroll | None) -> str:
    parts = [ctx.scope.location(span)]
    module = ctx.module.module
    if unroll is not None:
        match unroll.count:
            case 0:
                parts.append(module.node('!{!"llvm.loop.unroll.full"}'))
            case 1:
                parts.append(module.node('!{!"llvm.loop.unroll.disable"}'))
            case count:
                parts.append(module.node(f'!{{!"llvm.loop.unroll.count", i32 {count}}}'))
    return f", !llvm.loop {module.loop_node(parts)}"


# switch, labels, jumps


def _switch(ctx: FunctionContext, stmt: tree.Switch) -> None:
    build = ctx.build
    selector = ctx.value(stmt.value)
    dispatch, end = build.current, build.new_label("sw.epilog")
    assert dispatch is not None
    on_continue = next((j.on_continue for j in reversed(ctx.jumps) if j.on_continue), None)
    jumps = Jumps(end, on_continue, cases=[])
    build.position_at(build.new_label("dead.code"))
    _loop_body(ctx, stmt.body, jumps)
    _fall_to(ctx, end, stmt.span)
    build.position_at(dispatch)
    ctx.at(stmt.span)
    assert jumps.cases is not None
    build.switch(selector, jumps.default or end, jumps.cases)
    build.position_at(end)


def _labelled(ctx: FunctionContext, stmt: tree.Case | tree.Default | tree.Label) -> None:
    build = ctx.build
    match stmt:
        case tree.Case():
            label = build.new_label("sw.bb")
            _switch_jumps(ctx)[1].append((stmt.value, label))
        case tree.Default():
            label = build.new_label("sw.default")
            _switch_jumps(ctx)[0].default = label
        case tree.Label():
            label = ctx.label(stmt.name)
    if not build.terminated:
        build.branch(label)
    build.position_at(label)
    statement(ctx, stmt.body)


def _switch_jumps(ctx: FunctionContext) -> tuple[Jumps, list[tuple[int, str]]]:
    """The innermost switch: a label may stand inside a loop in its body."""
    for jumps in reversed(ctx.jumps):
        if jumps.cases is not None:
            return jumps, jumps.cases
    raise AssertionError("a case label outside of any switch")


def _destination(ctx: FunctionContext, stmt: tree.Goto | tree.Break | tree.Continue) -> str:
    match stmt:
        case tree.Goto():
            return ctx.label(stmt.name)
        case tree.Break():
            return ctx.jumps[-1].on_break
        case tree.Continue():
            target = ctx.jumps[-1].on_continue
            assert target is not None
            return target


def _return(ctx: FunctionContext, stmt: tree.Return) -> None:
    if stmt.value is not None and ctx.result is not None:
        store(ctx, ctx.result, stmt.value)
    elif stmt.value is not None:
        effect(ctx, stmt.value)
    ctx.at(stmt.span)
    ctx.build.branch("return")


def finish(ctx: FunctionContext, end: Span) -> None:
    """The end of a function: what falls through returns zero, which C leaves undefined."""
    build = ctx.build
    ctx.at(end)
    if not build.terminated:
        if ctx.result is not None:
            places.clear_any(build, ctx.result)
        build.branch("return")
    build.position_at("return")
    if ctx.result is None or is_aggregate(ctx.result.type.type):
        build.ret()
    else:
        build.ret(places.read(build, ctx.result))
