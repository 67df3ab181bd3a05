"""Function names: what redeclarations must agree on, overloads, names of built-ins."""

from __future__ import annotations

from pycparser import c_ast

from kcc.base.diagnostics import Note
from kcc.frontend.builtins.resolve import is_builtin, resolve
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.sema.attributes import has_attribute, kernel_attributes
from kcc.frontend.sema.context import Context, previous_span
from kcc.frontend.sema.kernels import check_kernel
from kcc.frontend.sema.scope import FunctionEntry, FunctionGroup, Poisoned, Scope
from kcc.frontend.sema.type_names import signature
from kcc.frontend.tree import Function
from kcc.frontend.types import FunctionType


def is_kernel_declaration(node: c_ast.Decl) -> bool:
    """Whether a declaration says ``kernel``."""
    return any(word.strip("_") == "kernel" for word in node.funcspec or ())


def prototype(context: Context, node: c_ast.Decl, declarator: c_ast.FuncDecl) -> None:
    """A function declared without its body."""
    context.push_scope()
    found = signature(context, declarator)
    context.pop_scope()
    if not found.is_valid:
        context.poison(node.name, node)
        return
    if is_kernel_declaration(node):
        check_kernel(context, node, found)
    declare_by_type(context, node, found.type)


def declare_by_type(context: Context, node: c_ast.Decl, type_: FunctionType) -> None:
    """A function declared with a type that may come from a typedef."""
    entry = declare_function(context, node, type_)
    if entry is not None:
        kernel_attributes(context, node, is_kernel=entry.function.is_kernel)


def declare_function(
    context: Context, node: c_ast.Decl, type_: FunctionType
) -> FunctionEntry | None:
    """The function of a declaration, new or known; None where it contradicts an earlier one."""
    assert node.name is not None
    _check_storage(context, node)
    overloadable = has_attribute(context, node, "overloadable")
    if not overloadable and _repeats_builtin(context, node.name, type_):
        message = f"'{node.name}' is a built-in function with these parameters"
        hint = "give the function another name"
        context.report("K386", message, node, hint=hint)
        return None
    file_scope = _file_scope(context.scope)
    entity = file_scope.names.get(node.name)
    if entity is None or isinstance(entity, Poisoned):
        entity = FunctionGroup([], context.span(node))
        file_scope.names[node.name] = entity
    if context.scope is not file_scope:
        local = context.scope.names.get(node.name)
        if local is not None and not isinstance(local, (FunctionGroup, Poisoned)):
            context.declare(node.name, entity, node)
            return None
        context.scope.names[node.name] = entity
    if not isinstance(entity, FunctionGroup):
        notes = [Note(f"'{node.name}' was declared here", previous_span(entity))]
        message = f"'{node.name}' is declared as a function, but is something else"
        context.report("K304", message, node, notes=notes)
        return None
    return _entry(context, entity, node, type_, overloadable=overloadable)


def _file_scope(scope: Scope) -> Scope:
    while scope.parent is not None:
        scope = scope.parent
    return scope


def _check_storage(context: Context, node: c_ast.Decl) -> None:
    storage = node.storage or []
    if is_kernel_declaration(node) and "static" in storage:
        context.report("K336", "a kernel cannot be static", node)
    if is_kernel_declaration(node) and node.name == "main":
        context.report("K337", "a kernel cannot be called 'main'", node)
    if "static" in storage and not context.at_file_scope:
        context.report("K327", "a function declared in a block cannot be static", node)


def _repeats_builtin(context: Context, name: str, type_: FunctionType) -> bool:
    if not is_builtin(name) or not context.at_file_scope:
        return False
    types = [parameter.type for parameter in type_.parameters]
    found = resolve(name, types)
    return isinstance(found, ResolvedBuiltin) and [p.type for p in found.parameters] == types


def _entry(
    context: Context,
    group: FunctionGroup,
    node: c_ast.Decl,
    type_: FunctionType,
    *,
    overloadable: bool,
) -> FunctionEntry | None:
    kernel, span = is_kernel_declaration(node), context.span(node)
    parameters = [p.type for p in type_.parameters]
    for entry in group.functions:
        if entry.function.type == type_:
            entry.function.is_kernel = entry.function.is_kernel or kernel
            return entry
        same = [p.type for p in entry.function.type.parameters] == parameters
        if not (entry.overloadable or overloadable) or same:
            notes = [Note(f"'{node.name}' was declared here", entry.span)]
            message = f"'{node.name}' was declared as {entry.function.type}, not {type_}"
            context.report("K304", message, node, notes=notes)
            return None
    assert node.name is not None
    name = node.name if not group.functions else f"{node.name}.{len(group.functions)}"
    entry = FunctionEntry(Function(name, type_, span, kernel), span, overloadable)
    group.functions.append(entry)
    context.program.functions.append(entry.function)
    return entry
