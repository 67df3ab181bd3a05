"""Marks by which LLVM keeps itself from unrolling a loop again, taken from its loops.

After unrolling a loop in part LLVM marks it, and the loop of the iterations left over, as the
source's ``#pragma unroll 1`` does; in PTX both would be ``.pragma "nounroll"``. NVVM leaves the
first to ptxas, which unrolls it further (16 copies of a load and up to eight products, where
NVRTC's PTX has four: NVRTC 12.9, sm_80), and not the other.
"""

from __future__ import annotations

import re

from kcc.frontend.metadata_nodes import Place, places_of

_DISABLE = re.compile(r'^(!\d+) = (?:distinct )?!\{!"llvm\.loop\.unroll\.disable"\}', re.MULTILINE)
_WISH = re.compile(r'^(!\d+) = (?:distinct )?!\{!"llvm\.loop\.unroll\.', re.MULTILINE)
_LOOP = re.compile(r"^(!\d+) = distinct !\{\1(?:, (!\d+))?[^}\n]*\}", re.MULTILINE)
_LABEL_OR_LATCH = re.compile(
    r'^(?P<label>"[^"]*"|[-\w.$]+):|!llvm\.loop (?P<loop>!\d+)', re.MULTILINE
)
_LEFT_OVER = re.compile(r"\.(?:epil|prol)\b")


def without_marks(before: str, after: str) -> str:
    """The module ``after`` unrolling, with marks of those loops alone of which that ``before``
    says how they are unrolled, and of iterations left over."""
    names = [m[1] for m in _DISABLE.finditer(after)]
    if not names:
        return after
    mark = re.compile(rf", (?:{'|'.join(names)})\b")
    asked, kept, places = _asked(before), _left_over(after), places_of(after)

    def loop(match: re.Match[str]) -> str:
        is_asked = places.get(match[2] or "") in asked
        return match[0] if is_asked or match[1] in kept else mark.sub("", match[0])

    return _LOOP.sub(loop, after)


def _asked(text: str) -> set[Place | None]:
    """Where the loops stand of which the source says how they are unrolled."""
    names = [m[1] for m in _WISH.finditer(text)]
    mark = re.compile(rf", (?:{'|'.join(names)})\b" if names else r"(?!)")
    places = places_of(text)
    return {places.get(m[2] or "") for m in _LOOP.finditer(text) if mark.search(m[0])}


def _left_over(text: str) -> set[str]:
    """The loops of iterations that unrolled ones leave."""
    found, inside = set[str](), False
    for match in _LABEL_OR_LATCH.finditer(text):
        if match["label"]:
            inside = bool(_LEFT_OVER.search(match["label"]))
        elif inside:
            found.add(match["loop"])
    return found
