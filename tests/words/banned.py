"""Phrases that no message, help text or page of the manual uses, and what is said instead.

They are kcc's own English where NVIDIA's, Khronos', AMD's or LLVM's manuals have a term
(kcc/base/terms.py). A phrase is a regular expression over text whose white space is single blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

HISTORY: dict[str, str] = {
    r"\bcommit [0-9a-f]{7}\b": "docs/validation",
    r"\b20\d\d-\d\d-\d\d\b": "docs/validation",
    r"\b(was|were) mended\b": "docs/validation",
    r"\buntil then\b": "docs/validation",
}
"""Pages of the manual say what is; history is in docs/validation."""

BANNED: dict[str, str] = {
    # divergence
    r"lanes (of a warp )?may part\b": "divergent branch",
    r"\bmay part them\b": "divergent",
    r"\bpart lanes\b": "divergent branch",
    r"lanes go (apart|different ways)": "the warp diverges",
    r"\bgo the same way\b": "uniform branch",
    r"\bmeet again\b": "reconverge",
    r"come round equally often": "the trip count must be the same",
    r"\bcome round\b": "iterate",
    r"times round the loop": "iterations",
    r"goes round": "iterates",
    r"without a way out": "no exit",
    r"unrolled wholly": "fully unrolled",
    # memory
    r"passes through the banks": "n-way bank conflict",
    r"\bbank passes?\b": "n-way bank conflict",
    r"sectors( of 32 bytes per warp)? where [\d.NM]+ hold": "sectors per request (ideal n)",
    r"\bhold the data\b": "ideal",
    r"too many in the launch": "excess sectors",
    r"too many per warp": "excess per request",
    r"\bin vain\b": "excess",
    r"lanes in half as many sectors": "half as many sectors as lanes",
    r"touches? at once": "per request",
    r"take turns": "are serialised",
    r"lie side by side": "are contiguous",
    r"\bside by side in memory\b": "contiguous",
    r"what lanes want": "access pattern",
    r"addresses here and there": "random addresses",
    # time
    r"where (the )?(cycles|time) (went|go)": "CPI stack, stall reasons",
    r"what cycles went into": "CPI by stall reason",
    r"the dearest\b": "the most expensive",
    r"dearest first": "by cost",
    r"\bdear\b": "expensive",
    r"limited by idle": "no resident warp",
    r"guessed branches": "assumed branches",
    r"behind guessed": "depends on assumed",
    # manner
    r"No GPU has a say": "independent of any GPU",
    r"has a say in it": "depends on",
    r"what was found beside": "annotated",
    r"in each other's place": "exchanged",
    r"what stands in its place": "instead of",
    r"run all the same": "still run",
    r"and none is named": "is missing",
    r"are there and complete": "complete",
    r"what is looked at": "kernels",
    r"nothing found that is worth": "no findings",
    r"is no list of": "is not a list of",
    r"all there is\b": "only",
    r"has no (answer|mercy)": "unknown",
    r"what it may take of": "uses",
    r"is told once": "is reported once",
    r"\bis no (JSON|CSV|document|share|percentage|recording|selection|search space)\b": "is not a",
    r"rest on guesses": "depend on assumptions",
    r"go on where the same": "resume",
    r"\bas it was noted\b": "recorded",
    r"\bwalks? (through|over) (the )?lanes\b": "iterates",
    r"\bhow (it|they) meet\b": "reconverge",
    **HISTORY,
    r"pip install kcc\b": "the name belongs to another project on the index",
}
"""A pattern, and the words instead of it. Upper and lower case are the same."""

NAMES = (
    "walks?",
    "walked",
    "walking",
    "turns",
    "meetings?",
    "behind",
    "noted",
    "dear",
    "dearest",
    "parting",
)
"""Words that no name in the code has: traversal, iterations, after, recorded, divergent."""

STANDARD_NAMES = {
    "walk",  # ast.walk, os.walk and their like over trees and graphs
    "walking",  # tests/robustness/mutants/walking.py, over syntax trees
    "MEAN_WALK",  # a random walk
    "RandomWalk",
    "_random_walk",
    "random_walk",
    "walk_tb",  # traceback.walk_tb
    "btree_walk",  # a kernel's name
}
"""Names in which a word has its standard meaning."""


@cache
def _compiled(phrase: str) -> tuple[str, re.Pattern[str]]:
    """What every text with the phrase has (quick to look for), and the phrase."""
    begin = re.match(r"(?:\\b)?([a-zA-Z ]*)", phrase)
    return begin[1][:-1].lower() if begin else "", re.compile(phrase, re.IGNORECASE)


def found_in(text: str, phrases: Iterable[str] = BANNED) -> str | None:
    """The first phrase that a text has."""
    plain = re.sub(r"\s+", " ", text)
    low = plain.lower()
    for phrase in phrases:
        part, pattern = _compiled(phrase)
        if part in low and (match := pattern.search(plain)):
            return match[0]
    return None
