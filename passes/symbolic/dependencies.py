"""What symbolic values are computed from."""

from __future__ import annotations

from collections.abc import Container

from kcc.passes.symbolic.expr import Final, First, Loaded, Node, Total, operands_of


def computed_from(node: Node) -> tuple[Node, ...]:
    """What a node is computed from, bodies of loops left out."""
    match node:
        case First() | Loaded():
            return ()
        case Final(at=at):
            return (at,)
        case Total(count=count):
            return (count,)
        case _:
            return operands_of(node)


def settled_first(node: Node, settled: Container[Node]) -> list[Node]:
    """A node and what it is computed from, operands first, but for what is settled."""
    seen, pending = set[Node](), [node]
    while pending:
        each = pending.pop()
        if each not in seen and each not in settled:
            seen.add(each)
            pending += computed_from(each)
    return sorted(seen, key=lambda each: each.id)


def depended_on(node: Node) -> list[Node]:
    """A node and all it depends on, but for addresses of loads."""
    seen, pending = dict[Node, None](), [node]
    while pending:
        each = pending.pop()
        if each not in seen:
            seen[each] = None
            if not isinstance(each, Loaded):
                pending += operands_of(each)
    return list(seen)
