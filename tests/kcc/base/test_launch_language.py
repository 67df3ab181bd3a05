"""The texts of launches: round trips, what each means, where messages point, broken input."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.base.arguments import (
    Argument,
    ArgumentValue,
    Buffer,
    Fill,
    FromFile,
    Image,
    Iota,
    Member,
    Random,
    Sampler,
    Scalar,
    Structure,
    Uniform,
    element_bytes,
    expressions,
    format_argument,
)
from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span, render
from kcc.base.expressions import Binary, Name, Negation, Number, Operator, Value
from kcc.base.launch_language import (
    MAX_LENGTH,
    Size,
    Sweep,
    macro_value,
    parse_argument,
    parse_argument_value,
    parse_dimensions,
    parse_expression,
    parse_size,
    parse_sweep,
)
from tests.kcc.strategies import argument_values

AT = Span("--arg", 3, 1)
ROOT = Path(__file__).resolve().parents[3]

PARSERS: tuple[Callable[[str, Span], object], ...] = (
    parse_expression,
    parse_dimensions,
    parse_argument_value,
    parse_argument,
    parse_size,
    parse_sweep,
)

_SIGNS = [*"n=()[]{},+-*/%<1\"'\t\n", "==", "//", "**", ">=", "2.5", "0x", "1e", "08", "'a'"]
_WORDS = ["float4 ", "unsigned ", "struct ", "iota", "uniform(", "random(", "file(", "fill("]
_CALLS = ["image2d(", "sampler(", "min(", "roundup(", "log2("]
TOKENS = _SIGNS + _WORDS + _CALLS


def failure(parse: Callable[[str, Span], object], text: str, at: Span = AT) -> Diagnostic:
    with pytest.raises(DiagnosticError) as caught:
        parse(text, at)
    (found,) = caught.value.diagnostics
    return found


@given(argument_values())
def test_text_parses_to_the_same_value(value: ArgumentValue):
    assert parse_argument_value(format_argument(value), AT) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1024", Scalar(Number(1024))),
        ("-1.5f", Scalar(Negation(Number(1.5)))),
        ("float[n]", Buffer("float", Name("n"))),
        ("float4 [ 8 ]", Buffer("float4", Number(8))),
        ("unsigned int[n]", Buffer("uint", Name("n"))),
        ("signed char[n]", Buffer("char", Name("n"))),
        ("struct Node[n]", Buffer("struct Node", Name("n"))),
        ("int[n]=iota", Buffer("int", Name("n"), Iota())),
        (
            "int[n] = uniform(-1, n)",
            Buffer("int", Name("n"), Uniform(Negation(Number(1)), Name("n"))),
        ),
        ("int[n]=random(7)", Buffer("int", Name("n"), Random(Number(7)))),
        ("int[n]=fill(3)", Buffer("int", Name("n"), Fill(Number(3)))),
        ("int[n]=3", Buffer("int", Name("n"), Fill(Number(3)))),
        ("int[n]=file('a b.npy')", Buffer("int", Name("n"), FromFile("a b.npy"))),
        ('int[n]=file("a,b.npy")', Buffer("int", Name("n"), FromFile("a,b.npy"))),
        ("image2d(RGBA, FLOAT)[w, 4]", Image("RGBA", "FLOAT", (Name("w"), Number(4)))),
        ("image1d(R, FLOAT)[w]=iota", Image("R", "FLOAT", (Name("w"),), Iota())),
        (
            "image2d(R, FLOAT)[w, w]=n == 2",
            Image(
                "R",
                "FLOAT",
                (Name("w"), Name("w")),
                Fill(Binary(Operator.EQUAL, Name("n"), Number(2))),
            ),
        ),
        ("sampler(clamp, nearest, normalized)", Sampler("clamp", "nearest", normalized=True)),
        ("{int 1, float4 n}", Structure((Member("int", Number(1)), Member("float4", Name("n"))))),
        ("sampler", Scalar(Name("sampler"))),
        ("struct_size", Scalar(Name("struct_size"))),
        ("iota", Scalar(Name("iota"))),
    ],
)
def test_argument_values(text: str, value: ArgumentValue):
    assert parse_argument_value(text, AT) == value


def test_options_with_a_name():
    assert parse_argument(" a = float[n]", AT) == Argument("a", Buffer("float", Name("n")))
    assert parse_size("n=2**10", AT) == Size("n", Binary(Operator.POWER, Number(2), Number(10)))
    assert parse_sweep("BLOCK=8, 16,32", AT) == Sweep("BLOCK", ("8", "16", "32"))


def test_a_comma_at_the_top_separates_dimensions():
    assert len(parse_dimensions("min(n, 2), max(1, (3))", AT)) == 2
    assert [d.at.column for d in parse_dimensions("n, m , 4", AT)] == [1, 4, 8]


def test_places_start_where_the_text_does():
    argument = parse_argument("data = float[n * width]", Span("k.toml", 7, 11))
    assert argument.at == Span("k.toml", 7, 11, 4)
    (count,) = expressions(argument.value)
    assert count.at == Span("k.toml", 7, 24, 9)


@pytest.mark.parametrize(
    ("parse", "text", "code", "column", "length"),
    [
        (parse_dimensions, "1, 2, 3, 4", "K031", 10, 1),
        (parse_dimensions, "1,, 2", "K020", 3, 1),
        (parse_dimensions, "1, 2,", "K020", 6, 1),
        (parse_dimensions, "(1, 2)", "K020", 3, 1),
        (parse_argument, "n", "K027", 1, 1),
        (parse_size, "2=3", "K027", 1, 1),
        (parse_argument, "n==3", "K027", 1, 1),
        (parse_argument, "=3", "K027", 1, 1),
        (parse_argument, "n=", "K020", 3, 1),
        (parse_argument, "n=float[", "K020", 9, 1),
        (parse_argument, "n=float[]", "K020", 9, 1),
        (parse_argument, "n=float[2]]", "K020", 11, 1),
        (parse_argument, "n=float[2]=", "K020", 12, 1),
        (parse_argument, "n=float[2]=unifrom(0, 1)", "K026", 12, 13),
        (parse_argument, "n=float[2]=uniform", "K026", 12, 7),
        (parse_argument, "n=float[2]=uniform(1)", "K021", 12, 10),
        (parse_argument, "n=float[2]=random(1, 2)", "K021", 12, 12),
        (parse_argument, "n=float[2]=file(x)", "K026", 12, 7),
        (parse_argument, "n=float[2]=load('x')", "K026", 12, 9),
        (parse_argument, "n=float[2]=file('x)", "K020", 17, 1),
        (parse_argument, "n=unsigned float[2]", "K026", 3, 14),
        (parse_argument, "n=image4d(R, FLOAT)[2]", "K026", 3, 17),
        (parse_argument, "n=image2d(R, FLOAT)[2]", "K026", 3, 17),
        (parse_argument, "n=image2d(R, FLOAT)[2]=3", "K026", 3, 17),
        (parse_argument, "n=image2d(R)[2, 2]", "K021", 3, 10),
        (parse_argument, "n=image2d(R, 8)[2, 2]", "K026", 14, 1),
        (parse_argument, "n=sampler(clamp, nearest)", "K021", 3, 23),
        (parse_argument, "n=sampler(clamp, near, normalized)", "K026", 18, 4),
        (parse_argument, "n={int 1", "K020", 9, 1),
        (parse_argument, "n={int}", "K020", 7, 1),
        (parse_argument, "n={}", "K020", 4, 1),
        (parse_argument, "n=sin(1)", "K021", 3, 6),
        (parse_size, "n=float[3]", "K020", 8, 1),
        (parse_sweep, "B=", "K027", 3, 1),
        (parse_sweep, "B=1,,2", "K027", 3, 1),
        (parse_sweep, "B=1,2,1", "K027", 3, 1),
        (parse_expression, "n" * (MAX_LENGTH + 1), "K025", 1, 1),
    ],
)
def test_errors_point_at_their_place(
    parse: Callable[[str, Span], object], text: str, code: str, column: int, length: int
):
    found = failure(parse, text)
    assert (found.code, found.span) == (code, Span("--arg", 3, column, length))


def test_messages_name_what_was_expected():
    found = failure(parse_dimensions, "n *, 4", Span("--global", 1, 1))
    assert render(found, {"--global": ["n *, 4"]}).splitlines() == [
        "--global:1:4: error[K020]: ',' cannot stand here: a number, a name or '(' is expected",
        "    1 | n *, 4",
        "      |    ^",
    ]
    assert failure(parse_expression, "1 < n < 2").hint is not None
    assert failure(parse_expression, "flor(2)").hint == "did you mean 'floor'?"


@given(st.sampled_from(PARSERS), st.text(max_size=40))
def test_any_text_gives_a_value_or_a_diagnostic(parse: Callable[[str, Span], object], text: str):
    check_broken(parse, text)


@given(
    st.sampled_from(PARSERS),
    st.lists(
        st.sampled_from(TOKENS),
        max_size=25,
    ).map("".join),
)
def test_any_tokens_give_a_value_or_a_diagnostic(parse: Callable[[str, Span], object], text: str):
    check_broken(parse, text)


@given(argument_values(), st.data())
def test_a_damaged_text_gives_a_value_or_a_diagnostic(value: ArgumentValue, data: st.DataObject):
    text = format_argument(value)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 4, len(text))))
    check_broken(parse_argument_value, text[:start] + data.draw(st.text(max_size=2)) + text[end:])


def check_broken(parse: Callable[[str, Span], object], text: str) -> None:
    """The only exception is DiagnosticError, and it points into the text or just after it."""
    try:
        parse(text, Span("--arg", 1, 1))
    except DiagnosticError as error:
        places = [diagnostic.span for diagnostic in error.diagnostics]
        assert all(span and 1 <= span.column <= len(text) + 1 for span in places)
        for diagnostic in error.diagnostics:
            render(diagnostic, {"--arg": [text]})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("16", 16),
        (" (16u) ", 16),
        ("-1", -1),
        ("(-2.5f)", -2.5),
        ("0x20", 32),
        ("1/2", None),
        ("010", None),
        ("(1)+(2)", None),
        ("float4", None),
        ("", None),
        ("()", None),
        ("--1", None),
    ],
)
def test_a_macro_has_a_value_where_it_is_a_literal(text: str, value: Value | None):
    assert macro_value(text) == value


@pytest.mark.parametrize(
    ("element", "size"),
    [
        ("float", 4),
        ("double3", 32),
        ("uchar16", 16),
        ("half2", 4),
        ("size_t", 8),
        ("size_t2", None),
        ("float5", None),
        ("struct node", None),
    ],
)
def test_element_sizes(element: str, size: int | None):
    assert element_bytes(element) == size


USES_THE_CACHE = """
from fractions import Fraction
from kcc.base.diagnostics import Span
from kcc.base.expressions import evaluate
from kcc.base.launch_language import parse_expression
assert evaluate(parse_expression("7 / n", Span("", 1)), {"n": 2}) == Fraction(7, 2)
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_a_damaged_cache_of_the_grammar_does_no_harm(damage: bytes | None, tmp_path: Path):
    package = tmp_path / "kcc" / "base"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_bytes((ROOT / "kcc" / "__init__.py").read_bytes())
    for source in (ROOT / "kcc" / "base").iterdir():
        if source.suffix in {".py", ".lark"}:
            (package / source.name).write_bytes(source.read_bytes())
    command = [sys.executable, "-P", "-c", USES_THE_CACHE]
    environment = {"PYTHONPATH": str(tmp_path)}
    subprocess.run(command, check=True, env=environment)
    cache = package / "__pycache__" / "launch_grammar.tables"
    whole = cache.read_bytes()
    cache.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    done = subprocess.run(command, check=True, env=environment, capture_output=True)
    assert done.stderr == b""
    assert cache.read_bytes()[:32] == whole[:32]
