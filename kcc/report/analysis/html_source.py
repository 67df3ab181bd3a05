"""The annotated source as HTML: a row per line that unfolds into its accesses and branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kcc.base.records import dataclass
from kcc.report.analysis.annotated import AnnotatedLine, annotate
from kcc.report.analysis.html_tables import accesses, branches
from kcc.report.analysis.line_costs import LineCost, cost_text, line_cost, runs_text
from kcc.report.analysis.model import KernelReport
from kcc.report.shared.markup import Markup, join, tag
from kcc.report.shared.words import by_weight, plural, trip_text

_HEAD = ("line", "runs", "executed", "memory", "cost", "divergent", "source")

_LEGEND = (
    "runs: mean executions per thread, x: trip count of a loop (~ assumed); executed: thread"
    " instructions of the launch; cost: the worst access, in sectors per request (s) or as n-way"
    " bank conflict, ! where much is excess, coloured by excess over the launch; divergent: what a"
    " divergent branch depends on, ids or data. Click a line for its accesses."
)


@dataclass(frozen=True, slots=True)
class _Scale:
    """The kernel of a view and its number on the page, and the greatest of its lines' figures."""

    kernel: KernelReport
    index: int
    excess: float
    instructions: int
    costs: Mapping[tuple[str, int], LineCost]


def line_link(index: int, line: int) -> Markup:
    """A link to a line of kernel ``index`` of the page."""
    return tag("a", f"line {line}", href=f"#k{index}L{line}") if line else tag("span", "?")


def source_view(kernel: KernelReport, index: int, sources: Mapping[str, Sequence[str]]) -> Markup:
    """The lines a kernel is made of."""
    costs = {(line.file, line.line): line_cost(kernel, line) for line in kernel.lines}
    scale = _Scale(
        kernel,
        index,
        max((cost.excess for cost in costs.values()), default=0),
        max((cost.instructions or 0 for cost in costs.values()), default=0),
        costs,
    )
    rows = [_row(dict(zip(_CLASSES, _HEAD, strict=True)), head=True)]
    file, before = kernel.span.file, False
    for excerpt in annotate(kernel, sources):
        if excerpt.file != file:
            file = excerpt.file
            rows.append(tag("div", file, class_="file"))
        elif before:
            rows.append(tag("div", "...", class_="file"))
        before = True
        rows += [_line(file, line, scale) for line in excerpt.lines]
    return join(
        tag("div", *(join(row, "\n") for row in rows), class_="src"),
        tag("p", _LEGEND, class_="soft"),
    )


_CLASSES = ("no", "runs", "instr", "mem", "cost", "mark", "text")


def _row(cells: Mapping[str, str], *, head: bool = False, style: str | None = None) -> Markup:
    parts = (tag("span", cells.get(each, ""), class_=each) for each in _CLASSES)
    return tag("div", *parts, class_="row head" if head else "row", style=style)


def _line(file: str, line: AnnotatedLine, scale: _Scale) -> Markup:
    cost = scale.costs.get((file, line.number))
    anchor = f"k{scale.index}L{line.number}" if file == scale.kernel.span.file else None
    bars = "│" * line.depth + " " if line.depth else ""
    quiet = None if line.instructions else "quiet"
    text = join(tag("span", bars, class_="loops"), tag("span", line.text, class_=quiet))
    if cost is None:
        return tag("div", _row({"no": str(line.number), "text": text}), class_="l", id=anchor)
    executed = f"{cost.instructions:,}" if cost.instructions is not None else "?"
    row = _row(
        {
            "no": str(line.number),
            "runs": runs_text(cost)[:14],
            "instr": executed if line.instructions else "",
            "mem": " ".join(mark for mark in line.memory.split() if not mark.startswith("<")),
            "cost": cost_text(cost),
            "mark": "/".join(dict.fromkeys(b.divergence.value for b in cost.branches)),
            "text": text,
        },
        style=_heat(cost, scale),
    )
    inside = tag("div", *_inside(file, line, cost, scale), class_="inside")
    return tag("details", tag("summary", row), inside, class_="l", id=anchor)


def _heat(cost: LineCost, scale: _Scale) -> str:
    """The colours of a row: shares of the kernel's greatest line."""
    share = (cost.instructions or 0) / scale.instructions if scale.instructions else 0
    heat = cost.excess / scale.excess if scale.excess else 0
    faint = 0.12 if heat else 0
    return f"--share:{100 * share:.0f}%;--heat:{faint + 0.5 * heat:.2f}"


def _inside(file: str, line: AnnotatedLine, cost: LineCost, scale: _Scale) -> list[Markup]:
    """What a line unfolds into."""
    kernel = scale.kernel
    facts = next(each for each in kernel.lines if (each.file, each.line) == (file, line.number))
    mixed = ", ".join(f"{count} {each.value}" for each, count in by_weight(facts.mix))
    said = f"{plural(line.instructions, 'instruction')}: {mixed}"
    if cost.executions is not None:
        said += f"; executed {cost.executions:,} times in the launch"
    elif cost.formula:
        said += f"; executed {cost.formula} times by a thread"
    if cost.reason:
        said += f" ({cost.reason})"
    parts = [tag("p", said)]
    for loop in cost.loops:
        why = f" ({loop.trip.reason})" if loop.trip.reason else ""
        parts.append(tag("p", f"loop {loop.id}: trip count {trip_text(loop.trip)}{why}"))
    parts += [
        tag("p", f"{found.message}. {found.fix}", class_=f"finding {found.severity.value}")
        for found in line.findings
    ]
    if facts.accesses:
        parts.append(accesses(kernel, scale.index, facts.accesses))
    if facts.branches:
        parts.append(branches(kernel, scale.index, facts.branches))
    return parts
