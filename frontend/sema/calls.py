"""Calls: of functions of the source, of built-ins, of neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pycparser import c_ast

from kcc.base.diagnostics import Note
from kcc.frontend.builtins.conversions import Fit, Order, compare, fit
from kcc.frontend.builtins.overloads import names as builtin_names
from kcc.frontend.builtins.resolve import Ambiguous, NoMatch, is_builtin, resolve
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.sema.constants import evaluate
from kcc.frontend.sema.context import CallSite, Context, Node, previous_span
from kcc.frontend.sema.conversions import Purpose, assign, default_argument
from kcc.frontend.sema.dispatch import expression, rvalue
from kcc.frontend.sema.printf import check_printf
from kcc.frontend.sema.scope import FunctionEntry, FunctionGroup, Poisoned
from kcc.frontend.sema.suggestions import did_you_mean
from kcc.frontend.sema.values import value_type
from kcc.frontend.tree import BuiltinCall, Call, Deref, Expr, Function
from kcc.frontend.types import PointerType, Type, VoidType, is_integer

Arguments = list[tuple[Expr, Node]]

READ_ONLY_LOAD = "__builtin_nontemporal_load"
"""What CUDA's ``__ldg`` is read as; clang has it too."""


def call(context: Context, node: c_ast.FuncCall) -> Expr | None:
    """``f(a, b)``."""
    arguments = _arguments(context, node)
    if not isinstance(node.name, c_ast.ID):
        callee = expression(context, node.name)
        if callee is not None:
            context.report("K362", f"'{callee.type.type}' is not a function", node)
        return None
    name = node.name.name
    if name == READ_ONLY_LOAD:
        return None if arguments is None else _read_only_load(context, arguments, node)
    entity = context.scope.find(name)
    if isinstance(entity, Poisoned):
        return None
    if isinstance(entity, FunctionGroup):
        return None if arguments is None else _call_group(context, entity, name, arguments, node)
    if entity is not None:
        notes = [Note(f"'{name}' was declared here", previous_span(entity))]
        context.report("K362", f"'{name}' is not a function", node, notes=notes)
        return None
    if is_builtin(name):
        return None if arguments is None else _call_builtin(context, name, arguments, node)
    hint = did_you_mean(name, (*context.scope.visible_names(), *builtin_names()))
    context.report("K302", f"unknown function '{name}'", node, hint=hint)
    return None


def _arguments(context: Context, node: c_ast.FuncCall) -> Arguments | None:
    """The values of all arguments; None when one is wrong."""
    arguments, wrong = Arguments(), False
    for part in node.args.exprs if node.args else ():
        value = rvalue(context, part)
        if value is None:
            wrong = True
        elif isinstance(value.type.type, VoidType):
            context.report("K370", "a void expression has no value to pass", part)
            wrong = True
        else:
            arguments.append((value, part))
    return None if wrong else arguments


def _read_only_load(context: Context, arguments: Arguments, node: Node) -> Expr | None:
    """The object that a pointer points to, read by an instruction of its own."""
    types = [value.type.type for value, _ in arguments]
    match types:
        case [PointerType(pointee=pointee)] if not isinstance(pointee.type, VoidType):
            read = replace(pointee, const=True, read_only=True)
            return Deref(read, context.span(node), arguments[0][0])
        case _:
            message = f"{READ_ONLY_LOAD} takes one pointer to an object"
            context.report("K364", message, node)
            return None


# functions of the source


def _call_group(
    context: Context, group: FunctionGroup, name: str, arguments: Arguments, node: Node
) -> Expr | None:
    if len(group.functions) == 1 and not (group.functions[0].overloadable or is_builtin(name)):
        return _call_function(context, group.functions[0], arguments, node)
    chosen = _choose(group.functions, arguments, _constants(context, arguments))
    if chosen is None and is_builtin(name):
        return _call_builtin(context, name, arguments, node)
    if chosen is None and len(group.functions) == 1:
        chosen = group.functions
    if chosen is None or len(chosen) > 1:
        _report_overloads(context, name, chosen, group, node)
        return None
    return _call_function(context, chosen[0], arguments, node)


def _choose(
    candidates: Sequence[FunctionEntry], arguments: Arguments, constants: Mapping[int, int]
) -> list[FunctionEntry] | None:
    """The best of overloaded functions; several when none is, None when none fits."""
    viable = list[tuple[FunctionEntry, list[Fit]]]()
    for entry in candidates:
        parameters = entry.function.type.parameters
        if len(parameters) != len(arguments):
            continue
        fits = [
            fit(value.type.type, parameters[position].type, constants.get(position))
            for position, (value, _) in enumerate(arguments)
        ]
        found = [f for f in fits if f is not None]
        if len(found) == len(fits):
            viable.append((entry, found))
    if not viable:
        return None
    best = [a for a in viable if all(b is a or _beats(a[1], b[1]) for b in viable)]
    return [entry for entry, _ in best or viable]


def _beats(first: list[Fit], second: list[Fit]) -> bool:
    orders = [compare(a, b) for a, b in zip(first, second, strict=True)]
    return Order.WORSE not in orders and Order.BETTER in orders


def _report_overloads(
    context: Context,
    name: str,
    chosen: list[FunctionEntry] | None,
    group: FunctionGroup,
    node: Node,
) -> None:
    notes = [Note(f"candidate: {e.function.type}", e.span) for e in chosen or group.functions]
    if chosen is None:
        context.report("K364", f"no function '{name}' takes these arguments", node, notes=notes)
    else:
        context.report("K365", f"several functions '{name}' fit equally", node, notes=notes)


def _call_function(
    context: Context, entry: FunctionEntry, arguments: Arguments, node: Node
) -> Expr | None:
    function = entry.function
    parameters = function.type.parameters
    if len(arguments) != len(parameters):
        _report_count(context, entry, len(arguments), node)
        return None
    converted = list[Expr]()
    for (value, part), parameter in zip(arguments, parameters, strict=True):
        argument = assign(context, value, parameter.type, part, Purpose.PASS)
        if argument is not None:
            converted.append(argument)
    if len(converted) < len(parameters):
        return None
    _record_call(context, function, node)
    return Call(value_type(function.type.result), context.span(node), function, tuple(converted))


def _report_count(context: Context, entry: FunctionEntry, given: int, node: Node) -> None:
    name, wanted = entry.function.name, len(entry.function.type.parameters)
    plural = "argument" if wanted == 1 else "arguments"
    notes = [Note(f"'{name}' is declared here", entry.span)]
    context.report("K363", f"'{name}' takes {wanted} {plural}, not {given}", node, notes=notes)


def _record_call(context: Context, callee: Function, node: Node) -> None:
    if context.function is not None and not context.unevaluated:
        context.calls.append(CallSite(context.function.function, callee, node))


# built-ins


def _call_builtin(context: Context, name: str, arguments: Arguments, node: Node) -> Expr | None:
    types = [value.type.type for value, _ in arguments]
    found = resolve(name, types, _constants(context, arguments))
    if isinstance(found, (NoMatch, Ambiguous)):
        _report_builtin(context, name, types, found, node)
        return None
    converted = list[Expr]()
    for position, (value, part) in enumerate(arguments):
        argument: Expr | None = default_argument(value)
        if position < len(found.parameters):
            argument = _fit_argument(context, found, position, value, part)
        if argument is not None:
            converted.append(argument)
    if len(converted) < len(arguments):
        return None
    if name == "printf":
        check_printf(context, converted, [part for _, part in arguments], node)
    return BuiltinCall(value_type(found.result), context.span(node), found, tuple(converted))


def _fit_argument(
    context: Context, builtin: ResolvedBuiltin, position: int, value: Expr, node: Node
) -> Expr | None:
    return assign(context, value, builtin.parameters[position].type, node, Purpose.PASS)


def _constants(context: Context, arguments: Arguments) -> dict[int, int]:
    """The values of those arguments that are integer constants."""
    constants = dict[int, int]()
    for position, (value, _) in enumerate(arguments):
        if is_integer(value.type.type):
            known = evaluate(value, context.known)
            if isinstance(known, int):
                constants[position] = known
    return constants


def _report_builtin(
    context: Context,
    name: str,
    types: Sequence[Type],
    found: NoMatch | Ambiguous,
    node: Node,
) -> None:
    shown = ", ".join(str(t) for t in types)
    notes = [Note(f"candidate: {candidate}") for candidate in found.candidates]
    if isinstance(found, NoMatch):
        message = f"no overload of the built-in '{name}' takes ({shown})"
        context.report("K364", message, node, notes=notes)
    else:
        hint = "cast the arguments to one type"
        message = f"the call of the built-in '{name}' with ({shown}) is ambiguous"
        context.report("K365", message, node, notes=notes, hint=hint)
