"""Names declared between braces: registers, variables and labels of a function."""

from __future__ import annotations

from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ptx.reading.cursor import Cursor
from kcc.frontend.ptx.reading.model import Function
from kcc.frontend.ptx.reading.tokens import Places, Token


@dataclass(slots=True)
class Scope:
    """Names declared between braces, and what they are called in the function."""

    number: int
    registers: dict[str, str] = field(default_factory=dict[str, str])
    ranges: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    """``%r<10>``: how many, and their type, by what stands before the number."""
    variables: dict[str, str] = field(default_factory=dict[str, str])
    labels: dict[str, str] = field(default_factory=dict[str, str])

    def own(self, name: str) -> str:
        """What a name of this scope is called in its function."""
        return name if self.number == 0 else f"{name}.s{self.number}"


class Scopes(Cursor):
    """The scopes around a place, the innermost last."""

    def __init__(self, places: Places, tokens: list[Token]) -> None:
        super().__init__(places, tokens)
        self.function: Function | None = None
        self.scopes = list[Scope]()
        self.scope_count = 0

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
                scope.labels[name] = scope.own(name)
            elif kind == "end":
                return

    def label(self, name: str) -> str:
        for scope in reversed(self.scopes):
            if name in scope.labels:
                return scope.labels[name]
        return name

    def register(self, name: str) -> str | None:
        """What a register is called in its function; None for what is none."""
        if self.function is None:
            return None
        for scope in reversed(self.scopes):
            if name in scope.registers:
                return scope.registers[name]
            head = name.rstrip("0123456789")
            tail = name[len(head) :]
            for cut in range(len(tail)):
                known = scope.ranges.get(head + tail[:cut])
                if known is not None and int(tail[cut:]) < known[0]:
                    own = scope.own(name)
                    scope.registers[name] = own
                    self.function.registers[own] = known[1]
                    return own
        return None
