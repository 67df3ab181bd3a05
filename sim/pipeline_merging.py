"""Loads that a compiler does not make: those of an address it has just loaded, and those that are
part of a wider load of neighbours (LLVM's load-store vectoriser)."""

from __future__ import annotations

from dataclasses import dataclass, field

from kcc.frontend.ir.types import IntTy
from kcc.frontend.types import AddressSpace
from kcc.passes.memory_accesses import AccessOp, MemoryAccess
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import BASE_KINDS, Expr, Sum, Symbol
from kcc.sim.private_arrays import terms_of

Place = tuple[AddressSpace, Expr, int]
"""An address space, an address, and how many bytes."""


@dataclass(slots=True)
class LoadMerging:
    """The loads of the block so far, by what they load; a store or a barrier makes them stale."""

    values: SymbolicValues
    exact: dict[Place, int] = field(default_factory=dict[Place, int])
    pieces: dict[Place, int] = field(default_factory=dict[Place, int])
    block: int = -1

    def forget(self) -> None:
        """Behind a barrier everything may be different."""
        self.exact.clear()
        self.pieces.clear()

    def find(self, block: int, touch: MemoryAccess, address: Expr) -> tuple[int, int] | None:
        """The operation that has loaded a value already, or can with more bytes, and how many
        bytes more; call it for every access, in order: it sees stores."""
        if self.block != block:
            self.forget()
            self.block = block
        if touch.op is not AccessOp.LOAD:
            self.exact = {k: n for k, n in self.exact.items() if k[0] is not touch.space}
            self.pieces = {k: n for k, n in self.pieces.items() if k[0] is not touch.space}
            return None
        if touch.volatile or not isinstance(touch.element_bytes, int):
            return None
        size = touch.element_bytes
        same = self.exact.get((touch.space, address, size))
        if same is not None:
            return same, 0
        piece = self._piece(touch, address, size)
        if piece is None or piece not in self.pieces:
            return None
        self.exact[(touch.space, address, size)] = self.pieces[piece]
        return self.pieces[piece], size

    def keep(self, touch: MemoryAccess, address: Expr, size: int, number: int) -> None:
        """Remember a load that was made."""
        self.exact[(touch.space, address, size)] = number
        piece = self._piece(touch, address, size)
        if piece is not None:
            self.pieces[piece] = number

    def _piece(self, touch: MemoryAccess, address: Expr, size: int) -> Place | None:
        """The aligned piece of 8 or 16 bytes that a load of 4 or 8 lies in, if it always does."""
        if size not in (4, 8) or touch.space not in (AddressSpace.LOCAL, AddressSpace.GLOBAL):
            return None
        terms = terms_of(address)
        constant = address.constant if isinstance(address, Sum) else 0
        steps = [c for t, c in terms if not (isinstance(t, Symbol) and t.kind in BASE_KINDS)]
        piece = next((p for p in (16, 8) if p > size and all(c % p == 0 for c in steps)), None)
        if piece is None:
            return None
        assert isinstance(address.type, IntTy)
        rounded = self.values.algebra.sum(list(terms), address.type, constant // piece * piece)
        return touch.space, rounded, piece
