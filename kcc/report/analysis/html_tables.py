"""The tables of a kernel's report as HTML, and the list of what is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcc.frontend.kernel import Language
from kcc.passes.memory.access_facts import Reuse
from kcc.passes.unknown import Unknown
from kcc.report.analysis.model import Access, Branch, KernelReport, Loop
from kcc.report.analysis.tables import true_share, uniform_per, unrolled_text
from kcc.report.analysis.unknowns import access_reason, gaps
from kcc.report.shared.markup import NOTHING, Markup, join, table, tag
from kcc.report.shared.words import (
    array_name,
    by_weight,
    lanes_text,
    per_warp,
    percent,
    place,
    plural,
    space_name,
    trip_text,
)


def _at(index: int, line: int, column: int) -> Markup:
    shown = place(line, column)
    return tag("a", shown, href=f"#k{index}L{line}") if line else tag("span", shown)


def arguments(kernel: KernelReport) -> Markup:
    """Empty if there are none."""
    rows = [
        (
            tag("code", each.name),
            tag("code", each.type),
            space_name(each.address_space, kernel.language),
            " ".join(([] if each.access == "none" else [each.access]) + [*each.qualifiers]),
        )
        for each in kernel.arguments
    ]
    return table(("name", "type", "address space", "qualifiers"), rows)


def loop_tree(kernel: KernelReport, index: int) -> Markup:
    """Loops with those inside them; empty if there are none."""

    def level(parent: int | None) -> Iterator[Markup]:
        for loop in kernel.loops:
            if loop.parent == parent:
                inner = [*level(loop.id)]
                yield tag("li", _loop(loop, index), tag("ul", *inner) if inner else "")

    return tag("ul", *level(None), class_="tree") if kernel.loops else NOTHING


def _loop(loop: Loop, index: int) -> Markup:
    trip = loop.trip
    parts = [plural(loop.instructions, "instruction"), plural(len(loop.blocks), "block")]
    if loop.barriers:
        parts.append(plural(loop.barriers, "barrier"))
    if said := unrolled_text(loop):
        parts.append(said.partition(": ")[2])
    least, most = trip.total_least, trip.total_greatest
    if least is not None and most is not None:
        shown = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        parts.append(f"{shown} iterations per thread")
    if trip.total_mean is not None and least != most:
        parts.append(f"{trip.total_mean:,.4g} mean")
    why = f" - {trip.reason}" if trip.reason else ""
    return join(
        f"loop {loop.id} ",
        _at(index, loop.line, 0),
        ": ",
        tag("strong", f"trip count {trip_text(trip)}"),
        f" ({trip.kind.value}{why}) ",
        tag("span", ", ".join(parts), class_="soft"),
    )


def branches(kernel: KernelReport, index: int, ids: Sequence[int] | None = None) -> Markup:
    """Those with the given ids, or all; empty if there are none."""
    chosen = kernel.branches if ids is None else [kernel.branches[each] for each in ids]
    rows = [_branch(kernel, each, index) for each in chosen]
    head = (
        "at", "condition", "uniform per", "taken", "taken by", "depends on", "reconverges at",
        "not known",
    )  # fmt: skip
    return table(head, rows, (3,))


def _branch(kernel: KernelReport, branch: Branch, index: int) -> tuple[str, ...]:
    reconverges_at = (
        "end" if branch.reconverges_at is None else kernel.blocks[branch.reconverges_at].label
    )
    return (
        _at(index, branch.line, branch.column),
        tag("code", branch.condition),
        uniform_per(branch, kernel),
        true_share(branch),
        branch.sides[0].items if branch.sides else "",
        ", ".join(terminal.value for terminal in branch.terminals),
        reconverges_at,
        branch.reason,
    )


_ACCESS_HEAD = (
    "at", "op", "array", "bytes", "address", "pattern", "cost", "requests", "footprint", "reuse",
    "not known",
)  # fmt: skip


def accesses(kernel: KernelReport, index: int, ids: Sequence[int] | None = None) -> Markup:
    """Those with the given ids, or all; empty if there are none."""
    chosen = kernel.accesses if ids is None else [kernel.accesses[each] for each in ids]
    rows = [_access(each, index, kernel.language) for each in chosen]
    return table(_ACCESS_HEAD, rows, (3, 6, 7, 8))


def _access(access: Access, index: int, language: Language) -> tuple[str, ...]:
    pattern = access.pattern
    size = access.element_bytes
    footprint = pattern.footprint
    touched = "?"
    if footprint is not None and footprint.bytes is not None:
        touched = f"{'' if footprint.exact else 'at most '}{footprint.bytes:,} bytes"
    return (
        _at(index, access.line, access.column),
        f"{access.op.value} {space_name(access.address_space, language)}",
        tag("code", array_name(access)),
        "?" if isinstance(size, Unknown) else str(size),
        tag("code", pattern.text),
        lanes_text(pattern),
        per_warp(pattern),
        "?" if pattern.requests is None else f"{pattern.requests:,}",
        touched,
        _reuse(access),
        access_reason(access),
    )


_REUSE = {Reuse.SAME: "same address", Reuse.LINE: "same line", Reuse.NONE: "none"}


def _reuse(access: Access) -> str:
    """What other lanes, warps and iterations find in the same line."""
    pattern, parts = access.pattern, list[str]()
    if pattern.lanes_per_line is not None:
        parts.append(f"{_several(pattern.lanes_per_line, 'lane')} per line")
    if pattern.warps_per_line is not None and pattern.warps_per_line > 1:
        parts.append(f"{_several(pattern.warps_per_line, 'warp')} per line")
    parts += [
        f"loop {each.loop}: {_REUSE[each.reuse]}"
        + (
            f" for {plural(each.distance, 'iteration')}"
            if each.distance and each.reuse is Reuse.LINE
            else ""
        )
        for each in pattern.loops
        if each.reuse in _REUSE
    ]
    return "; ".join(parts)


def _several(count: float, noun: str) -> str:
    return f"{count:.3g} {noun if count == 1 else noun + 's'}"


def mix(kernel: KernelReport) -> Markup:
    """Bars; empty where there are no instructions."""
    ranked, total = by_weight(kernel.mix), sum(kernel.mix.values())
    cells = list[Markup]()
    for each, count in ranked:
        width = f"width:{100 * count / ranked[0][1]:.1f}%"
        shown = f"{count:,} ({percent(count, total)})"
        cells += [tag("span", each.value), tag("span", shown, class_="n")]
        cells.append(tag("span", tag("i", style=width)))
    return tag("div", *cells, class_="mix") if cells else NOTHING


def unknowns(kernel: KernelReport, index: int) -> Markup:
    """Everything unknown in the report, with reasons and options; empty if there is nothing."""
    rows = [
        (
            _at(index, gap.line, gap.column) if gap.line else "",
            gap.what,
            gap.reason,
            tag("code", gap.option) if gap.option else "",
        )
        for gap in gaps(kernel)
    ]
    return table(("where", "what", "why", "option"), rows)
