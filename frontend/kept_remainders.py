"""Remainders by a power of two that only a loop's phi makes one: ``t % s`` where ``s`` doubles.

LLVM 22 sees that such a divisor is a power of two, and masks; CUDA 12.9 does not and leaves a
division (NVRTC: ``rem.u32`` in the classic reduction with ``t % (2 * s) == 0``). What
both see (``1 << k``, and what is shifted from it) both mask.
"""

from __future__ import annotations

import re

from kcc.frontend.metadata_nodes import Place, places_of

_VALUE = r'%(?:"[^"]*"|[-\w.$]+)'
_REMAINDER = re.compile(rf"^  {_VALUE} = [su]rem i\d+ [^,\n]+, {_VALUE}.*!dbg (!\d+)", re.MULTILINE)
_MASKED = re.compile(
    rf"^(?P<head>  {_VALUE} = )and (?P<type>i\d+) (?P<left>{_VALUE}), (?P<right>{_VALUE})"
    r"(?P<tail>.*!dbg (?P<place>!\d+).*)$",
    re.MULTILINE,
)
_DEFINED = re.compile(rf"^  (?P<name>{_VALUE}) = (?P<opcode>\w+)(?P<rest>.*)$", re.MULTILINE)
_LESS_ONE = re.compile(rf"(?: nsw| nuw)* i\d+ (?P<of>{_VALUE}), -1(?=,|$)")
_FIRST = re.compile(rf".*?(?P<of>{_VALUE})")
_THROUGH = frozenset({"shl", "zext", "trunc"})
_DEEPEST = 8


def with_remainders(text: str, optimised: str) -> str:
    """The optimised module with remainders where the module ``text`` had them and masks of such
    phis stand now."""
    before = places_of(text)
    places = {before.get(match[1]) for match in _REMAINDER.finditer(text)} - {None}
    if not places:
        return optimised
    now = places_of(optimised)
    pieces = re.split(r"(?m)^(?=define )", optimised)
    return "".join(_in_function(piece, places, now) for piece in pieces)


def _in_function(text: str, places: set[Place | None], now: dict[str, Place]) -> str:
    defined = {m["name"]: (m["opcode"], m["rest"]) for m in _DEFINED.finditer(text)}

    def remainder(match: re.Match[str]) -> str:
        if now.get(match["place"]) in places:
            for mask, other in (("right", "left"), ("left", "right")):
                opcode, rest = defined.get(match[mask], ("", ""))
                less = _LESS_ONE.match(rest) if opcode == "add" else None
                if less is not None and _is_of_phi(less["of"], defined):
                    operands = f"{match[other]}, {less['of']}"
                    return f"{match['head']}urem {match['type']} {operands}{match['tail']}"
        return match[0]

    return _MASKED.sub(remainder, text)


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
