"""Places in the typed tree, and trees with something else there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from kcc.frontend import tree

Path = tuple[str | int, ...]
Node = Any
"""An expression, an initialiser or a statement of the typed tree."""

NODES = (*tree.Expr.__args__, tree.AggregateInit, *tree.Stmt.__args__)
Tree = TypeVar("Tree")


def nodes(root: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every node below, itself first; functions and variables are not entered."""
    if isinstance(root, tuple):
        for place, part in enumerate(cast(tuple[Any, ...], root)):
            yield from nodes(part, (*path, place))
    elif isinstance(root, NODES):
        yield path, root
        for name in (f.name for f in fields(root)):
            value = getattr(root, name)
            if isinstance(value, (tuple, *NODES)):
                yield from nodes(value, (*path, name))


def replaced(root: Tree, path: Path, new: Node) -> Tree:
    """The tree with ``new`` at a place."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(root, tuple):
        assert isinstance(step, int)
        return (*root[:step], replaced(root[step], rest, new), *root[step + 1 :])  # type: ignore[return-value]
    assert is_dataclass(root)
    assert isinstance(step, str)
    assert not isinstance(root, type)
    return replace(root, **{step: replaced(getattr(root, step), rest, new)})
