"""The static divergence flow statistics graph as a drawing inside the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kcc.passes.control.flow_counts import FlowCount
from kcc.report.analysis.layered import Box, draw
from kcc.report.analysis.model import KernelReport
from kcc.report.plots.render import Chart
from kcc.report.shared.ink import BLUE, INK, ORANGE, PAPER, SOFT
from kcc.report.shared.markup import NOTHING, Markup, tag, void
from kcc.report.shared.words import trip_text

MAX_BLOCKS = 250
"""Blocks up to which a drawing can be read at all."""

_CHARACTER, _LINE, _PADDING, _MARGIN = 6.8, 14.0, 8.0, 12.0
_SIDE = 22.0
"""Room on the right for each edge that goes back."""

_LEGEND = (
    "E: executions by all threads, T: threads that reach the block; blue: executions, orange"
    " frame: divergent branch, dashed: back edge of a loop"
)


def flow_graph(kernel: KernelReport) -> Markup:
    """Empty where there is only one block, or none."""
    reached = _reached(kernel)
    if len(reached) < 2:
        return NOTHING
    if len(reached) > MAX_BLOCKS:
        said = (
            f"{len(reached)} blocks are too many for this page: --dot dfsg writes them for Graphviz"
        )
        return tag("p", said, class_="soft")
    figure = tag("div", _figure(kernel, reached), class_="scroll")
    return tag("div", figure, tag("p", _LEGEND, class_="soft"))


def flow_charts(kernels: Sequence[KernelReport]) -> list[Chart]:
    """The graph of each kernel as a picture of its own."""
    found = list[Chart]()
    for kernel in kernels:
        reached = _reached(kernel)
        if 1 < len(reached) <= MAX_BLOCKS:
            words = f"{kernel.name}: divergence flow statistics graph"
            drawn = _figure(kernel, reached, tag("style", Markup(_STYLE)))
            found.append(Chart(f"dfsg-{kernel.name}", words, drawn=drawn))
    return found


_STYLE = f"""text {{ font: 11px monospace; fill: {INK}; }}
.label {{ fill: {SOFT}; font-size: 10px; paint-order: stroke; stroke: {PAPER}; stroke-width: 3px; }}
rect {{ fill: {PAPER}; stroke: {SOFT}; }}
rect.heat {{ fill: {BLUE}; stroke: none; }}
rect.parts {{ stroke: {ORANGE}; stroke-width: 2; }}
path {{ fill: none; stroke: {SOFT}; }}
path.back {{ stroke-dasharray: 5 3; stroke: {BLUE}; }}
path.tip {{ fill: {SOFT}; stroke: none; }}
"""
"""Of a picture of its own; on a page the sheet has it."""


def _reached(kernel: KernelReport) -> list[int]:
    """The blocks that are executed, as far as it is known."""
    found = [b.id for b in kernel.blocks if b.id < len(kernel.flow.blocks)]
    return [each for each in found if kernel.flow.blocks[each] is not None]


def _figure(kernel: KernelReport, reached: Sequence[int], style: Markup = NOTHING) -> Markup:
    rows = {each: _rows(kernel, each) for each in reached}
    sizes = {
        each: (
            max(map(len, lines)) * _CHARACTER + 2 * _PADDING,
            len(lines) * _LINE + 2 * _PADDING,
        )
        for each, lines in rows.items()
    }
    counts = {
        (edge.source, edge.target): edge.count
        for edge in kernel.flow.edges
        if edge.source in sizes and edge.target in sizes
    }
    drawing = draw(sizes, [*counts], reached[0])
    backward = [edge for edge in counts if edge not in drawing.ways]
    parts = [_way(drawing.ways[edge], counts[edge]) for edge in drawing.ways]
    parts += _backward(backward, counts, drawing.boxes, drawing.width)
    divergent = {b.block for b in kernel.branches if b.divergence.is_divergent}
    most = max((_executions(kernel.flow.blocks[each]) for each in reached), default=0)
    for each, box in drawing.boxes.items():
        heat = _executions(kernel.flow.blocks[each]) / most if most else 0
        parts.append(_node(box, rows[each], heat, parts=each in divergent))
    width = drawing.width + _SIDE * len(backward) + 60 * bool(backward) + 2 * _MARGIN + 60
    height = drawing.height + 2 * _MARGIN
    view = f"{-_MARGIN:g} {-_MARGIN:g} {width:.0f} {height:.0f}"
    return tag(
        "svg",
        style,
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=view,
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        role="img",
        class_="flow",
    )


def _executions(count: FlowCount | None) -> int:
    return 0 if count is None else count.executions or 0


def _rows(kernel: KernelReport, block: int) -> list[str]:
    """What stands in a box."""
    facts, count = kernel.blocks[block], kernel.flow.blocks[block]
    rows = [facts.label[:40]]
    if facts.line:
        several = facts.last_line > facts.line
        rows.append(f"lines {facts.line}-{facts.last_line}" if several else f"line {facts.line}")
    if count is not None:
        rows += _count_rows(count)
    rows += [
        f"loop {loop.id}: {trip_text(loop.trip)[:30]} iterations"
        for loop in kernel.loops
        if loop.header == block
    ]
    return rows


def _count_rows(count: FlowCount) -> list[str]:
    if count.executions is not None:
        return [f"E {count.executions:,} T {count.threads:,}"]
    return [f"E {_short(count.formula)}/item" if count.formula else "E ?"]


def _short(formula: str, most: int = 28) -> str:
    return formula if len(formula) <= most else formula[: most - 3] + "..."


def _node(box: Box, rows: Sequence[str], heat: float, *, parts: bool) -> Markup:
    left, top = box.x - box.width / 2, box.y - box.height / 2
    frame = {"x": left, "y": top, "width": box.width, "height": box.height, "rx": 5.0}
    lines = [
        tag(
            "text",
            row,
            x=f"{left + _PADDING:.1f}",
            y=f"{top + _PADDING + _LINE * (number + 0.75):.1f}",
        )
        for number, row in enumerate(rows)
    ]
    return tag(
        "g",
        void("rect", class_="parts" if parts else None, **_rounded(frame)),
        void("rect", class_="heat", fill_opacity=round(0.35 * heat, 2), **_rounded(frame)),
        *lines,
    )


def _rounded(numbers: Mapping[str, float]) -> dict[str, str]:
    return {key: f"{value:.1f}" for key, value in numbers.items()}


Point = tuple[float, float]


def _way(points: Sequence[Point], count: FlowCount) -> Markup:
    """An edge down the page: a smooth line through its points."""
    (x, y), *rest = points
    path, at = f"M{x:.1f} {y:.1f}", (x, y)
    for x, y in rest:
        middle = (at[1] + y) / 2
        path += f" C{at[0]:.1f} {middle:.1f} {x:.1f} {middle:.1f} {x:.1f} {y:.1f}"
        at = (x, y)
    half = ((points[0][0] + points[1][0]) / 2 + 4, (points[0][1] + points[1][1]) / 2)
    return tag("g", void("path", d=path), _tip(at, 0, 1), _label(half, count))


def _backward(
    edges: Sequence[tuple[int, int]],
    counts: Mapping[tuple[int, int], FlowCount],
    boxes: Mapping[int, Box],
    width: float,
) -> list[Markup]:
    """Edges up the page, in lanes right of all boxes, the shortest nearest."""
    found = list[Markup]()
    for lane, edge in enumerate(sorted(edges, key=lambda e: boxes[e[0]].y - boxes[e[1]].y)):
        start, end = boxes[edge[0]], boxes[edge[1]]
        x = width + _SIDE * (lane + 1)
        y1, y2 = start.y + start.height / 4, end.y - end.height / 4
        x1, x2 = start.x + start.width / 2, end.x + end.width / 2
        path = (
            f"M{x1:.1f} {y1:.1f} C{x:.1f} {y1:.1f} {x:.1f} {y1:.1f} {x:.1f} {(y1 + y2) / 2:.1f} "
            f"C{x:.1f} {y2:.1f} {x:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
        )
        label = _label((x + 3, (y1 + y2) / 2), counts[edge])
        found.append(tag("g", void("path", d=path, class_="back"), _tip((x2, y2), -1, 0), label))
    return found


def _tip(at: Point, dx: int, dy: int) -> Markup:
    """An arrowhead that points along (dx, dy)."""
    x, y = at
    first = (x - 7 * dx - 3.5 * dy, y - 7 * dy - 3.5 * dx)
    second = (x - 7 * dx + 3.5 * dy, y - 7 * dy + 3.5 * dx)
    path = f"M{x:.1f} {y:.1f} L{first[0]:.1f} {first[1]:.1f} L{second[0]:.1f} {second[1]:.1f} Z"
    return void("path", d=path, class_="tip")


def _label(at: Point, count: FlowCount) -> Markup:
    shown = f"{count.executions:,}" if count.executions is not None else "?"
    return tag("text", shown, x=f"{at[0]:.1f}", y=f"{at[1]:.1f}", class_="label")
