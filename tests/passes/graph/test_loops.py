from __future__ import annotations

from hypothesis import given

from kcc.passes.graph.loops import Loops
from tests.passes.kernels import Graph, facts_of, graph_text, graphs
from tests.passes.reference import dominates, on_a_cycle_with, reached


def loops_of(graph: Graph) -> Loops:
    _, facts = facts_of(graph_text(graph))
    return facts[Loops]


@given(graphs())
def test_natural_loops_by_their_definition(graph: Graph):
    loops = loops_of(graph)
    alive = reached(graph, 0)
    backs = {
        (s, t) for s in alive for t in graph[s] if dominates(graph, 0, t, s)
    }  # fmt: skip
    assert {loop.header for loop in loops.loops} == {header for _, header in backs}
    for number, loop in enumerate(loops.loops):
        assert loop.id == number
        assert {(latch, loop.header) for latch in loop.latches} == {
            edge for edge in backs if edge[1] == loop.header
        }
        body = {
            block
            for block in alive
            if block == loop.header or set(loop.latches) & reached(graph, block, [loop.header])
        }
        assert loop.blocks == tuple(sorted(body))
        assert loop.exiting == tuple(b for b in loop.blocks if set(graph[b]) - body)
        assert set(loop.exits) == {t for b in body for t in graph[b]} - body


@given(graphs())
def test_nesting(graph: Graph):
    loops = loops_of(graph)
    for loop in loops.loops:
        around = [o for o in loops.loops if o != loop and set(loop.blocks) < set(o.blocks)]
        assert loop.depth == 1 + len(around)
        nearest = min(around, key=lambda o: len(o.blocks), default=None)
        assert loop.parent == (nearest.id if nearest else None)
        assert all(loop.id in loops.loops[o.id].children for o in around[-1:] if o is nearest)
        assert loop.parent is None or loop.parent < loop.id
    for block in range(len(graph)):
        inside = [loop for loop in loops.loops if block in loop.blocks]
        assert loops.depth(block) == len(inside)
        assert [loop.id for loop in loops.around(block)] == [
            loop.id for loop in sorted(inside, key=lambda o: -o.depth)
        ]


@given(graphs())
def test_irreducible_regions_by_their_definition(graph: Graph):
    """Cycles without any edge to a header that dominates its source."""
    loops = loops_of(graph)
    alive = reached(graph, 0)
    forward = [
        [t for t in targets if not dominates(graph, 0, t, s)] if s in alive else []
        for s, targets in enumerate(graph)
    ]
    expected = {tuple(sorted(c)) for b in alive if (c := on_a_cycle_with(forward, b))}
    assert {region.blocks for region in loops.irreducible} == expected
    for region in loops.irreducible:
        entries = {
            t for s in alive for t in graph[s] if s not in region.blocks and t in region.blocks
        }
        assert region.entries == tuple(sorted(entries))
        assert len(entries) > 1


def test_two_loops_and_a_back_edge():
    """0 -> 1 -> 2 -> 2 | 3; 3 -> 1 | 4."""
    loops = loops_of(((1,), (2,), (2, 3), (1, 4), ()))
    outer, inner = loops.loops
    assert (outer.header, outer.blocks, outer.depth, outer.children) == (1, (1, 2, 3), 1, (1,))
    assert (inner.header, inner.blocks, inner.depth, inner.parent) == (2, (2,), 2, 0)
    assert loops.is_back_edge(3, 1)
    assert loops.is_back_edge(2, 2)
    assert not loops.is_back_edge(1, 2)
    assert loops.innermost == (None, 0, 1, 0, None)


def test_loops_are_numbered_as_they_nest():
    """Reverse postorder would take the loop at 4 before the two that start at 1."""
    loops = loops_of(((4, 1), (2,), (2, 3), (1, 4), (4, 5), ()))
    assert [(loop.header, loop.depth, loop.parent) for loop in loops.loops] == [
        (1, 1, None),
        (2, 2, 0),
        (4, 1, None),
    ]


def test_an_irreducible_region_has_a_name():
    loops = loops_of(((1, 2), (2, 3), (1,), ()))
    assert not loops.loops
    (region,) = loops.irreducible
    assert (region.blocks, region.entries) == ((1, 2), (1, 2))


LOCATED = """
define spir_kernel void @k(i32 %n) {{
entry:
  br label %header, !dbg !2
header:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %c = icmp slt i32 %i, %n, !dbg !3
  br i1 %c, label %latch, label %exit, !dbg !3
latch:
  %next = add i32 %i, 1, !dbg !4
  br label %header, !dbg !4{mark}
exit:
  ret void
}}
!0 = !DIFile(filename: "k.cl", directory: "")
!1 = distinct !DISubprogram(name: "k", scope: !0, file: !0, line: 3)
!2 = !DILocation(line: 4, column: 1, scope: !1)
!3 = !DILocation(line: 7, column: 20, scope: !1)
!4 = !DILocation(line: 9, column: 5, scope: !1)
!5 = !DILocation(line: 6, column: 3, scope: !1)
!6 = distinct !{{!6, !5, !4, !7}}
!7 = !{{!"llvm.loop.unroll.count", i32 8}}
"""


def test_a_loop_knows_its_keyword():
    _, facts = facts_of(LOCATED.format(mark=", !llvm.loop !6"))
    (loop,) = facts[Loops].loops
    assert (str(loop.location), loop.line, loop.is_keyword) == ("k.cl:6:3", 6, True)
    assert loop.unroll == 8


def test_without_a_mark_the_place_is_a_guess():
    _, facts = facts_of(LOCATED.format(mark=""))
    (loop,) = facts[Loops].loops
    assert (loop.line, loop.is_keyword, loop.unroll) == (7, False, None)
