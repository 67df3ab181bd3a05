"""Small pieces of text that several renderers use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kcc.report.model import Access, AccessOp, KernelReport

SPACES = ("global", "constant", "local", "private", "generic")
"""Address spaces in the order in which reports list them."""


def plural(count: int, noun: str, form: str | None = None) -> str:
    """``1 loop``, ``2 loops``; ``form`` is an irregular plural."""
    return f"{count:,} {noun if count == 1 else form or noun + 's'}"


def join(parts: Sequence[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def line_list(lines: Iterable[int], limit: int = 6) -> str:
    """``line 3``, ``lines 3, 5 and 9``; 0 stands for an unknown line and is left out."""
    known = sorted({line for line in lines if line})
    if not known:
        return "an unknown line"
    shown = [str(line) for line in known[:limit]]
    if len(known) > limit:
        shown = [*shown, f"{len(known) - limit} more"]
    return f"{'line' if len(known) == 1 else 'lines'} {join(shown)}"


def size(counts: Sequence[str]) -> str:
    """Sizes of a launch, per dimension: ``16 x 16``."""
    return " x ".join(counts)


def percent(part: int, whole: int) -> str:
    """Rounded to whole percents; what is not nothing is never shown as 0 %."""
    if not part:
        return "0%"
    return "<1%" if part * 200 < whole else f"{round(100 * part / whole)}%"


def by_weight(mix: Mapping[str, int]) -> list[tuple[str, int]]:
    """The classes that occur, most frequent first; ties in the order of the mix."""
    present = [(name, count) for name, count in mix.items() if count]
    return sorted(present, key=lambda item: -item[1])


def access_counts(kernel: KernelReport) -> list[tuple[str, list[tuple[AccessOp, int]]]]:
    """How many loads, stores and atomics there are, for each address space that is accessed."""
    counted = list[tuple[str, list[tuple[AccessOp, int]]]]()
    for space in SPACES:
        ops = [
            (op, sum(a.address_space == space and a.op is op for a in kernel.accesses))
            for op in AccessOp
        ]
        if any(count for _, count in ops):
            counted.append((space, [(op, count) for op, count in ops if count]))
    return counted


def place(line: int, column: int) -> str:
    """``line:column`` as far as known."""
    if not line:
        return "?"
    return f"{line}:{column}" if column else str(line)


def array_name(access: Access) -> str:
    """The array that is accessed; a question mark where that is not known."""
    return access.array if isinstance(access.array, str) else "?"
