"""Expressions: evaluation against Python's own arithmetic on fractions, text form, messages."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.base.diagnostics import DiagnosticError, Span
from kcc.base.expressions import (
    Expression,
    Name,
    Number,
    Value,
    evaluate,
    format_expression,
    free_names,
    literal,
    simplify,
)
from kcc.base.launch_language import parse_expression
from tests.kcc.strategies import any_expression, expressions, whole_numbers

AT = Span("--global", 1, 1)


def value_of(text: str, **given_names: Value) -> Value:
    return evaluate(parse_expression(text, AT), given_names)


def failure(text: str, **given_names: Value) -> tuple[str, int, int]:
    """Code, column and length of the one error of a text."""
    with pytest.raises(DiagnosticError) as caught:
        value_of(text, **given_names)
    (found,) = caught.value.diagnostics
    assert found.span is not None
    return found.code, found.span.column, found.span.length


class _Exact(ast.NodeTransformer):
    """Makes every whole literal of a Python expression a fraction, so that `/` is exact."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, int):
            return node
        call = ast.Call(ast.Name("Fraction", ast.Load()), [node], [])
        return ast.copy_location(call, node)


def log2(value: Any) -> Any:
    for exponent in range(-300, 300):
        if not isinstance(value, float) and value == Fraction(2) ** exponent:
            return exponent
    return math.log2(value)


def roundup(value: Any, multiple: Any) -> Any:
    return math.ceil(Fraction(value) / Fraction(multiple)) * multiple


def pythons_value(text: str, given_names: Mapping[str, int]) -> Any:
    """What Python makes of the same text, with fractions for whole numbers."""
    tree = ast.fix_missing_locations(_Exact().visit(ast.parse(text, mode="eval")))
    functions: dict[str, Any] = {"Fraction": Fraction, "roundup": roundup, "log2": log2}
    functions |= {"min": min, "max": max, "ceil": math.ceil, "floor": math.floor}
    exact_names = {name: Fraction(value) for name, value in given_names.items()}
    return eval(compile(tree, "text", "eval"), functions, exact_names)


def codes_of(expression: Expression, values: Mapping[str, Value]) -> set[str]:
    """The codes of the errors of an evaluation."""
    try:
        evaluate(expression, values)
    except DiagnosticError as error:
        return {diagnostic.code for diagnostic in error.diagnostics}
    return set()


@given(expressions(st.one_of(whole_numbers(), st.sampled_from("nm").map(Name))), st.data())
def test_a_value_is_pythons(expression: Expression, data: st.DataObject):
    wanted = {name: data.draw(st.integers(-20, 20)) for name in sorted(free_names(expression))}
    if codes := codes_of(expression, wanted):
        assert codes <= {"K023", "K024"}
        return
    value = evaluate(expression, wanted)
    expected = pythons_value(format_expression(expression), wanted)
    if isinstance(value, float):
        assert value == pytest.approx(float(expected), rel=1e-9, abs=1e-12)
    else:
        assert value == expected


@given(any_expression())
def test_text_parses_to_the_same_tree(expression: Expression):
    assert parse_expression(format_expression(expression), AT) == expression


@given(any_expression())
def test_evaluation_ends_in_a_value_or_a_diagnostic(expression: Expression):
    values = {name: Fraction(7, 3) for name in free_names(expression)}
    if codes := codes_of(expression, values):
        assert codes <= {"K023", "K024"}
        return
    value = evaluate(expression, values)
    assert not isinstance(value, bool)
    assert not isinstance(value, Fraction) or value.denominator > 1
    assert not isinstance(value, float) or math.isfinite(value)


@given(any_expression())
def test_simplifying_keeps_the_value(expression: Expression):
    known: dict[str, Value] = {"n": 6}
    rest: dict[str, Value] = {name: 5 for name in free_names(expression) if name != "n"}
    try:
        value = evaluate(expression, known | rest)
        simple = simplify(expression, known)
    except DiagnosticError:
        return
    assert free_names(simple) <= free_names(expression) - {"n"}
    assert evaluate(simple, rest) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 3 - 4", 3),
        ("2 ** 3 ** 2", 512),
        ("-2 ** 2", -4),
        ("2 ** -2", Fraction(1, 4)),
        ("7 // 2", 3),
        ("-7 // 2", -4),
        ("-7 % 3", 2),
        ("10 / 4", Fraction(5, 2)),
        ("8 / 4", 2),
        ("ceil(1000003 / 256)", 3907),
        ("floor(-0.5)", -1),
        ("0x10 + 0XfFu", 271),
        ("16u + 1UL + 2LL", 19),
        ("1.5f * 2", 3.0),
        (".5 + 1. + 1e-1 + 2E+1", 21.6),
        ("roundup(100, 32)", 128),
        ("roundup(96, 32)", 96),
        ("log2(4096)", 12),
        ("log2(1 / 8)", -3),
        ("min(3, 1, 2) + max(3, 1, 2)", 4),
        ("(3 < 4) + (4 <= 4) + (4 > 4) + (4 >= 5) + (1 == 1.0) + (1 != 1)", 3),
        ("n > 3", 1),
        ("min * 2", 14),
        ("2**1000 // 2**999", 2),
        ("2**1000 + 0.5", 2.0**1000),
    ],
)
def test_values(text: str, value: Value):
    found = value_of(text, n=4, min=7)
    assert found == value
    assert type(found) is type(value)


def test_whole_numbers_stay_exact():
    assert value_of("(2**60 + 1) * 3 // 3 - 2**60") == 1
    assert value_of("ceil((2**53 + 1) / 1)") == 2**53 + 1


def test_zero_has_no_sign():
    assert math.copysign(1, float(value_of("-0.0"))) == 1


@pytest.mark.parametrize(
    ("text", "code", "column", "length"),
    [
        ("", "K020", 1, 1),
        ("   ", "K020", 1, 1),
        ("1 +", "K020", 4, 1),
        ("1 + * 2", "K020", 5, 1),
        ("(1", "K020", 3, 1),
        ("1)", "K020", 2, 1),
        ("1 2", "K020", 3, 1),
        ("1 < 2 < 3", "K020", 7, 1),
        ("n & 1", "K020", 3, 1),
        ("n ? 1 : 2", "K020", 3, 1),
        ("1, 2", "K020", 2, 1),
        ("010", "K020", 1, 3),
        ("1 + 0b11", "K020", 5, 4),
        ("1_000", "K020", 1, 5),
        ("1.2.3", "K020", 1, 5),
        ("0x", "K020", 1, 2),
        ("größe", "K020", 3, 1),
        ("foo(1)", "K021", 1, 6),
        ("2 * min(1)", "K021", 5, 6),
        ("log2()", "K021", 1, 6),
        ("1 + unknown", "K022", 5, 7),
        ("4 * (1 / 0)", "K023", 6, 5),
        ("1 // (n - 4)", "K023", 1, 12),
        ("1 % 0", "K023", 1, 5),
        ("0 ** -1", "K023", 1, 7),
        ("0.0 ** -1", "K023", 1, 9),
        ("(-8) ** 0.5", "K023", 1, 11),
        ("(-8) ** (1/3)", "K023", 1, 13),
        ("log2(0)", "K023", 1, 7),
        ("log2(-n)", "K023", 1, 8),
        ("roundup(5, 0)", "K023", 1, 13),
        ("1e300 * 1e300", "K024", 1, 13),
        ("1e999", "K024", 1, 5),
        ("2 ** 10 ** 10", "K024", 1, 13),
        ("10 ** 10 ** 10 ** 10", "K024", 7, 14),
        ("3 ** 3 ** 3 ** 3", "K024", 1, 16),
        ("(1/3) ** 4000", "K024", 1, 13),
        ("2 ** 1023 * 2", "K024", 1, 13),
        ("9" * 2000, "K024", 1, 2000),
        ("1 + " * 1500 + "1", "K025", 1, 1),
        ("1" + "+1" * 200, "K025", 1, 1),
        ("-" * 500 + "1", "K025", 1, 1),
    ],
)
def test_errors_point_at_their_place(text: str, code: str, column: int, length: int):
    assert failure(text, n=4) == (code, column, length)


def test_a_missing_name_is_reported_once_with_a_hint():
    with pytest.raises(DiagnosticError) as caught:
        value_of("widht * (widht + m)", width=3)
    found = [(d.code, d.span and d.span.column, d.hint) for d in caught.value.diagnostics]
    assert found == [
        ("K022", 1, "did you mean 'width'?"),
        ("K022", 18, "known names: width"),
    ]


def test_free_names_and_simplified_text():
    expression = parse_expression("roundup(n, 2 ** 8) / (m - -3)", AT)
    assert free_names(expression) == {"n", "m"}
    assert format_expression(simplify(expression, {})) == "roundup(n, 256) / (m - -3)"
    assert format_expression(simplify(expression, {"m": 3})) == "roundup(n, 256) / 6"


@pytest.mark.parametrize("value", [0, 3, -3, Fraction(1, 3), Fraction(-7, 2), 0.1, -2.5e-9, 1e22])
def test_a_literal_has_its_value(value: Value):
    expression = literal(value)
    assert evaluate(expression, {}) == value
    assert parse_expression(format_expression(expression), AT) == expression


def test_trees_compare_by_content():
    assert parse_expression(" n", AT) == Name("n")
    assert parse_expression("0x10", AT) == Number(16)
