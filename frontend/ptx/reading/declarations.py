"""Variables and registers (PTX ISA, "State spaces, types, and variables")."""

from __future__ import annotations

from kcc.frontend.ptx.reading.model import SIZES, Operand, Symbol, Variable
from kcc.frontend.ptx.reading.operands import Operands

SPACES = {".reg", ".param", ".local", ".shared", ".global", ".const", ".tex"}
LINKING = {".visible", ".extern", ".weak", ".common"}


class Declarations(Operands):
    """Declarations of variables and parameters, and of a function's registers."""

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
                own = scope.own(name)
                scope.registers[name] = own
                self.function.registers[own] = type_
            if not self.accept(","):
                break
        self.take(";")

    def own_variables(self, *, extern: bool) -> None:
        assert self.function is not None
        scope = self.scopes[-1]
        for variable in self.variables(extern=extern):
            name = scope.own(variable.name)
            scope.variables[variable.name] = name
            self.function.variables[name] = variable

    def variables(self, *, extern: bool, listed: bool = False) -> list[Variable]:
        """A declaration; ``listed`` is among parameters, where no semicolon follows."""
        at = self.tokens[self.here].at
        space = self.tokens[self.here].text.removeprefix(".")
        if f".{space}" not in SPACES:
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
            if self.tokens[self.here].kind == "name" and self.tokens[self.here + 1].text == "=":
                key, value = self.tokens[self.here].text, self.tokens[self.here + 2].text
                found.append(Symbol(f"{key}={value}"))
                self.here += 3
            else:
                found += self.values()
            self.accept(",")
        return found
