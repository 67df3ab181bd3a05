"""Layered drawings: ranks go down, boxes do not overlap, every edge has a way or goes back."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from kcc.report.analysis.layered import Box, draw


def overlap(one: Box, other: Box) -> bool:
    return (
        abs(one.x - other.x) < (one.width + other.width) / 2 - 1e-6
        and abs(one.y - other.y) < (one.height + other.height) / 2 - 1e-6
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30))
def test_any_graph(edges: list[tuple[int, int]]):
    nodes = sorted({0, *(node for edge in edges for node in edge)})
    drawing = draw({node: (20.0 + 7 * node, 30.0) for node in nodes}, edges, 0)
    assert set(drawing.boxes) == set(nodes)
    assert not any(overlap(a, b) for a, b in combinations(drawing.boxes.values(), 2))
    for (source, target), way in drawing.ways.items():
        assert drawing.boxes[source].y < drawing.boxes[target].y
        assert all(first[1] < second[1] for first, second in pairwise(way))
    back = {edge for edge in edges if edge not in drawing.ways}
    assert all(drawing.boxes[s].y >= drawing.boxes[t].y for s, t in back)
    for box in drawing.boxes.values():
        assert box.x - box.width / 2 >= -1e-6
        assert box.x + box.width / 2 <= drawing.width + 1e-6
        assert box.y + box.height / 2 <= drawing.height + 1e-6


def test_a_diamond_is_drawn_in_three_rows():
    drawing = draw(dict.fromkeys(range(4), (40.0, 20.0)), [(0, 1), (0, 2), (1, 3), (2, 3)], 0)
    rows = [drawing.boxes[node].y for node in range(4)]
    assert rows[0] < rows[1] == rows[2] < rows[3]
    assert drawing.boxes[0].x == drawing.boxes[3].x
