"""Expressions of host code, and the names of types among them.

What is no C++ that is known here becomes an expression without a value; nothing is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.cuda.host.nodes import (
    Binary,
    Braces,
    Call,
    Cast,
    Choice,
    Expression,
    Index,
    Launch,
    Literal,
    Member,
    Name,
    Other,
    SizeOf,
    Unary,
)
from kcc.frontend.cuda.host.tokens import Token, called_with

_TYPES = (
    "void bool char short int long unsigned signed float double size_t ssize_t auto uint ushort "
    "uchar ulong dim3 int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t ptrdiff_t "
    "half __half uintptr_t"
)
TYPES = frozenset(_TYPES.split())
_QUALIFIERS = (
    "const constexpr static volatile extern inline register struct enum class typename "
    "thread_local __restrict__ __restrict mutable"
)
QUALIFIERS = frozenset(_QUALIFIERS.split())
_BINARY = (
    ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="), ("?",), ("||",), ("&&",),
    ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
LEVEL = {sign: level for level, signs in enumerate(_BINARY) for sign in signs}
_UNARY = len(_BINARY)
HIP_LAUNCH = "hipLaunchKernelGGL"
MOST_DEPTH = 60
"""Of what stands in each other."""


class TooDeepError(Exception):
    """An expression or statement has more in it than is read."""


@dataclass(slots=True)
class ExpressionParser:
    """Reads expressions and names of types from ``place`` of expanded tokens on; ``types`` are
    names of types beside C++'s own."""

    tokens: Sequence[Token]
    types: frozenset[str] = frozenset()
    place: int = 0
    depth: int = field(default=0)

    # tokens

    def text(self, ahead: int = 0) -> str:
        at = self.place + ahead
        return self.tokens[at].text if at < len(self.tokens) else ""

    def kind(self, ahead: int = 0) -> str:
        at = self.place + ahead
        return self.tokens[at].kind if at < len(self.tokens) else ""

    def take(self, text: str) -> bool:
        if self.text() != text or self.place >= len(self.tokens):
            return False
        self.place += 1
        return True

    def is_shift(self) -> bool:
        """Whether two ``>`` stand side by side as one sign would."""
        return self.text() == ">" and self.text(1) == ">"

    def skip_to(self, *ends: str) -> None:
        """Past everything up to one of the ends outside of brackets, which is not taken."""
        depth = 0
        while self.place < len(self.tokens):
            text = self.text()
            if depth == 0 and text in ends:
                return
            if text in (")", "]", "}"):
                if depth == 0:
                    return
                depth -= 1
            depth += text in ("(", "[", "{")
            self.place += 1

    # types

    def type_name(self) -> str:
        """The name of a type, "" where none stands: of templates and scopes the last name."""
        words, is_own = list[str](), False
        while self.kind() == "name":
            text = self.text()
            if text in QUALIFIERS:
                self.place += 1
            elif text in TYPES or text in self.types:
                words, is_own = [*words, text], True
                self.place += 1
            elif not words and self._is_type_before_name():
                words = [text]
                self.place += 1
            else:
                break
            if self.text() == "<" and words and not is_own:
                close = self.closing_angle(self.place)
                if close is None:
                    return ""
                self.place = close + 1
            if self.text() == "::" and words:
                words = []
                self.place += 1
        return " ".join(words)

    def _is_type_before_name(self) -> bool:
        """Whether a name that nothing is known of is followed by one that it may declare."""
        if self.text() in ("return", "else", "new", "delete", "sizeof", "case", "throw"):
            return False
        at = self.place + 1
        if at < len(self.tokens) and self.tokens[at].text == "<":
            close = self.closing_angle(at)
            if close is None:
                return False
            at = close + 1
        if at < len(self.tokens) and self.tokens[at].text == "::":
            return (
                at + 1 < len(self.tokens)
                and self.tokens[at + 1].kind == "name"
                and (self._names_a_type(at + 1))
            )
        while at < len(self.tokens) and self.tokens[at].text in ("*", "&", "const"):
            at += 1
        return at < len(self.tokens) and self.tokens[at].kind == "name"

    def _names_a_type(self, at: int) -> bool:
        """The same of the name behind a scope."""
        if self.tokens[at].text in TYPES:
            return True
        inner = ExpressionParser(self.tokens, self.types, at)
        return inner._is_type_before_name()

    def closing_angle(self, opening: int) -> int | None:
        """Where template arguments end that begin at a ``<``; None where they are none."""
        depth = inner = 0
        for at in range(opening, min(len(self.tokens), opening + 200)):
            text = self.tokens[at].text
            inner += (text in ("(", "[")) - (text in (")", "]"))
            if inner < 0 or text in (";", "{", "}", "&&", "||", "<<<", "=", "+=", "-=", '"'):
                return None
            if inner == 0 and text in ("<", ">", ">>>"):
                depth += 1 if text == "<" else -len(text)
                if depth <= 0:
                    return at if depth == 0 else None
        return None

    # expressions

    def expression(self, level: int = 0) -> Expression:
        """One whose operators bind at least as much as those of ``level``."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise TooDeepError
        found = self._unary()
        while True:
            sign, length = self.text(), 1
            if self.kind() == "sign" and self.is_shift():
                sign, length = (">>=", 3) if self.text(2) == "=" else (">>", 2)
            own = LEVEL.get(sign, -1) if self.kind() == "sign" else -1
            if own < level or own < 0:
                break
            self.place += length
            if sign == "?":
                yes = self.expression()
                self.take(":")
                found = Choice(found, yes, self.expression(LEVEL["="]))
            else:
                found = Binary(sign, found, self.expression(own + (own > 0)))
        self.depth -= 1
        return found

    def several(self) -> tuple[Expression, ...]:
        """Expressions that commas part."""
        found = [self.expression()]
        while self.take(","):
            found.append(self.expression())
        return tuple(found)

    def _list(self, end: str) -> tuple[Expression, ...]:
        """Expressions up to a bracket, which is taken."""
        found = list[Expression]()
        while self.place < len(self.tokens) and self.text() != end:
            before = self.place
            found.append(self.expression())
            if not self.take(","):
                self.skip_to(",", end)
                self.take(",")
            self.place += self.place == before
            if self.text() in (")", "]", "}") and self.text() != end:
                break
        self.take(end)
        return tuple(found)

    def _unary(self) -> Expression:
        text, kind = self.text(), self.kind()
        if kind == "sign" and text in ("-", "+", "!", "~", "++", "--", "&", "*"):
            self.place += 1
            return Unary(text, self._deeper(self._unary))
        if text == "sizeof":
            return self._sizeof()
        if text == "new":
            self.place += 1
            type_ = self.type_name() or (self.text() if self.kind() == "name" else "")
            self.place += self.text() == type_
            if type_ and self.take("("):
                return Call(Name(type_), self._list(")"))
        if text in ("new", "delete", "co_await"):
            self.skip_to(";", ",", ")")
            return Other()
        if text == "(":
            cast = self._cast()
            if cast is not None:
                return cast
        return self._postfix(self._primary())

    def _deeper(self, read: Callable[[], Expression]) -> Expression:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise TooDeepError
        found = read()
        self.depth -= 1
        return found

    def _sizeof(self) -> Expression:
        self.place += 1
        if not self.take("("):
            self._unary()
            return Other()
        begin = self.place
        self.skip_to(")")
        found = SizeOf(tuple(self.tokens[begin : self.place]))
        self.take(")")
        return found

    def _cast(self) -> Expression | None:
        """``(type) operand``, if that is what stands here."""
        begin = self.place
        self.place += 1
        is_known = self.text() in TYPES or self.text() in self.types or self.text() in QUALIFIERS
        type_ = self.type_name() if is_known else ""
        if not is_known and self.kind() == "name":  # (T) x: a type by what follows it
            type_ = self.text()
            self.place += 1
        stars = 0
        while self.text() in ("*", "&", "const"):
            self.place += 1
            stars += 1
        if type_ and self.take(")"):
            follows = self.kind() in ("name", "number") or (is_known and self.kind())
            if is_known or stars or follows:
                operand = self._deeper(self._unary)
                return Other() if stars else Cast(type_, operand)
        self.place = begin
        return None

    def _primary(self) -> Expression:
        text, kind = self.text(), self.kind()
        self.place += 1
        if kind == "number":
            return Literal(number) if (number := number_of(text)) is not None else Other()
        if kind in ("string", "char"):
            while self.kind() == "string":
                text, self.place = text[:-1] + self.text()[1:], self.place + 1
            return Literal(unquoted(text))
        if text == "(":
            found = self._deeper(self.expression)
            while self.take(","):
                found = self.expression()
            self.take(")")
            return found
        if text == "{":
            return Braces(self._list("}"))
        if text == "[":
            return self._lambda()
        if kind != "name":
            self.place -= text in (")", "]", "}", ";", ",")
            return Other()
        return self._named(text)

    def _lambda(self) -> Expression:
        self.skip_to("]")
        self.take("]")
        if self.take("("):
            self.skip_to(")")
            self.take(")")
        self.skip_to("{", ";", ",")
        if self.take("{"):
            self.skip_to("}")
            self.take("}")
        return Other()

    def _named(self, text: str) -> Expression:
        if text.endswith("_cast") and self.text() == "<":
            begin = self.place + 1
            close = self.closing_angle(self.place)
            if close is None:
                return Other()
            self.place = close + 1
            type_ = ExpressionParser(self.tokens[begin:close], self.types).type_name()
            inner = self._primary() if self.text() == "(" else Other()
            return Cast(type_, inner) if self.tokens[close - 1].text != "*" else Other()
        template: tuple[tuple[Token, ...], ...] | None = None
        while True:
            if self.text() == "<" and (close := self.closing_angle(self.place)) is not None:
                after = self.tokens[close + 1].text if close + 1 < len(self.tokens) else ""
                if after not in ("(", "<<<", "::", "{"):
                    break
                template = parted(self.tokens[self.place + 1 : close])
                self.place = close + 1
            if self.text() == "::" and self.kind(1) == "name":
                text, template = self.text(1), None
                self.place += 2
            else:
                break
        if self.text() in TYPES and text in TYPES:
            while self.text() in TYPES:
                self.place += 1
        return Name(text, template)

    def _postfix(self, found: Expression) -> Expression:
        while self.place < len(self.tokens):
            text = self.text()
            if text == "<<<" and isinstance(found, Name):
                found = self._launch(found)
            elif text == "(" and isinstance(found, Name) and found.text == HIP_LAUNCH:
                found = self._hip_launch()
            elif text == "(":
                self.place += 1
                found = Call(found, self._list(")"))
            elif (
                text == "{"
                and isinstance(found, Name)
                and (found.text in TYPES or found.text in self.types)
            ):
                self.place += 1
                found = Call(found, self._list("}"))
            elif text == "[":
                self.place += 1
                inner = self._list("]")
                found = Index(found, inner[0]) if inner else Other()
            elif text in (".", "->") and self.kind(1) == "name":
                found = Member(found, self.text(1))
                self.place += 2
            elif text in ("++", "--"):
                self.place += 1
                found = Unary(text, found, after=True)
            else:
                break
        return found

    def _launch(self, kernel: Name) -> Expression:
        line = self.tokens[self.place - 1].line
        begin = next(
            (at for at in range(self.place - 1, -1, -1) if self.tokens[at].text == kernel.text),
            self.place - 1,
        )
        line = self.tokens[begin].line
        self.place += 1
        sizes = list[Expression]()
        while self.place < len(self.tokens) and self.text() != ">>>":
            before = self.place
            sizes.append(self.expression())
            if not self.take(","):
                self.skip_to(",", ">>>", ";")
                self.take(",")
            if self.place == before or self.text() in (")", "]", "}", ";"):
                break
        if not self.take(">>>"):
            return Other()
        arguments = self._list(")") if self.take("(") else ()
        return Launch(kernel.text, kernel.template or (), tuple(sizes), arguments, line)

    def _hip_launch(self) -> Expression:
        """``hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...)``."""
        line = self.tokens[self.place - 1].line
        parts, self.place = called_with(self.tokens, self.place)
        if len(parts) < 5:
            return Other()
        kernel = [each for each in parts[0] if each.text not in ("(", ")", "HIP_KERNEL_NAME")]
        if not kernel or kernel[0].kind != "name":
            return Other()
        template: tuple[tuple[Token, ...], ...] = ()
        if len(kernel) > 3 and kernel[1].text == "<":
            template = parted(kernel[2:-1])
        read = [
            ExpressionParser(each, self.types, depth=self.depth).expression() for each in parts[1:]
        ]
        return Launch(kernel[0].text, template, tuple(read[:4]), tuple(read[4:]), line)


def parted(tokens: Sequence[Token]) -> tuple[tuple[Token, ...], ...]:
    """At the commas outside of brackets."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in ("(", "[", "{", "<")) - (token.text in (")", "]", "}", ">"))
        if token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return tuple(map(tuple, parts))


def spaced(tokens: Sequence[Token]) -> str:
    """Texts of tokens with a blank between words."""
    found = list[str]()
    for token in tokens:
        if found and found[-1][-1].isalnum() and token.kind in ("name", "number"):
            found.append(" ")
        found.append(token.text)
    return "".join(found)


def number_of(text: str) -> int | float | None:
    """What a number's text means."""
    plain = text.replace("'", "").rstrip("uUlLzZ")
    try:
        if plain[:2].lower() in ("0x", "0b"):
            return int(plain, 0)
        if plain.isdigit():
            return int(plain, 8) if plain[0] == "0" and len(plain) > 1 else int(plain)
        return float(plain.rstrip("fF"))
    except ValueError:
        return None


def unquoted(text: str) -> str | int:
    """A string's text; of a character its number."""
    inner = text[text.index(text[-1]) + 1 : -1]
    inner = inner.replace("\\n", "\n").replace("\\t", "\t").replace("\\0", "\0")
    if text[-1] == "'":
        return ord(inner[-1]) if inner else 0
    return inner
