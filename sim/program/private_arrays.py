"""Where a compiler keeps a work-item's private arrays.

Registers have no addresses. An array whose places are constants once the loops around are unrolled
becomes registers. Of one with places that stay variable, ptxas makes registers too while there are
few candidates: a load then is a chain of predicated moves, one for each register it may mean, and a
store likewise. What is larger lies in local memory.

Candidates are not elements but aligned pieces: a loop unrolled by four moves an index by 16 bytes,
so that the four elements of a piece are told apart by constants.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum

from kcc.base.records import dataclass
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.memory.arrays import Array
from kcc.passes.memory.memory_accesses import MemoryAccess, MemoryAccesses
from kcc.passes.memory.memory_use import MemoryUse
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Symbol, SymbolKind
from kcc.passes.symbolic.places import flattened


class Home(Enum):
    """Where an array is."""

    REGISTERS = "registers"
    SELECTED = "registers, found by comparing the index"
    MEMORY = "local memory"


@dataclass(frozen=True, slots=True)
class PrivateHome:
    """``candidates`` are the aligned pieces of ``piece_bytes`` that a variable index may mean."""

    home: Home
    size_bytes: int
    candidates: int = 1
    piece_bytes: int = 16


PIECE_BYTES = 16
"""The widest access to local memory."""

MOST_CANDIDATES = 8
FEW_CANDIDATES = 4
"""ptxas keeps arrays of up to 8 pieces in registers, in CUDA 13 whatever their size (and one of 12
pieces of 16 bytes, but none of 12 of 4 or of 16; tried with arrays of 2 to 64 floats); the one
that compiled the Coulomb sums of the 2080 Ti's table only where pieces have 16 bytes, else up to 4
(`local_bytes_per_thread`; arrays of 2 to 32 sums, unrolled 1 to 16 times)."""


def private_homes(facts: Facts, is_unrolled: Callable[[int], bool]) -> Mapping[int, PrivateHome]:
    """The home of each private array, by its instruction; ``is_unrolled`` says which loops a
    compiler unrolls wholly."""
    values = facts[SymbolicValues]
    sizes = {
        each.instruction: each.size_bytes if isinstance(each.size_bytes, int) else 0
        for each in facts[MemoryUse].private_arrays
    }
    strides = dict.fromkeys(sizes, 0)
    lost = set[int]()
    for access in facts[MemoryAccesses].accesses:
        if access.space is not AddressSpace.PRIVATE:
            continue
        if not isinstance(access.array, Array) or not isinstance(access.array.symbol, int):
            lost |= sizes.keys()
            continue
        stride = _stride(values, access, is_unrolled)
        symbol = access.array.symbol
        if stride is None or access.volatile:
            lost.add(symbol)
        else:
            strides[symbol] = math.gcd(strides.get(symbol, 0), stride)
    return {i: _home(size, strides[i], is_lost=i in lost) for i, size in sizes.items()}


def _home(size_bytes: int, stride: int, *, is_lost: bool) -> PrivateHome:
    if is_lost or not size_bytes:
        return PrivateHome(Home.MEMORY, size_bytes)
    if not stride:
        return PrivateHome(Home.REGISTERS, size_bytes)
    piece = math.gcd(stride, PIECE_BYTES)
    candidates = -(-size_bytes // piece)
    most = MOST_CANDIDATES if piece == PIECE_BYTES else FEW_CANDIDATES
    home = Home.SELECTED if candidates <= most else Home.MEMORY
    return PrivateHome(home, size_bytes, candidates, piece)


def _stride(
    values: SymbolicValues, access: MemoryAccess, is_unrolled: Callable[[int], bool]
) -> int | None:
    """By what multiples of bytes an access moves within its array, 0 for a constant place; None
    where that is not known."""
    instruction = values.kernel.function.instructions[access.instruction]
    address = values.address(instruction, access.pointer)
    stride = 0
    for term, coefficient in flattened(address)[0]:
        if isinstance(term, Symbol) and term.kind is SymbolKind.PRIVATE:
            if coefficient != 1:
                return None
            continue
        is_counter = isinstance(term, Symbol) and term.kind is SymbolKind.COUNTER
        if is_counter and all(is_unrolled(loop) for loop in values.varying(term)):
            continue
        stride = math.gcd(stride, abs(coefficient))
    return stride
