from __future__ import annotations

from importlib import import_module
from typing import Any

from hypothesis import given

from kcc.passes.graph.graphs import dominator_tree, reverse_postorder, strong_components, transposed
from tests.passes.kernels import Graph, graphs
from tests.passes.reference import dominates, reached

nx: Any = import_module("networkx")  # untyped here: its stubs leave type variables open


def as_networkx(graph: Graph) -> Any:
    result = nx.DiGraph()
    result.add_nodes_from(range(len(graph)))
    result.add_edges_from((s, t) for s, targets in enumerate(graph) for t in targets)
    return result


@given(graphs())
def test_reverse_postorder(graph: Graph):
    order = reverse_postorder(graph, 0)
    assert order[0] == 0
    assert sorted(order) == sorted(reached(graph, 0))
    place = {node: number for number, node in enumerate(order)}
    for node in order:
        for target in graph[node]:
            if node not in reached(graph, target):
                assert place[node] < place[target], "not on a cycle: predecessors come first"


@given(graphs())
def test_immediate_dominators_equal_those_of_networkx(graph: Graph):
    tree = dominator_tree(graph, 0)
    expected = nx.immediate_dominators(as_networkx(graph), 0)
    expected.pop(0, None)
    assert {n: p for n, p in enumerate(tree.parents) if p is not None} == expected


@given(graphs())
def test_dominance_by_its_definition(graph: Graph):
    tree = dominator_tree(graph, 0)
    for node in range(len(graph)):
        assert tree.reaches(node) == (node in reached(graph, 0))
        for other in range(len(graph)):
            assert tree.dominates(node, other) == dominates(graph, 0, node, other)


@given(graphs(14))
def test_strong_components_equal_those_of_networkx(graph: Graph):
    nodes = range(len(graph))
    found = strong_components(graph, nodes)
    expected = nx.strongly_connected_components(as_networkx(graph))
    assert sorted(found) == sorted(sorted(c) for c in expected)
    place = {node: number for number, component in enumerate(found) for node in component}
    assert all(place[t] <= place[s] for s, targets in enumerate(graph) for t in targets)


def test_strong_components_of_some_nodes():
    assert strong_components([[1], [2], [0]], [0, 1]) == [[1], [0]]


def test_transposed():
    assert transposed([[1, 2], [2], []]) == [[], [0], [0, 1]]


def test_deep_graphs_do_not_recurse():
    count = 20_000
    chain = [[n + 1] for n in range(count - 1)] + [[0]]
    assert len(reverse_postorder(chain, 0)) == count
    assert dominator_tree(chain, 0).parents[-1] == count - 2
    assert len(strong_components(chain, range(count))) == 1
