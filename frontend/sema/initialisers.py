"""Initialisers (C99 6.7.8): braces and their elision, designators, strings, vectors."""

from __future__ import annotations

from dataclasses import field

from pycparser import c_ast

from kcc.base.diagnostics import Span
from kcc.base.records import dataclass
from kcc.frontend.sema.casts import lane_part
from kcc.frontend.sema.constants import evaluate
from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.conversions import Purpose, assign
from kcc.frontend.sema.dispatch import declared_type, rvalue
from kcc.frontend.sema.literals import string_bytes
from kcc.frontend.sema.postfix import find_member, member_names
from kcc.frontend.sema.suggestions import did_you_mean
from kcc.frontend.sema.values import SCALARS, array_of, splat, value_type
from kcc.frontend.tree import (
    AggregateInit,
    CompoundLiteral,
    Constant,
    Expr,
    Initialiser,
    Storage,
    Variable,
    VectorLiteral,
)
from kcc.frontend.types import (
    AddressSpace,
    ArrayType,
    EventType,
    ImageType,
    QualType,
    RecordType,
    SamplerType,
    ScalarKind,
    ScalarType,
    Type,
    VectorType,
    VoidType,
    is_complete,
    is_integer,
)


@dataclass(slots=True)
class _Tree:
    """An aggregate being initialised, part by part."""

    type: QualType
    span: Span
    parts: dict[int, _Tree | Initialiser] = field(default_factory=dict[int, "_Tree | Initialiser"])


@dataclass(slots=True)
class _Items:
    """The items between two braces, and how far they are used up."""

    nodes: list[Node]
    position: int = 0
    value: Expr | None = None
    """The value of the current item, once it has been looked at."""
    failed: bool = False

    @property
    def done(self) -> bool:
        return self.position >= len(self.nodes)

    @property
    def current(self) -> Node:
        return self.nodes[self.position]

    def advance(self) -> None:
        self.position += 1
        self.value = None


def initialise(
    context: Context, node: Node, type_: QualType
) -> tuple[Initialiser, QualType] | None:
    """The initialiser of an object of a type, and the type with its length where that was open;
    None after an error.
    """
    text = _string_for(node, type_.type)
    if text is not None:
        return _string(context, text, type_)
    if isinstance(node, c_ast.InitList):
        return _braced(context, node, type_)
    value = rvalue(context, node)
    if value is None:
        return None
    if isinstance(type_.type, ArrayType):
        context.report("K373", "an array is initialised with a list in braces", node)
        return None
    converted = assign(context, value, type_.type, node, Purpose.INITIALISE)
    return None if converted is None else (converted, type_)


def _braced(
    context: Context, node: c_ast.InitList, type_: QualType
) -> tuple[Initialiser, QualType] | None:
    match type_.type:
        case ArrayType():
            return _aggregate(context, node, type_)
        case RecordType(fields=fields) if fields is not None:
            return _aggregate(context, node, type_)
        case VectorType():
            vector = _vector(context, node, type_.type)
            return None if vector is None else (vector, type_)
        case _:
            return _scalar(context, node, type_)


def _scalar(
    context: Context, node: c_ast.InitList, type_: QualType
) -> tuple[Initialiser, QualType] | None:
    if isinstance(type_.type, (EventType, SamplerType, ImageType)):
        context.report("K373", f"'{type_.type}' is not initialised with braces", node)
        return None
    if not node.exprs:
        context.report("K373", f"the braces hold no value for '{type_.type}'", node)
        return None
    first = node.exprs[0]
    if isinstance(first, c_ast.NamedInitializer):
        context.report("K374", f"'{type_.type}' has no members to name", first)
        return None
    _report_excess(context, node.exprs[1:])
    return initialise(context, first, type_)


def _report_excess(context: Context, nodes: list[Node]) -> None:
    if nodes:
        context.report("K394", "more initialisers than there is room for", nodes[0])
        for node in nodes:
            if not isinstance(node, (c_ast.InitList, c_ast.NamedInitializer)):
                rvalue(context, node)


# vectors


def _vector(context: Context, node: c_ast.InitList, type_: VectorType) -> Expr | None:
    """``{a, b.xy, c}``: parts fill the lanes exactly (as clang has it for OpenCL)."""
    if not node.exprs:
        zero = Constant(value_type(type_.element), context.span(node), 0)
        return splat(zero, type_)
    parts = list[Expr]()
    for item in node.exprs:
        if isinstance(item, (c_ast.InitList, c_ast.NamedInitializer)):
            context.report("K374", f"the lanes of '{type_}' are given as plain values", item)
            return None
        value = rvalue(context, item)
        part = None if value is None else lane_part(context, value, type_, item)
        if part is None:
            return None
        parts.append(part)
    count = sum(p.type.type.lanes if isinstance(p.type.type, VectorType) else 1 for p in parts)
    if count != type_.lanes:
        message = f"'{type_}' needs {type_.lanes} components, here are {count}"
        context.report("K366", message, node)
        return None
    return VectorLiteral(value_type(type_), context.span(node), tuple(parts))


# strings


def _string_for(node: Node, type_: Type) -> c_ast.Constant | None:
    """The string literal that initialises an array of char, braces around it or not."""
    if not isinstance(type_, ArrayType) or not isinstance(type_.element.type, ScalarType):
        return None
    if type_.element.type.kind not in (ScalarKind.CHAR, ScalarKind.UCHAR):
        return None
    if isinstance(node, c_ast.InitList) and len(node.exprs) == 1:
        node = node.exprs[0]
    return node if isinstance(node, c_ast.Constant) and node.type == "string" else None


def _string(
    context: Context, node: c_ast.Constant, type_: QualType
) -> tuple[Initialiser, QualType]:
    data = string_bytes(node)
    array = type_.type
    assert isinstance(array, ArrayType)
    length = len(data) if array.length is None else array.length
    if len(data) - 1 > length:
        context.report("K394", f"the string is longer than the array of {length}", node)
    full = array_of(array.element, length)
    kind = ScalarKind.CHAR
    if isinstance(array.element.type, ScalarType):
        kind = array.element.type.kind
    span, element = context.span(node), value_type(SCALARS[kind])
    codes = [b - 256 if kind.signed and b > 127 else b for b in data[:length]]
    parts = tuple((i, Constant(element, span, code)) for i, code in enumerate(codes) if code)
    return AggregateInit(value_type(full.type), span, parts), full


# arrays and records


def _aggregate(
    context: Context, node: c_ast.InitList, type_: QualType
) -> tuple[Initialiser, QualType] | None:
    tree = _Tree(type_, context.span(node))
    items = _Items(list(node.exprs))
    length = _fill(context, items, tree, 0, braced=True)
    if items.failed:
        return None
    array = type_.type
    if isinstance(array, ArrayType) and array.length is None:
        type_ = tree.type = array_of(array.element, length)
    return _finish(tree), type_


def _finish(tree: _Tree) -> AggregateInit:
    parts = tuple(
        (index, _finish(part) if isinstance(part, _Tree) else part)
        for index, part in sorted(tree.parts.items(), key=lambda entry: entry[0])
    )
    return AggregateInit(value_type(tree.type.type), tree.span, parts)


def _room(type_: Type) -> int | None:
    """How many parts an aggregate takes without designators; None for as many as come."""
    if isinstance(type_, ArrayType):
        return type_.length
    assert isinstance(type_, RecordType)
    fields = type_.fields or ()
    return min(1, len(fields)) if type_.is_union else len(fields)


def _part_type(type_: Type, index: int) -> QualType:
    if isinstance(type_, ArrayType):
        return type_.element
    assert isinstance(type_, RecordType)
    assert type_.fields is not None
    return type_.fields[index].type


def _fill(context: Context, items: _Items, tree: _Tree, start: int, *, braced: bool) -> int:
    """Initialise the parts of an aggregate from ``start`` on; the number of parts reached.

    Without braces of its own an aggregate takes what it needs and leaves the rest, and
    designators, to the one around it.
    """
    index, reached, room = start, start, _room(tree.type.type)
    while not items.done:
        node = items.current
        if isinstance(node, c_ast.NamedInitializer):
            if not braced:
                break
            index = _designate(context, items, node, tree) + 1
        elif room is not None and index >= room:
            if braced:
                _report_excess(context, items.nodes[items.position :])
                items.position = len(items.nodes)
            break
        else:
            _set(tree, index, _part(context, items, _part_type(tree.type.type, index)))
            index += 1
        reached = max(reached, index)
    return reached


def _set(tree: _Tree, index: int, part: _Tree | Initialiser | None) -> None:
    if isinstance(tree.type.type, RecordType) and tree.type.type.is_union:
        tree.parts.clear()
    if part is not None:
        tree.parts[index] = part


def _part(context: Context, items: _Items, type_: QualType) -> _Tree | Initialiser | None:
    """The next part, from as many items as it takes."""
    node = items.current
    if isinstance(node, c_ast.InitList) or _string_for(node, type_.type) is not None:
        items.advance()
        return _value(context, items, node, type_)
    if not isinstance(type_.type, (ArrayType, RecordType)):
        value = items.value
        items.advance()
        return _converted(context, items, node, type_, value)
    if items.value is None:
        items.value = rvalue(context, node)
        if items.value is None:
            items.failed = True
            items.advance()
            return None
    if items.value.type.type == type_.type:
        value = items.value
        items.advance()
        return value
    tree, before = _Tree(type_, context.span(node)), items.position
    _fill(context, items, tree, 0, braced=False)
    if items.position == before:
        context.report("K373", f"'{type_.type}' has no members to initialise", node)
        items.failed = True
        items.advance()
    return tree


def _converted(
    context: Context, items: _Items, node: Node, type_: QualType, value: Expr | None
) -> Expr | None:
    value = value or rvalue(context, node)
    converted = None
    if value is not None:
        converted = assign(context, value, type_.type, node, Purpose.INITIALISE)
    items.failed = items.failed or converted is None
    return converted


def _value(context: Context, items: _Items, node: Node, type_: QualType) -> Initialiser | None:
    found = initialise(context, node, type_)
    items.failed = items.failed or found is None
    return None if found is None else found[0]


# designators


def _designate(context: Context, items: _Items, node: c_ast.NamedInitializer, tree: _Tree) -> int:
    """Initialise what ``[i].name...`` names, then continue after it; the outermost index."""
    steps = _steps(context, node, tree.type.type)
    if steps is None:
        items.failed = True
        items.advance()
        return 0
    items.nodes[items.position] = node.expr
    trail, inner = [tree], tree
    for step in steps[:-1]:
        known = inner.parts.get(step)
        below = known
        if not isinstance(below, _Tree):
            below = _Tree(_part_type(inner.type.type, step), context.span(node))
            _set(inner, step, below)
        inner = below
        trail.append(inner)
    last = steps[-1]
    _set(inner, last, _part(context, items, _part_type(inner.type.type, last)))
    for level in range(len(trail) - 1, 0, -1):
        _fill(context, items, trail[level], steps[level] + 1, braced=False)
    return steps[0]


def _steps(context: Context, node: c_ast.NamedInitializer, type_: Type) -> list[int] | None:
    """The indices that designators stand for, from the outermost inwards."""
    steps = list[int]()
    for designator in node.name:
        if isinstance(designator, c_ast.ArrayDesignator):
            index = _array_step(context, designator, type_)
            found = None if index is None else (index,)
        else:
            assert isinstance(designator, c_ast.ID)
            found = _member_step(context, designator, type_)
        if found is None:
            return None
        for index in found:
            steps.append(index)
            type_ = _part_type(type_, index).type
    return steps


def _array_step(context: Context, node: c_ast.ArrayDesignator, type_: Type) -> int | None:
    index = rvalue(context, node.expr)
    if index is None:
        return None
    if not isinstance(type_, ArrayType):
        context.report("K374", f"'{type_}' is no array: it has no elements to name", node)
        return None
    value = evaluate(index, context.known)
    if not isinstance(value, int) or not is_integer(index.type.type):
        context.report("K374", "a designator is an integer constant", node)
        return None
    if value < 0 or (type_.length is not None and value >= type_.length):
        context.report("K374", f"element {value} is outside of '{type_}'", node)
        return None
    return value


def _member_step(context: Context, node: c_ast.ID, type_: Type) -> tuple[int, ...] | None:
    if not isinstance(type_, RecordType) or type_.fields is None:
        context.report("K374", f"'{type_}' has no members to name", node)
        return None
    path = find_member(type_, node.name)
    if path is None:
        hint = did_you_mean(node.name, member_names(type_))
        context.report("K309", f"'{type_}' has no member '{node.name}'", node, hint=hint)
    return path


# compound literals


def compound_literal(context: Context, node: c_ast.CompoundLiteral) -> Expr | None:
    """``(T){...}``: an object without a name (C99 6.5.2.5)."""
    type_ = declared_type(context, node.type)
    if type_ is None:
        return None
    open_array = isinstance(type_.type, ArrayType) and type_.type.length is None
    if isinstance(type_.type, VoidType) or not (is_complete(type_.type) or open_array):
        context.report("K310", f"an object of incomplete type '{type_.type}'", node)
        return None
    if type_.space is not AddressSpace.PRIVATE and context.function is not None:
        message = "an object without a name in a function is in the private address space"
        context.report("K321", message, node)
        return None
    found = initialise(context, node.init, type_)
    if found is None:
        return None
    initialiser, full = found
    span = context.span(node)
    variable = Variable(".compound", full, Storage.AUTOMATIC, span)
    return CompoundLiteral(full, span, variable, initialiser)
