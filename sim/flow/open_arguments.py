"""Arguments without a value that decide where accesses go: pitches and sizes that nobody gave.

Without `n` the rows of `x[row * n + column]` cannot be told apart. If they counted as one, a launch
would find in the caches what it has to bring; so they are placed as far apart as the launch is
wide, which is reported as a guess.
"""

from __future__ import annotations

from kcc.frontend.ir.types import IntTy
from kcc.passes.access.warp_addresses import Warps
from kcc.passes.symbolic.affine import symbols_of
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Expr, Node, Sum, Symbol, SymbolKind
from kcc.passes.symbolic.ranges import Known, is_given

WIDEST = 4096
"""Of a row in elements: launches in one dimension say nothing of rows, and a product of 32 bits
with the number of a thread block has to have room for it."""


def assumed_width(known: Known) -> int:
    """What is taken for an argument without a value: work-items in x, within bounds."""
    assert known.global_size is not None
    return min(known.global_size[0], WIDEST)


def open_arguments(values: SymbolicValues, warps: Warps, address: Node) -> tuple[Symbol, ...]:
    """The arguments without a value by which an address moves with work-items, thread blocks or
    iterations; those that only move it as a whole are none of them."""
    known = values.algebra.known
    terms = [term for term, _ in address.terms] if isinstance(address, Sum) else [address]
    found = dict[Symbol, None]()
    for term in terms:
        if all(kind is SymbolKind.ARGUMENT for kind, _ in warps.needs(term)):
            continue
        found |= dict.fromkeys(each for each in symbols_of(values, term) if _is_open(each, known))
    return tuple(sorted(found, key=lambda each: each.id))


def _is_open(symbol: Symbol, known: Known) -> bool:
    is_whole = symbol.kind is SymbolKind.ARGUMENT and isinstance(symbol.type, IntTy)
    return is_whole and not is_given(symbol.kind, symbol.index, known)


class _Placed(dict[tuple[tuple[Symbol, ...], int], dict[Node, Node]]):
    """What nodes became, by what was put where."""


def placed(
    values: SymbolicValues, address: Expr, arguments: tuple[Symbol, ...], times: int = 1
) -> Expr:
    """The address with the assumed width, or several ``times`` that, in the place of
    ``arguments``."""
    algebra = values.algebra
    width = times * assumed_width(algebra.known)
    done = values.kept(_Placed).setdefault(
        (arguments, times),
        {each: algebra.number(width, each.type) for each in arguments},  # type: ignore[arg-type]
    )
    return algebra.substituted(address, done)
