r"""Parsing: a source and its build options to a tree, with places, attributes and pragmas.

:func:`parse` gives a :class:`ParsedUnit`, the contract with the semantic pass:

- ``ast`` is pycparser's ``c_ast.FileAST``. A node's ``coord`` is the token it is placed at; use
  :meth:`ParsedUnit.span` and :meth:`ParsedUnit.notes`, which also work for nodes without one.
  Assignment, BinaryOp, TernaryOp and UnaryOp are placed at their operator, statements at their
  keyword, declarations at the declared name, ArrayRef, FuncCall and StructRef at the start of
  their base, everything else at its first token.
- A token out of a macro is placed where the macro is used (an argument: where it is written);
  ``notes`` then says "expanded from macro 'X'" for each macro, and "included from here".
- Address spaces, access qualifiers, const, volatile and restrict come in ``quals`` as spelled
  (``__global``, ``global``, ``read_only``, ...), of a declaration on Decl and its TypeDecl, after
  a star on PtrDecl; ``__kernel``, ``kernel`` and ``inline`` in ``funcspec``; ``static``,
  ``extern``, ``typedef``... in ``storage``. Nothing of this is checked here, nor is the
  combination of type words in an IdentifierType (``["unsigned", "int"]``).
- Vector literals: ``(float4)(a, b)`` is Cast(Typename, ExprList([a, b])), ``(float4)(a)`` is
  Cast(Typename, a); suffixes apply to the literal: ``(float4)(a, b).x`` is StructRef(Cast(...)).
  ``(float4)((a, b))`` has an ExprList in the ExprList: a comma operator. ``(float4){a, b}`` is a
  CompoundLiteral with an InitList.
- Constant: ``type`` is int, unsigned int, long int, unsigned long int, float, double, half, char,
  bool or string; ``value`` is the spelling, suffix and quotes included; it is well formed. A suffix
  may be LL (which means L), an unknown escape sequence stands for its character.
  Adjacent strings are one Constant whose value keeps a quote boundary where an escape would
  swallow what follows (after ``\1``, say).
- ``sizeof`` and ``vec_step`` are UnaryOp with that operator and a Typename or an expression.
- The body of a Switch that is a block has the statements after a label in its Case or Default
  (``stmts``); labels in a row become siblings of which all but the last are empty.
- Pragmas and attributes are not in the tree: see :meth:`ParsedUnit.unroll_of`,
  :meth:`ParsedUnit.attributes_of` and :attr:`ParsedUnit.pragmas`.

The tree is at most some thousand levels deep: walk it inside :func:`room_for_recursion`.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from pycparser import c_ast

from kcc.base.diagnostics import DiagnosticError, DiagnosticSink, Note, Span
from kcc.base.records import dataclass
from kcc.frontend.attributes import Attribute
from kcc.frontend.builtins.constants import PREDEFINED_MACROS, version_macros
from kcc.frontend.grammar.unit import Extent, UnitParser
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.preprocessor.lexer import Token
from kcc.frontend.preprocessor.pragmas import Pragma, unit_pragmas
from kcc.frontend.preprocessor.preprocess import preprocess
from kcc.frontend.preprocessor.token_feed import TokenFeed, feed

RECURSION_LIMIT = 50_000
"""Frames that the deepest tree allowed here may need in a recursive walk."""


@dataclass(frozen=True, slots=True, eq=False)
class ParsedUnit:
    """A parsed source; ``sources`` maps the name of every file read to its lines."""

    ast: c_ast.FileAST
    sources: Mapping[str, list[str]]
    pragmas: tuple[Pragma, ...]
    """``OPENCL ...`` and ``STDC ...`` pragmas, in the order of the source."""
    _attributes: Mapping[c_ast.Node, tuple[Attribute, ...]]
    _unroll: Mapping[c_ast.Node, int]
    _ends: Mapping[c_ast.Node, Token]
    _start: Span

    def span(self, node: c_ast.Node) -> Span:
        """Where the user wrote ``node``; of a node without a place, where its first part is."""
        token = _token_of(node)
        return self._start if token is None else token.span

    def notes(self, node: c_ast.Node) -> tuple[Note, ...]:
        """The macros ``node`` comes out of and the inclusions it comes through."""
        token = _token_of(node)
        return () if token is None else token.notes

    def attributes_of(self, node: c_ast.Node) -> tuple[Attribute, ...]:
        """The attributes of a Decl, Typedef, Typename, Struct, Union, Enum or statement. Those of
        a function definition are on its ``decl``; those of a loop other than unrolling too.
        """
        return self._attributes.get(node, ())

    def unroll_of(self, loop: c_ast.Node) -> int | None:
        """The unrolling asked for a For, While or DoWhile: a factor, 1 for none, 0 for whatever is
        best; None when nothing is asked.
        """
        return self._unroll.get(loop)

    def end_of(self, block: c_ast.Compound) -> Span:
        """The closing brace of a block."""
        return self._ends[block].span


def _token_of(node: c_ast.Node) -> Token | None:
    pending = [node]
    while pending:
        current = pending.pop()
        token = getattr(current, "coord", None)
        if isinstance(token, Token):
            return token
        pending.extend(child for _, child in reversed(current.children()))
    return None


@contextmanager
def room_for_recursion() -> Generator[None]:
    """Enough of Python's stack for the deepest tree that :func:`parse` gives."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


_UNKNOWN_TIME = {"__DATE__": '"??? ?? ????"', "__TIME__": '"??:??:??"'}
"""As C99 6.10.8 allows where the time is not available: a result must not depend on it."""


_TEXT_IS_MISSING = frozenset({"K001", "K002", "K004", "K101", "K111", "K135", "K140"})
"""Errors of the preprocessor after which the parser would only find consequences."""


def predefined_macros(options: BuildOptions) -> Mapping[str, str]:
    """The macros that exist before the first line, by name; some depend on the options."""
    extra = {"__FAST_RELAXED_MATH__": "1"} if options.fast_relaxed_math else {}
    extra |= version_macros(options.opencl_version)
    return {**PREDEFINED_MACROS, **_UNKNOWN_TIME, **extra}


@dataclass(frozen=True, slots=True, eq=False)
class TokenSource:
    """A preprocessed source; ``sources`` maps the name of every file read to its lines."""

    name: str
    feed: TokenFeed
    sources: Mapping[str, list[str]]


def read_tokens(source: SourceText, options: BuildOptions, sink: DiagnosticSink) -> TokenSource:
    """Preprocess a source. Raises :class:`kcc.base.diagnostics.DiagnosticError` when text is
    missing: the parser would only find consequences.
    """
    with room_for_recursion():
        unit = preprocess(source, options, predefined_macros(options), sink)
    if any(d.code in _TEXT_IS_MISSING for d in sink.errors):
        raise DiagnosticError(sink.diagnostics)
    return TokenSource(source.name, feed(unit.tokens, sink), unit.sources)


def parse_tokens(
    tokens: TokenSource,
    sink: DiagnosticSink,
    extents: list[Extent] | None = None,
    skipped: Mapping[int, Extent] | None = None,
) -> ParsedUnit:
    """Parse a preprocessed source but for the declarations ``skipped``, by their first token.

    ``extents`` takes up where each declaration of file scope stands, also when this raises
    :class:`kcc.base.diagnostics.DiagnosticError` with everything in ``sink``: if any of it is an
    error, a tree with holes would only make the later stages complain of consequences.
    """
    parser = UnitParser(tokens.feed, sink, skipped)
    with room_for_recursion():
        ast = parser.parse_unit()
    if extents is not None:
        extents[:] = parser.extents
    sink.raise_if_errors()
    return ParsedUnit(
        ast,
        tokens.sources,
        unit_pragmas(tokens.feed),
        parser.attributes,
        parser.unroll,
        parser.ends,
        Span(tokens.name, 1, 1),
    )


def parse(source: SourceText, options: BuildOptions, sink: DiagnosticSink) -> ParsedUnit:
    """Preprocess and parse a source. Diagnostics go to ``sink``; raises
    :class:`kcc.base.diagnostics.DiagnosticError` with all of them if any is an error.
    """
    return parse_tokens(read_tokens(source, options, sink), sink)
