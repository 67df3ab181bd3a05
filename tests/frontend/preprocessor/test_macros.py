"""Macro expansion: the standard's examples, extensions, errors and bounds."""

from __future__ import annotations

import pytest

from kcc.frontend.options import SourceText
from kcc.frontend.preprocessor import macros
from tests.frontend.parsing import expanded, found, options, places

STANDARD_EXAMPLE = """
#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };
"""


def test_the_example_of_the_standard() -> None:
    """C99 6.10.3.5, example 3."""
    assert expanded(STANDARD_EXAMPLE).replace(" ", "") == (
        "f(2*(y+1))+f(2*(f(2*(z[0]))))%f(2*(0))+t(1);"
        "f(2*(2+(3,4)-0,1))|f(2*(~5))&f(2*(0,1))^m(0,1);"
        'inti[]={1,23,4,5,};charc[2][6]={"hello",""};'
    )


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("#define A B\n#define B A\nA B", "A B"),
        ("#define f(x) x\nf (1) f", "1 f"),
        ("#define f() 1\nf() f( )", "1 1"),
        ("#define f(x, y) y x\nf(1, (2, 3)) f(a\n,\nb)", "( 2 , 3 ) 1 b a"),
        ("#define s(...) #__VA_ARGS__\ns( a,  b /**/ c ) s()", '"a, b c" ""'),
        ("#define s(x) #x\ns(\"a\\n\" '\\\\') s(@)", '"\\"a\\\\n\\" \'\\\\\\\\\'" "@"'),
        ("#define p(f, ...) g(f, ## __VA_ARGS__)\np(1) p(1, 2, 3)", "g ( 1 ) g ( 1 , 2 , 3 )"),
        ("#define p(f, ...) g(f, ## __VA_ARGS__)\np(1,) p(p(2))", "g ( 1 , ) g ( g ( 2 ) )"),
        ("#define p(...) g(x, ## __VA_ARGS__)\np() p(1)", "g ( x , ) g ( x , 1 )"),
        ("#define p(f, rest...) g(f, rest)\np(1, 2, 3)", "g ( 1 , 2 , 3 )"),
        ("#define c(a, b) a ## b\n#define X 1\nc(X, X) c(c, ) c(a, 1)", "XX c a1"),
        ("#define c(a) a ## 1 ## a\nc(x)", "x1x"),
        ("#define hash # ## #\n#define mk(a) #a\nmk(hash) hash", '"hash" ##'),
        ("__LINE__\n#define L __LINE__\nL L\n\nL", "1 3 3 5"),
        ("__COUNTER__ __COUNTER__", "0 1"),
        ("__FILE__ __INCLUDE_LEVEL__", '"k.cl" 0'),
        ("\n#line 70\n__LINE__\n__LINE__", "70 71"),
        ("#define E\n#define f(x) [x]\nf(E) f(E 1 E)", "[ ] [ 1 ]"),
        ("#define f(x) x\nf(\n#define Y 2\nY)", "2"),
        ("#define f(x) x\nf(a\n#if 0\nb\n#else\nc\n#endif\n)", "a c"),
        ("#define A a\\\nb\nA", "ab"),
        ("#define _X(x) _##x\n_X(global) _X(_kernel)", "_global __kernel"),
        ("# /* */ define /* */ A /* */ 1\nA", "1"),
        ("#define A 1\n#undef A\n#define A 2\nA", "2"),
    ],
)
def test_expansion(text: str, result: str) -> None:
    assert expanded(text) == result


def test_options_define_as_a_compiler_takes_them() -> None:
    build = options("A", "B=", "C=2", "F(x)=x*x", "G(a,b)=a b=c", "C=3", "-A", "S=a b")
    assert expanded("A B C F(4) G(1, 2) S", build) == "A 3 4 * 4 1 2 = c a b"


def test_an_undefined_builtin_macro_is_gone() -> None:
    text = "#ifdef __OPENCL_VERSION__\n#error still there\n#endif\n"
    assert not found(text, options("-__OPENCL_VERSION__"))


@pytest.mark.parametrize(
    "macro", ["1=2", "A-B=1", "F(=1", "A B=1", "=1", "A=1\n#define B 2", "-F(x)"]
)
def test_a_wrong_option_is_refused(macro: str) -> None:
    (diagnostic,) = found("", options(macro))
    assert diagnostic.code == "K132"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#define\n", ["K131 1:2"]),
        ("#define 1\n", ["K131 1:9"]),
        ("#define defined\n", ["K131 1:9"]),
        ("#define f(\n", ["K131 1:10"]),
        ("#define f(a\n", ["K131 1:10"]),
        ("#define f(a,\n", ["K131 1:10"]),
        ("#define f(a,a)\n", ["K131 1:13"]),
        ("#define f(1)\n", ["K131 1:11"]),
        ("#define f(...,a)\n", ["K131 1:14"]),
        ("#define f(a b)\n", ["K131 1:13"]),
        ("#define f(a) #b\n", ["K131 1:14"]),
        ("#define f(a) #\n", ["K131 1:14"]),
        ("#define A ## b\n", ["K131 1:11"]),
        ("#define A b ##\n", ["K131 1:13"]),
        ("#undef\n", ["K131 1:2"]),
        ("#undef 1\n", ["K131 1:8"]),
        ("#define f(a) a\nint x[f(1, 2)];\n", ["K134 2:7"]),
        ("#define f(a, b) a\nint x[f(1)];\n", ["K134 2:7"]),
        ("#define f() 1\nint x[f(1)];\n", ["K134 2:7"]),
        ("#define f(a, b, ...) a\nint x[f(1)];\n", ["K134 2:7"]),
        ("#define f(a) a\nint x[f(1];\n", ["K135 2:7"]),
        ("#define P(a, b) a ## b\nint P(+, x);\n", ["K136 2:5"]),
        ("#define A 1\n#define A 2\n", ["K130 2:9"]),
        ("#define f(a) a\n#define f(b) b\n", ["K130 2:9"]),
        ("#define A 1 + 2\n#define A 1  +  2\n#define A 1+2\n", ["K130 3:9"]),
        ("#define __LINE__ 1\n", ["K130 1:9"]),
        ("#define M_PI 3\n", ["K130 1:9"]),
        ("#define A\n#undef A B\n", ["K123 2:10"]),
    ],
)
def test_what_is_wrong_is_placed(text: str, said: list[str]) -> None:
    assert places(text) == said


def test_an_error_in_a_macro_is_told_once() -> None:
    text = "#define g(a, b) a\n#define f(x) g(x)\nconstant int x[] = {f(1), f(2), f(3)};\n"
    assert places(text) == ["K134 3:21"]


def test_notes_show_where_macros_are_defined() -> None:
    text = "#define INNER 1 +\n#define OUTER (INNER)\nconstant int x = OUTER;\n"
    (diagnostic,) = found(text)
    assert [(n.message, str(n.span)) for n in diagnostic.notes] == [
        ("expanded from macro 'OUTER'", "k.cl:2:21"),
    ]
    assert str(diagnostic.span) == "k.cl:3:18"


DOUBLING = {
    "objects": "\n".join(f"#define A{i + 1} A{i} A{i}" for i in range(40)) + "\n#define A0 1\nA40",
    "empty": "\n".join(f"#define A{i + 1} A{i} A{i}" for i in range(40)) + "\n#define A0\nA40",
    "calls": "\n".join(f"#define A{i + 1}(x) A{i}(x x)" for i in range(40))
    + "\n#define A0(x) x\nA40(1)",
    "condition": "\n".join(f"#define A{i + 1} A{i} + A{i}" for i in range(40))
    + "\n#define A0 1\n#if A40\n#endif",
}


@pytest.mark.parametrize("name", list(DOUBLING))
def test_macros_that_double_end_in_an_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(macros, "MAX_EXPANSION_TOKENS", 10_000)
    assert [d.code for d in found(DOUBLING[name])] == ["K137"]


def test_calls_in_arguments_nest_to_a_bound() -> None:
    def nested(depth: int) -> str:
        return f"#define f(x) x\nconstant int y = {'f(' * depth}1{')' * depth};\n"

    assert not found(nested(150))
    assert [d.code for d in found(nested(400))] == ["K137"]


def test_a_source_text_with_carriage_returns_is_taken() -> None:
    from kcc.base.diagnostics import DiagnosticSink
    from kcc.frontend.parser import parse

    source = SourceText("a", "#define A \\\r\n 1\r\nconstant int x = A;\r\n", ".")
    unit = parse(source, options(), DiagnosticSink())
    assert unit.span(unit.ast.ext[0]).line == 3
