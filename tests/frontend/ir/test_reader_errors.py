"""What the reader does not know is a coded message that names it, never a wrong module."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.frontend.ir.reader import read_module
from tests.frontend.ir.llvm_oracle import printed
from tests.frontend.ir.test_reader_instructions import EVERYTHING


def refused(text: str) -> Diagnostic:
    with pytest.raises(DiagnosticError) as caught:
        read_module(text)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


def in_function(*lines: str) -> str:
    body = "\n".join(f"  {line}" for line in lines)
    return f"define void @f(i32 %n, ptr %p) {{\n{body}\n  ret void\n}}\n"


@pytest.mark.parametrize(
    ("line", "code", "reason"),
    [
        ("%r = call i32 %p(i32 1)", "K551", "a call through a pointer"),
        ('call void asm sideeffect "nop", ""()', "K551", "inline assembly"),
        ("%v = va_arg ptr %p, i32", "K551", "'va_arg'"),
        ("%x = bfadd i32 %n, 1", "K550", "instruction 'bfadd' is not known"),
        ("%x = add bfloat %n, 1", "K552", "type 'bfloat' is not known"),
        ("%x = add <vscale x 4 x i32> %n, %n", "K55", "vscale"),
        ("%x = add i32 %n, %gone", "K550", "value '%gone' is not defined"),
        ("%x = add i64 %n, 1", "K550", "'%n' is of type i32, not i64"),
        ("%x = add i32 %n, 1 sideways", "K550", "'sideways' is not understood"),
        ("%x = icmp almost i32 %n, 1", "K550", "'almost' is not known"),
        ("%x = add i32 %n, blockaddress(@f, %a)", "K550", "not a known constant"),
        ("add i32 %n, 1", "K550", "the result has no name"),
        ("br label %nowhere", "K550", "nowhere"),
        ("%x = add i32 %n", "K550", "not understood"),
        ("%x = extractvalue i32 %n, 0", "K550", "has no parts"),
        ('call void @g() [ "deopt"(i32 1) ]', "K550", "not understood"),
    ],
)
def test_in_a_function(line: str, code: str, reason: str):
    diagnostic = refused(in_function(line))
    assert diagnostic.code.startswith(code)
    assert reason in diagnostic.message
    assert line in diagnostic.message, "the message shows the instruction"
    assert "function 'f'" in diagnostic.message


def test_the_place_in_the_source_is_told():
    text = in_function("%v = va_arg ptr %p, i32, !dbg !2") + (
        '!0 = !DIFile(filename: "k.cl", directory: "")\n'
        '!1 = distinct !DISubprogram(name: "f", scope: !0, file: !0, line: 3)\n'
        "!2 = !DILocation(line: 7, column: 5, scope: !1)\n"
    )
    assert refused(text).span == Span("k.cl", 7, 5)


@pytest.mark.parametrize(
    ("line", "code", "reason"),
    [
        ("@a = alias i32, ptr @b", "K550", "a global of kind 'alias'"),
        ("@a = thread_local global i32 0", "K550", "a global of kind 'thread_local'"),
        ("@a = global fp128 0xL0", "K552", "type 'fp128'"),
        ("@a = global %s zeroinitializer", "K552", "type '%s'"),
        ("@a = global i32 0, align 4, mystery", "K550", "'mystery' on a global"),
        ("@a = global i32 one", "K550", "'one' is not a known constant of type i32"),
        ('module asm "nop"', "K550", "a line of no known kind"),
        ("declare cc 76 void @f()", "K551", "calling convention 76"),
        ("declare void @f() prefix i32 1", "K550", "not understood"),
        ("define void @f() {", "K550", "a function without end"),
    ],
)
def test_outside_of_functions(line: str, code: str, reason: str):
    diagnostic = refused(f"{line}\n")
    assert diagnostic.code == code
    assert reason in diagnostic.message
    assert line in diagnostic.message


TOKENS = re.findall(r"\s+|[%@!#]?[\w.$-]+|.", str(printed(EVERYTHING)))
PLACES = [place for place, token in enumerate(TOKENS) if not token.isspace()]


@given(st.sampled_from(PLACES), st.sampled_from(PLACES), st.sampled_from(["cut", "copy", "swap"]))
def test_damaged_text_is_refused_or_read(place: int, other: int, damage: str):
    """No damage to a text leads to anything but a module or a coded message."""
    tokens = list(TOKENS)
    match damage:
        case "cut":
            tokens[place] = ""
        case "copy":
            tokens.insert(place, f"{tokens[other]} ")
        case _:
            tokens[place], tokens[other] = tokens[other], tokens[place]
    codes = set[str]()
    try:
        read_module("".join(tokens))
    except DiagnosticError as error:
        codes = {diagnostic.code for diagnostic in error.diagnostics}
    assert codes <= {"K550", "K551", "K552"}


def test_opaque_types_have_no_content():
    diagnostic = refused("%s = type opaque\n@a = external global %s\n")
    assert (diagnostic.code, diagnostic.span) == ("K552", None)
    assert "'%s' has no known content" in diagnostic.message


def test_exceptions_are_refused():
    text = """
    declare i32 @p(...)
    declare void @g()
    define void @f() personality ptr @p {
      invoke void @g() to label %a unwind label %b
    a:
      ret void
    b:
      %x = landingpad { ptr, i32 } cleanup
      ret void
    }
    """
    assert refused(str(printed(text))).code in ("K550", "K551")
