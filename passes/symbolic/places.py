"""Addresses as terms and a constant, by which places are compared."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir.opcodes import Opcode
from kcc.passes.symbolic.expr import Node, Operation, Sum, Symbol, SymbolKind


@dataclass(frozen=True, slots=True)
class Iteration:
    """The number of a loop's iteration, of whatever width: LLVM counts in several."""

    loop: int | str


Terms = frozenset[tuple[Node | Iteration, int]]
"""With their coefficients."""

_WIDENING = (Opcode.ZEXT, Opcode.SEXT)


def terms_of(address: Node) -> tuple[tuple[Node, int], ...]:
    """The terms of a sum with their coefficients; those of the constant are left out."""
    if isinstance(address, Sum):
        return tuple(address.terms)
    return ((address, 1),)


def flattened(address: Node) -> tuple[list[tuple[Node, int]], int]:
    """The terms and the constant of a place in an array, with sums inside of conversions: an index
    that lies in the array does not wrap around in a narrower type."""
    found, constant = list[tuple[Node, int]](), address.constant if isinstance(address, Sum) else 0
    for term, coefficient in terms_of(address):
        if isinstance(term, Operation) and term.operator in _WIDENING:
            inner, more = flattened(term.operands[0])
            found += [(each, coefficient * by) for each, by in inner]
            constant += coefficient * more
        else:
            found.append((term, coefficient))
    return found, constant


def where_of(address: Node) -> tuple[Terms, int]:
    """An address as its terms, each once, and its constant."""
    terms, constant = flattened(address)
    found = dict[Node | Iteration, int]()
    for term, coefficient in terms:
        key: Node | Iteration = term
        if isinstance(term, Symbol) and term.kind is SymbolKind.COUNTER:
            key = Iteration(term.index)
        found[key] = found.get(key, 0) + coefficient
    return frozenset(found.items()), constant
