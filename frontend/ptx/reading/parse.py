"""From tokens to a module: the statements of PTX ISA, "Syntax", "State spaces" and "Directives"."""

from __future__ import annotations

import re

from kcc.frontend.ptx.reading.declarations import LINKING, SPACES, Declarations
from kcc.frontend.ptx.reading.model import (
    CallOf,
    Function,
    Guard,
    Instruction,
    Label,
    Module,
    Operand,
    SourceLine,
    Symbol,
    UnrollPragma,
    Variable,
)
from kcc.frontend.ptx.reading.scopes import Scope
from kcc.frontend.ptx.reading.tokens import Places, Token, tokens_of

_LOC = re.compile(r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)(.*)")
_INLINED = re.compile(r"inlined_at\s+(\d+)\s+(\d+)\s+(\d+)")
_LARGEST_FUNCTION = 1_000_000
"""Statements, of which more are no kernel."""


def _place(match: re.Match[str]) -> tuple[int, int, int]:
    return int(match[1]), int(match[2]), int(match[3])


def parse(places: Places) -> Module:
    """The module of a text; raises :class:`DiagnosticError` (K430) at what is no PTX."""
    return _Parser(places, tokens_of(places)).module()


class _Parser(Declarations):
    def __init__(self, places: Places, tokens: list[Token]) -> None:
        super().__init__(places, tokens)
        self.found = Module()
        self.line: SourceLine | None = None
        self.lines = dict[tuple[int, int, int], SourceLine]()
        self.in_assembly = False

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
            case text if text in LINKING or text in SPACES or text in (".entry", ".func"):
                self.here -= 1
                self.declaration()
            case _:
                self.fail(f"'{token.text}' is no directive of a module", token.at)

    def declaration(self) -> None:
        extern = False
        while self.tokens[self.here].text in LINKING:
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

    def loc(self, text: str) -> None:
        match = _LOC.match(text)
        if match is None:
            self.fail("'.loc' takes the number of a file, a line and a column", None)
        if self.in_assembly and self.line is not None:
            return
        own, inlined = _place(match), _INLINED.search(match[4])
        outer = None
        if inlined is not None and _place(inlined) != own:
            outer = self.lines.get(_place(inlined)) or SourceLine(*_place(inlined))
        self.line = self.lines[own] = SourceLine(*own, outer)

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
        self.lines.clear()
        self.scopes = [Scope(0)]
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

    def statement(self, token: Token) -> None:
        assert self.function is not None
        if token.kind == "loc":
            self.here += 1
            self.loc(token.text)
        elif token.text == "{":
            self.here += 1
            self.scopes.append(Scope(self.scope_count))
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
            case text if text in SPACES or text in LINKING:
                extern = False
                while self.tokens[self.here].text in LINKING:
                    extern |= self.tokens[self.here].text == ".extern"
                    self.here += 1
                if self.tokens[self.here].text == ".reg":
                    self.registers()
                else:
                    self.own_variables(extern=extern)
            case _:
                self.fail(f"'{token.text}' is no directive of a function")

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
