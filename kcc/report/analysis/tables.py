"""The tables of a kernel's report, as rich renderables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from kcc.base.terms import WORDS
from kcc.passes.control.divergence import Uniformity
from kcc.passes.unknown import Unknown
from kcc.report.analysis.model import Branch, KernelReport, Loop
from kcc.report.analysis.unknowns import gaps
from kcc.report.shared.style import Style
from kcc.report.shared.text import bar, fill, make_table
from kcc.report.shared.words import (
    array_name,
    by_weight,
    lanes_text,
    per_warp,
    percent,
    place,
    space_name,
    trip_text,
)

BAR_COLUMNS = 30


def tables(kernel: KernelReport, style: Style) -> Iterator[Table]:
    """The tables that have rows, in the order in which they are printed."""
    for make in (_arguments, _loops, _branches, _accesses, _not_known, _mix):
        table = make(kernel, style)
        if table.row_count:
            yield table


def _arguments(kernel: KernelReport, style: Style) -> Table:
    table = make_table("Arguments", style, "name", "type", "address space", "qualifiers")
    rows = [
        (
            argument.name,
            argument.type,
            space_name(argument.address_space, kernel.language),
            " ".join(
                [*([] if argument.access == "none" else [argument.access]), *argument.qualifiers]
            ),
        )
        for argument in kernel.arguments
    ]
    return fill(table, rows)


def _loops(kernel: KernelReport, style: Style) -> Table:
    columns = (
        "loop",
        "line",
        "depth",
        "inside",
        "header",
        "blocks",
        "instr",
        "barriers",
        "trip count",
    )
    table = make_table("Loops", style, *columns, right=columns[:-1])
    rows = [
        (
            str(loop.id),
            place(loop.line, 0),
            str(loop.depth),
            "-" if loop.parent is None else str(loop.parent),
            "-" if loop.header is None else kernel.blocks[loop.header].label,
            str(len(loop.blocks)),
            str(loop.instructions),
            str(loop.barriers),
            trip_text(loop.trip),
        )
        for loop in kernel.loops
    ]
    reasons = {unrolled_text(loop) for loop in kernel.loops if unrolled_text(loop)}
    reasons |= {f"loop {loop.id}: {loop.trip.reason}" for loop in kernel.loops if loop.trip.reason}
    return fill(table, rows, "\n".join(sorted(reasons)))


def unrolled_text(loop: Loop) -> str:
    """What optimisation did to a loop, in words; empty for nothing, or if it is not known."""
    if loop.unrolled is True:
        return f"loop {loop.id}: fully unrolled; the trip count is that of the source"
    by = loop.unrolled
    return f"loop {loop.id}: unrolled by {by}" if isinstance(by, int) and by > 1 else ""


_UNIFORM = {
    Uniformity.LAUNCH: "launch",
    Uniformity.WARP: "warp",
    Uniformity.ID: "divergent (ids)",
    Uniformity.DATA: "divergent (data)",
}


def uniform_per(branch: Branch, kernel: KernelReport) -> str:
    """The widest group for which a branch is uniform; of a divergent one, what the condition
    depends on."""
    return _UNIFORM.get(branch.divergence) or WORDS[kernel.language.value].block


def true_share(branch: Branch) -> str:
    """How often a branch is taken: of all its executions in the launch."""
    share = branch.sides[0].share if branch.sides else None
    if share is None:
        return "?"
    text = percent(round(share * 10_000), 10_000)
    return f"{text} (assumed)" if branch.sides[0].assumed else text


def _branches(kernel: KernelReport, style: Style) -> Table:
    columns = ("branch", "at", "block", "uniform per", "taken", "condition")
    table = make_table("Branches", style, *columns, right=("branch", "at", "taken"))
    rows = [
        (
            str(branch.id),
            place(branch.line, branch.column),
            kernel.blocks[branch.block].label,
            uniform_per(branch, kernel),
            true_share(branch),
            branch.condition,
        )
        for branch in kernel.branches
    ]
    return fill(table, rows)


def _accesses(kernel: KernelReport, style: Style) -> Table:
    columns = ("access", "at", "op", "space", "array", "bytes", "pattern", "cost", "requests")
    right = ("access", "at", "bytes", "cost", "requests")
    table = make_table("Memory accesses", style, *columns, right=right)
    rows = [
        (
            str(access.id),
            place(access.line, access.column),
            access.op.value,
            space_name(access.address_space, kernel.language),
            array_name(access),
            "?" if isinstance(access.element_bytes, Unknown) else str(access.element_bytes),
            lanes_text(access.pattern),
            per_warp(access.pattern),
            "?" if access.pattern.requests is None else f"{access.pattern.requests:,}",
        )
        for access in kernel.accesses
    ]
    unknown = [a.array for a in kernel.accesses if isinstance(a.array, Unknown)]
    notes = [
        "cost: sectors per request (s), or n-way bank conflict; requests: of all warps",
        *([_reasons("array", unknown)] if unknown else []),
    ]
    return fill(table, rows, "\n".join(notes) if rows else "")


def _not_known(kernel: KernelReport, style: Style) -> Table:
    """What one option settles stands together; the page and the document have the reasons."""
    table = make_table("Not known", style, "what", "option")
    found = dict[str, list[str]]()
    for gap in gaps(kernel):
        at = f" (line {gap.line})" if gap.line else ""
        found.setdefault(gap.option, []).append(f"{gap.what}{at}")
    rows = [
        (f"{', '.join(named[:4])}{f', {len(named) - 4} more' * (len(named) > 4)}", option or "none")
        for option, named in found.items()
    ]
    return fill(table, rows)


def _mix(kernel: KernelReport, style: Style) -> Table:
    table = make_table(
        "Instruction mix", style, "class", "instr", "share", "", right=("instr", "share")
    )
    total = sum(kernel.mix.values())
    ranked = by_weight(kernel.mix)
    most = ranked[0][1] if ranked else 0
    columns = min(BAR_COLUMNS, style.width // 3)
    rows = [
        (each.value, str(count), percent(count, total), bar(count / most * columns, style))
        for each, count in ranked
    ]
    return fill(table, rows)


def _reasons(label: str, unknowns: list[Unknown]) -> str:
    reasons = sorted({unknown.reason for unknown in unknowns})
    return f"{label}: {'; '.join(reasons)}" if reasons else ""
