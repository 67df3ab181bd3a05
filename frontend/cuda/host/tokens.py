"""Tokens of C++ host code, with the macros of the file expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kcc.base.records import dataclass

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v]+|\\[ \t]*\n|//[^\n]*|/\*.*?\*/)
    |(?P<newline>\n)
    |(?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
    |(?P<char>[uUL]?'(?:\\.|[^'\\\n])*')
    |(?P<number>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign><<<|>>>|<<=|>>=|->|::|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|<<|\#\#|.)""",
    re.VERBOSE | re.DOTALL,
)
"""``>>`` is two tokens, since it closes template arguments as well."""

_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\[ \t]*\r?\n|\\.)*", re.MULTILINE | re.DOTALL)
_DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(\(([^()]*)\))?(.*)\Z", re.DOTALL)
_CONDITION = re.compile(
    r"[ \t]*#[ \t]*(ifdef|ifndef|if|elif|else|endif|undef)\b[ \t]*(.*)", re.DOTALL
)
_DEFINED = re.compile(r"(!?)\s*defined\s*(?:\(\s*(\w+)\s*\)|(\w+))\s*\Z")

MOST_TOKENS = 400_000
"""Of a file with what it includes, beyond which nothing is read."""

MOST_EXPANDED = 2_000
"""Tokens that one use of a macro may become."""


class Token(NamedTuple):
    """``kind`` is name, number, string, char or sign; ``line`` is that of the source."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Macro:
    """``parameters`` is None for one that is not called."""

    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]


def split(text: str, line: int = 1) -> Iterator[Token]:
    """The tokens of a text without directives."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "sign"
        if kind not in ("space", "newline"):
            yield Token(kind, match[0], line)
        line += match[0].count("\n")


def read(text: str, macros: dict[str, Macro]) -> list[Token]:
    """The tokens of a file; its macros are added to ``macros``, and not expanded yet. Of parts
    under ``#if`` those are taken whose condition is known to hold."""
    tokens, place, line = list[Token](), 0, 1
    taken = list[bool | None]()  # None: an earlier part was taken
    for match in _DIRECTIVE.finditer(_without_comments(text)):
        _add(tokens, text[place : match.start()], line, taken)
        line += text.count("\n", place, match.end())
        place = match.end()
        _direct(match[0], macros, taken)
    _add(tokens, text[place:], line, taken)
    return tokens


def _without_comments(text: str) -> str:
    """With comments blank, so that no directive is found in them; offsets stay."""
    pattern = r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\""
    return re.sub(
        pattern,
        lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]),
        text,
        flags=re.DOTALL,
    )


def _add(tokens: list[Token], text: str, line: int, taken: Sequence[bool | None]) -> None:
    if all(each is True for each in taken) and len(tokens) < MOST_TOKENS:
        tokens += split(text, line)


def _direct(directive: str, macros: dict[str, Macro], taken: list[bool | None]) -> None:
    define = _DEFINE.match(directive)
    if define is not None:
        if all(each is True for each in taken):
            parameters = None if define[2] is None else tuple(
                each.strip() for each in define[3].split(",") if each.strip()
            )  # fmt: skip
            macros[define[1]] = Macro(parameters, tuple(split(define[4].replace("\\\n", " "))))
        return
    condition = _CONDITION.match(directive)
    if condition is None:
        return
    word, rest = condition[1], condition[2].strip()
    if word in ("if", "ifdef", "ifndef"):
        taken.append(_holds(word, rest, macros))
    elif word == "elif" and taken:
        taken[-1] = None if taken[-1] is not False else _holds("if", rest, macros)
    elif word == "else" and taken:
        taken[-1] = taken[-1] is False
    elif word == "endif" and taken:
        taken.pop()
    elif word == "undef" and all(each is True for each in taken):
        macros.pop(rest.split()[0] if rest else "", None)


def _holds(word: str, rest: str, macros: Mapping[str, Macro]) -> bool:
    """Whether a condition holds; one that cannot be told does not."""
    if word != "if":
        return (rest.split(maxsplit=1)[0] in macros if rest else False) == (word == "ifdef")
    match = _DEFINED.match(rest)
    if match is not None:
        return ((match[2] or match[3]) in macros) != bool(match[1])
    return rest.isdigit() and int(rest) != 0


def expanded(tokens: Sequence[Token], macros: Mapping[str, Macro]) -> list[Token]:
    """Tokens with all macros expanded; each result has the line of the use."""
    return list(_expanded(tokens, macros, frozenset()))


def _expanded(
    tokens: Sequence[Token], macros: Mapping[str, Macro], used: frozenset[str]
) -> Iterator[Token]:
    place = 0
    while place < len(tokens):
        token = tokens[place]
        place += 1
        macro = macros.get(token.text) if token.kind == "name" else None
        if macro is None or token.text in used:
            yield token
            continue
        body = macro.body
        if macro.parameters is not None:
            if place >= len(tokens) or tokens[place].text != "(":
                yield token
                continue
            arguments, place = called_with(tokens, place)
            plain = [list(_expanded(each, macros, used)) for each in arguments]
            body = tuple(_put_in(macro, plain))
        if len(body) > MOST_EXPANDED:
            continue
        yield from _expanded(
            [each._replace(line=token.line) for each in body], macros, used | {token.text}
        )


def called_with(tokens: Sequence[Token], opening: int) -> tuple[list[list[Token]], int]:
    """The arguments between the parenthesis at ``opening`` and its end, and what comes after."""
    arguments: list[list[Token]] = [[]]
    depth, place = 0, opening
    while place < len(tokens):
        text = tokens[place].text
        depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        place += 1
        if depth == 0:
            break
        if text == "," and depth == 1:
            arguments.append([])
        elif place - 1 > opening:
            arguments[-1].append(tokens[place - 1])
    return ([] if arguments == [[]] else arguments), place


def _put_in(macro: Macro, arguments: Sequence[Sequence[Token]]) -> Iterator[Token]:
    names = macro.parameters or ()
    by_name = dict(zip(names, arguments, strict=False))
    if names and names[-1] == "...":
        rest = list[Token]()
        for number, each in enumerate(arguments[len(names) - 1 :]):
            rest += [Token("sign", ",", 0)] * (number > 0) + [*each]
        by_name["__VA_ARGS__"] = rest
    for token in macro.body:
        if token.text not in ("#", "##"):
            yield from by_name.get(token.text, (token,)) if token.kind == "name" else (token,)
