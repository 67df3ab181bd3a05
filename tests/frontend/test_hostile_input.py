"""Input made to break a parser: each ends in a result or a coded error, and soon."""

from __future__ import annotations

import random
import time

import pytest

from kcc.base.diagnostics import render
from kcc.frontend.preprocessor.lexer import tokenize
from kcc.frontend.source_file import SourceFile
from tests.frontend.parsing import found
from tests.kernels.harness import WORKLOADS, load

LIMIT_SECONDS = 5.0


def body(text: str) -> str:
    return f"void f(int a) {{ {text} }}\n"


DEEP = {
    "parentheses": body("a = " + "(" * 5000 + "1" + ")" * 5000 + ";"),
    "braces": body("{" * 5000 + "}" * 5000),
    "subscripts": body("a" + "[a" * 5000 + "]" * 5000 + ";"),
    "open parentheses": body("f(" * 5000),
    "initialisers": "constant int x[] = " + "{" * 5000 + "1" + "}" * 5000 + ";",
    "structs": "struct S {" * 5000 + "int a;" + "} x;" * 5000,
    "parameters": "int f(" + "int (" * 5000 + ")" * 5000 + ");",
    "signs": body("a = " + "- " * 5000 + "1;"),
    "stars": body("a = " + "*" * 5000 + "a;"),
    "casts": body("a = " + "(int)" * 5000 + "1;"),
    "sizes": body("a = " + "sizeof " * 5000 + "1;"),
    "ifs": body("if (1) " * 5000 + ";"),
    "else ifs": body("if (1) ; else " * 5000 + ";"),
    "labels": body("".join(f"l{i}: " for i in range(5000)) + ";"),
    "cases": body("switch (a) { " + "case 1: " * 5000 + "; }"),
    "conditions": body("a = " + "1 ? 2 : " * 5000 + "3;"),
    "assignments": body("a = " * 5000 + "3;"),
    "sums": body("a = " + "1 + " * 5000 + "1;"),
    "calls": body("f" + "()" * 5000 + ";"),
    "members": body("a" + ".x" * 5000 + ";"),
    "pointers": "typedef int " + "*" * 5000 + "T;",
    "arrays": "typedef int T" + "[1]" * 5000 + ";",
    "attribute": "__attribute__((aligned(" + "(" * 5000 + "8" + ")" * 5000 + "))) int x;",
}

DEEP_ENOUGH = [
    body("a = " + "(" * 200 + "1" + ")" * 200 + ";"),
    body("{" * 200 + "}" * 200),
    body("a = " + "1 + " * 900 + "1;"),
    body("if (1) ; else " * 900 + ";"),
    body("switch (a) { " + "".join(f"case {i}: " for i in range(900)) + "; }"),
    "int " + "(" * 200 + "x" + ")" * 200 + ";",
    "#if 1\n" * 5000 + "#endif\n" * 5000,
]

ODD = {
    "nothing": "",
    "zeros": "\0" * 100_000,
    "quotes": "'" * 50_001,
    "double quotes": '"' * 50_001,
    "backslashes": "\\" * 50_000,
    "hashes": "#" * 50_000,
    "open comments": "/*" * 50_000,
    "comments": "/**/" * 50_000,
    "splices": "int\\\n" * 20_000 + " x;",
    "stray characters": "@\n" * 10_000,
    "a long name": "x" * 500_000 + " y z;",
    "a long number": "constant int x = " + "1" * 200_000 + ";",
    "a long string": 'constant char *x = "' + "x" * 500_000 + '";',
    "many macros": "".join(f"#define M{i} {i}\n" for i in range(10_000)),
    "many errors": "int a b;\n" * 1000,
    "many pragmas": "#pragma unroll\n" * 10_000,
    "many attributes": "__attribute__((packed)) " * 5000 + "struct S { int x; };",
    "many qualifiers": "const " * 50_000 + "int x;",
    "many types": "unsigned " * 10_000 + "x;",
    "kernels": "kernel " * 5000,
    "attributes in attributes": "__attribute__((" * 3000 + "))" * 3000 + "int x;",
    "open brackets": "([{" * 80,
    "closing brackets": ")]}" * 5000,
    "a macro of itself": "#define f(x) f(x + 1) g(x)\n#define g(x) f(x) g(x)\nint y = f(1);",
    "unicode": "kernel void k() { int ñ = '\u2028' + \"\u2029\u0085\x0b\x0c\"; }",
    "a source without a line end": "int f(int a) { return a; } // \\",
}


def timed(text: str) -> list[str]:
    """The codes of all diagnostics; each is rendered, and nothing takes long."""
    start = time.process_time()
    said = found(text)
    assert time.process_time() - start < LIMIT_SECONDS
    for diagnostic in said:
        render(diagnostic, {"k.cl": text.split("\n")})
    return [diagnostic.code for diagnostic in said]


@pytest.mark.parametrize("name", list(DEEP))
def test_too_deep_is_an_error(name: str) -> None:
    assert timed(DEEP[name]) == ["K006"]


@pytest.mark.parametrize("text", DEEP_ENOUGH)
def test_what_is_deep_but_not_too_deep_is_taken(text: str) -> None:
    assert timed(text) == []


@pytest.mark.parametrize("name", list(ODD))
def test_odd_input_is_survived(name: str) -> None:
    timed(ODD[name])


def broken(seed: int) -> str:
    """A workload's source with one to four changes."""
    draw = random.Random(seed)
    text = load(draw.choice(WORKLOADS)).source.read_text()
    for _ in range(draw.randint(1, 4)):
        tokens = list(tokenize(SourceFile("a", ".", text)))
        token, other = draw.choice(tokens), draw.choice(tokens)
        start, end = token.offset, token.offset + len(token.value)
        if "\\\n" in text:  # offsets are those of the text without splices
            text = text.replace("\\\n", "")
            continue
        new = draw.choice(
            ["", token.value * 2, f" {other.value} ", "\n#if 1\n", "\n#endif\n", "/*"]
        )
        text = text[:start] + new + text[end:]
    return text


def test_every_place_lies_in_the_source(full: bool) -> None:
    for seed in range(5000 if full else 100):
        text = broken(seed)
        lines = text.split("\n")
        for diagnostic in found(text):
            spans = [diagnostic.span, *(note.span for note in diagnostic.notes)]
            for span in spans:
                if span is not None and span.file == "k.cl":
                    assert 1 <= span.line <= len(lines), (seed, diagnostic)
                    assert 1 <= span.column <= len(lines[span.line - 1]) + 1, (seed, diagnostic)
