"""Graphviz text of divergence flow statistics graphs (Yu et al., "GPGPU-MiniBench", IEEE
Transactions on Computers 2015, section 4.1.3, figure 10)."""

from __future__ import annotations

from collections.abc import Iterator

from kcc.base.profile.model import BlockInfo, EdgeCount, KernelInfo, LaunchProfile, LoopInfo, Node
from kcc.report.analysis.dot import digraph_head, quoted


def divergence_flow(graphs: list[tuple[KernelInfo, LaunchProfile, str]]) -> str:
    """One digraph with a cluster for each graph, under its title; loops are clusters inside.

    Edges say OECount, IECount and TCount, and are drawn the heavier the more often threads take
    them; what no thread came to is grey.
    """
    lines = digraph_head("dfsg")
    for index, (info, counts, title) in enumerate(graphs):
        prefix = f"k{index}"
        most = max((edge.oecount for edge in counts.edges), default=0)
        lines += [f"  subgraph {quoted(f'cluster_{prefix}')} {{", f"    label={quoted(title)};"]
        lines += (f"    {line}" for line in _nodes(info, counts, prefix, None))
        lines += (f"    {_edge(edge, prefix, most)}" for edge in counts.edges)
        lines += ["  }"]
    return "\n".join([*lines, "}", ""])


def _nodes(
    info: KernelInfo, counts: LaunchProfile, prefix: str, parent: int | None
) -> Iterator[str]:
    """The blocks whose innermost loop is ``parent``, and the loops directly inside it."""
    for block, node in zip(info.blocks, counts.nodes, strict=True):
        if block.loop == parent:
            color = "" if node.ecount else ", color=gray, fontcolor=gray"
            yield f"{prefix}b{block.id} [label={_label(block, node)}{color}];"
    for loop in info.loops:
        if _parent(info, loop) == parent:
            yield f"subgraph {quoted(f'cluster_{prefix}l{loop.id}')} {{"
            yield f"  label={quoted(_loop_label(loop, counts))}; style=rounded; color=gray40;"
            for line in _nodes(info, counts, prefix, loop.id):
                yield f"  {line}"
            yield "}"


def _parent(info: KernelInfo, loop: LoopInfo) -> int | None:
    around = [x for x in info.loops if x.id != loop.id and loop.header in x.blocks]
    return max(around, key=lambda x: x.depth).id if around else None


def _loop_label(loop: LoopInfo, counts: LaunchProfile) -> str:
    count = counts.loops[loop.id]
    place = f" (line {loop.line})" if loop.line else ""
    trips = f"{count.least}" if count.least == count.most else f"{count.least} to {count.most}"
    return f"loop {loop.id}{place}: {count.entries:,} entries, {trips} trips"


def _label(block: BlockInfo, node: Node) -> str:
    rows = [block.label, f"line {block.line}"] if block.line else [block.label]
    rows += [f"ECount {node.ecount}", f"LCount {node.lcount}", f"SCount {node.scount}"]
    return quoted("\n".join(rows) + "\n", left=True)


def _edge(edge: EdgeCount, prefix: str, most: int) -> str:
    label = quoted(f"OE {edge.oecount} IE {edge.iecount}\nT {edge.tcount}")
    width = f"{0.6 + 2.4 * edge.oecount / most:.1f}" if most else "1"
    ends = f"label={label}, penwidth={width}"
    if not edge.oecount:
        ends += ", style=dashed, color=gray, fontcolor=gray"
    return f"{prefix}b{edge.source} -> {prefix}b{edge.target} [{ends}];"
