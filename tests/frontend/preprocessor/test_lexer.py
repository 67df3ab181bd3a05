"""Preprocessing tokens: kinds, places, blanks before them."""

from __future__ import annotations

import pytest

from kcc.frontend.preprocessor.lexer import LINE_START, NO_SPACE, SPACE, Token, tidy, tokenize
from kcc.frontend.source_file import SourceFile


def lex(text: str) -> list[Token]:
    return list(tokenize(SourceFile("a", ".", text)))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a+++b", ["a", "++", "+", "b"]),
        ("x<<=y>>=z->w", ["x", "<<=", "y", ">>=", "z", "->", "w"]),
        ("1.5e+3f 0x1.8p-2 .5 1..2 0xe+1", ["1.5e+3f", "0x1.8p-2", ".5", "1..2", "0xe+1"]),
        ('"a\\"b" \'\\\'\' L"w" u8"x" uint', ['"a\\"b"', "'\\''", 'L"w"', 'u8"x"', "uint"]),
        ("a/*b*/c//d\ne/**/f/***/g", ["a", "c", "e", "f", "g"]),
        ("a##b#c...d", ["a", "##", "b", "#", "c", "...", "d"]),
        ("v.s0.x", ["v", ".", "s0", ".", "x"]),
        ('"unterminated\nnext', ['"', "unterminated", "next"]),
        ("a@`b", ["a", "@", "`", "b"]),
        ("a /* b", ["a", "/*"]),
        ("fo\\\no", ["foo"]),
        ("%: <: a :> <% b %> c %:%: d", ["#", "[", "a", "]", "{", "b", "}", "c", "##", "d"]),
        ("", []),
    ],
)
def test_spelling(text: str, tokens: list[str]) -> None:
    assert [token.value for token in lex(text)] == tokens


def test_places_count_characters_of_the_text_as_written() -> None:
    tokens = lex("\tab /* x\ny */ c\n  d\\\ne")
    spans = [(t.value, t.span.line, t.span.column, t.span.length) for t in tokens]
    assert spans == [("ab", 1, 2, 2), ("c", 2, 6, 1), ("de", 3, 3, 2)]
    assert (tokens[0].end_span.line, tokens[0].end_span.column) == (1, 4)


def test_what_stands_before_a_token() -> None:
    before = [t.before for t in lex("a b/**/c(\n /* x */ d e")]
    assert before == [LINE_START, SPACE, SPACE, NO_SPACE, LINE_START, SPACE]


def test_a_line_starts_after_a_comment_that_began_it() -> None:
    assert [t.before for t in lex("/* x\n */ # define")] == [LINE_START, SPACE]
    assert [t.before for t in lex("a /* x\n */ # define")] == [LINE_START, SPACE, SPACE]


def test_messages_are_fit_for_a_terminal() -> None:
    assert tidy("a\x1b[31mb") == "a?[31mb"
    assert len(tidy("x" * 10_000)) < 300
