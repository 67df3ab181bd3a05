"""The static divergence flow statistics graph: how often blocks run and edges are taken.

The counts are those of Yu et al., "GPGPU-MiniBench", IEEE Transactions on Computers 2015, section
4.1.3, here without a run: exact numbers where control depends on ids and arguments alone, formulas
where the launch is not known, and a reason where memory decides.
"""

from __future__ import annotations

import math

from kcc.base.records import dataclass
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.loops import Loops
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.counts import block_total, edge_total
from kcc.passes.symbolic.expr import Node, Number, SymbolKind
from kcc.passes.symbolic.reasons import reason_for
from kcc.passes.symbolic.text import text


@dataclass(frozen=True, slots=True)
class FlowCount:
    """``executions`` and ``threads``: by all work-items of the launch, and how many of them at
    least once; None where that is not known. ``formula`` is the count of one work-item; ``reason``
    says why there is no number. ``mean`` is by a work-item of a sample, where the launch is too
    large to add it up."""

    executions: int | None
    threads: int | None
    formula: str
    reason: str
    mean: float | None = None


@dataclass(frozen=True, slots=True)
class FlowEdge:
    """What goes from block ``source`` to block ``target``."""

    source: int
    target: int
    count: FlowCount


@dataclass(frozen=True, slots=True)
class FlowCounts:
    """``blocks`` by block, None for those that cannot be reached; ``edges`` each once."""

    blocks: tuple[FlowCount | None, ...]
    edges: tuple[FlowEdge, ...]


@dataclass(frozen=True, slots=True)
class FlowCountsPass:
    """Gives :class:`FlowCounts`."""

    name: str = "flow counts"
    requires: tuple[type, ...] = (ControlFlow, Loops, SymbolicValues)

    def run(self, kernel: Kernel, facts: Facts) -> FlowCounts:
        values, flow = facts[SymbolicValues], facts[ControlFlow]
        tangled = {b for region in facts[Loops].irreducible for b in region.blocks}
        ways = dict.fromkeys((e.source, e.target) for e in flow.edges if e.source in flow.reachable)

        blocks = {b: block_total(values, b) for b in sorted(flow.reachable)}
        edges = {way: edge_total(values, *way) for way in ways}
        _expect(values, [*blocks.values(), *edges.values()])

        def count(block: int, node: Node) -> FlowCount:
            if block in tangled:
                return FlowCount(None, None, "", "the control flow is irreducible")
            return _count(values, node)

        return FlowCounts(
            tuple(
                count(b, blocks[b]) if b in blocks else None
                for b in range(len(kernel.function.blocks))
            ),
            tuple(FlowEdge(s, t, count(s, node)) for (s, t), node in edges.items()),
        )


def _expect(values: SymbolicValues, nodes: list[Node]) -> None:
    """Loops that several of them need are then simulated once."""
    if values.algebra.known.launched:
        from kcc.passes.symbolic.summary import expect

        asked = [node for node in nodes if not isinstance(node, Number)]
        expect(values, (node for node in asked if not reason_for(values, node)))


def _count(values: SymbolicValues, node: Node) -> FlowCount:
    """A count of one work-item, over the launch."""
    formula, reason = text(values, node), reason_for(values, node)
    known = values.algebra.known
    if reason:
        return FlowCount(None, None, formula, reason)
    if known.global_size is None:
        return FlowCount(None, None, formula, "the launch is not known")
    items = math.prod(known.global_size)
    if isinstance(node, Number):
        return FlowCount(node.value * items, items if node.value else 0, formula, "")
    from kcc.passes.symbolic.summary import evaluator_for

    found = evaluator_for(values, [node])
    if found is None:
        return FlowCount(None, None, formula, _missing_arguments(values, node))
    evaluate, lanes, sampled = found
    each, over = divmod(items, lanes.count)
    data, sure = evaluate.integers(node)
    if not sure.all():
        return FlowCount(None, None, formula, "takes too many iterations to compute")
    if sampled or over:
        reason = "the launch is too large to add it up"
        return FlowCount(None, None, formula, reason, float(data.mean()))
    total, threads = int(data.sum()) * each, int((data > 0).sum()) * each
    return FlowCount(total, threads, formula, "")


def _missing_arguments(values: SymbolicValues, node: Node) -> str:
    """Why a count has no value in a launch that is known."""
    from kcc.passes.symbolic.affine import depends_on

    known = values.algebra.known.arguments
    names = [
        values.kernel.arguments[index].name
        for kind, index in sorted(depends_on(values, node), key=str)
        if kind is SymbolKind.ARGUMENT and isinstance(index, int) and index not in known
    ]
    return (
        f"no value is given for {' and '.join(names)}" if names else "the local size is not known"
    )
