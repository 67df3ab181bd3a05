from __future__ import annotations

from hypothesis import given

from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.dominance import Dominators, PostDominators
from tests.passes.kernels import Graph, facts_of, graph_text, graphs
from tests.passes.reference import dominates, reached


@given(graphs())
def test_dominators(graph: Graph):
    _, facts = facts_of(graph_text(graph))
    dominators = facts[Dominators]
    for block in range(len(graph)):
        others = range(len(graph))
        strict = {b for b in others if b != block and dominates(graph, 0, b, block)}
        nearest = [b for b in strict if all(dominates(graph, 0, o, b) for o in strict)]
        assert [dominators.immediate(block)] == (nearest or [None])
        for other in others:
            assert dominators.dominates(block, other) == dominates(graph, 0, block, other)


@given(graphs())
def test_post_dominators(graph: Graph):
    """A block post-dominates another if without it there is no way from there to the exit."""
    _, facts = facts_of(graph_text(graph))
    post = facts[PostDominators]
    order = facts[ControlFlow].order
    full = with_exit(graph, order)
    assert post.exit == len(graph)
    for block in order:
        for other in order:
            expected = block == other or len(graph) not in reached(full, other, [block])
            assert post.postdominates(block, other) == expected
        strict = [b for b in order if b != block and post.postdominates(b, block)]
        nearest = [b for b in strict if all(post.postdominates(o, b) for o in strict)]
        assert [post.immediate(block)] == (nearest or [None])


def with_exit(graph: Graph, order: tuple[int, ...]) -> list[list[int]]:
    """The reachable graph with a virtual exit after every return, and after the last block of
    every group of blocks that reach each other and nothing else.
    """
    count = len(graph)
    full = [list(targets) if block in order else [] for block, targets in enumerate(graph)]
    full.append([])
    for block in order:
        group = reached(graph, block)
        endless = all(graph[b] and reached(graph, b) == group for b in group)
        if not graph[block] or (endless and block == max(group, key=order.index)):
            full[block].append(count)
    return full


def immediate(graph: Graph) -> list[int | None]:
    _, facts = facts_of(graph_text(graph))
    return [facts[PostDominators].immediate(b) for b in range(len(graph))]


def test_both_sides_of_a_branch_meet_again():
    assert immediate(((1, 2), (3,), (3,), ())) == [3, 3, 3, None]


def test_a_branch_with_an_early_return_meets_only_at_the_exit():
    assert immediate(((1, 2), (), (3,), ())) == [None, None, 3, None]


def test_branches_in_an_endless_loop_meet_within_it():
    """0 -> 1; 1 -> 2 | 3; 2 -> 4; 3 -> 4; 4 -> 1."""
    assert immediate(((1,), (2, 3), (4,), (4,), (1,))) == [1, 4, 4, 4, None]
