"""The semantic pass: a parsed unit to a program, every expression typed and nothing implicit."""

from __future__ import annotations

from pycparser import c_ast

from kcc.base.diagnostics import DiagnosticSink
from kcc.frontend.options import BuildOptions
from kcc.frontend.parser import ParsedUnit, room_for_recursion
from kcc.frontend.sema import expressions, type_names
from kcc.frontend.sema.context import Context
from kcc.frontend.sema.declarations import declaration
from kcc.frontend.sema.functions import function_definition
from kcc.frontend.sema.recursion import check_calls
from kcc.frontend.tree import Program

RULES = (expressions, type_names)
"""Modules that fill the tables of rules when they are imported."""


def analyse(unit: ParsedUnit, options: BuildOptions, sink: DiagnosticSink) -> Program:
    """Check a unit and give its program. Warnings and errors go to ``sink``; with an error among
    them :class:`kcc.base.diagnostics.DiagnosticError` is raised.
    """
    context = Context(unit, options, sink, half_arithmetic=_enables_half(unit))
    with room_for_recursion():
        for node in unit.ast.ext:
            if isinstance(node, c_ast.FuncDef):
                function_definition(context, node)
            elif isinstance(node, (c_ast.Decl, c_ast.Typedef)):
                declaration(context, node)
    check_calls(context)
    _check_externs(context)
    sink.raise_if_errors()
    program = context.program
    program.functions = [f for f in program.functions if f.body is not None]
    return program


def _enables_half(unit: ParsedUnit) -> bool:
    """Whether the unit turns cl_khr_fp16 on."""
    return any(
        pragma.words[:2] == ("OPENCL", "EXTENSION")
        and pragma.words[2:3] in (("cl_khr_fp16",), ("all",))
        and "enable" in pragma.words[3:]
        for pragma in unit.pragmas
    )


def _check_externs(context: Context) -> None:
    for variable, use in context.externs.items():
        if use is not None:
            message = f"the constant '{variable.name}' is declared extern but not defined"
            context.report("K403", message, use)
