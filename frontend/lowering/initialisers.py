"""Takes initialisers of aggregates apart: which expression goes to which byte offset."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir import types as ir
from kcc.frontend.lowering.layout import Leaf, leaves
from kcc.frontend.tree import AggregateInit, Expr, Initialiser
from kcc.frontend.types import ArrayType, QualType, RecordType, VectorType, size_of


@dataclass(frozen=True, slots=True)
class Part:
    """An expression and the subobject it initialises."""

    offset: int
    type: QualType
    value: Expr


def explicit_parts(type_: QualType, initialiser: Initialiser, offset: int = 0) -> list[Part]:
    """What the source spells out, in the order of the source."""
    if not isinstance(initialiser, AggregateInit):
        return [Part(offset, type_, initialiser)]
    found = list[Part]()
    for index, inner in initialiser.elements:
        start, element = _element(type_, index)
        found += explicit_parts(element, inner, offset + start)
    return found


def _element(type_: QualType, index: int) -> tuple[int, QualType]:
    """The offset and type of an element of an array, vector or record."""
    match type_.type:
        case ArrayType(element, _):
            return index * size_of(element.type), element
        case VectorType(element, _):
            return index * element.kind.size_bytes, QualType(element, type_.space)
        case RecordType() as record:
            assert record.fields is not None
            return record.fields[index].offset, record.fields[index].type
        case _:
            assert index == 0
            return 0, type_


def implicit_leaves(type_: QualType, parts: list[Part]) -> list[Leaf]:
    """The leaves that no part covers wholly: they start as zero."""
    covered = set[int]()
    for part in parts:
        covered.update(range(part.offset, part.offset + _filled_bytes(part.type)))
    return [leaf for leaf in _all_leaves(type_) if not covered.issuperset(_bytes_of(leaf))]


def _all_leaves(type_: QualType) -> list[Leaf]:
    """Leaves of an aggregate; a vector that is initialised by its elements counts as those."""
    match type_.type:
        case VectorType(element, lanes):
            size = element.kind.size_bytes
            (leaf,) = leaves(element)
            return [Leaf(lane * size, leaf.type) for lane in range(lanes)]
        case _:
            return leaves(type_.type)


def _filled_bytes(type_: QualType) -> int:
    """The bytes a value of the type fills: a vector of 3 leaves its last lane alone."""
    match type_.type:
        case VectorType(element, lanes):
            return element.kind.size_bytes * lanes
        case _:
            return size_of(type_.type)


def _bytes_of(leaf: Leaf) -> range:
    match leaf.type:
        case ir.VecTy(lanes, element):
            return range(leaf.offset, leaf.offset + lanes * ir.size_bytes(element))
        case _:
            return range(leaf.offset, leaf.offset + ir.size_bytes(leaf.type))
