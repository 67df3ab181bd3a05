"""Makes a program shorter as long as it fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator


def reduce(source: str, still_fails: Callable[[str], bool]) -> str:
    """Drop lines, braced blocks and the braces around blocks, and put short expressions in the
    place of long ones, as long as the failure stays."""
    lines = _without_runs(source.splitlines(), still_fails)
    changed = True
    while changed:
        changed = False
        at = len(lines) - 1
        while at >= 0:
            end = at + _extent(lines, at)
            inside = lines[at + 1 : end - 1]
            for kept in ([], inside) if end > at + 1 else ([],):
                shorter = [*lines[:at], *kept, *lines[end:]]
                if still_fails(_text(shorter)):
                    lines, changed = shorter, True
                    break
            at = min(at, len(lines)) - 1
    for at in range(len(lines) - 1, -1, -1):
        lines = _simpler_line(lines, at, still_fails)
    return _text(lines)


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def _without_runs(lines: list[str], still_fails: Callable[[str], bool]) -> list[str]:
    """Drop what can be dropped in long runs of lines, which saves trials."""
    size = len(lines) // 2
    while size > 2:
        at = 0
        while at < len(lines):
            shorter = [*lines[:at], *lines[at + size :]]
            if _is_balanced(lines[at : at + size]) and still_fails(_text(shorter)):
                lines = shorter
            else:
                at += max(1, size // 2)
        size //= 2
    return lines


def _is_balanced(lines: list[str]) -> bool:
    depth = 0
    for line in lines:
        depth += line.count("{") - line.count("}")
        if depth < 0:
            return False
    return depth == 0


def _simpler_line(lines: list[str], at: int, still_fails: Callable[[str], bool]) -> list[str]:
    """Put 1, or one of its own parts, in the place of an expression in brackets."""
    tried = set[str]()
    while True:
        for line in _simplifications(lines[at]):
            shorter = [*lines[:at], line, *lines[at + 1 :]]
            if line not in tried and still_fails(_text(shorter)):
                lines = shorter
                break
            tried.add(line)
        else:
            return lines


def _simplifications(line: str) -> Iterator[str]:
    groups = sorted(_groups(line), key=lambda g: g[0] - g[1])
    for start, end in groups:
        if line[start:end] != "(1)":
            yield f"{line[:start]}(1){line[end:]}"
        for first, last in groups:
            if start < first and last < end:
                yield line[:start] + line[first:last] + line[end:]


def _groups(line: str) -> Iterator[tuple[int, int]]:
    """Where what is in round brackets begins and ends."""
    opened = list[int]()
    for place, letter in enumerate(line):
        if letter == "(":
            opened.append(place)
        elif letter == ")" and opened:
            yield opened.pop(), place + 1


def _extent(lines: list[str], start: int) -> int:
    """Lines from ``start`` to where the brace it opens is closed."""
    depth = 0
    for place in range(start, len(lines)):
        depth += lines[place].count("{") - lines[place].count("}")
        if depth <= 0:
            return place - start + 1
    return 1
