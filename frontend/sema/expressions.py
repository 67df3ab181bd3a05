"""Expressions: names, sizes, and the table of rules for all others."""

from __future__ import annotations

from pycparser import c_ast

from kcc.frontend.builtins.overloads import names as builtin_names
from kcc.frontend.builtins.resolve import is_builtin
from kcc.frontend.sema import casts, operators, postfix
from kcc.frontend.sema.assignments import address_of, assignment, dereference, increment
from kcc.frontend.sema.calls import call
from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.dispatch import EXPRESSION_RULES, declared_type, expression, rvalue
from kcc.frontend.sema.initialisers import compound_literal
from kcc.frontend.sema.literals import literal, string_object
from kcc.frontend.sema.scope import EnumConstant, FunctionGroup, Poisoned, SamplerConstant
from kcc.frontend.sema.suggestions import did_you_mean
from kcc.frontend.sema.values import value_type
from kcc.frontend.tree import Constant, Expr, Variable, VariableRef
from kcc.frontend.types import (
    INT,
    SIZE_T,
    FunctionType,
    QualType,
    VectorType,
    VoidType,
    is_arithmetic,
    is_complete,
    size_of,
)


def name(context: Context, node: c_ast.ID) -> Expr | None:
    """A variable, an enumerator or a sampler."""
    entity = context.scope.find(node.name)
    if isinstance(entity, Variable):
        if entity in context.externs and not context.unevaluated:
            context.externs[entity] = context.externs[entity] or node
        return VariableRef(entity.type, context.span(node), entity)
    if isinstance(entity, EnumConstant):
        return Constant(value_type(entity.type), context.span(node), entity.value)
    if isinstance(entity, SamplerConstant):
        return entity.value
    if isinstance(entity, Poisoned):
        return None
    if isinstance(entity, FunctionGroup) or (entity is None and is_builtin(node.name)):
        hint = f"a call is written {node.name}(...)"
        message = f"the function '{node.name}' is not a value: OpenCL C has no function pointers"
        context.report("K343", message, node, hint=hint)
        return None
    if node.name in ("__func__", "__FUNCTION__") and context.function is not None:
        data = context.function.function.name.encode() + b"\0"
        return string_object(data, context.span(node))
    hint = did_you_mean(node.name, (*context.scope.visible_names(), *builtin_names()))
    context.report("K301", f"unknown name '{node.name}'", node, hint=hint)
    return None


def unary(context: Context, node: c_ast.UnaryOp) -> Expr | None:
    """Prefix and postfix operators, sizes."""
    op = node.op
    if op in ("sizeof", "vec_step"):
        return _size_operator(context, node)
    if op in ("p++", "p--", "++", "--"):
        target = expression(context, node.expr)
        if target is None:
            return None
        delta = 1 if op.endswith("++") else -1
        return increment(context, target, node, delta=delta, prefix=not op.startswith("p"))
    if op == "&":
        operand = expression(context, node.expr)
        return None if operand is None else address_of(context, operand, node)
    value = rvalue(context, node.expr)
    if value is None:
        return None
    if op == "*":
        return dereference(context, value, node)
    return operators.apply_unary(context, op, value, node)


# sizes


def _size_operator(context: Context, node: c_ast.UnaryOp) -> Expr | None:
    type_ = _operand_type(context, node.expr)
    if type_ is None:
        return None
    if node.op == "vec_step":
        return _vec_step(context, type_, node)
    if isinstance(type_.type, (VoidType, FunctionType)) or not is_complete(type_.type):
        context.report("K371", f"'{type_.type}' has no size", node)
        return None
    return Constant(value_type(SIZE_T), context.span(node), size_of(type_.type))


def _operand_type(context: Context, node: Node) -> QualType | None:
    if isinstance(node, c_ast.Typename):
        return declared_type(context, node)
    context.unevaluated += 1
    operand = expression(context, node)
    context.unevaluated -= 1
    return None if operand is None else operand.type


def _vec_step(context: Context, type_: QualType, node: c_ast.UnaryOp) -> Expr | None:
    """Section 6.11.8: lanes, where 3 counts as 4."""
    if isinstance(type_.type, VectorType):
        lanes = 4 if type_.type.lanes == 3 else type_.type.lanes
    elif is_arithmetic(type_.type):
        lanes = 1
    else:
        context.report("K371", f"vec_step takes a scalar or a vector, not '{type_.type}'", node)
        return None
    return Constant(value_type(INT), context.span(node), lanes)


EXPRESSION_RULES.update(
    {
        c_ast.ID: name,
        c_ast.Constant: literal,
        c_ast.UnaryOp: unary,
        c_ast.BinaryOp: operators.binary,
        c_ast.TernaryOp: operators.conditional,
        c_ast.Assignment: assignment,
        c_ast.ArrayRef: postfix.subscript,
        c_ast.StructRef: postfix.member,
        c_ast.FuncCall: call,
        c_ast.Cast: casts.cast,
        c_ast.ExprList: casts.comma,
        c_ast.CompoundLiteral: compound_literal,
    }
)
