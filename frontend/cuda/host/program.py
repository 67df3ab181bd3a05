"""Functions, variables and types at file scope of host code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from kcc.base.records import dataclass
from kcc.frontend.cuda.host.expressions import parted
from kcc.frontend.cuda.host.nodes import Declared
from kcc.frontend.cuda.host.syntax import Parser
from kcc.frontend.cuda.host.tokens import Token

_KEYWORDS = frozenset({"if", "for", "while", "switch", "return", "sizeof", "catch"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """``kind`` is "", "*" or "&"; ``default`` are the tokens behind ``=``."""

    name: str
    type: str
    kind: str
    default: tuple[Token, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function with a body. ``template`` are its template parameters, types among them;
    ``owner`` is the class of a method, ``first`` what a constructor initialises, with its value."""

    name: str
    template: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...]
    body: tuple[Token, ...]
    owner: str = ""
    first: tuple[tuple[str, tuple[Token, ...]], ...] = ()


@dataclass(slots=True)
class Program:
    """What stands at file and namespace scope: ``variables`` are declarations, ``constants`` those
    of enumerations, each with its expression, ``aliases`` types by their other names."""

    functions: dict[str, list[Function]] = field(default_factory=dict[str, list[Function]])
    variables: list[tuple[Token, ...]] = field(default_factory=list[tuple[Token, ...]])
    constants: list[tuple[str, tuple[Token, ...]]] = field(
        default_factory=list[tuple[str, tuple[Token, ...]]]
    )
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    types: set[str] = field(default_factory=set[str])
    members: dict[str, list[Declared]] = field(default_factory=dict[str, list[Declared]])
    """Of structs and classes."""
    methods: dict[str, dict[str, list[Function]]] = field(
        default_factory=dict[str, dict[str, list[Function]]]
    )
    """By class and name."""


def read_program(tokens: Sequence[Token], program: Program) -> None:
    """Add what expanded tokens declare."""
    start = place = depth = 0
    while place < len(tokens):
        text = tokens[place].text
        depth += (text in ("(", "[")) - (text in (")", "]"))
        if depth <= 0 and text == "{":
            head = tokens[start:place]
            if _is_transparent(head):
                start = place = place + 1
                depth = 0
                continue
            close = matching(tokens, place)
            if _is_function(head):
                _add_function(head, tuple(tokens[place + 1 : close]), program)
                start = place = close + 1
                continue
            after = tokens[close + 1].text if close + 1 < len(tokens) else ""
            _add_record(head, tokens[place + 1 : close], after, program)
            place = close + 1
            continue
        if depth <= 0 and text in (";", "}"):
            _add_declaration(tuple(tokens[start:place]), program)
            start, depth = place + 1, 0
        place += 1


def matching(tokens: Sequence[Token], opening: int) -> int:
    """Where the brace at ``opening`` is closed; the end where it is not."""
    depth = 0
    for place in range(opening, len(tokens)):
        depth += (tokens[place].text == "{") - (tokens[place].text == "}")
        if depth == 0:
            return place
    return len(tokens)


def _is_transparent(head: Sequence[Token]) -> bool:
    texts = [each.text for each in head]
    return "namespace" in texts[:2] or (texts[:1] == ["extern"] and len(texts) == 2)


def _is_function(head: Sequence[Token]) -> bool:
    texts = [each.text for each in head]
    if ")" not in texts or "operator" in texts:
        return False
    opening = _opening(head)
    before = texts[:opening]
    return (
        "=" not in before[len(_template(head)) :]
        and opening > 0
        and bool(head[opening - 1].kind == "name" and texts[opening - 1] not in _KEYWORDS)
    )


def _template(head: Sequence[Token]) -> Sequence[Token]:
    """``template <...>`` at the begin of a head."""
    if not head or head[0].text != "template":
        return ()
    depth = 0
    for place in range(1, len(head)):
        depth += (head[place].text == "<") - (head[place].text == ">")
        if depth == 0:
            return head[: place + 1]
    return ()


def _opening(head: Sequence[Token]) -> int:
    """Where the parameters of a function begin."""
    place = len(_template(head))
    depth = 0
    while place < len(head):
        text = head[place].text
        if text == "(" and depth == 0:
            if place and head[place - 1].text in ("__launch_bounds__", "__attribute__", "alignas"):
                while place < len(head) and head[place].text != ")":
                    place += 1
            else:
                return place
        place += 1
    return len(head)


def _add_function(
    head: Sequence[Token], body: tuple[Token, ...], program: Program, owner: str = ""
) -> None:
    texts = [each.text for each in head]
    if "__global__" in texts or ("__device__" in texts and "__host__" not in texts):
        return
    opening, template = _opening(head), _template(head)
    name = texts[opening - 1]
    close, depth = opening, 0
    for close in range(opening, len(head)):
        depth += (texts[close] == "(") - (texts[close] == ")")
        if depth == 0:
            break
    parameters = [_parameter(each) for each in parted(head[opening + 1 : close]) if each]
    if opening >= 2 and texts[opening - 2] == "~":
        return
    if opening >= 3 and texts[opening - 2] == "::":
        owner = texts[opening - 3]
    function = Function(
        name, tuple(_parameter(each) for each in parted(template[2:-1]) if each),
        tuple(parameters), body, owner, tuple(_initialised(head[close + 1 :])),
    )  # fmt: skip
    by_name = program.methods.setdefault(owner, {}) if owner else program.functions
    by_name.setdefault(name, []).append(function)


def _initialised(tokens: Sequence[Token]) -> Iterator[tuple[str, tuple[Token, ...]]]:
    """``: a(1), b(2)`` behind the parameters of a constructor."""
    if not tokens or tokens[0].text != ":":
        return
    for each in parted(tokens[1:]):
        if len(each) > 2 and each[0].kind == "name" and each[1].text == "(":
            yield each[0].text, tuple(each[2:-1])


def _parameter(tokens: Sequence[Token]) -> Parameter:
    texts = [each.text for each in tokens]
    end = texts.index("=") if "=" in texts else len(texts)
    names = [place for place in range(end) if tokens[place].kind == "name"]
    last = names[-1] if names else -1
    if "[" in texts[:end]:
        kind = "*"
    else:
        kind = next((t for t in ("*", "&") if t in texts[:end]), "&" if "&&" in texts[:end] else "")
    type_ = " ".join(t.text for t in tokens[: max(last, 0)] if t.kind == "name")
    type_ = type_.replace("const ", "").removesuffix(" const")
    return Parameter(texts[last] if names else "", type_, kind, tuple(tokens[end + 1 :]))


def _add_record(
    head: Sequence[Token], inner: Sequence[Token], after: str, program: Program
) -> None:
    """A struct or enumeration; ``after`` is the name that a typedef gives it."""
    texts = [each.text for each in head]
    word = next((w for w in ("enum", "struct", "class", "union") if w in texts), "")
    if not word:
        return
    at = texts.index(word) + 1
    at += at < len(texts) and texts[at] == "class"
    names = [texts[at]] if at < len(texts) and head[at].kind == "name" else []
    names += [after] if texts[:1] == ["typedef"] and after.isidentifier() else []
    program.types.update(names)
    if word != "enum":
        plain = _without_labels(inner)
        within = Program(types=program.types)
        read_program(plain, within)
        program.constants += within.constants
        members = list(_members(plain, program))
        for name in names:
            program.members[name] = members
            for own in (each for same in within.functions.values() for each in same):
                method = replace(own, owner=name)
                program.methods.setdefault(name, {}).setdefault(own.name, []).append(method)
    if word == "enum":
        for each in parted(inner):
            if each:
                program.constants.append((each[0].text, tuple(each[2:])))


def _without_labels(tokens: Sequence[Token]) -> list[Token]:
    """Without ``public:`` and its like."""
    labels = {"public", "private", "protected"}
    return [
        each for place, each in enumerate(tokens)
        if not (each.text in labels and tokens[place + 1 : place + 2][:1] and
                tokens[place + 1].text == ":")
        and not (each.text == ":" and place and tokens[place - 1].text in labels)
    ]  # fmt: skip


def _members(inner: Sequence[Token], program: Program) -> Iterator[Declared]:
    """The variables of a struct."""
    parser = Parser(inner, frozenset(program.types))
    while parser.place < len(inner):
        begin = parser.place
        found = parser.declaration()
        if found is not None and parser.text() in (";", ""):
            yield from found.declared
        parser.skip_to(";", "{")
        if parser.text() == "{":
            parser.place = matching(inner, parser.place)
        parser.place = max(parser.place + 1, begin + 1)


def _add_declaration(tokens: tuple[Token, ...], program: Program) -> None:
    texts = [each.text for each in tokens]
    if texts[:1] == ["typedef"] and len(texts) > 2:
        program.types.add(texts[-1])
        program.aliases[texts[-1]] = " ".join(t for t in texts[1:-1] if t.isidentifier())
    elif texts[:1] == ["using"] and "=" in texts:
        program.types.add(texts[1])
        program.aliases[texts[1]] = " ".join(t for t in texts[3:] if t.isidentifier())
    elif tokens and not {"template", "__global__", "friend"} & set(texts):
        parser = Parser(tokens, frozenset(program.types))
        found = parser.declaration()
        if found is not None and parser.place >= len(tokens):
            program.variables.append(tokens)
