"""Changes of a typed tree that leave it well typed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from kcc.base.diagnostics import Span
from kcc.frontend import tree
from kcc.frontend.types import BOOL, INT, ArrayType, PointerType, QualType, ScalarType, VectorType
from tests.robustness.mutants.walking import Node, Path, nodes, replaced

OPERATORS = (
    (tree.BinaryOp.ADD, tree.BinaryOp.SUB, tree.BinaryOp.MUL, tree.BinaryOp.DIV),
    (tree.BinaryOp.AND, tree.BinaryOp.OR, tree.BinaryOp.XOR, tree.BinaryOp.REM),
    (tree.BinaryOp.SHL, tree.BinaryOp.SHR),
    (tree.BinaryOp.EQ, tree.BinaryOp.NE),
    (tree.BinaryOp.LT, tree.BinaryOp.LE, tree.BinaryOp.GT, tree.BinaryOp.GE),
)
NUMBERS = (0, 1, -1, 2, 3, 7, 31, 32, 33, 64, 255, 1000, 65_537, 2**31 - 1, 2**40)
"""What a constant becomes, cut to its type: around warp sizes and the ends of types."""

LOOPS = (tree.While, tree.DoWhile, tree.For)
PLAIN = (tree.ExprStmt, tree.If, tree.While, tree.DoWhile, tree.For, tree.Block, tree.Switch)
"""Statements that may stand twice, or in a loop: they declare nothing that is visible after
them."""


@dataclass(frozen=True, slots=True)
class Place:
    """A node with the variables that are declared around it."""

    path: Path
    node: Node
    scope: frozenset[int]


def places(body: tree.Block, parameters: tuple[tree.Variable, ...]) -> list[Place]:
    """All nodes of a function, in order. Every variable counts as known from its declaration to
    the end of the block or loop that holds the declaration."""
    ends = list[tuple[Path, int]]()
    found = list[Place]()
    outer = frozenset(id(v) for v in parameters)
    for path, node in nodes(body):
        ends = [(p, v) for p, v in ends if path[: len(p)] == p]
        found.append(Place(path, node, outer | {v for _, v in ends}))
        if isinstance(node, tree.Declare):
            ends.append((path[:-2], id(node.variable)))
    return found


def free_variables(node: Node) -> set[int]:
    """Automatic and local variables that a node speaks of, but for those it declares itself."""
    used, own = set[int](), set[int]()
    for _, part in nodes(node):
        if (
            isinstance(part, tree.VariableRef)
            and part.variable.storage is not tree.Storage.CONSTANT
        ):
            used.add(id(part.variable))
        elif isinstance(part, (tree.Declare, tree.CompoundLiteral)):
            own.add(id(part.variable))
    return used - own


class Mutator:
    """Changes one function of a program at a time; equal seeds make equal changes."""

    def __init__(self, rng: random.Random, function: tree.Function) -> None:
        assert function.body is not None
        self.rng, self.function, self.body = rng, function, function.body
        self.places = places(function.body, function.parameters)
        self.expressions = [p for p in self.places if isinstance(p.node, VALUES)]

    def changed(self) -> tree.Block | None:
        """The body with one change; None where the one that was drawn fits nowhere."""
        makers: list[Callable[[], tuple[Path, Node] | None]] = [
            self.other_constant, self.other_constant, self.other_operator, self.other_value,
            self.other_value, self.swapped_operands, self.without_statement, self.twice,
            self.in_branch, self.in_loop, self.negated, self.other_conversion, self.other_lanes,
            self.left_early, self.swapped_statements, self.other_type,
        ]  # fmt: skip
        found = self.rng.choice(makers)()
        return None if found is None else replaced(self.body, *found)

    def drawn(self, *kinds: type) -> Place | None:
        """Any place with such a node."""
        fitting = [p for p in self.places if isinstance(p.node, kinds)]
        return self.rng.choice(fitting) if fitting else None

    # expressions

    def other_constant(self) -> tuple[Path, Node] | None:
        place = self.drawn(tree.Constant)
        if place is None or not isinstance(place.node.type.type, ScalarType):
            return None
        kind, number = place.node.type.type.kind, self.rng.choice(NUMBERS)
        if kind.floating:
            number = self.rng.choice((float(number), 0.5 * number, 1e30, -1e-30))
        elif place.node.type.type == BOOL:
            number = number & 1
        else:
            bits = 8 * kind.size_bytes
            number = number % (1 << bits)
            number -= (1 << bits) * (kind.signed and number >> (bits - 1))
        return place.path, replace(place.node, value=number)

    def other_operator(self) -> tuple[Path, Node] | None:
        place = self.drawn(tree.Binary)
        if place is None or isinstance(place.node.left.type.type, PointerType):
            return None
        (group,) = (g for g in OPERATORS if place.node.op in g)
        if group is OPERATORS[1] and _is_integer(place.node):
            group += OPERATORS[0]
        return place.path, replace(place.node, op=self.rng.choice(group))

    def other_value(self) -> tuple[Path, Node] | None:
        """A value of the same type from elsewhere in the function, all of whose variables are
        known here."""
        if not self.expressions:
            return None
        place = self.rng.choice(self.expressions)
        fitting = [
            p.node for p in self.expressions
            if p.node.type == place.node.type and p.node is not place.node
            and free_variables(p.node) <= place.scope
        ]  # fmt: skip
        return (place.path, self.rng.choice(fitting)) if fitting else None

    def swapped_operands(self) -> tuple[Path, Node] | None:
        place = self.drawn(tree.Binary)
        if place is None or place.node.left.type != place.node.right.type:
            return None
        return place.path, replace(place.node, left=place.node.right, right=place.node.left)

    def negated(self) -> tuple[Path, Node] | None:
        place = self.drawn(tree.If, tree.While, tree.DoWhile, tree.Conditional)
        if place is None:
            return None
        condition = place.node.condition
        wrong = tree.Unary(QualType(INT), condition.span, tree.UnaryOp.LOGICAL_NOT, condition)
        wrong = tree.Convert(QualType(BOOL), condition.span, wrong, implicit=True)
        return place.path, replace(place.node, condition=wrong)

    def other_conversion(self) -> tuple[Path, Node] | None:
        """There and back through another scalar type, which loses bits."""
        scalars = [p for p in self.expressions if isinstance(p.node.type.type, ScalarType)]
        if not scalars:
            return None
        place = self.rng.choice(scalars)
        kinds = [p.node.type for p in scalars if p.node.type.type != place.node.type.type]
        if not kinds or place.node.type.type == BOOL:
            return None
        there = tree.Convert(self.rng.choice(kinds), place.node.span, place.node, implicit=False)
        return place.path, tree.Convert(place.node.type, place.node.span, there, implicit=False)

    def other_lanes(self) -> tuple[Path, Node] | None:
        place = self.drawn(tree.Swizzle)
        if place is None or not isinstance(place.node.base.type.type, VectorType):
            return None
        lanes = range(place.node.base.type.type.lanes)
        count = len(place.node.lanes)
        new = (
            self.rng.sample(lanes, count)
            if count <= len(lanes)
            else self.rng.choices(lanes, k=count)
        )
        return place.path, replace(place.node, lanes=tuple(new))

    def other_type(self) -> tuple[Path, Node] | None:
        """A scalar or an array that is declared longer or shorter, or of another width."""
        place = self.drawn(tree.Declare)
        if place is None or not isinstance(place.node.variable.type.type, ArrayType):
            return None
        type_ = place.node.variable.type
        assert isinstance(type_.type, ArrayType)
        length = max(1, (type_.type.length or 1) + self.rng.choice((-1, 1, 8, 31)))
        place.node.variable.type = replace(type_, type=replace(type_.type, length=length))
        return place.path, place.node

    # statements

    def statement(self, *kinds: type) -> Place | None:
        """A statement of a block."""
        fitting = [p for p in self.places if isinstance(p.node, kinds) and _in_block(p.path)]
        return self.rng.choice(fitting) if fitting else None

    def without_statement(self) -> tuple[Path, Node] | None:
        place = self.statement(*PLAIN)
        return None if place is None else (place.path, tree.Block(place.node.span, ()))

    def twice(self) -> tuple[Path, Node] | None:
        place = self.statement(*PLAIN)
        if place is None or _has_labels(place.node):
            return None
        return place.path, tree.Block(place.node.span, (place.node, place.node))

    def swapped_statements(self) -> tuple[Path, Node] | None:
        place = self.statement(*PLAIN)
        other = self.statement(*PLAIN)
        if place is None or other is None or free_variables(other.node) - place.scope:
            return None
        return (place.path, other.node) if not _has_labels(other.node) else None

    def in_branch(self) -> tuple[Path, Node] | None:
        """Under a condition from elsewhere in the function."""
        place = self.statement(*PLAIN)
        condition = None if place is None else self._condition(place)
        if place is None or condition is None:
            return None
        return place.path, tree.If(place.node.span, condition, place.node, None)

    def in_loop(self) -> tuple[Path, Node] | None:
        """In a loop of some turns."""
        place = self.statement(*PLAIN)
        if place is None or _has_labels(place.node):
            return None
        return place.path, _counted(self.rng.choice((1, 2, 5, 33)), place.node)

    def left_early(self) -> tuple[Path, Node] | None:
        """A loop, or the kernel, that some leave before the end."""
        place = self.statement(*PLAIN)
        condition = None if place is None else self._condition(place)
        if place is None or condition is None:
            return None
        words: list[tree.Stmt] = []
        if any(isinstance(n, LOOPS) for n in self._around(place.path)):
            words += [tree.Break(place.node.span), tree.Continue(place.node.span)]
        if self.function.is_kernel:
            words.append(tree.Return(place.node.span, None))
        if not words:
            return None
        left = tree.If(place.node.span, condition, self.rng.choice(words), None)
        return place.path, tree.Block(place.node.span, (left, place.node))

    def _condition(self, place: Place) -> tree.Expr | None:
        fitting = [
            p.node for p in self.expressions
            if p.node.type.type == BOOL and free_variables(p.node) <= place.scope
        ]  # fmt: skip
        return self.rng.choice(fitting) if fitting else None

    def _around(self, path: Path) -> Iterator[Node]:
        return (p.node for p in self.places if path[: len(p.path)] == p.path and p.path != path)


VALUES = (
    tree.Constant, tree.Load, tree.Convert, tree.Splat, tree.VectorLiteral, tree.Unary, tree.Binary,
    tree.PointerOffset, tree.Logical, tree.Conditional, tree.VectorSelect, tree.Call,
    tree.BuiltinCall, tree.ArrayDecay,
)  # fmt: skip


def _is_integer(node: tree.Binary) -> bool:
    type_ = node.type.type
    element = type_.element if isinstance(type_, VectorType) else type_
    return isinstance(element, ScalarType) and not element.kind.floating


def _in_block(path: Path) -> bool:
    return len(path) > 1 and path[-2] == "statements"


def _has_labels(node: Node) -> bool:
    kinds = (tree.Label, tree.Case, tree.Default)
    return any(isinstance(part, kinds) for _, part in nodes(node))


def _counted(iterations: int, body: tree.Stmt) -> tree.For:
    """``for (int turn = 0; turn < turns; ++turn) body``."""
    span: Span = body.span
    counter = tree.Variable("turn", QualType(INT), tree.Storage.AUTOMATIC, span)
    place = tree.VariableRef(QualType(INT), span, counter)
    zero, last = (tree.Constant(QualType(INT), span, n) for n in (0, iterations))
    load = tree.Load(QualType(INT), span, place)
    below = tree.Binary(QualType(INT), span, tree.BinaryOp.LT, load, last)
    step = tree.Increment(QualType(INT), span, place, 1, prefix=True)
    return tree.For(span, (tree.Declare(span, counter, zero),), below, step, body, None)
