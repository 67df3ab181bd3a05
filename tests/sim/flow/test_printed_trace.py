"""Algorithms 1 to 3 of Wang et al. (HPCA 2019) on small graphs, walked by hand."""

from __future__ import annotations

from kcc.sim.flow.printed_trace import Block, BranchSearch


def walk(
    edges: dict[int, list[int]], back: dict[int, list[int]], bounds: dict[int, list[int]],
    missed: frozenset[int] = frozenset(),
) -> tuple[list[int], bool]:  # fmt: skip
    count = max(*edges, *(n for ways in edges.values() for n in ways)) + 1
    blocks = [
        Block(bounds.get(n, [1]), list(bounds.get(n, [1])), n in missed) for n in range(count)
    ]
    forward = [edges.get(n, []) for n in range(count)]
    found = BranchSearch(forward, [back.get(n, []) for n in range(count)], blocks, 100).walk()
    return found.blocks, found.complete


DIAMOND = {0: [1, 2], 1: [3], 2: [3], 3: []}


def test_both_sides_of_a_branch_one_after_the_other() -> None:
    assert walk(DIAMOND, {}, {}) == ([0, 1, 2, 3], True)


def test_a_side_that_is_missed_is_removed() -> None:
    assert walk(DIAMOND, {}, {}, frozenset({1})) == ([0, 2, 3], True)


def test_a_side_without_an_else() -> None:
    # From 0 the nearest is 1: 3 is behind it.
    assert walk({0: [1, 3], 1: [3], 3: []}, {}, {}) == ([0, 1, 3], True)


def test_a_loop_of_one_block() -> None:
    assert walk({0: [1], 1: [2], 2: []}, {1: [1]}, {1: [3]}) == ([0, 1, 1, 1, 2], True)


def test_a_loop_in_a_loop() -> None:
    # 1 is the header of the outer loop, 2 loops on itself, 3 leads back to 1.
    edges, back = {0: [1], 1: [2], 2: [3], 3: [4], 4: []}, {2: [2], 3: [1]}
    bounds = {1: [2], 2: [3, 2], 3: [2]}
    assert walk(edges, back, bounds) == ([0, 1, 2, 2, 2, 3, 1, 2, 2, 2, 3, 4], True)


def test_a_loop_with_a_break_ends_early() -> None:
    """2 leaves the loop for 4 or goes on to 3, which leads back: nothing tells the two apart but
    which back edge begins at 3, and that decides; at a break before more of the body, the first
    target does, and the walk ends at the exit."""
    edges = {0: [1], 1: [4, 2], 2: [3], 3: [], 4: []}
    assert walk(edges, {3: [1]}, {1: [3], 2: [3], 3: [3]}) == ([0, 1, 4], True)
