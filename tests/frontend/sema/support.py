"""Short ways to analyse a source, for the tests of the semantic pass."""

from __future__ import annotations

from contextlib import suppress

from kcc.base.diagnostics import Diagnostic, DiagnosticError, DiagnosticSink
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.parser import parse
from kcc.frontend.sema.program import analyse
from kcc.frontend.tree import Block, Expr, ExprStmt, Function, Program

NAME = "k.cl"
MARK = "@"
"""Stands before the place a diagnostic is expected at; not a character of OpenCL C."""


def analysed(text: str, options: BuildOptions | None = None) -> Program:
    """The program of a source that must be right."""
    options = options or BuildOptions()
    sink = DiagnosticSink()
    program = analyse(parse(SourceText(NAME, text, "."), options, sink), options, sink)
    assert sink.errors == []
    return program


def diagnostics(text: str, options: BuildOptions | None = None) -> list[Diagnostic]:
    """Everything that is said of a source, right or wrong."""
    options = options or BuildOptions()
    sink = DiagnosticSink()
    with suppress(DiagnosticError):
        analyse(parse(SourceText(NAME, text, "."), options, sink), options, sink)
    return sink.diagnostics


def said(text: str) -> list[tuple[str, int, int]]:
    """Code, line and column of every diagnostic."""
    return [
        (d.code, d.span.line if d.span else 0, d.span.column if d.span else 0)
        for d in diagnostics(text)
    ]


def unmarked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A source without its marks, and the line and column of each."""
    places = list[tuple[int, int]]()
    lines = text.split("\n")
    for number, line in enumerate(lines):
        while MARK in line:
            places.append((number + 1, line.index(MARK) + 1))
            line = line.replace(MARK, "", 1)
        lines[number] = line
    return "\n".join(lines), places


def in_kernel(body: str) -> str:
    """A kernel with operands of many types around some statements, on the second line."""
    return (
        "kernel void k(global int *p, global float *q, local int *l, int i, float f, int4 v, "
        "float4 w, read_only image2d_t m, sampler_t s, global half *h) {\n" + body + "\n}\n"
    )


def function(program: Program, name: str) -> Function:
    return next(f for f in program.functions if f.name == name)


def last_expression(text: str) -> Expr:
    """The last expression statement of the function ``k`` of a source."""
    body = function(analysed(text), "k").body
    assert isinstance(body, Block)
    statement = body.statements[-1]
    assert isinstance(statement, ExprStmt)
    return statement.expression
