"""Numbers, characters and strings: from preprocessing token to C constant (C99 6.4.4, 6.4.5).

OpenCL C 1.2 has neither wide nor Unicode literals. ``LL`` is taken for ``L``, as clang does: long
has 64 bits. A half literal (``1.0h``) belongs to cl_khr_fp16 and comes through with type "half".
"""

from __future__ import annotations

import re

from kcc.base.records import dataclass

_INTEGER = re.compile(
    r"(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)(?P<suffix>[uU]?(?:ll|LL|[lL])?|(?:ll|LL|[lL])[uU])"
)
_FLOATING = re.compile(
    r"(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+"
    r"|0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)"
    r"(?P<suffix>[fFhH]?)"
)
_INTEGER_TYPES = {
    "": "int", "u": "unsigned int", "l": "long int", "ll": "long int",
    "ul": "unsigned long int", "ull": "unsigned long int", "lu": "unsigned long int",
    "llu": "unsigned long int",
}  # fmt: skip
_FLOATING_TYPES = {"": "double", "f": "float", "h": "half"}

_KNOWN_ESCAPE = re.compile(r"\\(?:[abfnrtve\\'\"?]|[0-7]{1,3}|x[0-9a-fA-F]+)")
_ESCAPE = re.compile(rf"{_KNOWN_ESCAPE.pattern}|\\[^\n]")
_OCTAL_DIGITS = re.compile(r"0[0-9]*[89][0-9]*[uUlL]*")


@dataclass(frozen=True, slots=True)
class Literal:
    """``kind`` is the parser's token type; ``type`` the C type as pycparser spells it; ``fault``
    says what is wrong with the text, ``remark`` what is only odd.
    """

    kind: str
    type: str
    fault: str = ""
    remark: str = ""


def classify_number(text: str) -> Literal:
    """A preprocessing number as a constant."""
    match = _INTEGER.fullmatch(text)
    if match is not None:
        kind = "INT_CONST_HEX" if text[:2] in ("0x", "0X") else "INT_CONST_DEC"
        return Literal(kind, _INTEGER_TYPES[match["suffix"].lower()])
    match = _FLOATING.fullmatch(text)
    if match is not None:
        return Literal("FLOAT_CONST", _FLOATING_TYPES[match["suffix"].lower()])
    return Literal("INT_CONST_DEC", "int", _number_fault(text))


def _number_fault(text: str) -> str:
    lower = text.lower()
    if _OCTAL_DIGITS.fullmatch(text):
        return f"'{text}' starts with 0 and so is octal, but has a digit above 7"
    if lower.startswith("0b") and set(lower[2:].rstrip("ul")) <= {"0", "1"}:
        return "OpenCL C has no binary constants"
    if re.fullmatch(r"[0-9]+[fF]", text):
        return f"'{text}' is an integer with the suffix of a float: write '{text[:-1]}.0f'"
    if lower.startswith("0x") and "." in lower and "p" not in lower:
        return "a hexadecimal floating constant needs an exponent such as p0"
    return f"'{text}' is not a number"


def classify_character(text: str) -> Literal:
    """A character constant; one of several characters, whose value no standard gives, is none."""
    if not text.startswith("'"):
        return Literal("CHAR_CONST", "char", "OpenCL C has no wide characters")
    body = text[1:-1]
    if not body:
        return Literal("CHAR_CONST", "char", "the character constant is empty")
    escape = _ESCAPE.match(body)
    if (escape.end() if escape else 1) != len(body):
        fault = "the character constant holds more than one character"
        return Literal("CHAR_CONST", "char", fault)
    fault = "" if ord(body[0]) < 128 else "the character is not in ASCII"
    fault = fault or _escape_fault(body)
    return Literal("CHAR_CONST", "char", fault, _unknown_escape(body))


def classify_string(text: str) -> Literal:
    """A string literal."""
    if not text.startswith('"'):
        return Literal("STRING_LITERAL", "string", "OpenCL C has no wide strings")
    body = text[1:-1]
    return Literal("STRING_LITERAL", "string", _escape_fault(body), _unknown_escape(body))


def _escape_fault(body: str) -> str:
    """What is wrong with the numbers of escapes: each is one byte."""
    for escape in _ESCAPE.findall(body):
        digits = escape[2:] if escape[1] == "x" else escape[1:] if escape[1] in "01234567" else "0"
        if not digits:
            return f"'{escape}' has no digits"
        if int(digits, 16 if escape[1] == "x" else 8) > 255:
            return f"'{escape}' does not fit in a character"
    return ""


def _unknown_escape(body: str) -> str:
    """The remark on an escape that C does not have: it stands for its character."""
    unknown = next((e for e in _ESCAPE.findall(body) if not _KNOWN_ESCAPE.fullmatch(e)), None)
    return f"'{unknown}' is no escape sequence: the backslash is ignored" if unknown else ""
