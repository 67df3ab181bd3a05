"""Accesses that a compiler makes one of: neighbours in a block, up to 16 bytes, where nothing
between them may touch the same memory (LLVM's load-store vectoriser, which leaves wide stores where
the last of them was)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import AnyInstruction, Call, Load, Store
from kcc.frontend.ir.values import Value
from kcc.frontend.types import AddressSpace
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccess
from kcc.passes.symbolic.expr import Node
from kcc.passes.symbolic.places import Terms, where_of

WIDTHS = (16, 8, 4, 2)
"""Bytes that they can have together."""
_SIZES = (1, 2, 4, 8)
_SPACES = (AddressSpace.GLOBAL, AddressSpace.LOCAL)


@dataclass(frozen=True, slots=True)
class Joined:
    """Accesses that are made at once, that of the lowest address first, and their bytes."""

    accesses: tuple[MemoryAccess, ...]
    bytes: int

    @property
    def instructions(self) -> tuple[int, ...]:
        """Those of the accesses."""
        return tuple(each.instruction for each in self.accesses)


@dataclass(slots=True)
class _Chain:
    """Accesses side by side, in the order of their addresses, each with its bytes and alignment."""

    terms: Terms
    first: int
    end: int
    members: list[tuple[MemoryAccess, int, int]] = field(
        default_factory=list[tuple[MemoryAccess, int, int]]
    )

    def may_meet(self, terms: Terms, constant: int, size: int) -> bool:
        """Whether an access of so many bytes may touch one of them."""
        return self.terms != terms or (self.first < constant + size and constant < self.end)


@dataclass(slots=True)
class _Chains:
    """Those of a block so far; ``op`` is what they do."""

    op: AccessOp
    open: dict[AddressSpace, list[_Chain]] = field(default_factory=dict[AddressSpace, list[_Chain]])
    found: dict[int, Joined] = field(default_factory=dict[int, Joined])

    def close(self, spaces: Iterable[AddressSpace]) -> None:
        """Nothing joins what was accessed before in these spaces."""
        for space in spaces:
            for chain in self.open.pop(space, ()):
                for each in _cut(chain):
                    self.found.update(dict.fromkeys(each.instructions, each))

    def add(self, access: MemoryAccess, address: Node, size: int, alignment: int) -> None:
        """Put an access behind its neighbour, or begin a chain with it."""
        terms, constant = where_of(address)
        chains = self.open.get(access.space, [])
        chain = next((c for c in chains if c.terms == terms and c.end == constant), None)
        if chain is None:
            meets = (
                c.terms != terms or (c.first < constant + size and constant < c.end) for c in chains
            )
            if self.op is AccessOp.STORE and any(meets):
                self.close([access.space])
            chain = _Chain(terms, constant, constant)
            self.open.setdefault(access.space, []).append(chain)
        chain.members.append((access, size, alignment))
        chain.end += size


def joined_accesses(
    block: Iterable[AnyInstruction],
    accesses: Mapping[int, Iterable[MemoryAccess]],
    address: Callable[[AnyInstruction, Value], Node],
    op: AccessOp,
    alignment: Callable[[MemoryAccess, Node], int] = lambda _touch, _address: 1,
) -> dict[int, Joined]:
    """The loads, or the stores, of a block that are made together with others, by the instruction
    of each. ``alignment`` is what is known of an address beside what its instruction says."""
    chains = _Chains(op)
    for instruction in block:
        touches = tuple(accesses.get(instruction.index, ()))
        if not touches and isinstance(instruction, Call):
            chains.close(list(chains.open))
        for touch in touches:
            if touch.space not in _SPACES:
                continue
            size, is_own = touch.element_bytes, touch.op is op and not touch.volatile
            if is_own and isinstance(instruction, Load | Store) and size in _SIZES:
                assert isinstance(size, int)
                place = address(instruction, touch.pointer)
                known = max(instruction.alignment_bytes, alignment(touch, place))
                chains.add(touch, place, size, known)
            elif op is AccessOp.STORE or touch.op is not AccessOp.LOAD:
                chains.close([touch.space])
    chains.close(list(chains.open))
    return chains.found


def _cut(chain: _Chain) -> list[Joined]:
    """The wide accesses of a chain: each as wide as the alignment of its first one lets it be."""
    found, place = list[Joined](), 0
    while place < len(chain.members):
        width, count = _widest(chain, place)
        if count > 1:
            part = chain.members[place : place + count]
            found.append(Joined(tuple(access for access, _, _ in part), width))
        place += count
    return found


def _widest(chain: _Chain, place: int) -> tuple[int, int]:
    """Bytes, and how many accesses, of the widest that begins with one of a chain."""
    _, size, alignment = chain.members[place]
    for width in WIDTHS:
        total = 0
        for count, (_, each, _) in enumerate(chain.members[place:], 1):
            total += each
            if total == width and alignment >= width:
                return width, count
            if total >= width:
                break
    return size, 1
