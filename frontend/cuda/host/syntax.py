"""Statements of host code, as far as a launch may depend on them."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.cuda.host.expressions import LEVEL, MOST_DEPTH, ExpressionParser, TooDeepError
from kcc.frontend.cuda.host.nodes import (
    Block,
    Declared,
    Do,
    Expression,
    If,
    Leave,
    Loop,
    Other,
    Statement,
    Switch,
    Variables,
)


@dataclass(slots=True)
class Parser(ExpressionParser):
    """Reads statements too."""

    def statements(self) -> tuple[Statement, ...]:
        """Up to a closing brace or the end."""
        found = list[Statement]()
        while self.place < len(self.tokens) and self.text() != "}":
            before = self.place
            found.append(self.statement())
            self.place += self.place == before
        return tuple(found)

    def statement(self) -> Statement:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise TooDeepError
        found = self._statement()
        self.depth -= 1
        return found

    def _statement(self) -> Statement:
        word = self.text()
        if self.take("{"):
            inner = self.statements()
            self.take("}")
            return Block(inner)
        if word in ("if", "for", "while", "do", "switch", "try", "catch", "else"):
            self.place += 1
            return getattr(self, f"_{word}")()
        if word in ("return", "break", "continue", "throw", "goto", "co_return"):
            self.place += 1
            value = None if self.text() in (";", "}") else self.expression()
            self._end()
            return Leave("return" if word == "co_return" else word, value)
        if word in ("using", "typedef", "template", "friend", "namespace", "asm", "static_assert"):
            self.skip_to(";")
            self._end()
            return Block(())
        if word in ("case", "default") or (self.kind() == "name" and self.text(1) == ":"):
            self.skip_to(":")
            self.take(":")
            return Block(())
        declared = self.declaration()
        if declared is not None:
            self._end()
            return declared
        found = Do(self.several())
        self._end()
        return found

    def _end(self) -> None:
        self.skip_to(";")
        self.take(";")

    def _if(self) -> Statement:
        self.take("constexpr")
        begin = self.place
        condition = self._in_parentheses()
        counts = any(each.text == "argc" for each in self.tokens[begin : self.place])
        yes = self.statement()
        no = self.statement() if self.take("else") else None
        return If(condition, yes, no, counts)

    def _else(self) -> Statement:
        return self.statement()

    def _in_parentheses(self) -> Expression:
        if not self.take("("):
            return Other()
        found = self.expression()
        while self.take(";"):
            found = self.expression()
        self.skip_to(")")
        self.take(")")
        return found

    def _for(self) -> Statement:
        if not self.take("("):
            return Block(())
        first = self.declaration()
        if first is None and self.text() not in (";", ")"):
            first = Do(self.several())
        condition: Expression | None = None
        step: tuple[Expression, ...] = ()
        if self.take(";"):
            condition = None if self.text() == ";" else self.expression()
            self.skip_to(";")
            self.take(";")
            step = () if self.text() == ")" else self.several()
        over = self.expression() if self.take(":") else None
        self.skip_to(")")
        self.take(")")
        begin = (first,) if first is not None else ()
        return Loop(begin, condition, step, self.statement(), over=over)

    def _while(self) -> Statement:
        condition = self._in_parentheses()
        return Loop((), condition, (), Block(()) if self.take(";") else self.statement())

    def _do(self) -> Statement:
        body = self.statement()
        condition: Expression = Other()
        if self.take("while"):
            condition = self._in_parentheses()
        self._end()
        return Loop((), condition, (), body, body_first=True)

    def _switch(self) -> Statement:
        value = self._in_parentheses()
        if not self.take("{"):
            return Block(())
        labels, found = list[tuple[Expression | None, int]](), list[Statement]()
        while self.place < len(self.tokens) and self.text() != "}":
            before = self.place
            if self.text() in ("case", "default"):
                is_case = self.take("case") or not self.take("default")
                label = self.expression(LEVEL["?"] + 1) if is_case else None
                self.skip_to(":")
                self.take(":")
                labels.append((label, len(found)))
            else:
                found.append(self.statement())
            self.place += self.place == before
        self.take("}")
        return Switch(value, tuple(labels), tuple(found))

    def _try(self) -> Statement:
        found = self.statement()
        while self.take("catch"):
            self._catch()
        return found

    def _catch(self) -> Statement:
        if self.text() == "(":
            self._in_parentheses()
        self.statement()
        return Block(())

    # declarations

    def declaration(self) -> Variables | None:
        """A declaration of variables, if one stands here."""
        begin = self.place
        type_ = self.type_name()
        if not type_:
            self.place = begin
            return None
        found = list[Declared]()
        while True:
            kind = ""
            while self.text() in ("*", "&", "&&", "const", "__restrict__", "__restrict"):
                kind = "&" if self.text() in ("&", "&&") else "*" if self.text() == "*" else kind
                self.place += 1
            if self.kind() != "name" or self.text(1) not in ("=", ";", ",", "(", "{", "[", ":", ""):
                self.place = begin
                return None
            name = self.text()
            self.place += 1
            found.append(self._declared(type_, name, kind))
            if not self.take(","):
                return Variables(tuple(found))

    def _declared(self, type_: str, name: str, kind: str) -> Declared:
        extent: Expression | None = None
        while self.take("["):
            if kind != "[]" and self.text() != "]":
                extent = self.expression()
            kind = "[]"
            self.skip_to("]")
            self.take("]")
        made_of: tuple[Expression, ...] | None = None
        value: Expression | None = None
        if self.take("="):
            value = self.expression(LEVEL["="])
        elif self.text() in ("(", "{"):
            end = ")" if self.text() == "(" else "}"
            self.place += 1
            made_of = self._list(end)
        return Declared(type_, name, kind, made_of, value, extent)
