"""A place in the tokens of a PTX file, and the numbers that stand there."""

from __future__ import annotations

import struct
from typing import NoReturn

from kcc.frontend.ptx.reading.model import Integer, Real
from kcc.frontend.ptx.reading.tokens import Places, Token, syntax_error


class Cursor:
    """Reads tokens one after another; what is not expected is K430 with its place."""

    def __init__(self, places: Places, tokens: list[Token]) -> None:
        self.places, self.tokens = places, tokens
        self.here: int = 0

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        raise syntax_error(self.places, self.tokens[self.here].at if at is None else at, message)

    def take(self, text: str) -> Token:
        token = self.tokens[self.here]
        if token.text != text or token.kind == "string":
            self.fail(f"'{text}' is expected here, not '{token.text}'")
        self.here += 1
        return token

    def accept(self, text: str) -> bool:
        token = self.tokens[self.here]
        if token.text != text or token.kind == "string":
            return False
        self.here += 1
        return True

    def kind(self, kind: str, what: str) -> str:
        token = self.tokens[self.here]
        if token.kind != kind:
            self.fail(f"{what} is expected here, not '{token.text}'")
        self.here += 1
        return token.text

    def skip_to_semicolon(self) -> None:
        while not self.accept(";"):
            if self.tokens[self.here].kind == "end":
                self.fail("';' is missing")
            self.here += 1

    def skip_parentheses(self) -> None:
        if self.accept("("):
            while not self.accept(")"):
                if self.tokens[self.here].kind == "end":
                    self.fail("')' is missing")
                self.here += 1

    def integer(self) -> int:
        sign = 1
        while self.tokens[self.here].text in ("-", "+"):
            sign = -sign if self.accept("-") else sign * self.accept("+")
        at = self.here
        value = self.literal()
        if not isinstance(value, Integer):
            self.fail("an integer is expected here", self.tokens[at].at)
        return sign * value.value

    def literal(self) -> Integer | Real:
        sign = -1 if self.accept("-") else 1
        text = self.kind("number", "an operand")
        lower = text.lower()
        if lower.startswith("0f") and len(text) == 10:
            bits = int(f"0x{text[2:]}", 0)
            return Real(bits ^ (1 << 31 if sign < 0 else 0), 32)
        if lower.startswith("0d") and len(text) == 18:
            bits = int(f"0x{text[2:]}", 0)
            return Real(bits ^ (1 << 63 if sign < 0 else 0), 64)
        if lower.startswith("0x"):
            return Integer(sign * int(lower.rstrip("u"), 16))
        if lower.startswith("0b"):
            return Integer(sign * int(lower[2:].rstrip("u"), 2))
        if "." in text or "e" in lower:
            return Real(struct.unpack("<Q", struct.pack("<d", sign * float(text)))[0], 64)
        digits = lower.rstrip("u")
        octal = len(digits) > 1 and digits[0] == "0" and not set(digits) & {"8", "9"}
        return Integer(sign * int(digits, 8 if octal else 10))
