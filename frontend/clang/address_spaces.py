"""Address-space inference: generic pointers that always point into one space are made to say so.

CUDA's pointers are generic. What a pointer is computed from tells its space: kernel arguments are
global, arrays are where they were declared. A pointer that is loaded from memory, or that may
point into different spaces, stays generic. Works on LLVM's printed text, function by function,
when everything is inlined and in SSA form.

The lattice per value is unknown < one space < generic, joined over phis and selects until nothing
changes (the method of LLVM's InferAddressSpaces pass, which cannot be run from Python).
"""

from __future__ import annotations

import re
from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.clang.pointer_numbers import beside

GENERIC, SHARED = 4, 3

_ASKED = re.compile(
    r"^  (\S+) = [^\n]*? i32 @__kcc_is_shared\(ptr addrspace\(4\)(?: \w+(?:\(\w+\))?)*? "
    r"(?=%|@|addrspacecast|getelementptr|inttoptr|null\b|undef\b|poison\b)",
    re.MULTILINE,
)
"""What kcc's headers ask of a pointer, 1 where it is known to be one into shared memory."""

_DEFINE = re.compile(r"^define .*?^\}\n", re.MULTILINE | re.DOTALL)
_POINTER = "ptr addrspace(4) "
_RESULT = re.compile(r"^  (%[\w.$-]+|%\"[^\"]+\") = (\w+)(.*)$")
_CAST = re.compile(
    r"^  (\S+) = addrspacecast ptr(?: addrspace\((\d)\))? (\S+) to ptr addrspace\(4\)"
)
_CONSTANT_CAST = re.compile(
    r"ptr addrspace\(4\) addrspacecast \(ptr(?: addrspace\((\d)\))? (@(?:\"[^\"]+\"|[\w.$]+)) to "
    r"ptr addrspace\(4\)\)"
)
_BYVAL = re.compile(r"ptr (?:\w+ )*byval\((?:[^()]|\([^()]*\))*\)(?: \w+(?: \d+)?)* (%[\w.$]+)")
_NUMBERED = re.compile(r"%(\d+)(?![\w.$])")
_NUMBERED_LABEL = re.compile(r"^(\d+):", re.MULTILINE)
"""Values and blocks without a name: what is inserted would upset their numbers."""
_NULLS = frozenset({"null", "undef", "poison"})


def infer_address_spaces(text: str) -> str:
    """The module with the space of every pointer whose space is certain."""
    if _POINTER not in text:
        return text
    return _with_declarations(_DEFINE.sub(lambda m: _infer(m[0]), text))


def with_unknown_spaces(text: str) -> str:
    """The module with an answer to what is asked of pointers whose space is not known."""
    return _ASKED.sub(lambda m: f"  {m[1]} = add i32 0, 0 ; ", text)


_MOVE = re.compile(
    r"^(.* call [^\n]*@llvm\.mem(?:cpy|move)\.)p\d\.p\d\.(i\d+\([^\n]*)$", re.MULTILINE
)

_SPACE, _NESTED = re.compile(r"addrspace\((\d)\)"), re.compile(r"\([^()]*\)")


def with_named_moves(text: str) -> str:
    """Copies called by the name that the spaces of their pointers make: what turns a variable's
    space changes it."""

    def named(match: re.Match[str]) -> str:
        arguments = _SPACE.sub(r"addrspace\1", match[2]).partition("(")[2]
        while plain := _NESTED.search(arguments):  # expressions have pointers of their own
            arguments = arguments[: plain.start()] + arguments[plain.end() :]
        spaces = re.findall(r"(?:^|, )ptr(?: addrspace(\d))?(?= )", arguments)[:2]
        kinds = ".".join(f"p{space or 0}" for space in spaces)
        return f"{match[1]}{kinds}.{match[2]}"

    return _with_declarations(_MOVE.sub(named, text))


def _with_declarations(text: str) -> str:
    """With one of each memory intrinsic that is called."""
    names = set(re.findall(r"@(llvm\.mem(?:cpy|move|set)\.[\w.]+)\(", text))
    declared = set(re.findall(r"^declare [^@\n]*@(llvm\.mem[\w.]+)\(", text, re.MULTILINE))
    return text + "".join(f"{_declaration(name)}\n" for name in sorted(names - declared))


def _declaration(name: str) -> str:
    """Of a memory intrinsic for pointers into other spaces."""
    pointers = ["ptr" if n == "0" else f"ptr addrspace({n})" for n in re.findall(r"\.p(\d)", name)]
    size = name.rsplit(".", 1)[1]
    value = ["i8"] if ".memset." in name else []
    return f"declare void @{name}({', '.join([*pointers, *value, size, 'i1 immarg'])})"


@dataclass(slots=True)
class _Function:
    lines: list[str]
    spaces: dict[str, int | None] = field(default_factory=dict[str, "int | None"])
    """Of every generic pointer: None is not known yet."""


def _infer(text: str) -> str:
    if _POINTER not in text:
        return text
    text = _NUMBERED.sub(r"%kcc.\1", _NUMBERED_LABEL.sub(r"kcc.\1:", text))
    function = _Function(text.split("\n"))
    sources = _collect(function)
    _solve(function, sources)
    return "\n".join(_rewrite(function))


Source = str | int
"""An operand's text, or a space."""


def _collect(function: _Function) -> dict[str, list[Source]]:
    """What each generic pointer comes from."""
    sources = dict[str, list[Source]]()
    byval = set(_BYVAL.findall(function.lines[0]))
    parameters = dict.fromkeys(byval, True)
    for line in function.lines:
        match = _RESULT.match(line)
        if match is None:
            continue
        name, opcode, rest = match[1], match[2], match[3]
        if cast := _CAST.match(line):
            sources[name] = [int(cast[2] or 0)]
            parameters[name] = cast[3] in byval
        elif opcode == "getelementptr":
            base = _operand_after(rest, ", ", _base_start(rest))
            if base is not None:
                sources[name] = [base]
            if any(f" {p}," in rest for p, known in parameters.items() if known):
                parameters[name] = True
        elif opcode == "phi" and rest.startswith(f" {_POINTER}"):
            sources[name] = list[Source](_incoming(rest))
        elif opcode == "select" and f", {_POINTER}" in rest:
            sources[name] = list[Source](_operands(rest))
        elif opcode == "load" and rest.lstrip().startswith(_POINTER.strip()):
            pointer = re.search(r", ptr(?: addrspace\(\d\))? (%[\w.$-]+)", rest)
            of_argument = pointer is not None and parameters.get(pointer[1], False)
            sources[name] = [1 if of_argument else GENERIC]
        elif _gives_pointer(opcode, rest):
            sources[name] = [GENERIC]
    return sources


def _gives_pointer(opcode: str, rest: str) -> bool:
    if opcode == "inttoptr":
        return f"to {_POINTER.strip()}" in rest
    return opcode in {"call", "extractvalue", "freeze", "cmpxchg", "atomicrmw"} and _POINTER in rest


def _base_start(rest: str) -> int:
    """Where the pointer operand of a getelementptr begins: after the type and its comma."""
    depth = 0
    for place, letter in enumerate(rest):
        depth += {"[": 1, "{": 1, "(": 1, "<": 1, "]": -1, "}": -1, ")": -1, ">": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            return place
    return len(rest)


def _operand_after(rest: str, mark: str, start: int) -> str | None:
    """The generic pointer that follows a mark at ``start``."""
    if not rest.startswith(mark + _POINTER, start):
        return None
    return _operand(rest, start + len(mark) + len(_POINTER))


def _operand(text: str, start: int) -> str:
    """The operand whose text begins at ``start``."""
    match = re.compile(r"[%@](?:\"[^\"]+\"|[\w.$-]+)|null|undef|poison").match(text, start)
    if match:
        return match[0]
    opening = text.find("(", start)
    depth = 0
    for place in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return text[start : place + 1]
    return text[start:]


def _operands(rest: str) -> list[str]:
    """All generic pointers of a line."""
    found, place = list[str](), rest.find(_POINTER)
    while place >= 0:
        operand = _operand(rest, place + len(_POINTER))
        found.append(operand)
        place = rest.find(_POINTER, place + len(_POINTER) + len(operand))
    return found


def _incoming(rest: str) -> list[str]:
    """The values of a phi."""
    found, place = list[str](), 0
    while (place := rest.find("[ ", place)) >= 0:
        operand = _operand(rest, place + 2)
        found.append(operand)
        place += 2 + len(operand)
    return found


def _solve(function: _Function, sources: dict[str, list[Source]]) -> None:
    spaces = function.spaces
    spaces.update(dict.fromkeys(sources))
    changed = True
    while changed:
        changed = False
        for name, origins in sources.items():
            space = spaces[name]
            for origin in origins:
                space = _join(space, _space_of(origin, spaces))
            if space != spaces[name]:
                spaces[name], changed = space, True


def _join(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one if one == other else GENERIC


def _space_of(origin: Source, spaces: dict[str, int | None]) -> int | None:
    if isinstance(origin, int):
        return origin
    if origin in _NULLS:
        return None
    if origin[0] == "%":
        return spaces.get(origin, GENERIC)
    if "inttoptr" in origin:
        return GENERIC
    found = re.findall(r"addrspacecast \(ptr(?: addrspace\((\d)\))? @", origin)
    kinds = {int(space or 0) for space in found}
    return kinds.pop() if len(kinds) == 1 else GENERIC


def _rewrite(function: _Function) -> list[str]:
    out, casts = list[str](), list[str]()
    spaces = function.spaces
    for line in function.lines:
        match = _RESULT.match(line)
        is_phi = match is not None and match[2] == "phi"
        if casts and not is_phi:
            out += casts
            casts = []
        space = spaces.get(match[1]) if match else None
        if asked := _ASKED.match(line):
            known = _space_of(_operand(line, asked.end()), spaces) == SHARED
            out.append(f"  {asked[1]} = add i32 0, {int(known)}")
        elif match and space not in (None, GENERIC):
            assert space is not None
            new = _specific(match[1])
            location = re.search(r", !dbg !\d+", line)
            cast = f"  {match[1]} = addrspacecast {_type(space)}{new} to {_POINTER.strip()}"
            casts.append(cast + (location[0] if location and not is_phi else ""))
            out.append(_redefined(line, match, space, spaces))
        else:
            out.append(_with_specific_uses(line, spaces))
    return out + casts


def _type(space: int) -> str:
    return "ptr " if space == 0 else f"ptr addrspace({space}) "


def _specific(name: str) -> str:
    """The name of the pointer that says its space."""
    if name.strip("%").isdigit():  # an unnamed value: LLVM counts those, so it gets another name
        return f"%of.{name.strip('%')}"
    return f'{name[:-1]}.kcc"' if name.endswith('"') else f"{name}.kcc"


def _in_space(operand: str, space: int, spaces: dict[str, int | None]) -> str | None:
    """An operand as a pointer into ``space``; None where it is none."""
    if operand in _NULLS:
        return operand
    if operand[0] == "%":
        return _specific(operand) if spaces.get(operand) == space else None
    if _space_of(operand, spaces) != space:
        return None
    whole = _CONSTANT_CAST.fullmatch(_POINTER + operand)
    if whole:
        return whole[2]
    plain = _CONSTANT_CAST.sub(lambda m: _type(int(m[1] or 0)) + m[2], operand)
    return plain.replace(_POINTER, _type(space))  # expressions inside of it give pointers too


def _redefined(line: str, match: re.Match[str], space: int, spaces: dict[str, int | None]) -> str:
    """The definition of a pointer, into its space."""
    name, opcode = match[1], match[2]
    head = f"  {_specific(name)} = "
    rest = line[len(f"  {name} = ") :]
    if cast := _CAST.match(line):
        tail = line[cast.end() :]
        kind = _type(space)
        return f"{head}getelementptr i8, {kind}{cast[3]}, i64 0{tail}"
    if opcode == "load":
        raw = beside(name, "raw")
        loaded = _with_specific_uses(f"  {raw} = {rest}", spaces)
        return f"{loaded}\n{head}addrspacecast {_POINTER}{raw} to {_type(space).strip()}"
    if opcode == "phi":
        for operand in _incoming(rest):
            new = _in_space(operand, space, spaces)
            assert new is not None
            rest = rest.replace(f"[ {operand}, ", f"[ {new}, ")
        return head + rest.replace(_POINTER, _type(space), 1)
    for operand in dict.fromkeys(_operands(rest)):
        new = _in_space(operand, space, spaces)
        if new is not None:
            rest = _replaced(rest, operand, _type(space) + new)
    return head + rest


def _replaced(rest: str, operand: str, new: str) -> str:
    """Every use of a generic operand as a pointer."""
    if operand[0] == "%":
        return re.sub(re.escape(_POINTER + operand) + r"(?![\w.$-])", lambda _: new, rest)
    return rest.replace(_POINTER + operand, new)


_ACCESS = re.compile(r"(?:= |^  )(?:tail )?(load|store|atomicrmw|cmpxchg|icmp|call)\b")


def _with_specific_uses(line: str, spaces: dict[str, int | None]) -> str:
    """An access through the pointers that say their space."""
    found = _ACCESS.search(line)
    if found is None or _POINTER not in line:
        return line
    match found[1]:
        case "icmp":
            return _compared(line, spaces)
        case "call":
            return _moved(line, spaces)
        case word:
            return _accessed(line, word, spaces)


def _accessed(line: str, word: str, spaces: dict[str, int | None]) -> str:
    start = line.find(f", {_POINTER}") + 2 if word in ("load", "store") else line.find(_POINTER)
    if word == "store":
        start = _last_pointer(line)
    if start < 2:
        return line
    operand = _operand(line, start + len(_POINTER))
    space = _space_of(operand, spaces)
    new = _in_space(operand, space, spaces) if space not in (None, GENERIC) else None
    if new is None or space is None:
        return line
    return line[:start] + _type(space) + new + line[start + len(_POINTER) + len(operand) :]


def _last_pointer(line: str) -> int:
    """Where the address of a store is: its last operand, which may be an expression with pointers
    inside it."""
    depth, found = 0, -1
    for place, letter in enumerate(line):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0 and line.startswith(_POINTER, place + 2):
            found = place
    return found + 2


def _compared(line: str, spaces: dict[str, int | None]) -> str:
    place = line.find(_POINTER)
    left = _operand(line, place + len(_POINTER))
    after = place + len(_POINTER) + len(left)
    if not line.startswith(", ", after):
        return line
    right = _operand(line, after + 2)
    space = _join(_space_of(left, spaces), _space_of(right, spaces))
    if space is None or space == GENERIC:
        return line
    one, other = _in_space(left, space, spaces), _in_space(right, space, spaces)
    if one is None or other is None:
        return line
    tail = line[after + 2 + len(right) :]
    return f"{line[:place]}{_type(space)}{one}, {other}{tail}"


_MEMORY = re.compile(r"@llvm\.(memcpy|memmove|memset)\.([\w.]+)\((.*)\)")


_ATTRIBUTES = re.compile(
    r"ptr addrspace\(4\) ((?:(?!addrspacecast|getelementptr|null|undef|poison|inttoptr)[a-z_]+"
    r"(?:\([^)]*\))? (?:\d+ )?)*)"
)


def _moved(line: str, spaces: dict[str, int | None]) -> str:
    match = _MEMORY.search(line)
    if match is None:
        return line
    arguments, kinds = match[3], re.findall(r"\.?p(\d)", match[2])
    parts = re.split(r", (?=ptr|i8|i32|i64|i1)", arguments)
    for number in range(len(kinds)):
        part = parts[number]
        place = _ATTRIBUTES.match(part)
        if place is None:
            continue
        operand = part[place.end() :]
        space = _space_of(operand, spaces)
        new = _in_space(operand, space, spaces) if space not in (None, GENERIC) else None
        if new is not None and space is not None:
            parts[number], kinds[number] = f"{_type(space)}{place[1]}{new}", str(space)
    size = match[2].rsplit(".", 1)[1]
    name = f"@llvm.{match[1]}.{'.'.join('p' + k for k in kinds)}.{size}"
    return f"{line[: match.start()]}{name}({', '.join(parts)}){line[match.end() :]}"
