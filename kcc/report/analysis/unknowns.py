"""What a report does not know, why, and which option would settle it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kcc.base.launch import Origin
from kcc.base.records import dataclass
from kcc.base.terms import WORDS
from kcc.passes.unknown import Unknown
from kcc.report.analysis.model import Access, KernelReport
from kcc.report.shared.words import array_name

PROFILE = "kcc profile HOST.py"
"""A run knows what memory holds, and whatever is too much to look at without one."""

_NAME = re.compile(r"\b[A-Za-z_]\w*\b")


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that is not known: ``what`` names it, ``line`` and ``column`` say where (0: for
    the kernel). ``option`` settles it; empty where no option does."""

    what: str
    line: int
    column: int
    reason: str
    option: str


def gaps(kernel: KernelReport) -> list[Gap]:
    """Everything that the report does not know, in the order of its tables."""
    return [gap for gap in _all(kernel) if gap.reason]


def _all(kernel: KernelReport) -> Iterator[Gap]:
    for loop in kernel.loops:
        trip, what = loop.trip, f"trip count of loop {loop.id}"
        given = f"--assume loop@{loop.line}=COUNT" if loop.line else ""
        option = _option(kernel, trip.reason, trip.text, given)
        yield Gap(what, loop.line, 0, trip.reason, option)
        if isinstance(loop.unrolled, Unknown):
            yield Gap(f"whether loop {loop.id} is unrolled", loop.line, 0, loop.unrolled.reason, "")
    for branch in kernel.branches:
        if branch.sides and branch.sides[0].assumed:
            continue
        given = f"--assume branch@{branch.line}=SHARE" if branch.line else ""
        option = _option(kernel, branch.reason, branch.condition, given)
        what = f"how often branch {branch.id} is taken"
        yield Gap(what, branch.line, branch.column, branch.reason, option)
    for access in kernel.accesses:
        yield from _of_access(kernel, access)
    words = WORDS[kernel.language.value]
    for what, value, option in (
        ("registers", kernel.registers, "--gpu GPU"),
        ("occupancy", kernel.occupancy, "--gpu GPU"),
        (
            f"{words.shared_memory} of a {words.block}",
            kernel.block_local_bytes,
            "--arg NAME=TYPE[COUNT]",
        ),
        (words.private_memory, kernel.private_bytes, ""),
    ):
        if isinstance(value, Unknown):
            yield Gap(what, 0, 0, value.reason, option)
    found = dict[str, list[int]]()
    for block, count in enumerate(kernel.flow.blocks):
        if count is not None and count.reason:
            found.setdefault(count.reason, []).append(block)
    for reason, blocks in found.items():
        names = ", ".join(kernel.blocks[block].label for block in blocks[:8])
        formulas = " ".join(c.formula for b in blocks if (c := kernel.flow.blocks[b]) is not None)
        what = f"executions of {len(blocks)} block{'s' * (len(blocks) > 1)} ({names})"
        yield Gap(what, 0, 0, reason, _option(kernel, reason, formulas, ""))


def _of_access(kernel: KernelReport, access: Access) -> Iterator[Gap]:
    pattern, name = access.pattern, array_name(access)
    what = f"{access.op.value} of {name}"
    option = _option(kernel, access_reason(access), pattern.text, "")
    yield Gap(what, access.line, access.column, access_reason(access), option)
    if pattern.footprint is not None and not pattern.footprint.exact:
        option = _option(kernel, pattern.footprint.reason, pattern.text, "")
        what = f"footprint of {name}"
        yield Gap(what, access.line, access.column, pattern.footprint.reason, option)


def access_reason(access: Access) -> str:
    """Why something of an access is not known; empty where all is."""
    found = [v.reason for v in (access.array, access.element_bytes) if isinstance(v, Unknown)]
    return "; ".join(each for each in (*found, access.pattern.reason) if each)


def _option(kernel: KernelReport, reason: str, formula: str, assumed: str) -> str:
    """What to give, from the reason and the names in the formula that it is about."""
    if not reason:
        return ""
    if ", read in line" in reason or "memory decides" in reason:
        return f"{assumed} or {PROFILE}" if assumed else PROFILE
    launch = kernel.launch
    options = list[str]()
    if launch.global_origin is Origin.ASSUMED:
        options.append("--global SIZE")
    else:
        sized = _NAME.findall(" ".join((*launch.global_size, *launch.local_size)))
        options += [f"--size {name}=VALUE" for name in dict.fromkeys(sized)]
    words = set(_NAME.findall(f"{formula} {reason}"))
    options += [f"--arg {name}=VALUE" for name in _scalars(kernel) if name in words]
    return " ".join(options) or PROFILE


def _scalars(kernel: KernelReport) -> Iterable[str]:
    """The arguments by value that have none yet."""
    given = kernel.launch.given
    return (a.name for a in kernel.arguments if "*" not in a.type and a.name not in given)
