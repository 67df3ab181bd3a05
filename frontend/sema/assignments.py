"""Operators on lvalues: assignment, increments, address and dereference."""

from __future__ import annotations

from pycparser import c_ast

from kcc.base.diagnostics import Note
from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.conversions import Purpose, assign, to_index, to_value
from kcc.frontend.sema.dispatch import expression, rvalue
from kcc.frontend.sema.operators import BINARY_OPS, apply_binary, invalid_operands
from kcc.frontend.sema.pointers import steps
from kcc.frontend.sema.values import (
    arithmetic_kind,
    is_const_object,
    is_integer_vector,
    is_lvalue,
    is_opaque,
    value_type,
)
from kcc.frontend.tree import (
    AddressOf,
    Assign,
    Binary,
    BinaryOp,
    CompoundAssign,
    Deref,
    Element,
    Expr,
    Increment,
    Swizzle,
    VariableRef,
)
from kcc.frontend.types import (
    AddressSpace,
    ArrayType,
    PointerType,
    QualType,
    VectorType,
    is_complete,
    is_integer,
)

_SHIFTS = (BinaryOp.SHL, BinaryOp.SHR)


def assignment(context: Context, node: c_ast.Assignment) -> Expr | None:
    """``=`` and the compound assignments."""
    target, value = expression(context, node.lvalue), rvalue(context, node.rvalue)
    if target is None or value is None or not check_modifiable(context, target, node):
        return None
    if node.op != "=":
        return _compound(context, BINARY_OPS[node.op[:-1]], target, value, node)
    converted = assign(context, value, target.type.type, node, Purpose.ASSIGN)
    if converted is None:
        return None
    return Assign(_result_type(target), context.span(node), target, converted)


def _result_type(target: Expr) -> QualType:
    return value_type(target.type.type)


def check_modifiable(context: Context, target: Expr, node: Node) -> bool:
    """Whether an expression can be stored to; reports why not (C99 6.3.2.1)."""
    type_ = target.type
    if not is_lvalue(target):
        what = "a vector of computed lanes" if isinstance(target, Swizzle) else "this value"
        context.report("K352", f"{what} is not an object: nothing can be assigned to it", node)
    elif isinstance(type_.type, ArrayType):
        context.report("K352", "an array is not assigned as a whole", node)
    elif is_const_object(type_):
        _report_const(context, target, node)
    elif isinstance(target, Swizzle) and len(set(target.lanes)) < len(target.lanes):
        context.report("K355", "a component stands twice in the target", node)
    elif is_opaque(type_.type):
        context.report("K344", f"objects of type '{type_.type}' are not assigned", node)
    elif context.is_half_storage(type_.type):
        hint = "use vstore_half, or enable the extension cl_khr_fp16"
        context.report("K317", "a half cannot be written directly", node, hint=hint)
    elif not is_complete(type_.type):
        context.report("K310", f"the type '{type_.type}' is incomplete", node)
    else:
        return True
    return False


def _report_const(context: Context, target: Expr, node: Node) -> None:
    root = target
    while not isinstance(root, VariableRef):
        inner = getattr(root, "base", None)
        if inner is None:
            break
        root = inner
    notes = list[Note]()
    what = "it is const"
    if target.type.space is AddressSpace.CONSTANT:
        what = "it is in the constant address space"
    if isinstance(root, VariableRef):
        notes.append(Note(f"'{root.variable.name}' is declared here", root.variable.span))
    context.report("K353", f"this cannot be written: {what}", node, notes=notes)


def _compound(context: Context, op: BinaryOp, target: Expr, value: Expr, node: Node) -> Expr | None:
    """``target op= value``: the types are those of ``target op value``."""
    current = to_value(context, target, node)
    if current is None:
        return None
    type_, span = target.type.type, context.span(node)
    if isinstance(type_, PointerType):
        if op not in (BinaryOp.ADD, BinaryOp.SUB) or not is_integer(value.type.type):
            invalid_operands(context, f"{op.value}=", type_, value.type.type, node)
            return None
        if not steps(context, current, node):
            return None
        pointer = value_type(type_)
        return CompoundAssign(pointer, span, target, op, to_index(value), pointer)
    combined = apply_binary(context, op, current, value, node)
    if combined is None:
        return None
    if not isinstance(combined, Binary):
        invalid_operands(context, f"{op.value}=", type_, value.type.type, node)
        return None
    if assign(context, combined, type_, node, Purpose.ASSIGN) is None:
        return None
    computation = combined.left.type
    return CompoundAssign(_result_type(target), span, target, op, combined.right, computation)


def increment(
    context: Context, target: Expr, node: Node, *, delta: int, prefix: bool
) -> Expr | None:
    """``++`` and ``--``, before or after."""
    if not check_modifiable(context, target, node):
        return None
    type_ = target.type.type
    if isinstance(type_, PointerType):
        current = to_value(context, target, node)
        if current is None or not steps(context, current, node):
            return None
    elif arithmetic_kind(type_) is None and not is_integer_vector(type_):
        op = "++" if delta > 0 else "--"
        hint = "write += 1" if isinstance(type_, VectorType) else None
        context.report("K345", f"'{op}' does not take '{type_}'", node, hint=hint)
        return None
    return Increment(_result_type(target), context.span(node), target, delta, prefix)


def address_of(context: Context, operand: Expr, node: Node) -> Expr | None:
    """``&x``."""
    if not is_lvalue(operand):
        message = f"a value of type '{operand.type.type}' has no address"
        context.report("K356", message, node)
        return None
    if _in_vector(operand):
        hint = "index a pointer to the scalar type instead"
        context.report("K356", "the components of a vector have no address", node, hint=hint)
        return None
    if is_opaque(operand.type.type):
        context.report("K315", f"there are no pointers to '{operand.type.type}'", node)
        return None
    if isinstance(operand, Deref):
        return operand.pointer
    return AddressOf(QualType(PointerType(operand.type)), context.span(node), operand)


def _in_vector(operand: Expr) -> bool:
    if isinstance(operand, Swizzle):
        return True
    return isinstance(operand, Element) and isinstance(operand.base.type.type, VectorType)


def dereference(context: Context, operand: Expr, node: Node) -> Expr | None:
    """``*p``."""
    type_ = operand.type.type
    if not isinstance(type_, PointerType):
        context.report("K359", f"'*' needs a pointer, not '{type_}'", node)
        return None
    return Deref(type_.pointee, context.span(node), operand)


def discard(context: Context, operand: Expr | None, node: Node) -> Expr | None:
    """An expression whose value nobody uses; a plain object is read all the same."""
    return to_value(context, operand, node)
