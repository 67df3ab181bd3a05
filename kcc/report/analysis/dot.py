"""Graphviz text of control-flow graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kcc.passes.control.flow_counts import FlowCount
from kcc.passes.control.trip_counts import TripKind
from kcc.passes.graph.control_flow import EdgeKind
from kcc.report.analysis.model import Analysis, Block, Edge, KernelReport, Loop
from kcc.report.shared.words import by_weight, plural, trip_text

KINDS = ("cfg", "loops", "dfsg")
"""What `--dot` can draw."""

_EDGE_LABELS = {EdgeKind.TRUE: "T", EdgeKind.FALSE: "F", EdgeKind.DEFAULT: "default"}


def digraph_head(name: str) -> list[str]:
    """The first lines of a graph of blocks."""
    return [
        f"digraph {name} {{",
        '  graph [fontname="Helvetica", labeljust=l];',
        '  node [shape=box, fontname="Courier", fontsize=10];',
        '  edge [fontname="Helvetica", fontsize=9];',
    ]


def control_flow(analysis: Analysis) -> str:
    """One digraph, with a cluster for each kernel and, inside it, for each loop."""
    lines = digraph_head("cfg")
    for index, kernel in enumerate(analysis.kernels):
        lines += [f"  subgraph {quoted(f'cluster_k{index}')} {{"]
        lines += [f"    label={quoted(kernel.name)};"]
        lines += (f"    {line}" for line in _nodes(kernel, f"k{index}", None, _label))
        lines += (f"    {_edge(edge, f'k{index}')}" for edge in kernel.edges)
        lines += ["  }"]
    return "\n".join([*lines, "}", ""])


def _nodes(
    kernel: KernelReport,
    prefix: str,
    parent: int | None,
    label: Callable[[KernelReport, Block], str],
) -> Iterator[str]:
    """The blocks whose innermost loop is ``parent``, and the loops directly inside it."""
    for block in kernel.blocks:
        if _innermost(kernel, block.id) == parent:
            yield f"{prefix}b{block.id} [label={label(kernel, block)}];"
    for loop in kernel.loops:
        if loop.parent == parent:
            yield f"subgraph {quoted(f'cluster_{prefix}l{loop.id}')} {{"
            yield f"  label={quoted(_loop_label(loop))}; style=rounded; color=gray40;"
            for line in _nodes(kernel, prefix, loop.id, label):
                yield f"  {line}"
            yield "}"


def _innermost(kernel: KernelReport, block: int) -> int | None:
    around = [loop for loop in kernel.loops if block in loop.blocks]
    return max(around, key=lambda loop: loop.depth).id if around else None


def _loop_label(loop: Loop) -> str:
    place = f" (line {loop.line})" if loop.line else ""
    return f"loop {loop.id}{place}, trips: {trip_text(loop.trip)}"


def _label(_kernel: KernelReport, block: Block) -> str:
    rows = [block.label]
    if block.line:
        several = block.last_line > block.line
        rows.append(f"lines {block.line}-{block.last_line}" if several else f"line {block.line}")
    rows.append(plural(block.instructions, "instruction"))
    rows += [f"{count} {each.value}" for each, count in by_weight(block.mix)[:4]]
    return quoted("\n".join(rows) + "\n", left=True)


def _edge(edge: Edge, prefix: str) -> str:
    words = [edge.label or _EDGE_LABELS.get(edge.kind, "")]
    if edge.back:
        words.append("back")
    label = " ".join(word for word in words if word)
    attributes = [f"label={quoted(label)}"] if label else []
    if edge.back:
        attributes.append("style=bold")
    shown = f" [{', '.join(attributes)}]" if attributes else ""
    return f"{prefix}b{edge.source} -> {prefix}b{edge.target}{shown};"


def quoted(text: str, *, left: bool = False) -> str:
    """A string of the DOT language; lines are centred, or left-justified."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\l" if left else "\\n") + '"'


def loop_tree(analysis: Analysis) -> str:
    """The loops of each kernel, those inside others below them, with what is known of their
    trips."""
    lines = [
        "digraph loops {",
        '  graph [fontname="Helvetica", labeljust=l];',
        '  node [shape=box, style=rounded, fontname="Helvetica", fontsize=10];',
    ]
    for index, kernel in enumerate(analysis.kernels):
        root = f"k{index}"
        name = f"{kernel.name}\nno loops" if not kernel.loops else kernel.name
        lines.append(f"  {root} [label={quoted(name)}, shape=box, style=bold];")
        for loop in kernel.loops:
            place = f" (line {loop.line})" if loop.line else ""
            rows = [f"loop {loop.id}{place}", f"trips: {trip_text(loop.trip)}"]
            rows.append(plural(loop.instructions, "instruction"))
            if loop.barriers:
                rows.append(plural(loop.barriers, "barrier"))
            rows += [loop.trip.reason] if loop.trip.kind is TripKind.UNKNOWN else []
            label = quoted("\n".join(rows) + "\n", left=True)
            above = root if loop.parent is None else f"{root}l{loop.parent}"
            lines += [f"  {root}l{loop.id} [label={label}];", f"  {above} -> {root}l{loop.id};"]
    return "\n".join([*lines, "}", ""])


def static_flow(analysis: Analysis) -> str:
    """The static divergence flow statistics graph: blocks and edges with their executions by all
    threads, as numbers, as formulas per work-item, or as a question mark."""
    lines = digraph_head("dfsg")
    for index, kernel in enumerate(analysis.kernels):
        prefix = f"k{index}"
        lines += [f"  subgraph {quoted(f'cluster_{prefix}')} {{"]
        lines += [f"    label={quoted(kernel.name)};"]
        lines += (f"    {line}" for line in _nodes(kernel, prefix, None, _flow_label))
        lines += (
            f"    {prefix}b{edge.source} -> {prefix}b{edge.target} "
            f"[label={quoted(_executions(edge.count, 'T'))}];"
            for edge in kernel.flow.edges
        )
        lines += ["  }"]
    return "\n".join([*lines, "}", ""])


def _flow_label(kernel: KernelReport, block: Block) -> str:
    rows = [block.label, f"line {block.line}"] if block.line else [block.label]
    count = kernel.flow.blocks[block.id]
    rows.append("never reached" if count is None else f"E {_executions(count, 'threads')}")
    return quoted("\n".join(rows) + "\n", left=True)


def _executions(count: FlowCount, threads: str) -> str:
    if count.executions is not None:
        return f"{count.executions}\n{threads} {count.threads}"
    if count.formula and not count.reason.startswith("depends"):
        return f"{count.formula} per thread"
    return "?"
