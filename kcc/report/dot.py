"""Graphviz text of control-flow graphs."""

from __future__ import annotations

from collections.abc import Iterator

from kcc.passes.control_flow import EdgeKind
from kcc.report.model import Analysis, Block, Edge, KernelReport, Loop
from kcc.report.words import by_weight, plural

KINDS = ("cfg",)
"""What `--dot` can draw."""

_EDGE_LABELS = {EdgeKind.TRUE: "T", EdgeKind.FALSE: "F", EdgeKind.DEFAULT: "default"}


def control_flow(analysis: Analysis) -> str:
    """One digraph, with a cluster for each kernel and, inside it, for each loop."""
    lines = [
        "digraph cfg {",
        '  graph [fontname="Helvetica", labeljust=l];',
        '  node [shape=box, fontname="Courier", fontsize=10];',
        '  edge [fontname="Helvetica", fontsize=9];',
    ]
    for index, kernel in enumerate(analysis.kernels):
        lines += [f"  subgraph {quoted(f'cluster_k{index}')} {{"]
        lines += [f"    label={quoted(kernel.name)};"]
        lines += (f"    {line}" for line in _nodes(kernel, f"k{index}", None))
        lines += (f"    {_edge(edge, f'k{index}')}" for edge in kernel.edges)
        lines += ["  }"]
    return "\n".join([*lines, "}", ""])


def _nodes(kernel: KernelReport, prefix: str, parent: int | None) -> Iterator[str]:
    """The blocks whose innermost loop is ``parent``, and the loops directly inside it."""
    for block in kernel.blocks:
        if _innermost(kernel, block.id) == parent:
            yield f"{prefix}b{block.id} [label={_label(block)}];"
    for loop in kernel.loops:
        if loop.parent == parent:
            yield f"subgraph {quoted(f'cluster_{prefix}l{loop.id}')} {{"
            yield f"  label={quoted(_loop_label(loop))}; style=rounded; color=gray40;"
            for line in _nodes(kernel, prefix, loop.id):
                yield f"  {line}"
            yield "}"


def _innermost(kernel: KernelReport, block: int) -> int | None:
    around = [loop for loop in kernel.loops if block in loop.blocks]
    return max(around, key=lambda loop: loop.depth).id if around else None


def _loop_label(loop: Loop) -> str:
    place = f" (line {loop.line})" if loop.line else ""
    return f"loop {loop.id}{place}, depth {loop.depth}"


def _label(block: Block) -> str:
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
