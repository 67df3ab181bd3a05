"""Numbers, characters and strings."""

from __future__ import annotations

import pytest

from kcc.frontend.preprocessor.literals import classify_character, classify_number, classify_string
from tests.frontend.parsing import places


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("0", "int"), ("7", "int"), ("017", "int"), ("0xFf", "int"), ("1u", "unsigned int"),
        ("1U", "unsigned int"), ("1l", "long int"), ("1L", "long int"), ("1ll", "long int"),
        ("1uL", "unsigned long int"), ("1Lu", "unsigned long int"),
        ("1ULL", "unsigned long int"), ("0x1full", "unsigned long int"),
        ("1.", "double"), (".5", "double"), ("1e5", "double"), ("1.5E-3", "double"),
        ("0x1p3", "double"), ("0x.8p-1", "double"), ("0x1.8P+2f", "float"), ("1.0f", "float"),
        ("1.F", "float"), ("1e5f", "float"), ("1.0h", "half"), ("1.5H", "half"),
    ],
)  # fmt: skip
def test_numbers(text: str, type_: str) -> None:
    literal = classify_number(text)
    assert (literal.type, literal.fault) == (type_, "")


@pytest.mark.parametrize(
    "text",
    ["08", "019", "0x", "0xg", "1f", "12abc", "1.0g", "1.5u", "1lul", "1uu", "1lL", "1e", "1e+",
     "0x1.8", "0x1.8f", "0b11", "1.2.3", "1..2", "0x1p", "1i", "1'000"],
)  # fmt: skip
def test_malformed_numbers(text: str) -> None:
    assert classify_number(text).fault


@pytest.mark.parametrize("text", ["'a'", "'\\n'", "'\\''", "'\"'", "'\\0'", "'\\377'", "'\\x1f'"])
def test_characters(text: str) -> None:
    literal = classify_character(text)
    assert (literal.type, literal.fault, literal.remark) == ("char", "", "")


@pytest.mark.parametrize("text", ["''", "'ab'", "'\\nn'", "'\\1234'", "L'a'", "u'a'", "'é'"])
def test_malformed_characters(text: str) -> None:
    assert classify_character(text).fault


def test_strings() -> None:
    assert classify_string('"a\\n\\"\\x41\\101 é"').fault == ""
    assert classify_string('L"a"').fault
    assert "'\\q'" in classify_string('"\\\\\\q"').remark


def test_faults_are_placed_and_do_not_multiply() -> None:
    text = 'void f() {\n  int a = 08 + 1.0g;\n  g("x, a);\n  b = \'c;\n  h("\\q");\n  @ é\n}\n'
    assert places(text) == [
        "K203 2:11", "K203 2:16", "K202 3:5", "K202 4:7", "K204 5:5", "K201 6:3", "K201 6:5",
    ]  # fmt: skip
