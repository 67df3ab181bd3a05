"""Function definitions: parameters and bodies."""

from __future__ import annotations

from pycparser import c_ast

from kcc.base.diagnostics import Note
from kcc.frontend.sema.attributes import kernel_attributes
from kcc.frontend.sema.context import Context, FunctionState
from kcc.frontend.sema.flow import may_end
from kcc.frontend.sema.kernels import check_kernel, with_parameters
from kcc.frontend.sema.prototypes import declare_function, is_kernel_declaration
from kcc.frontend.sema.scope import FunctionEntry
from kcc.frontend.sema.statements import check_gotos, statements
from kcc.frontend.sema.type_names import Signature, signature
from kcc.frontend.tree import Block, Function, Storage, Variable
from kcc.frontend.types import VOID, FunctionType, VoidType, is_complete


def function_definition(context: Context, node: c_ast.FuncDef) -> None:
    """Enter a function and analyse its body, also when its declaration is wrong."""
    declarator = node.decl.type
    assert isinstance(declarator, c_ast.FuncDecl)
    context.push_scope()
    found = signature(context, declarator)
    parameter_scope = context.scope
    context.pop_scope()
    entry = None
    if found.is_valid:
        entry = declare_function(context, node.decl, found.type)
    if entry is None:
        context.poison(node.decl.name, node.decl)
    else:
        _check_first(context, entry, node)
    function = _function(context, entry, node)
    parent = context.scope
    context.scope = parameter_scope
    parameters = _parameters(context, found)
    if function.is_kernel:
        check_kernel(context, node.decl, found)
    attributes = kernel_attributes(context, node.decl, is_kernel=function.is_kernel)
    if function.is_kernel:
        function.attributes = with_parameters(attributes, found)
    body = _body(context, function, found, node)
    context.scope = parent
    function.parameters, function.body = parameters, body
    function.end = context.unit.end_of(node.body)


def _function(context: Context, entry: FunctionEntry | None, node: c_ast.FuncDef) -> Function:
    """The function of the entry; one that nobody sees where the declaration is wrong."""
    span = context.span(node.decl)
    if entry is not None:
        entry.function.span = span
        return entry.function
    kernel = is_kernel_declaration(node.decl)
    return Function(node.decl.name or "", FunctionType(VOID, ()), span, kernel)


def _check_first(context: Context, entry: FunctionEntry, node: c_ast.FuncDef) -> None:
    if entry.defined_at is not None:
        notes = [Note("the first definition is here", entry.defined_at)]
        message = f"the function '{entry.function.name}' is defined twice"
        context.report("K305", message, node.decl, notes=notes)
    else:
        entry.defined_at = context.span(node.decl)


def _parameters(context: Context, found: Signature) -> tuple[Variable, ...]:
    parameters = list[Variable]()
    for node, type_ in found.parameters:
        name = getattr(node, "name", None)
        if type_ is None:
            context.poison(name, node)
            continue
        if not is_complete(type_.type):
            context.report("K310", f"a parameter of incomplete type '{type_.type}'", node)
            context.poison(name, node)
            continue
        variable = Variable(name or "", type_, Storage.PARAMETER, context.span(node))
        parameters.append(variable)
        if name:
            context.declare(name, variable, node)
    return tuple(parameters)


def _body(context: Context, function: Function, found: Signature, node: c_ast.FuncDef) -> Block:
    """The body shares the scope of the parameters (C99 6.2.1)."""
    state = FunctionState(function, found.result, depth=1)
    context.function = state
    items = statements(context, node.body.block_items or [])
    check_gotos(context, state)
    context.function = None
    body = Block(context.span(node.body), tuple(items))
    returns = found.result is not None and not isinstance(found.result, VoidType)
    if returns and found.result is not None and not is_complete(found.result):
        context.report("K310", f"a result of incomplete type '{found.result}'", node.decl)
    if returns and may_end(body):
        message = f"'{function.name}' may end without returning a value"
        context.report("K393", message, node.decl)
    return body
