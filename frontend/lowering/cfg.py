"""Tidies the blocks of a freshly lowered function, so that its control flow is the source's.

Lowering places blocks before it knows whether they will be needed. Here the unreachable ones go,
empty ones that only jump are skipped, and a block with one way in and one way there is joined to
its predecessor. Loop metadata and phis are never lost: blocks that carry them stay.
"""

from __future__ import annotations

import re
from collections import Counter

_TARGET = re.compile(r"label %([-\w.$]+)")
_JUMP = re.compile(r"  br label %([-\w.$]+)(?:, !dbg !\d+)?")


def tidy(blocks: dict[str, list[str]]) -> dict[str, list[str]]:
    """The blocks that are left, entry first, in the order they had."""
    blocks = _reachable(blocks)
    _skip_empty(blocks)
    blocks = _reachable(blocks)
    _join(blocks)
    return blocks


def _targets(lines: list[str]) -> list[str]:
    return _TARGET.findall(lines[-1]) if lines else []


def _reachable(blocks: dict[str, list[str]]) -> dict[str, list[str]]:
    entry = next(iter(blocks))
    seen, waiting = {entry}, [entry]
    while waiting:
        for target in _targets(blocks[waiting.pop()]):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    dead = blocks.keys() - seen
    kept = {label: lines for label, lines in blocks.items() if label in seen}
    if dead:
        for lines in kept.values():
            _forget(lines, dead)
    return kept


def _forget(lines: list[str], dead: set[str]) -> None:
    """Drop phi entries that come from blocks which are not reached."""
    for number, line in enumerate(lines):
        head, mark, rows = line.partition(" = phi ")
        if not mark:
            return
        entries = re.findall(r"\[ .*?, %[-\w.$]+ \]", rows)
        live = [e for e in entries if e[e.rindex("%") + 1 : -2] not in dead]
        if len(live) < len(entries):
            start, end = rows.index("["), rows.rindex(" ]") + 2
            lines[number] = f"{head} = phi {rows[:start]}{', '.join(live)}{rows[end:]}"


def _has_phi(lines: list[str]) -> bool:
    return bool(lines) and " = phi " in lines[0]


def _skip_empty(blocks: dict[str, list[str]]) -> None:
    """Let jumps to a block that only jumps on go straight to where it goes."""
    entry, forward = next(iter(blocks)), dict[str, str]()
    for label, lines in blocks.items():
        match = _JUMP.fullmatch(lines[0]) if len(lines) == 1 and label != entry else None
        if match and not _has_phi(blocks[match[1]]):
            forward[label] = match[1]
    if not forward:
        return

    def final(label: str) -> str:
        seen = {label}
        while label in forward and forward[label] not in seen:
            label = forward[label]
            seen.add(label)
        return label

    for lines in blocks.values():
        lines[-1] = _TARGET.sub(lambda m: f"label %{final(m[1])}", lines[-1])
        same = re.fullmatch(r"  br i1 [^,]+, (label %[-\w.$]+), \1((?:, .*)?)", lines[-1])
        if same:
            lines[-1] = f"  br {same[1]}{same[2]}"


def _join(blocks: dict[str, list[str]]) -> None:
    entry = next(iter(blocks))
    ways_in = Counter(target for lines in blocks.values() for target in _targets(lines))
    renamed = dict[str, str]()
    for label in list(blocks):
        if label not in blocks:
            continue
        lines = blocks[label]
        while match := _JUMP.fullmatch(lines[-1]):
            follower = match[1]
            if ways_in[follower] != 1 or follower in (label, entry) or _has_phi(blocks[follower]):
                break
            lines[-1:] = blocks.pop(follower)
            renamed[follower] = label
    if renamed:
        _rename_incoming(blocks, renamed)


def _rename_incoming(blocks: dict[str, list[str]], renamed: dict[str, str]) -> None:
    def final(label: str) -> str:
        while label in renamed:
            label = renamed[label]
        return label

    for lines in blocks.values():
        for number, line in enumerate(lines):
            if " = phi " not in line:
                break
            lines[number] = re.sub(r", %([-\w.$]+) \]", lambda m: f", %{final(m[1])} ]", line)
