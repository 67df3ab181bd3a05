"""Parses the texts of launches: `--global`, `--local`, `--arg`, `--size`, `--sweep`, kernel.toml.

The grammar is launch_grammar.lark. Every function takes the text and the place of its first
character, so that a message points into the option or file that the user wrote; for an option that
place is ``Span("--global", n, 1)``, n counting the uses of the option from 1. All raise
:class:`DiagnosticError` and nothing else, whatever the text.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from dataclasses import field
from functools import cache, reduce
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from kcc.base.arguments import (
    UNSIGNED,
    Argument,
    ArgumentValue,
    Buffer,
    Fill,
    FromFile,
    Image,
    Initialiser,
    Iota,
    Member,
    Random,
    Sampler,
    Scalar,
    Structure,
    Uniform,
)
from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.expressions import (
    MAX_BITS,
    NOWHERE,
    Binary,
    Call,
    Expression,
    Function,
    Name,
    Negation,
    Number,
    Operator,
    Value,
    argument_counts,
)
from kcc.base.records import dataclass

if TYPE_CHECKING:
    import lark

    Node: TypeAlias = lark.Tree | lark.Token

MAX_LENGTH = 4000
"""Characters of one text; the longest in kernels/ has about a hundred."""

MAX_DEPTH = 100
"""Levels of a syntax tree, so that walking it stays far from Python's own limit of 1000."""

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_NAME_AND_VALUE = re.compile(rf"\s*(?P<name>{_NAME})\s*=(?!=)")
_ARGUMENT_AND_VALUE = re.compile(rf"\s*(?P<name>{_NAME}|[0-9]{{1,4}}|[%$\w]+)\s*=(?!=)")
"""An argument may also be named by its place, from 0, or as PTX names it."""
_WHOLE = re.compile(r"(?P<digits>0[xX][0-9a-fA-F]+|0|[1-9][0-9]*)([uU][lL]{0,2}|[lL]{1,2}[uU]?)?")
_FLOAT = re.compile(
    r"(?P<digits>([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)[fF]?"
)


@dataclass(frozen=True, slots=True)
class Size:
    """`--size NAME=EXPRESSION`: the value of a free name."""

    name: str
    value: Expression
    at: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sweep:
    """`--sweep NAME=TEXT,TEXT,...`: a macro and the texts it is defined as, one after the other."""

    name: str
    values: tuple[str, ...]
    at: Span = field(default=NOWHERE, compare=False, repr=False)


def parse_expression(text: str, at: Span) -> Expression:
    """One expression."""
    return _Builder(text, at).expression(_parse("expression", text, at))


def parse_dimensions(text: str, at: Span) -> tuple[Expression, ...]:
    """One to three expressions; a comma at the top level separates them.

    :raises DiagnosticError: K031 for more than three dimensions, else as every text.
    """
    tree = _parse("dimensions", text, at)
    build = _Builder(text, at)
    dimensions = tuple(build.expression(child) for child in _children(tree))
    if len(dimensions) > 3:
        message = f"a launch has at most 3 dimensions, not {len(dimensions)}"
        _fail("K031", message, build.span(_children(tree)[3]))
    return dimensions


def parse_argument_value(text: str, at: Span) -> ArgumentValue:
    """What follows `NAME=` in `--arg`."""
    return _Builder(text, at).argument(_parse("argument", text, at))


def parse_argument(text: str, at: Span) -> Argument:
    """`NAME=VALUE` as `--arg` takes it."""
    name, rest, name_at, rest_at = _split(text, at, _ARGUMENT_AND_VALUE)
    return Argument(name, parse_argument_value(rest, rest_at), name_at)


def parse_size(text: str, at: Span) -> Size:
    """`NAME=EXPRESSION` as `--size` takes it."""
    name, rest, name_at, rest_at = _split(text, at)
    return Size(name, parse_expression(rest, rest_at), name_at)


def parse_sweep(text: str, at: Span) -> Sweep:
    """`NAME=TEXT,TEXT,...` as `--sweep` takes it; the texts are for the preprocessor."""
    name, rest, name_at, rest_at = _split(text, at)
    values = tuple(part.strip() for part in rest.split(","))
    for value in values:
        if not value:
            _fail("K027", f"--sweep {name} lacks a value", rest_at, hint=f"write {name}=8,16,32")
        if values.count(value) > 1:
            _fail("K027", f"--sweep {name} has the value '{value}' twice", rest_at)
    return Sweep(name, values, name_at)


def macro_value(text: str) -> Value | None:
    """The number that a macro stands for, for use in expressions; None when it is no literal.

    Only a literal, with or without a minus and parentheses, means the same to C and to us.
    """
    text = text.strip()
    while text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    digits = text.removeprefix("-").strip()
    try:
        value = _number(digits, NOWHERE)
    except DiagnosticError:
        return None
    return value if digits == text else 0 - value


# --- text to lark tree ------------------------------------------------------------------------


@cache
def _parser() -> lark.Lark:
    """The parser. Its tables are kept where Python keeps byte code: making them takes 40 ms."""
    import lark

    folder = Path(__file__).parent
    cache = str(folder / "__pycache__" / "launch_grammar.tables")
    return lark.Lark(
        (folder / "launch_grammar.lark").read_text(encoding="utf-8"),
        parser="lalr",
        start=["expression", "dimensions", "argument"],
        propagate_positions=True,
        cache=False if sys.dont_write_bytecode else cache,
    )


def _parse(start: str, text: str, at: Span) -> Node:
    """The syntax tree, no larger than the limits."""
    import lark

    if len(text) > MAX_LENGTH:
        _fail("K025", f"the text has {len(text)} characters, {MAX_LENGTH} are allowed", at)
    if not text.strip():
        _fail("K020", "a value is missing here", at)
    try:
        tree = _parser().parse(text, start=start)
    except lark.UnexpectedToken as error:
        _fail_at_token(error, text, at)
    except lark.UnexpectedCharacters as error:
        character = text[error.pos_in_stream]
        _fail("K020", f"{character!r} cannot stand here", _at(at, error.pos_in_stream))
    pending: list[tuple[Node, int]] = [(tree, 1)]
    while pending:
        node, depth = pending.pop()
        if depth > MAX_DEPTH:
            _fail("K025", f"more than {MAX_DEPTH} levels are nested in each other", at)
        pending.extend((child, depth + 1) for child in _children(node))
    return tree


def _fail_at_token(error: lark.UnexpectedToken, text: str, at: Span) -> NoReturn:
    """Say what was found and what could have stood there."""
    token = error.token
    expected = error.accepts or error.expected
    if token.type == "$END":
        found, place = "the text ends too early", _at(at, len(text.rstrip()))
    else:
        found = f"{str(token)!r} cannot stand here"
        place = _at(at, token.start_pos, len(token))
    closing = [sign for name, sign in _CLOSING.items() if name in expected]
    if "NUMBER" in expected:
        wanted = "a number, a name or '('"
    elif closing:
        wanted = " or ".join(["an operator", *closing])
    else:
        wanted = "an operator or the end"
    chained = token.type in _COMPARISONS and "NUMBER" not in expected
    hint = "comparisons do not chain: put one in parentheses" if chained else None
    _fail("K020", f"{found}: {wanted} is expected", place, hint=hint)


_CLOSING = {"RPAR": "')'", "RSQB": "']'", "RBRACE": "'}'", "COMMA": "','"}
"""The names that lark gives to the signs that close or continue a list."""

_COMPARISONS = {"LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "EQUAL", "NOT_EQUAL"}


def _children(node: Node) -> list[Node]:
    return [] if isinstance(node, str) else node.children


def _at(at: Span, offset: int, length: int = 1) -> Span:
    """The place of a character of the text; unknown columns stay unknown."""
    if at.column == 0:
        return at
    return Span(at.file, at.line, at.column + offset, max(length, 1))


def _fail(code: str, message: str, at: Span, hint: str | None = None) -> NoReturn:
    raise DiagnosticError([Diagnostic(code, message, at, hint=hint)]) from None


def _split(
    text: str, at: Span, form: re.Pattern[str] = _NAME_AND_VALUE
) -> tuple[str, str, Span, Span]:
    """Name, the text after the equals sign, and the places of both."""
    found = form.match(text)
    if found is None:
        _fail("K027", f"{_shown(text)} is not of the form NAME=VALUE", at)
    name = found["name"]
    return name, text[found.end() :], _at(at, found.start("name"), len(name)), _at(at, found.end())


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


# --- lark tree to ours ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Builder:
    """Turns the syntax tree of a text into expressions and argument values."""

    text: str
    at: Span

    def span(self, node: Node) -> Span:
        """The place of a node in the text."""
        place = node if isinstance(node, str) else node.meta
        return _at(self.at, place.start_pos, place.end_pos - place.start_pos)

    def expression(self, node: Node) -> Expression:
        """The tree of an expression."""
        parts, at = _children(node), self.span(node)
        match _kind(node):
            case "number":
                return Number(_number(str(parts[0]), at), at)
            case "name":
                return Name(str(parts[0]), at)
            case "negation":
                return Negation(self.expression(parts[1]), at)
            case "binary":
                left, sign, right = parts
                both = self.expression(left), self.expression(right)
                return Binary(Operator(str(sign)), *both, at)
            case "call":
                return self.call(str(parts[0]), parts[1:], at)
            case kind:
                raise AssertionError(f"the grammar has no expression {kind!r}")

    def call(self, name: str, parts: list[Node], at: Span) -> Expression:
        """A function of known name and the right number of arguments."""
        known = {function.value: function for function in Function}
        if name not in known:
            _fail("K021", f"there is no function '{name}'", at, hint=_near(name, known))
        least, most = argument_counts(known[name])
        self.count(name, parts, at, least, most)
        return Call(known[name], tuple(self.expression(part) for part in parts), at)

    def count(self, name: str, parts: list[Node], at: Span, least: int, most: int | None) -> None:
        """Check the number of arguments of a call."""
        if len(parts) < least or (most is not None and len(parts) > most):
            wanted = f"{least}" if least == most else f"at least {least}"
            noun = "argument" if wanted == "1" else "arguments"
            _fail("K021", f"'{name}' takes {wanted} {noun}, not {len(parts)}", at)

    def argument(self, node: Node) -> ArgumentValue:
        """The value of `--arg`."""
        parts = _children(node)
        match _kind(node):
            case "buffer":
                contents = self.initialiser(parts[2]) if len(parts) == 3 else None
                extents = tuple(self.expression(each) for each in _children(parts[1]))
                count = reduce(lambda left, right: Binary(Operator.MULTIPLY, left, right), extents)
                shape = extents if len(extents) > 1 else ()
                return Buffer(self.element(parts[0]), count, contents, shape)
            case "structure":
                return Structure(tuple(self.member(part) for part in parts))
            case "image":
                return self.image(parts)
            case "call" if str(parts[0]) == "sampler":
                return self.sampler(parts[1:], self.span(node))
            case _:
                return Scalar(self.expression(node))

    def member(self, node: Node) -> Member:
        """A member of a struct by value."""
        element, value = _children(node)
        return Member(self.element(element), self.expression(value))

    def element(self, node: Node) -> str:
        """A type, `unsigned int` spelled as `uint`."""
        words = [str(part) for part in _children(node)]
        if words[0] in {"unsigned", "signed"}:
            if words[1] not in UNSIGNED:
                _fail("K026", f"there is no type '{' '.join(words)}'", self.span(node))
            return UNSIGNED[words[1]] if words[0] == "unsigned" else words[1]
        return " ".join(words)

    def image(self, parts: list[Node]) -> Image:
        """`image2d(ORDER, TYPE)[width, height]`, and so for one and three dimensions."""
        name, *arguments = _children(parts[0])
        at = self.span(parts[0])
        if str(name) not in _IMAGE_DIMENSIONS:
            hint = _near(str(name), _IMAGE_DIMENSIONS) or "write float[n] for a buffer"
            _fail("K026", f"there is no image type '{name}'", at, hint=hint)
        self.count(str(name), arguments, at, 2, 2)
        order, channel_type = (self.word(argument) for argument in arguments)
        dimensions = _IMAGE_DIMENSIONS[str(name)]
        extents = tuple(self.expression(extent) for extent in _children(parts[1]))
        if len(extents) != dimensions:
            noun = "extent" if dimensions == 1 else "extents"
            _fail("K026", f"'{name}' has {dimensions} {noun}, not {len(extents)}", at)
        contents = self.initialiser(parts[2]) if len(parts) == 3 else None
        return Image(order, channel_type, extents, contents)

    def sampler(self, parts: list[Node], at: Span) -> Sampler:
        """`sampler(addressing, filtering, normalized)`."""
        self.count("sampler", parts, at, 3, 3)
        words = [self.word(part) for part in parts]
        for word, part, allowed in zip(words, parts, _SAMPLER_WORDS, strict=True):
            if word not in allowed:
                hint = "one of " + ", ".join(allowed)
                _fail("K026", f"a sampler is not '{word}' here", self.span(part), hint=hint)
        return Sampler(words[0], words[1], words[2] == "normalized")

    def word(self, node: Node) -> str:
        """A bare word where an expression could stand."""
        if _kind(node) != "name":
            _fail("K026", "a word is expected here", self.span(node))
        return str(_children(node)[0])

    def initialiser(self, node: Node) -> Initialiser:
        """What follows the equals sign of a buffer or image."""
        parts, at = _children(node), self.span(node)
        kind = _kind(node)
        word = str(parts[0]) if kind in {"name", "call", "file"} else ""
        match kind, word:
            case "file", "file":
                return FromFile(str(parts[1])[1:-1])
            case "file", _:
                _fail("K026", f"'{word}' takes no text", at, hint=_near(word, _INITIALISERS))
            case "name", "iota":
                return Iota()
            case "call", "uniform":
                self.count(word, parts[1:], at, 2, 2)
                return Uniform(self.expression(parts[1]), self.expression(parts[2]))
            case "call", "random":
                self.count(word, parts[1:], at, 1, 1)
                return Random(self.expression(parts[1]))
            case "call", "fill":
                self.count(word, parts[1:], at, 1, 1)
                return Fill(self.expression(parts[1]))
            case _ if word in _INITIALISERS:
                _fail("K026", f"contents are written as {_INITIALISERS[word]}", at)
            case "call", _ if word not in {function.value for function in Function}:
                hint = "contents are " + ", ".join(_INITIALISERS.values()) + ", or an expression"
                _fail("K026", f"there are no contents '{word}'", at, hint=hint)
            case _:
                return Fill(self.expression(node))


_INITIALISERS = {
    "iota": "iota",
    "uniform": "uniform(low, high)",
    "random": "random(seed)",
    "fill": "fill(value)",
    "file": "file('name.npy')",
}

_IMAGE_DIMENSIONS = {"image1d": 1, "image2d": 2, "image3d": 3}

_SAMPLER_WORDS = (
    # OpenCL 1.2, clCreateSampler: CL_ADDRESS_*, CL_FILTER_*, normalized_coords.
    ("none", "clamp", "clamp_to_edge", "repeat", "mirrored_repeat"),
    ("nearest", "linear"),
    ("normalized", "unnormalized"),
)


def _kind(node: Node) -> str:
    return "token" if isinstance(node, str) else str(node.data)


def _near(word: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=1)
    return f"did you mean '{near[0]}'?" if near else None


def _number(text: str, at: Span) -> int | float:
    """The value of a literal; suffixes are allowed, as in macros, and mean nothing."""
    whole = _WHOLE.fullmatch(text)
    if whole:
        # A hexadecimal digit has four bits; int() itself refuses very long decimal texts.
        if len(whole["digits"]) > MAX_BITS // 2:
            _fail("K024", "this number is too large", at)
        value = int(whole["digits"], 0)
    elif real := _FLOAT.fullmatch(text):
        value = float(real["digits"])
    else:
        hint = None
        if re.fullmatch(r"0[0-9]+", text):
            hint = "whole numbers have no leading zeros here; octal numbers are not understood"
        _fail("K020", f"'{text[:40]}' is not a number", at, hint=hint)
    if math.isinf(value) if isinstance(value, float) else value.bit_length() > MAX_BITS:
        _fail("K024", "this number is too large", at)
    return value
