from __future__ import annotations

from hypothesis import given

from kcc.passes.graph.control_flow import ControlFlow, Edge, EdgeKind
from tests.passes.kernels import Graph, facts_of, graph_text, graphs
from tests.passes.reference import reached


def flow_of(graph: Graph) -> ControlFlow:
    _, facts = facts_of(graph_text(graph))
    return facts[ControlFlow]


@given(graphs())
def test_edges_and_reachable_blocks(graph: Graph):
    flow = flow_of(graph)
    for block, targets in enumerate(graph):
        found = [edge.target for edge in flow.edges if edge.source == block]
        expected = [*targets[1:], targets[0]] if len(targets) > 2 else list(targets)
        assert found == expected
    assert flow.reachable == reached(graph, 0) == set(flow.order)
    assert flow.exits == tuple(b for b in sorted(flow.reachable) if not graph[b])


def test_kinds_of_edges():
    flow = flow_of(((1, 2), (3,), (3, 1, 1), ()))
    assert flow.edges == (
        Edge(0, 1, EdgeKind.TRUE),
        Edge(0, 2, EdgeKind.FALSE),
        Edge(1, 3, EdgeKind.JUMP),
        Edge(2, 1, EdgeKind.CASE, 0),
        Edge(2, 1, EdgeKind.CASE, 1),
        Edge(2, 3, EdgeKind.DEFAULT),
    )


def test_where_a_block_begins():
    _, facts = facts_of(
        """
define spir_kernel void @k(i32 %n) {
entry:
  br label %join, !dbg !2
join:
  %p = phi i32 [ 0, %entry ], !dbg !2
  %a = add i32 %p, %n
  %b = add i32 %a, %n, !dbg !3
  br label %last
last:
  ret void
}
!0 = !DIFile(filename: "k.cl", directory: "")
!1 = distinct !DISubprogram(name: "k", scope: !0, file: !0, line: 3)
!2 = !DILocation(line: 9, column: 5, scope: !1)
!3 = !DILocation(line: 7, column: 5, scope: !1)
"""
    )
    places = facts[ControlFlow].locations
    assert [place and place.line for place in places] == [9, 7, None]
