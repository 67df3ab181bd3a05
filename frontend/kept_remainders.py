"""Remainders by a power of two that only a loop's phi makes one: ``t % s`` where ``s`` doubles.

LLVM 22 sees that such a divisor is a power of two, and masks; CUDA 12.9 does not and leaves a
division (NVRTC: ``rem.u32`` in the classic reduction with ``t % (2 * s) == 0``, ``rem.s32`` of
signed ones, where LLVM puts the mask at the place of the comparison). What both see (``1 << k``,
and what is shifted from it) both mask.
"""

from __future__ import annotations

import re

from kcc.frontend.metadata_nodes import Place, places_of

_VALUE = r'%(?:"[^"]*"|[-\w.$]+)'
_REMAINDER = re.compile(
    rf"^  (?P<name>{_VALUE}) = (?P<opcode>[su]rem) i\d+ [^,\n]+, {_VALUE}.*!dbg (?P<place>!\d+)",
    re.MULTILINE,
)
_IS_ZERO = re.compile(
    rf"^  {_VALUE} = icmp (?:eq|ne) i\d+ (?P<of>{_VALUE}), 0,.*!dbg (?P<place>!\d+)", re.MULTILINE
)
_MASKED = re.compile(
    rf"^(?P<head>  {_VALUE} = )and (?P<type>i\d+) (?P<left>{_VALUE}), (?P<right>{_VALUE})"
    r"(?P<tail>.*!dbg (?P<place>!\d+).*)$",
    re.MULTILINE,
)
_DIVIDED = re.compile(
    rf"^(?P<head>  {_VALUE} = [su]rem i(?P<bits>32|64) [^,\n]+, )(?P<by>{_VALUE})"
    r"(?=(?P<debug>, !dbg !\d+)?)",
    re.MULTILINE,
)
_DEFINED = re.compile(rf"^  (?P<name>{_VALUE}) = (?P<opcode>\w+)(?P<rest>.*)$", re.MULTILINE)
_LESS_ONE = re.compile(rf"(?: nsw| nuw)* i\d+ (?P<of>{_VALUE}), -1(?=,|$)")
_FIRST = re.compile(rf".*?(?P<of>{_VALUE})")
_THROUGH = frozenset({"shl", "zext", "trunc"})
_FUNCTION = re.compile(r"(?m)^(?=define )")
_DEEPEST = 8


def with_remainders(text: str, optimised: str) -> str:
    """The optimised module with remainders where the module ``text`` had them and masks of such
    phis stand now."""
    if "rem " not in text:
        return optimised
    before = places_of(text)
    opcodes = dict[Place, str]()
    for function in _FUNCTION.split(text):
        found = {match["name"]: match for match in _REMAINDER.finditer(function)}
        tests = ((match["place"], found.get(match["of"])) for match in _IS_ZERO.finditer(function))
        for place, match in (*((m["place"], m) for m in found.values()), *tests):
            if match is not None and place in before:
                opcodes[before[place]] = match["opcode"]
    if not opcodes:
        return optimised
    now = places_of(optimised)
    return "".join(_in_function(piece, opcodes, now) for piece in _FUNCTION.split(optimised))


def _in_function(text: str, opcodes: dict[Place, str], now: dict[str, Place]) -> str:
    defined = {m["name"]: (m["opcode"], m["rest"]) for m in _DEFINED.finditer(text)}

    def remainder(match: re.Match[str]) -> str:
        place = now.get(match["place"])
        if place is not None and place in opcodes:
            for mask, other in (("right", "left"), ("left", "right")):
                opcode, rest = defined.get(match[mask], ("", ""))
                less = _LESS_ONE.match(rest) if opcode == "add" else None
                if less is not None and _is_of_phi(less["of"], defined):
                    operands = f"{match[other]}, {less['of']}"
                    kept = f"{opcodes[place]} {match['type']} {operands}"
                    return f"{match['head']}{kept}{match['tail']}"
        return match[0]

    return _MASKED.sub(remainder, text)


def with_hidden_divisors(text: str) -> str:
    """A module for LLVM's NVPTX back end whose pipeline does not see where such divisors come from,
    and leaves the divisions."""
    return "".join(_hidden(piece) for piece in _FUNCTION.split(text))


def _hidden(text: str) -> str:
    if not _DIVIDED.search(text):
        return text
    defined = {m["name"]: (m["opcode"], m["rest"]) for m in _DEFINED.finditer(text)}

    def hidden(match: re.Match[str]) -> str:
        if not _is_of_phi(match["by"], defined):
            return match[0]
        letter = "l" if match["bits"] == "64" else "r"
        name = f"%kcc.divisor.{match.start()}"
        move = f'asm "mov.b{match["bits"]} $0, $1;", "={letter},{letter}"'
        given = f"  {name} = call i{match['bits']} {move}(i{match['bits']} {match['by']})"
        return f"{given}{match['debug'] or ''}\n{match['head']}{name}"

    return _DIVIDED.sub(hidden, text)


def _is_of_phi(name: str, defined: dict[str, tuple[str, str]]) -> bool:
    for _ in range(_DEEPEST):
        opcode, rest = defined.get(name, ("", ""))
        if opcode == "phi":
            return True
        inner = _FIRST.match(rest) if opcode in _THROUGH else None
        if inner is None:
            return False
        name = inner["of"]
    return False
