"""Addresses that are not known: elements here and there in an array, by a fixed rule."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import IntTy
from kcc.passes.symbolic.affine import unwrapped
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Loaded, Node, Number, Operation, Sum
from kcc.passes.symbolic.reasons import needs_a_run
from kcc.tracegen.simt.plan import Object
from kcc.tracegen.static.dealing import GOLDEN
from kcc.tracegen.static.geometry import Geometry
from kcc.tracegen.static.limits import Ints

SECTOR_BYTES = 32
"""What sectors are counted in: kcc/profile/1."""


@dataclass(frozen=True, slots=True)
class Loose:
    """An address that memory has a part in: ``known`` without that part, which adds multiples of
    ``step`` bytes from ``low`` to ``high``; ``read_at`` are the addresses that the part was read
    from, where it was read as a whole."""

    known: Node
    step: int
    low: int
    high: int
    read_at: tuple[Node, ...]


def loose_parts(values: SymbolicValues, address: Node) -> Loose | None:
    """What an address is made of, if no index in it wraps around; None where all of it is known,
    or nothing."""
    if not needs_a_run(values, address) or not isinstance(address.type, IntTy):
        return None
    plain = unwrapped(values, address)
    if not isinstance(plain, Sum):
        return None
    known, step, low, high = list[tuple[Node, int]](), 0, 0, 0
    causes = dict[Node, None]()
    for term, coefficient in plain.terms:
        found = values.causes(term)
        if not found:
            known.append((term, coefficient))
            continue
        step = math.gcd(step, coefficient * _divisor(term))
        ends = sorted(coefficient * end for end in values.algebra.interval(term))
        low, high = low + ends[0], high + ends[1]
        causes |= dict.fromkeys(found)
    if not step:
        return None
    read_at = [each.address for each in causes if isinstance(each, Loaded)]
    whole = len(read_at) == len(causes) and None not in read_at
    addresses = tuple(each for each in read_at if each is not None) if whole else ()
    rest = values.algebra.sum(known, address.type, plain.constant)
    return Loose(rest, step, low, high, addresses)


def _divisor(node: Node) -> int:
    """A power of two that a value is a multiple of: that of a mask."""
    while isinstance(node, Operation) and node.operator in (Opcode.ZEXT, Opcode.SEXT):
        node = node.operands[0]
    if isinstance(node, Operation) and node.operator is Opcode.AND:
        masks = [each.value for each in node.operands if isinstance(each, Number)]
        return max((mask & -mask for mask in masks if mask), default=1)
    return 1


@dataclass(frozen=True, slots=True)
class Lanes:
    """What is known of the lanes of a warp: ``offsets`` are the bytes into the array without what
    is not known, ``grows`` by how much those grow (a row for each lane or one for all), ``drawn``
    numbers that say what is not known, ``redrawn`` the coordinates along which that changes: along
    others warps differ as what is known does."""

    offsets: Ints
    grows: Ints
    drawn: Ints
    redrawn: NDArray[np.bool_]


def place(
    array: Object, element_bytes: int, geometry: Geometry, warp: int, loose: Loose, lanes: Lanes
) -> tuple[Ints, Ints] | None:
    """As :func:`scatter` where part of the address is known; None where the array has no two
    places for what is not."""
    kept = np.where(lanes.redrawn, 0, lanes.grows)
    reach = kept * (np.array(geometry.places.limits, np.int64) - 1)
    least = int((lanes.offsets + np.minimum(reach, 0).sum(axis=1)).min())
    most = int((lanes.offsets + np.maximum(reach, 0).sum(axis=1)).max())
    step, end = loose.step, array.size_bytes - element_bytes
    first = max(-(-loose.low // step), -(least // step)) * step
    places = (min(loose.high, end - most) - first) // step + 1
    if places <= 1:
        return None
    lower = -(-places // 2)
    up = (places - lower) // math.prod(geometry.places.sizes)
    if not up:
        lower = places
    where = (_mixed(lanes.drawn) % np.uint64(lower)).astype(np.int64) + up * warp
    further = np.where(lanes.redrawn, np.array([geometry.linear], np.int64) * (up * step), 0)
    return array.address + lanes.offsets + first + where * step, kept + further


def _mixed(numbers: Ints) -> NDArray[np.uint64]:
    """Numbers whose lower bits are as good as drawn, of numbers that may differ by multiples of a
    power of two."""
    mixed = (numbers + 1).astype(np.uint64) * np.uint64(GOLDEN)
    mixed = (mixed ^ mixed >> np.uint64(32)) * np.uint64(GOLDEN)
    return mixed ^ mixed >> np.uint64(29)


def scatter(
    array: Object, element_bytes: int, geometry: Geometry, warp: int, seed: int, parts: Ints
) -> tuple[Ints, Ints]:
    """Addresses for the lanes of warp number ``warp`` of the launch, and how they grow.

    Lanes of the same part are side by side in a sector. The first warp of the launch touches the
    lower half of the array; from warp to warp addresses go up such that the last one's reach to the
    end: a class has warps in different places too.
    """
    elements = max(array.size_bytes // element_bytes, 1)
    lower = -(-elements // 2)
    step = (elements - lower) // math.prod(geometry.places.sizes)
    element = (_mixed(seed + parts) % np.uint64(lower)).astype(np.int64)
    each = max(SECTOR_BYTES // element_bytes, 1)
    element = np.minimum(element + _rank(parts) % each, lower - 1) + step * warp
    growth = np.array([geometry.linear], np.int64) * (step * element_bytes)
    return array.address + element * element_bytes, growth


def _rank(parts: Ints) -> Ints:
    """How many lanes before each are of its part: parts ascend."""
    return np.arange(len(parts)) - np.searchsorted(parts, parts)


def in_parts(lanes: NDArray[np.bool_], count: int) -> Ints:
    """The lanes, in order, in so many parts."""
    rank = np.cumsum(lanes) - 1
    total = max(int(lanes.sum()), 1)
    return np.maximum(rank, 0) * min(count, total) // total
