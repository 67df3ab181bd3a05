"""Operands: registers, literals, addresses, vectors (PTX ISA, "Instruction operands")."""

from __future__ import annotations

from kcc.frontend.ptx.reading.model import (
    Address,
    Integer,
    Negated,
    Nothing,
    Operand,
    Register,
    Several,
    Symbol,
)
from kcc.frontend.ptx.reading.scopes import Scopes
from kcc.frontend.ptx.reading.tokens import Token


class Operands(Scopes):
    """The operands at a place, names resolved in the scopes around it."""

    def listed(self) -> tuple[Operand, ...]:
        self.take("(")
        found = list[Operand]()
        while not self.accept(")"):
            found.append(self.operand())
            if not self.accept(",") and self.tokens[self.here].text != ")":
                self.fail(f"',' or ')' is expected here, not '{self.tokens[self.here].text}'")
        return tuple(found)

    def operand(self) -> Operand:
        first = self.single()
        if self.accept("|"):
            return Several((first, self.single()), paired=True)
        return first

    def single(self) -> Operand:
        token = self.tokens[self.here]
        if token.text == "{":
            self.here += 1
            parts = list[Operand]()
            while not self.accept("}"):
                parts.append(self.single())
                if not self.accept(",") and self.tokens[self.here].text != "}":
                    self.fail(f"',' or '}}' is expected here, not '{self.tokens[self.here].text}'")
            return Several(tuple(parts))
        if token.text == "[":
            return self.address()
        if token.text == "!":
            self.here += 1
            value = self.single()
            if not isinstance(value, Register):
                self.fail("a predicate is expected after '!'", token.at)
            return Negated(value)
        if token.kind == "name":
            self.here += 1
            return self.named(token)
        return self.literal()

    def named(self, token: Token) -> Operand:
        name = token.text
        if name == "_":
            return Nothing()
        own = self.register(name)
        if own is not None:
            return Register(own)
        if name[0] == "%" or name == "WARP_SZ":
            return Register(name)
        for scope in reversed(self.scopes):
            if name in scope.variables:
                name = scope.variables[name]
                break
        if name == "generic" and self.accept("("):
            inner = self.single()
            self.take(")")
            return inner
        offset = 0
        if self.tokens[self.here].text in ("+", "-"):
            sign = 1 if self.tokens[self.here].text == "+" else -1
            self.here += 1
            offset = sign * self.integer()
        return Symbol(name, offset)

    def address(self) -> Address:
        self.take("[")
        base = self.single()
        rest = list[Operand]()
        offset = 0
        if isinstance(base, Symbol):
            base, offset = Symbol(base.name), base.offset
        if not isinstance(base, Register | Symbol | Integer):
            self.fail("an address is a register, a variable or a number, plus bytes")
        while self.tokens[self.here].text in ("+", "-"):
            sign = 1 if self.tokens[self.here].text == "+" else -1
            self.here += 1
            offset += sign * self.integer()
        while self.accept(","):
            rest.append(self.single())
        self.take("]")
        return Address(base, offset, tuple(rest))
