from __future__ import annotations

from kcc.passes.graph.branches import Branches
from tests.passes.kernels import facts_of, graph_text


def test_only_what_decides_is_a_branch():
    """0: two ways; 1: both to block 3; 2: a switch; 3: jump; 4: cannot be reached."""
    _, facts = facts_of(graph_text(((1, 2), (3, 3), (3, 5, 5), (5,), (1, 2), ())))
    found = facts[Branches].branches
    assert [(b.id, b.block, str(b.condition)) for b in found] == [(0, 0, "%c"), (1, 2, "%n")]
