"""Graphs for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx


def graphml(graph: networkx.DiGraph[int]) -> str:
    """A graph of :meth:`~kcc.api.results.AnalysisResult.control_flow` or ``divergence_flow`` as
    GraphML. What is not known, None, is left out: GraphML has no word for it. Numbers beyond 64
    bits are text, and so are values that are no numbers."""
    import networkx

    plain: networkx.DiGraph[int] = networkx.DiGraph(**_known(graph.graph))
    for node, said in graph.nodes(data=True):
        plain.add_node(node, **_known(said))
    for source, target, said in graph.edges(data=True):
        plain.add_edge(source, target, **_known(said))
    return "\n".join(networkx.generate_graphml(plain)) + "\n"


def _known(said: dict[str, Any]) -> dict[str, Any]:
    return {name: _value(value) for name, value in said.items() if value is not None}


def _value(value: object) -> object:
    if isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 1 << 63):
        return value
    return str(value)
