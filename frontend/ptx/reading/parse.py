"""From tokens to a module: the statements of PTX ISA, "Syntax", "State spaces" and "Directives"."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from typing import NoReturn

from kcc.frontend.ptx.reading.model import (
    SIZES,
    Address,
    CallOf,
    Function,
    Guard,
    Instruction,
    Integer,
    Label,
    Module,
    Negated,
    Nothing,
    Operand,
    Real,
    Register,
    Several,
    SourceLine,
    Symbol,
    UnrollPragma,
    Variable,
)
from kcc.frontend.ptx.reading.tokens import Places, Token, syntax_error, tokens_of

_SPACES = {".reg", ".param", ".local", ".shared", ".global", ".const", ".tex"}
_LINKING = {".visible", ".extern", ".weak", ".common"}
_LOC = re.compile(r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)(.*)")
_INLINED = re.compile(r"inlined_at\s+(\d+)\s+(\d+)\s+(\d+)")
_LARGEST_FUNCTION = 1_000_000
"""Statements, of which more are no kernel."""


def parse(places: Places) -> Module:
    """The module of a text; raises :class:`DiagnosticError` (K430) at what is no PTX."""
    return _Parser(places, tokens_of(places)).module()


@dataclass(slots=True)
class _Scope:
    """Names declared between braces, and what they are called in the function."""

    number: int
    registers: dict[str, str] = field(default_factory=dict[str, str])
    ranges: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    """``%r<10>``: how many, and their type, by what stands before the number."""
    variables: dict[str, str] = field(default_factory=dict[str, str])
    labels: dict[str, str] = field(default_factory=dict[str, str])


class _Parser:
    def __init__(self, places: Places, tokens: list[Token]) -> None:
        self.places, self.tokens, self.here = places, tokens, 0
        self.found = Module()
        self.function: Function | None = None
        self.scopes = list[_Scope]()
        self.scope_count = 0
        self.line: SourceLine | None = None
        self.in_assembly = False

    # tokens

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

    # the module

    def module(self) -> Module:
        while self.tokens[self.here].kind != "end":
            self.item()
        if not self.found.version:
            self.fail("PTX begins with '.version'", 0)
        return self.found

    def item(self) -> None:
        token = self.tokens[self.here]
        self.here += 1
        match token.text:
            case ".version":
                self.found.version = self.kind("number", "a version")
            case ".target":
                self.found.target = self.kind("name", "a target")
                while self.accept(","):
                    self.kind("name", "a target")
            case ".address_size":
                if self.integer() != 64:
                    self.fail("PTX with addresses of 32 bits is not supported", token.at)
            case ".file":
                self.file()
            case ".section":
                self.section()
            case ".pragma":
                self.pragma()
            case ".alias":
                self.skip_to_semicolon()
            case _ if token.kind == "loc":
                self.loc(token.text)
            case text if text in _LINKING or text in _SPACES or text in (".entry", ".func"):
                self.here -= 1
                self.declaration()
            case _:
                self.fail(f"'{token.text}' is no directive of a module", token.at)

    def declaration(self) -> None:
        extern = False
        while self.tokens[self.here].text in _LINKING:
            extern |= self.tokens[self.here].text == ".extern"
            self.here += 1
        if self.accept(".entry"):
            self.entry(is_entry=True)
        elif self.accept(".func"):
            self.entry(is_entry=False)
        else:
            for variable in self.variables(extern=extern):
                self.found.variables[variable.name] = variable

    def file(self) -> None:
        number = self.integer()
        self.found.files[number] = self.kind("string", "a name of a file")[1:-1]
        while self.accept(","):
            self.integer()

    def section(self) -> None:
        self.here += 1
        self.take("{")
        while not self.accept("}"):
            if self.tokens[self.here].kind == "end":
                self.fail("the section does not end")
            self.here += 1

    def pragma(self) -> str:
        text = self.kind("string", "a string")
        while self.accept(","):
            text += self.kind("string", "a string")
        self.accept(";")
        return text

    def skip_to_semicolon(self) -> None:
        while not self.accept(";"):
            if self.tokens[self.here].kind == "end":
                self.fail("';' is missing")
            self.here += 1

    def loc(self, text: str) -> None:
        match = _LOC.match(text)
        if match is None:
            self.fail("'.loc' takes the number of a file, a line and a column", None)
        if self.in_assembly and self.line is not None:
            return
        self.line = SourceLine(int(match[1]), int(match[2]), int(match[3]))
        if self.line.line == 0 and (outer := _INLINED.search(match[4])):
            self.line = SourceLine(int(outer[1]), int(outer[2]), int(outer[3]))

    # functions

    def entry(self, *, is_entry: bool) -> None:
        at = self.tokens[self.here].at
        self.accept(".attribute")
        results = self.parameters() if self.tokens[self.here].text == "(" else ()
        name = self.kind("name", "the name of a function")
        known = self.tokens[self.here].text == "("
        parameters = self.parameters() if known else ()
        function = Function(name, is_entry, at, parameters, results)
        self.attributes(function)
        if not self.accept(";"):
            function.is_defined = True
            self.body(function)
        before = self.found.functions.get(name)
        if before is None or function.is_defined:
            if before is not None and before.is_defined:
                self.fail(f"'{name}' is defined twice", at)
            self.found.functions[name] = function

    def parameters(self) -> tuple[Variable, ...]:
        self.take("(")
        found = list[Variable]()
        while not self.accept(")"):
            found += self.variables(extern=False, listed=True)
            if not self.accept(",") and self.tokens[self.here].text != ")":
                self.fail(f"',' or ')' is expected here, not '{self.tokens[self.here].text}'")
        names = [each.name for each in found]
        for place, name in enumerate(names):
            if name in names[:place]:
                self.fail(f"the parameter '{name}' is there twice", found[place].at)
        return tuple(found)

    def attributes(self, function: Function) -> None:
        while self.tokens[self.here].kind == "directive":
            word = self.tokens[self.here].text
            self.here += 1
            numbers = list[int]()
            while self.tokens[self.here].kind in ("number", "string"):
                token = self.tokens[self.here]
                if token.kind == "number":
                    numbers.append(self.integer())
                else:
                    self.here += 1
                if not self.accept(","):
                    break
            if word == ".pragma":
                self.accept(";")
            if word == ".reqntid":
                function.threads = tuple(numbers)
            elif word == ".maxntid":
                function.most_threads = tuple(numbers)

    def body(self, function: Function) -> None:
        self.function, self.line = function, None
        self.scopes = [_Scope(0)]
        for variable in (*function.parameters, *function.results):
            self.scopes[0].variables[variable.name] = variable.name
            if variable.space == "reg":
                function.registers[variable.name] = variable.type
                self.scopes[0].registers[variable.name] = variable.name
        self.scope_count = 1
        self.take("{")
        self.block()
        self.function = None

    def block(self) -> None:
        """Up to the brace that closes what was opened."""
        self.name_labels()
        assert self.function is not None
        while not self.accept("}"):
            token = self.tokens[self.here]
            if token.kind == "end":
                self.fail("'}' is missing")
            if len(self.function.body) > _LARGEST_FUNCTION:
                self.fail("the function is too long")
            self.statement(token)
        self.scopes.pop()

    def name_labels(self) -> None:
        """Labels may be used before they stand: find those of this scope first."""
        depth, scope = 0, self.scopes[-1]
        for index in range(self.here, len(self.tokens) - 1):
            kind, text, _ = self.tokens[index]
            if text == "{":
                depth += 1
            elif text == "}":
                depth -= 1
                if depth < 0:
                    return
            elif depth == 0 and text == ":" and self.tokens[index - 1].kind == "name":
                name = self.tokens[index - 1].text
                if name in scope.labels:
                    self.fail(f"label '{name}' stands here again", self.tokens[index - 1].at)
                scope.labels[name] = name if scope.number == 0 else f"{name}.s{scope.number}"
            elif kind == "end":
                return

    def statement(self, token: Token) -> None:
        assert self.function is not None
        if token.kind == "loc":
            self.here += 1
            self.loc(token.text)
        elif token.text == "{":
            self.here += 1
            self.scopes.append(_Scope(self.scope_count))
            self.scope_count += 1
            self.block()
        elif token.kind == "directive":
            self.directive(token)
        elif token.kind == "name" and self.tokens[self.here + 1].text == ":":
            self.here += 2
            if self.tokens[self.here].text in (".branchtargets", ".callprototype", ".calltargets"):
                self.table(token.text)
            else:
                name = self.scopes[-1].labels[token.text]
                self.function.body.append(Label(name, token.at))
        elif token.text == ";":
            self.here += 1
        else:
            self.instruction()

    def directive(self, token: Token) -> None:
        assert self.function is not None
        match token.text:
            case ".pragma":
                self.here += 1
                if "nounroll" in self.pragma():
                    self.function.body.append(UnrollPragma(token.at))
            case ".file":
                self.here += 1
                self.file()
            case ".section":
                self.here += 1
                self.section()
            case ".begin_asm" | ".end_asm":
                self.here += 1
                self.in_assembly = token.text == ".begin_asm"
            case text if text in _SPACES or text in _LINKING:
                extern = False
                while self.tokens[self.here].text in _LINKING:
                    extern |= self.tokens[self.here].text == ".extern"
                    self.here += 1
                if self.tokens[self.here].text == ".reg":
                    self.registers()
                else:
                    self.own_variables(extern=extern)
            case _:
                self.fail(f"'{token.text}' is no directive of a function")

    def own_variables(self, *, extern: bool) -> None:
        assert self.function is not None
        scope = self.scopes[-1]
        for variable in self.variables(extern=extern):
            name = variable.name
            if scope.number:
                name = f"{name}.s{scope.number}"
            scope.variables[variable.name] = name
            self.function.variables[name] = variable

    def table(self, name: str) -> None:
        assert self.function is not None
        word = self.tokens[self.here].text
        self.here += 1
        if word != ".branchtargets":
            self.skip_to_semicolon()
            return
        names = [self.kind("name", "a label")]
        while self.accept(","):
            names.append(self.kind("name", "a label"))
        self.take(";")
        self.function.tables[name] = tuple(self.label(n) for n in names)

    def label(self, name: str) -> str:
        for scope in reversed(self.scopes):
            if name in scope.labels:
                return scope.labels[name]
        return name

    # variables

    def registers(self) -> None:
        assert self.function is not None
        self.take(".reg")
        count, type_ = 1, ""
        while self.tokens[self.here].kind == "directive":
            word = self.tokens[self.here].text[1:]
            self.here += 1
            if word in ("v2", "v4", "v8"):
                count = int(word[1])
            else:
                type_ = word
        if type_ not in SIZES:
            self.fail("a type is expected here")
        if count != 1:
            self.fail("registers that are vectors are not supported")
        scope = self.scopes[-1]
        while True:
            name = self.kind("name", "a register")
            if self.accept("<"):
                scope.ranges[name] = (self.integer(), type_)
                self.take(">")
            else:
                own = name if scope.number == 0 else f"{name}.s{scope.number}"
                scope.registers[name] = own
                self.function.registers[own] = type_
            if not self.accept(","):
                break
        self.take(";")

    def register(self, name: str) -> str | None:
        """What a register is called in its function; None for what is none."""
        assert self.function is not None
        for scope in reversed(self.scopes):
            if name in scope.registers:
                return scope.registers[name]
            head = name.rstrip("0123456789")
            tail = name[len(head) :]
            for cut in range(len(tail)):
                known = scope.ranges.get(head + tail[:cut])
                if known is not None and int(tail[cut:]) < known[0]:
                    own = name if scope.number == 0 else f"{name}.s{scope.number}"
                    scope.registers[name] = own
                    self.function.registers[own] = known[1]
                    return own
        return None

    def variables(self, *, extern: bool, listed: bool = False) -> list[Variable]:
        """A declaration; ``listed`` is among parameters, where no semicolon follows."""
        at = self.tokens[self.here].at
        space = self.tokens[self.here].text.removeprefix(".")
        if f".{space}" not in _SPACES:
            self.fail(f"a state space is expected here, not '{self.tokens[self.here].text}'")
        self.here += 1
        type_, alignment, vector, pointee, pointee_alignment = "", 0, 1, "", 0
        while self.tokens[self.here].kind == "directive":
            word = self.tokens[self.here].text
            self.here += 1
            if word == ".align":
                number = self.integer()
                if number < 1 or number & (number - 1) or number > 1 << 20:
                    self.fail("an alignment is a power of two")
                alignment, pointee_alignment = (
                    (alignment, number) if pointee else (number, pointee_alignment)
                )
            elif word == ".ptr":
                pointee = "generic"
            elif word in (".global", ".shared", ".const", ".local") and pointee:
                pointee = word[1:]
            elif word in (".v2", ".v4", ".v8"):
                vector = int(word[2])
            elif word[1:] in SIZES:
                type_ = word[1:]
            elif word in (".attribute", ".managed", ".unified", ".unique"):
                self.skip_parentheses()
            else:
                self.fail(f"'{word}' is not known here", self.tokens[self.here - 1].at)
        if not type_:
            self.fail("a type is expected here")
        found = list[Variable]()
        while True:
            found.append(self.variable(space, type_, alignment, vector, at, extern=extern))
            if pointee:
                last = found[-1]
                found[-1] = Variable(
                    last.name, space, type_, last.alignment, last.count, last.is_array, at,
                    (), extern, pointee, pointee_alignment,
                )  # fmt: skip
            if listed or not self.accept(","):
                break
        if not listed:
            self.take(";")
        return found

    def skip_parentheses(self) -> None:
        if self.accept("("):
            while not self.accept(")"):
                if self.tokens[self.here].kind == "end":
                    self.fail("')' is missing")
                self.here += 1

    def variable(
        self, space: str, type_: str, alignment: int, vector: int, at: int, *, extern: bool
    ) -> Variable:
        name = self.kind("name", "the name of a variable")
        if self.accept("<"):
            self.fail("numbered names are registers'")
        count: int | None = vector
        is_array = vector > 1
        while self.accept("["):
            is_array = True
            if self.accept("]"):
                count = None
                continue
            length = self.integer()
            self.take("]")
            count = None if count is None else count * length
        values = tuple(self.values()) if self.accept("=") else ()
        if count is None and values:
            count = len(values)
        if count is not None and count * SIZES[type_] > 1 << 36:
            self.fail(f"'{name}' is too large")
        return Variable(
            name,
            space,
            type_,
            alignment or SIZES[type_] * vector,
            count,
            is_array,
            at,
            values,
            extern,
        )

    def values(self) -> list[Operand]:
        if not self.accept("{"):
            return [self.operand()]
        found = list[Operand]()
        while not self.accept("}"):
            found += self.values()
            self.accept(",")
        return found

    # instructions

    def instruction(self) -> None:
        assert self.function is not None
        guard = self.guard()
        token = self.tokens[self.here]
        opcode = self.kind("name", "an instruction")
        words = tuple(opcode.split("."))
        if words[0] == "call":
            self.call(guard, token.at)
            return
        operands = list[Operand]()
        if self.tokens[self.here].text != ";":
            operands.append(self.operand())
            while self.accept(","):
                operands.append(self.operand())
        self.take(";")
        if words[0] in ("bra", "brx"):
            operands = [
                Symbol(self.label(o.name)) if isinstance(o, Symbol) else o for o in operands
            ]
        self.function.body.append(Instruction(words, guard, tuple(operands), token.at, self.line))

    def guard(self) -> Guard | None:
        if not self.accept("@"):
            return None
        negated = self.accept("!")
        at = self.tokens[self.here].at
        name = self.kind("name", "a predicate")
        own = self.register(name)
        if own is None:
            self.fail(f"'{name}' is no register", at)
        return Guard(own, negated)

    def call(self, guard: Guard | None, at: int) -> None:
        assert self.function is not None
        results = self.listed() if self.tokens[self.here].text == "(" else ()
        if results:
            self.take(",")
        name = self.kind("name", "a function")
        arguments: tuple[Operand, ...] = ()
        if self.accept(","):
            arguments = self.listed() if self.tokens[self.here].text == "(" else ()
            if self.accept(",") or not arguments:
                while self.tokens[self.here].kind == "name":
                    self.here += 1
        self.take(";")
        self.function.body.append(CallOf(name, results, arguments, guard, at, self.line))

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
