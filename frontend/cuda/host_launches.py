"""The launches in the host code of a CUDA source, as far as constants of that code decide them.

The host is read, not run: definitions and assignments that stand before a launch in its function
and at file scope, as a run with the program's arguments, or without any (``argc`` is 1), comes by
them. A function has of its parameters the values of its first call that is come by from `main`.
What is assigned in a loop or a branch, read in, or given to a function that nothing calls has no
value, and neither has what is made of it: the names that all comes from are said.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kcc.frontend.clang.host_code import Item, closing_angle, items, masked

Number = int | float
Extents = tuple[int, int, int]
Known = Number | Extents
Values = dict[str, Known | frozenset[str]]
"""Of names: what they are, or the names without a value that they come from."""

MOST_CHARACTERS = 2_000
"""Of an expression that is looked at."""

MOST_MACROS = 3
"""Of which one is made of the next, whatever their order."""

MOST_BLOCKS = 1 << 31
"""Thread blocks of a dimension, and threads of a block's, that a launch may have."""

_LAUNCH = re.compile(r"\b([A-Za-z_]\w*)\s*(?=<)")
_OF_HIP = re.compile(r"\bhipLaunchKernelGGL\s*\(")
_HIP_NAME = re.compile(
    r"\s*(?:HIP_KERNEL_NAME\s*\(|\()?\s*([A-Za-z_]\w*)\s*(?:<(.*)>)?\s*\)?\s*\Z", re.DOTALL
)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+([^\n\\]+)$", re.MULTILINE)
_TYPES = (
    r"(?:const|constexpr|static|volatile|unsigned|signed|long|short|int|size_t|std::size_t|auto|"
    r"u?int(?:8|16|32|64)_t|std::u?int(?:8|16|32|64)_t|float|double|char|bool|uint|ulong|dim3)\b"
)
_DECLARED = re.compile(rf"\s*(?:{_TYPES}\s*)+(?![*&])")
_ONE = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:=\s*(.*)|\((.*)\)|\{(.*)\})\s*\Z", re.DOTALL)
_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\.\s*([xyz])\s*)?=(?!=)\s*(.*)\Z", re.DOTALL)
_CONTROL = re.compile(r"\s*(?:for|while|if|else|do|switch|case|default)\b")
"""Before what may be passed by, or done again."""
_SET = re.compile(r"\b([A-Za-z_]\w*)\s*=(?!=)")
_CHANGED = re.compile(
    r"(?:\+\+|--)\s*([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)=)"
    r"|(?:\bcin\s*>>|&)\s*([A-Za-z_]\w*)\s*(?=[,;)>]|\Z)"
)
_OUTSIDE = re.compile(r"\b(?:argv|ato[ifl]l?|strto\w+|sto\w+|getenv)\b")
"""What a run without arguments does not come by."""
_READ = re.compile(
    r"\b(?:std\s*::\s*)?(?:ato[ifl]l?|strto\w+|sto[ilufd]\w*)\s*\(\s*argv\s*\[\s*(\d+)\s*\]\s*(?:,[^()]*)?\)"
)
"""Reads an argument of the program."""
_OF_COUNT = re.compile(r"\s*(if\s*)?\(?\s*argc\s*(>=|>|<=|<|==|!=)\s*(\d+)\s*\)?\s*(\?)?")
"""A condition on how many there are, of a statement or an expression."""
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^<>;()]*>\s*)?(?=\()")
_CAST = re.compile(
    r"\(\s*(?:const\s+)?(?:unsigned\s+|signed\s+)?(?:int|long(?:\s+long)?|short|char|size_t|"
    r"u?int(?:8|16|32|64)_t|uint|unsigned)\s*\)"
)
_FLOAT_CAST = re.compile(r"\(\s*(?:float|double)\s*\)")
_STATIC_CAST = re.compile(r"\bstatic_cast\s*<([^<>]*)>")
_SUFFIX = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)[uUlLfF]+\b")
_INITIALISES = re.compile(r"(?:=|\bdim3\s+\w+|,\s*\w+)\s*\Z")
"""Before the brace of an initialiser."""
_SPACE = re.compile(r"\s*")
_SIZEOF = re.compile(r"\bsizeof\s*\(\s*(?:unsigned\s+)?(\w+)\s*\)")

_BYTES = {
    "char": 1, "bool": 1, "short": 2, "half": 2, "int": 4, "unsigned": 4, "uint": 4, "float": 4,
    "long": 8, "size_t": 8, "double": 8, "float2": 8, "int2": 8, "float4": 16, "int4": 16,
}  # fmt: skip

_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "min": min, "max": max, "ceil": math.ceil, "ceilf": math.ceil, "floor": math.floor,
    "floorf": math.floor, "sqrt": math.sqrt, "log2": math.log2, "pow": math.pow, "abs": abs,
    "int": int,
}  # fmt: skip

_OPERATORS: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.LShift: lambda a, b: int(a) << int(b), ast.RShift: lambda a, b: int(a) >> int(b),
    ast.BitAnd: lambda a, b: int(a) & int(b), ast.BitOr: lambda a, b: int(a) | int(b),
    ast.BitXor: lambda a, b: int(a) ^ int(b),
}  # fmt: skip

_RELATIONS: Mapping[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class HostLaunch:
    """``kernel<<<grid, block>>>(arguments)`` in a line of the source. ``name`` has the template
    arguments that stand there; sizes are None, and arguments too, where they are not known;
    ``unknown`` are the names that sizes need a value of. ``shared_bytes`` are those of the third
    expression, 0 where there is none."""

    kernel: str
    name: str
    line: int
    grid: Extents | None
    block: Extents | None
    shared_bytes: int | None
    arguments: tuple[Number | None, ...]
    unknown: frozenset[str]


class _Unknown(Exception):
    """An expression has no value; ``names`` are those that it lacks."""

    def __init__(self, names: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.names = names


def host_launches(
    text: str, given: Mapping[str, Number], headers: Sequence[str] = (), argv: Sequence[str] = ()
) -> list[HostLaunch]:
    """The launches of a source, in order. ``given`` are values of names that are known from
    elsewhere, which stand for what the source says of them; ``headers`` are the texts of what it
    includes; ``argv`` the arguments of the program, without its name."""
    plain, declared = masked(text), items(text)
    shared: Values = {"argc": 1 + len(argv), "true": 1, "false": 0, "warpSize": 32}
    for place, word in enumerate(argv, 1):
        shared[f"argv[{place}]"] = _number_of(word)
    texts = (*headers, text)
    for each in texts * MOST_MACROS:
        for name, body in _DEFINE.findall(each):
            shared[name] = _value(body.partition("//")[0], shared, name)
    for each in texts:
        _take_constants(each, shared, given)
    shared.update(given)
    functions = {name: item for item in declared if (name := _name(item))}
    called, left = dict[str, list[Known | None]](), list(functions)
    found = list[HostLaunch]()
    while left:  # main first, then what it calls, then what nothing calls
        name = next((n for n in ("main", *called) if n in left), left[0])
        left.remove(name)
        values, item = dict(shared), functions[name]
        for place, own in enumerate(_parameters(item)):
            passed = called[name][place : place + 1] if name in called else []
            values[own] = passed[0] if passed and passed[0] is not None else frozenset({own})
        values |= {"argc": shared["argc"]} | dict(given)
        found += _of_function(text, plain, item, values, given, functions, called)
    return sorted(found, key=lambda launch: launch.line)


def _number_of(word: str) -> Number | frozenset[str]:
    """As atoi and atof read it."""
    match = re.match(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", word)
    if match is None:
        return frozenset({word})
    return float(match[0]) if re.search(r"[.eE]", match[0]) else int(match[0])


def _name(item: Item) -> str:
    """Of a function with a body; "" of what is none."""
    match = re.search(r"([A-Za-z_]\w*)\s*\(", item.head)
    return match[1] if item.body is not None and match is not None else ""


def _parameters(item: Item) -> list[str]:
    listed = item.head.partition("(")[2]
    return re.findall(r"([A-Za-z_]\w*)\s*(?:\[\s*\]\s*)?(?:=[^,()]*)?(?=[,)])", listed)


def _take_constants(text: str, values: Values, given: Mapping[str, Number]) -> None:
    """Variables at file scope."""
    plain = masked(text)
    for item in items(text):
        if item.body is None:
            _take(plain[item.start : item.end].rstrip(" \n;"), values, given, inside=False)


def _of_function(
    text: str, plain: str, item: Item, values: Values, given: Mapping[str, Number],
    functions: Mapping[str, Item], called: dict[str, list[Known | None]],
) -> Iterator[HostLaunch]:  # fmt: skip
    """The launches of a function whose parameters have ``values``; what it calls is added."""
    assert item.body is not None
    start, end = item.body
    scopes, place = list[bool | None](), start  # None: of what is not come by
    for at, sign in _ends(plain, start, end):
        statement, met = _under_count(plain[place:at], values)
        inside = any(scopes) or _CONTROL.match(statement) is not None
        if None not in scopes and met is not False:
            launch = _launch_in(text, plain, place, at, values)
            if launch is not None:
                yield launch
            else:
                _note_calls(statement, values, functions, called)
                _take(statement, values, given, inside=inside)
        if sign == "{":  # a plain block and that of a try are not passed by
            scopes.append(None if met is False else statement.strip() not in ("", "try"))
        elif sign == "}" and scopes:
            scopes.pop()
        place = at + 1


def _under_count(statement: str, values: Values) -> tuple[str, bool | None]:
    """A statement without its condition on how many arguments the program has, and whether that is
    met; None where there is no such condition."""
    match, count = _OF_COUNT.match(statement), values["argc"]
    if match is None or not match[1] or not isinstance(count, int):
        return statement, None
    return statement[match.end() :], _met(match, count)


def _met(match: re.Match[str], count: int) -> bool:
    relations: Mapping[str, Callable[[int, int], bool]] = {
        ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
        "==": operator.eq, "!=": operator.ne,
    }  # fmt: skip
    return relations[match[2]](count, int(match[3]))


def _note_calls(
    statement: str, values: Values, functions: Mapping[str, Item],
    called: dict[str, list[Known | None]],
) -> None:  # fmt: skip
    """The first call of each function of the source, with its arguments as far as they are
    known."""
    for match in _CALL.finditer(statement):
        if match[1] in functions and match[1] not in called:
            inner = statement[match.end() + 1 : statement.rfind(")")]
            called[match[1]] = [_passed(part, values) for part in _split(inner)]


def _passed(text: str, values: Values) -> Known | None:
    try:
        return _evaluated(text, values)
    except _Unknown:
        return None


def _ends(plain: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Where statements end: semicolons and braces outside of parentheses."""
    depth = braces = 0
    for match in re.compile(r"[;{}()=]").finditer(plain, start, end):
        sign, at = match[0], match.start()
        if sign in "()":
            depth = max(0, depth + (1 if sign == "(" else -1))
        elif sign == "{" and (braces or _INITIALISES.search(plain[max(start, at - 100) : at])):
            braces += 1  # of an initialiser
        elif sign == "}" and braces:
            braces -= 1
        elif sign != "=" and not braces and (depth == 0 or sign in "{}"):
            depth = 0
            yield at, sign


def _take(statement: str, values: Values, given: Mapping[str, Number], *, inside: bool) -> None:
    """What a statement does to the values of names."""
    statement = _READ.sub(lambda m: _word(m, values), statement)
    declared = _DECLARED.match(statement)
    if declared is not None:
        for part in _split(statement[declared.end() :]):
            one = _ONE.match(part)
            if (bare := part.strip()).isidentifier() and bare not in given:
                values[bare] = frozenset({bare})
            if one is not None and one[1] not in given:
                body = next((b for b in one.groups()[1:] if b is not None), "")
                values[one[1]] = _value(body, values, one[1])
        return
    assigned = _ASSIGNED.match(statement)
    if assigned is not None and assigned[1] in values and assigned[1] not in given:
        if _OUTSIDE.search(assigned[3]):
            return
        values[assigned[1]] = _assigned(assigned, values, inside=inside)
        return
    if _OUTSIDE.search(statement):
        return
    if _CONTROL.match(statement):
        for name in _SET.findall(statement):
            if name in values and name not in given:
                values[name] = frozenset({name})
    for match in _CHANGED.finditer(statement):
        name = match[1] or match[2] or match[3]
        if name in values and name not in given:
            values[name] = frozenset({name})


def _assigned(match: re.Match[str], values: Values, *, inside: bool) -> Known | frozenset[str]:
    name, old = match[1], values[match[1]]
    new = frozenset({name}) if inside else _value(match[3], values, name)
    if match[2] is None or isinstance(new, frozenset):
        return new
    if not isinstance(old, tuple) or isinstance(new, tuple):
        return frozenset({name})
    extents = list(old)
    extents["xyz".index(match[2])] = int(new)
    return extents[0], extents[1], extents[2]


def _launch_in(text: str, plain: str, start: int, end: int, values: Values) -> HostLaunch | None:
    written = _in_angles(plain, start, end) or _of_hip(plain, start, end)
    if written is None or len(written.sizes) < 2:
        return None
    name = written.kernel
    if written.template:
        name += f"<{', '.join(part.strip() for part in _split(written.template))}>"
    (grid, lacking), (block, more) = (_extents(size, values) for size in written.sizes[:2])
    shared = _number(written.sizes[2], values) if len(written.sizes) > 2 else 0
    return HostLaunch(
        written.kernel, name, text.count("\n", 0, written.start) + 1, grid, block,
        None if shared is None else int(shared),
        tuple(_number(a, values) for a in written.arguments),
        lacking | more,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Written:
    """A launch as its text has it; ``sizes`` are grid, block, shared memory and stream."""

    kernel: str
    template: str
    sizes: list[str]
    arguments: list[str]
    start: int


def _in_angles(plain: str, start: int, end: int) -> _Written | None:
    """``kernel<<<...>>>(...)``."""
    for match in _LAUNCH.finditer(plain, start, end):
        at, template = match.end(), ""
        if not plain.startswith("<<<", at):
            close = closing_angle(plain, at)
            if close is None:
                continue
            template, space = plain[at + 1 : close], _SPACE.match(plain, close + 1, end)
            at = space.end() if space else close + 1
        if not plain.startswith("<<<", at):
            continue
        close = plain.find(">>>", at, end)
        if close < 0:
            continue
        opening = plain.find("(", close, end)
        inner = plain[opening + 1 : plain.rfind(")", close, end)] if opening >= 0 else ""
        arguments = _split(inner) if inner.strip() else []
        sizes = _split(plain[at + 3 : close])
        return _Written(match[1], template, sizes, arguments, match.start())
    return None


def _of_hip(plain: str, start: int, end: int) -> _Written | None:
    """``hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...)``."""
    match = _OF_HIP.search(plain, start, end)
    if match is None:
        return None
    kernel, *others = _split(plain[match.end() : plain.rfind(")", match.end(), end)])
    named = _HIP_NAME.match(kernel)
    if named is None or len(others) < 4:
        return None
    return _Written(named[1], named[2] or "", others[:4], others[4:], match.start())


def _extents(text: str, values: Values) -> tuple[Extents | None, frozenset[str]]:
    try:
        found = _evaluated(text, values)
    except _Unknown as unknown:
        return None, unknown.names
    extents = found if isinstance(found, tuple) else (int(found), 1, 1)
    good = all(1 <= extent < MOST_BLOCKS for extent in extents)
    return (extents if good else None), frozenset()


def _value(text: str, values: Values, name: str) -> Known | frozenset[str]:
    """Of the initialiser of a name: of a dim3 its extents, where there are several; what is not
    known comes from the name itself where it comes from no other."""
    parts = _split(text)
    try:
        if len(parts) > 1:
            return _dim3(_evaluated(part, values) for part in parts)
        return _evaluated(text, values)
    except _Unknown as unknown:
        return unknown.names or frozenset({name})


def _number(text: str, values: Values) -> Number | None:
    try:
        found = _evaluated(text, values)
    except _Unknown:
        return None
    return None if isinstance(found, tuple) else found


def _dim3(parts: Iterator[Known]) -> Extents:
    found = [*parts]
    if not 1 <= len(found) <= 3 or any(isinstance(part, tuple) for part in found):
        raise _Unknown
    extents = [int(part) for part in found if not isinstance(part, tuple)] + [1, 1]
    return extents[0], extents[1], extents[2]


def _split(text: str) -> list[str]:
    """At the commas outside of brackets."""
    parts, depth, start = list[str](), 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def _evaluated(text: str, values: Values) -> Known:
    if len(text) > MOST_CHARACTERS:
        raise _Unknown
    text = _READ.sub(lambda m: _word(m, values), _default(text, values))
    if _OUTSIDE.search(text):
        raise _Unknown
    plain = _SIZEOF.sub(lambda m: str(_BYTES.get(m[1], m[0])), text)
    if "~" in plain:
        raise _Unknown
    plain = _STATIC_CAST.sub(lambda m: f"({m[1]})", plain)
    plain = _FLOAT_CAST.sub("~", _CAST.sub("+", plain))  # unary operators as binding as casts
    plain = _SUFFIX.sub(r"\1", plain).replace("std::", "").strip()
    plain = plain.replace("&&", " and ").replace("||", " or ")
    try:
        tree = ast.parse(plain.replace("\n", " "), mode="eval").body
        return _of(tree, values)
    except (ValueError, ArithmeticError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise _Unknown from None


def _word(match: re.Match[str], values: Values) -> str:
    """An argument of the program, as what reads it gives it."""
    found = values.get(f"argv[{int(match[1])}]")
    if not isinstance(found, int | float):
        return match[0]
    real = re.search(r"atof|strto[df]|sto[df]\b", match[0])
    return f"({float(found) if real else int(found)})"


def _default(text: str, values: Values) -> str:
    """Of ``argc > 1 ? atoi(argv[1]) : 1024`` what is taken with so many arguments."""
    match, count = _OF_COUNT.match(text), values["argc"]
    if match is None or match[1] or not match[4] or not isinstance(count, int):
        return text
    taken, _, other = text[match.end() :].rpartition(":")
    return taken if _met(match, count) else other


def _of(node: ast.expr, values: Values) -> Known:
    match node:
        case ast.Constant(int() | float() as value):
            return value
        case ast.Name(name):
            found = values.get(name, frozenset({name}))
            if isinstance(found, frozenset):
                raise _Unknown(found)
            return found
        case ast.Attribute(value, attr) if attr in {"x", "y", "z"}:
            extents = _of(value, values)
            return extents["xyz".index(attr)] if isinstance(extents, tuple) else extents
        case ast.UnaryOp(ast.USub(), operand):
            return -_scalar(operand, values)
        case ast.UnaryOp(ast.UAdd(), operand):
            return int(_scalar(operand, values))
        case ast.UnaryOp(ast.Invert(), operand):
            return float(_scalar(operand, values))
        case ast.BinOp(left, op, right):
            return _binary(op, _scalar(left, values), _scalar(right, values))
        case ast.Compare(left, [relation], [right]) if type(relation) in _RELATIONS:
            pair = _scalar(left, values), _scalar(right, values)
            return int(_RELATIONS[type(relation)](*pair))
        case ast.Call(ast.Name("dim3"), arguments, []) if arguments:
            return _dim3(_of(a, values) for a in arguments)
        case ast.Call(ast.Name(name), arguments, []) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_scalar(a, values) for a in arguments))
        case _:
            raise _Unknown


def _scalar(node: ast.expr, values: Values) -> Number:
    found = _of(node, values)
    if isinstance(found, tuple):
        raise _Unknown
    return found


def _binary(op: ast.operator, left: Number, right: Number) -> Number:
    if isinstance(op, ast.Div | ast.Mod):
        if isinstance(left, int) and isinstance(right, int):
            size = abs(left) // abs(right)
            quotient = size if (left < 0) == (right < 0) else -size
            return quotient if isinstance(op, ast.Div) else left - quotient * right
        return left / right if isinstance(op, ast.Div) else math.fmod(left, right)
    if type(op) not in _OPERATORS or (isinstance(op, ast.LShift) and right > 62):
        raise _Unknown
    found = _OPERATORS[type(op)](left, right)
    if isinstance(found, int) and abs(found) >= 1 << 63:
        raise _Unknown
    return found
