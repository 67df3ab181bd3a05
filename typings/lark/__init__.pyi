# The part of lark that kcc uses; lark's own annotations leave much of it unknown.
from collections.abc import Sequence

class Meta:
    start_pos: int
    end_pos: int

class Token(str):
    __slots__ = ()
    type: str
    start_pos: int
    end_pos: int

class Tree:
    data: str
    children: list[Tree | Token]
    @property
    def meta(self) -> Meta: ...

class UnexpectedToken(Exception):
    token: Token
    expected: set[str]
    @property
    def accepts(self) -> set[str] | None: ...

class UnexpectedCharacters(Exception):
    pos_in_stream: int

class Lark:
    def __init__(
        self,
        grammar: str,
        *,
        parser: str = ...,
        start: str | Sequence[str] = ...,
        propagate_positions: bool = ...,
        cache: bool | str = ...,
    ) -> None: ...
    def parse(self, text: str, start: str | None = ...) -> Tree | Token: ...
