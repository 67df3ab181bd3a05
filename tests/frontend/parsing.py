"""Short ways to preprocess and parse a text, for tests."""

from __future__ import annotations

from pycparser import c_ast

from kcc.base.diagnostics import Diagnostic, DiagnosticError, DiagnosticSink
from kcc.frontend.options import BuildOptions, MacroOption, SourceText
from kcc.frontend.parser import ParsedUnit, parse
from kcc.frontend.preprocessor.preprocess import preprocess

NAME = "k.cl"


def options(*macros: str, include_dirs: tuple[str, ...] = ()) -> BuildOptions:
    """Build options from "NAME=VALUE", "NAME" or "-NAME" (undefined)."""
    parsed: list[MacroOption] = []
    for macro in macros:
        name, equals, value = macro.partition("=")
        undefined = macro.startswith("-")
        parsed.append(
            MacroOption(name.removeprefix("-"), None if undefined else value if equals else "1")
        )
    return BuildOptions(macros=tuple(parsed), include_dirs=include_dirs)


def parsed(text: str, build: BuildOptions | None = None, folder: str = ".") -> ParsedUnit:
    """The unit of a correct source."""
    return parse(SourceText(NAME, text, folder), build or BuildOptions(), DiagnosticSink())


def found(text: str, build: BuildOptions | None = None, folder: str = ".") -> list[Diagnostic]:
    """Everything said of a source, right or wrong."""
    sink = DiagnosticSink()
    raised = False
    try:
        parse(SourceText(NAME, text, folder), build or BuildOptions(), sink)
    except DiagnosticError as error:
        raised = list(error.diagnostics) == sink.diagnostics
    assert raised == bool(sink.errors)
    return sink.diagnostics


def places(text: str, build: BuildOptions | None = None, folder: str = ".") -> list[str]:
    """Everything said of a source as "CODE LINE:COLUMN"."""
    return [place(diagnostic) for diagnostic in found(text, build, folder)]


def place(diagnostic: Diagnostic) -> str:
    span = diagnostic.span
    return f"{diagnostic.code} {span.line}:{span.column}" if span else diagnostic.code


def expanded(text: str, build: BuildOptions | None = None) -> str:
    """What the preprocessor leaves of a correct source that uses no built-in macro."""
    sink = DiagnosticSink()
    source = SourceText(NAME, text, ".")
    unit = preprocess(source, build or BuildOptions(), {}, sink)
    assert not sink.errors, sink.errors
    return " ".join(token.value for token in unit.tokens)


def body(text: str) -> list[c_ast.Node]:
    """The statements of ``void f() {text}``."""
    return body_of(parsed(f"void f() {{{text}}}"))


def body_of(unit: ParsedUnit) -> list[c_ast.Node]:
    """The statements of the last function of a unit."""
    function = unit.ast.ext[-1]
    assert isinstance(function, c_ast.FuncDef)
    return function.body.block_items or []


def shape(node: c_ast.Node | None) -> str:
    """A tree as one line: (Kind attributes children...), names and constants bare."""
    match node:
        case None:
            return "-"
        case c_ast.ID(name=name) | c_ast.Constant(value=name):
            return name
        case c_ast.IdentifierType(names=names):
            return " ".join(names)
        case c_ast.TypeDecl(quals=quals, type=inner):
            return " ".join([*(quals or ()), shape(inner)])
        case c_ast.Typename(type=inner):
            return shape(inner)
        case _:
            words = [type(node).__name__, *_attributes(node)]
            return f"({' '.join([*words, *(shape(child) for _, child in node.children())])})"


def _attributes(node: c_ast.Node) -> list[str]:
    match node:
        case (
            c_ast.BinaryOp(op=word)
            | c_ast.UnaryOp(op=word)
            | c_ast.Assignment(op=word)
            | c_ast.StructRef(type=word)
            | c_ast.Label(name=word)
            | c_ast.Goto(name=word)
            | c_ast.Enumerator(name=word)
        ):
            return [word]
        case (
            c_ast.Decl(name=name)
            | c_ast.Typedef(name=name)
            | c_ast.Struct(name=name)
            | c_ast.Union(name=name)
            | c_ast.Enum(name=name)
        ):
            return [name or "-"]
        case c_ast.PtrDecl(quals=quals):
            return quals
        case _:
            return []
