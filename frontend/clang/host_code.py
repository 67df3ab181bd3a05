"""Where the functions of a C++ source are, so that the host's can be taken out of the way.

Device compilation checks host code too, against libraries that are not there. A host function
that clang does not accept loses its body, any other declaration of the host goes; lines stay.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import field

from kcc.base.records import dataclass

_OPAQUE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    r"|^[ \t]*\#(?:[^\n\\]|\\[ \t]*\n|\\.)*",
    re.DOTALL | re.MULTILINE,
)
_DIRECTIVE = re.compile(
    r"/\*.*?\*/|^[ \t]*\#(?![ \t]*pragma)(?:[^\n\\]|\\[ \t]*\n|\\.)*", re.DOTALL | re.MULTILINE
)
"""Directives but pragmas, which say something of statements, and comments, in which are none."""
_LETTER = re.compile(r"[^\n]")
_TRANSPARENT = re.compile(r"(?:\bnamespace\b[^;=(]*|\bextern\s*\"\s*\"\s*)\Z")
_RECORD = re.compile(r"\b(?:struct|class|union|enum)\b[^()]*\Z|=\s*\Z")
_DEVICE = re.compile(r"\b__(?:global|device|shared|constant)__\b")
_ALIAS = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[^\n]*__(?:global|device)__", re.MULTILINE)


_CONTROL = re.compile(r"(?:do|switch|case|default|try|catch)\b")
"""Begins what has other statements in it, or belongs to them."""


@dataclass(frozen=True, slots=True)
class Item:
    """A declaration at file or namespace scope: offsets of the whole and of what is between the
    braces of a function's body (None for anything else)."""

    start: int
    end: int
    body: tuple[int, int] | None
    head: str
    is_device: bool


def masked(text: str) -> str:
    """The text with comments, directives and the contents of literals blank; offsets stay."""
    return _OPAQUE.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    found = match[0]
    hidden = re.sub(r"[^\n]", " ", found)
    return f'"{hidden[1:-1]}"' if found[0] == '"' else hidden


def items(text: str) -> list[Item]:
    """The declarations of a source, in order."""
    plain = masked(text)
    aliases = _ALIAS.findall(text)
    device = re.compile("|".join([_DEVICE.pattern, *(rf"\b{a}\b" for a in aliases)]))
    found = list[Item]()
    start = place = 0
    while (at := _next(plain, place)) is not None:
        head = plain[start:at]
        place = at + 1
        body: tuple[int, int] | None = None
        if plain[at] == "{":
            if _TRANSPARENT.search(head):
                start = place
                continue
            close = matching_brace(plain, at)
            place = min(close + 1, len(plain))
            if _RECORD.search(head.partition("(")[0] if ")" not in head else head):
                end = plain.find(";", place)
                place = len(plain) if end < 0 else end + 1
            else:
                body = (at + 1, close)
        elif plain[at] == "}":
            start = place
            continue
        found.append(Item(start, place, body, head, bool(device.search(head))))
        start = place
    return found


def _next(plain: str, place: int) -> int | None:
    """The next ``;``, ``{`` or ``}`` outside of parentheses."""
    depth = 0
    for match in re.compile(r"[;{}()]").finditer(plain, place):
        if match[0] in "()":
            depth = max(0, depth + (1 if match[0] == "(" else -1))
        elif depth == 0 or match[0] != ";":
            return match.start()
    return None


def matching_brace(plain: str, opening: int) -> int:
    """The ``}`` that closes the ``{`` at ``opening``; the end where there is none."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(plain, opening):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return len(plain)


def _statement(plain: str, body: tuple[int, int], offset: int) -> tuple[int, int]:
    """The statement around an offset in a body, up to its semicolon or the brace of its block."""
    start, depth = body[0], 0
    for place in range(*body):
        sign = plain[place]
        depth += (sign in "([") - (sign in ")]")
        if depth <= 0 and sign in "{};":
            if place >= offset:
                return start, place + 1
            start, depth = place + 1, 0
    return start, body[1]


def _has_block(statement: str) -> bool:
    """Whether a statement has braces outside of parentheses."""
    while (bare := re.sub(r"\([^()]*\)", "", statement)) != statement:
        statement = bare
    return "{" in statement


_ACCESS = re.compile(r"\s*(?:(?:public|private|protected)\s*:\s*)+")


def _members(plain: str, opening: int) -> list[tuple[int, int]]:
    """The members of the record whose brace is at ``opening``, each up to its semicolon or the end
    of its body."""
    found = list[tuple[int, int]]()
    start, depth, nested = opening + 1, 0, 0
    close = matching_brace(plain, opening)
    for match in re.compile(r"[][(){};]").finditer(plain, opening + 1, close):
        sign = match[0]
        depth += (sign in "([") - (sign in ")]")
        nested += (sign == "{") - (sign == "}")
        if nested == 0 and (sign == "}" or (sign == ";" and depth == 0)):
            label = _ACCESS.match(plain, start, match.start())
            found.append((label.end() if label else start, match.end()))
            start, depth = match.end(), 0
    return found


def closing_angle(text: str, opening: int) -> int | None:
    """The ``>`` that closes the ``<`` at ``opening``."""
    depth = 0
    for place in range(opening, min(len(text), opening + 2000)):
        if text[place] == "<":
            depth += 1
        elif text[place] == ">":
            depth -= 1
            if depth == 0:
                return place
        elif text[place] in ";{":
            return None
    return None


_USE = "(void)(&"
_TENSOR = re.compile(r"\s*(?:const\s+)?auto\s*[&*]*\s*(\w+)\s*=[^;]*\b(?:torch|at)::")
"""Declares what a function of PyTorch gives, mostly a tensor."""


@dataclass(slots=True)
class Editable:
    """A source whose declarations are taken out one by one; offsets and lines never change."""

    text: str

    items: list[Item] = field(init=False)
    _softened: set[int] = field(default_factory=set[int])
    _members: dict[int, list[tuple[int, int]]] = field(
        default_factory=dict[int, list[tuple[int, int]]]
    )
    """Of records by where they begin; what is taken out of one leaves the others where they are."""
    _starts: list[int] = field(init=False)
    _lines: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._index()

    def _index(self) -> None:
        self.items = items(self.text)
        self._members.clear()
        self._starts = [item.start for item in self.items]
        self._lines = [0, *(m.end() for m in re.finditer("\n", self.text))]

    def offset(self, line: int, column: int) -> int:
        """Of a place, both counted from 1."""
        return self._lines[min(line, len(self._lines)) - 1] + max(column, 1) - 1

    def line_of(self, offset: int) -> int:
        return bisect_right(self._lines, offset)

    def item_at(self, line: int, column: int) -> Item | None:
        """The declaration around a place."""
        offset = self.offset(line, column)
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or offset >= self.items[index].end:
            return None
        return self.items[index]

    def remove(self, item: Item, line: int, column: int, kept: Sequence[str] = ()) -> None:
        """Take out the body where the place is in it, else the whole declaration; of functions that
        launch kernels first the statement around the place.

        Of a body the uses ``name<arguments>`` of the templates called ``kept`` stay, so that they
        are still instantiated; the second time nothing does.
        """
        offset, where = self.offset(line, column), self.line_of(item.start)
        inside = item.body and item.body[0] <= offset <= item.body[1]
        if item.body and inside and self._drop(item.body, offset, kept):
            return
        if not item.body or not item.body[0] <= offset <= item.body[1]:
            self._hide(item.start, item.end)
            return
        uses = [] if where in self._softened else self._uses(item.body, kept)
        self._softened.add(where)
        self._hide(*item.body)
        for place, text in reversed(uses):
            line_end = self.text.find("\n", place, item.body[1])
            end = item.body[1] if line_end < 0 else line_end
            self.text = f"{self.text[:place]}{text}{self.text[end:]}"
        if uses:
            self._index()

    def _drop(self, body: tuple[int, int], offset: int, kept: Sequence[str]) -> bool:
        """Take out one statement without a block from a function that launches kernels, or calls
        one of the templates ``kept``: what the others declare tells the arguments of launches and
        calls, and so of templates. Uses of the templates ``kept`` stay the first time."""
        plain = masked(self.text)
        calls = re.compile(rf"<<<|\b(?:{'|'.join(kept) or '$^'})\s*\(")
        if not calls.search(plain, *body):
            return False
        start, end = _statement(plain, body, offset)
        if not self.text[start:end].strip():
            return True  # gone already, for another error
        statement = plain[start:end]
        if "<<<" in statement or _has_block(statement) or _CONTROL.match(statement.lstrip()):
            return False
        uses = [] if statement.lstrip().startswith(_USE) else self._uses((start, end), kept)
        if tensor := _TENSOR.match(statement):
            uses.insert(0, (start + tensor.start(1), f"at::Tensor {tensor[1]};"))
        self._hide(start, end)
        for place, text in reversed(uses):
            line_end = self.text.find("\n", place, end)
            stop = min(place + len(text), end if line_end < 0 else line_end)
            self.text = f"{self.text[:place]}{text}{self.text[stop:]}"
        if uses:
            self._index()
        return True

    def hide_member(self, item: Item, line: int, column: int) -> bool:
        """Take out the member of a record around a place; whether there is one."""
        offset = self.offset(line, column)
        if item.body:
            return False
        if item.start not in self._members:
            plain = masked(self.text)
            opening = plain.find("{", item.start, item.end)
            self._members[item.start] = [] if opening < 0 else _members(plain, opening)
        members = self._members[item.start]
        index = bisect_right(members, (offset, len(self.text))) - 1
        if index < 0 or offset >= members[index][1]:
            return False
        if self.text[members[index][0] : members[index][1]].strip():
            self._hide(*members[index])
        return True  # or gone already, for another error

    def _uses(self, body: tuple[int, int], names: Sequence[str]) -> list[tuple[int, str]]:
        """The uses of templates on each line of a body: where the first is, and statements that
        name them."""
        plain, found = masked(self.text), dict[int, tuple[int, str]]()
        for match in re.compile(rf"\b(?:{'|'.join(names) or '$^'})\s*<(?!<)").finditer(
            plain, *body
        ):
            close = closing_angle(plain, match.end() - 1)
            if close is not None:
                text = " ".join(plain[match.start() : close + 1].split())
                line = self.line_of(match.start())
                place, before = found.get(line, (match.start(), ""))
                found[line] = place, f"{before}{_USE}{text});"
        return list(found.values())

    def poison(self, item: Item, call: str, start: int, end: int) -> None:
        """Put a call in place of a body, on the line from ``start`` to ``end``.

        What the line has of blanks after it may be too short: later offsets then move, lines do
        not, and the declarations are found anew.
        """
        assert item.body is not None
        self._hide(*item.body)
        line_end = self.text.find("\n", start)
        kept = max(min(end, item.body[1], line_end if line_end >= 0 else end), start)
        self.text = f"{self.text[:start]}{call}{self.text[kept:]}"
        self._index()

    def hide(self, item: Item) -> None:
        """Take out a whole declaration."""
        self._hide(item.start, item.end)

    def hide_body(self, item: Item) -> None:
        """Take out what is between the braces of a function."""
        assert item.body is not None
        self._hide(*item.body)

    def mark_device(self, item: Item) -> None:
        """Make a variable one of the device; columns of its line move."""
        at = item.start + len(item.head) - len(item.head.lstrip())
        self.text = f"{self.text[:at]}__device__ {self.text[at:]}"
        self._index()

    def _hide(self, start: int, end: int) -> None:
        """Blank everything but line ends and directives."""
        line = self.text.rfind("\n", 0, start) + 1
        if not self.text[line:start].strip():
            start = line  # a directive is one from the beginning of its line
        shown, place = list[str](), start
        for match in _DIRECTIVE.finditer(self.text, start, end):
            shown += [_LETTER.sub(" ", self.text[place : match.start()]), match[0]]
            place = match.end()
        shown.append(_LETTER.sub(" ", self.text[place:end]))
        self.text = self.text[:start] + "".join(shown) + self.text[end:]
