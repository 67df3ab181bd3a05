"""A profile the slow, obvious way: every work-item's path and every lane's address on its own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from kcc.base.trace.tables import TraceTables
from kcc.tracegen.trace_stream import TracedBlock

Item = tuple[int, int, int]
"""Thread block, warp, lane."""


@dataclass
class SlowProfile:
    """Counts by plain dictionaries."""

    paths: dict[Item, list[int]] = field(default_factory=lambda: defaultdict(list[int]))
    sectors: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter[int]))
    lines: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter[int]))
    passes: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter[int]))
    half_passes: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter[int]))
    reuse: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter[int]))
    new_lines: Counter[int] = field(default_factory=Counter[int])
    executions: Counter[int] = field(default_factory=Counter[int])
    requests: Counter[int] = field(default_factory=Counter[int])
    stack: list[int] = field(default_factory=list[int])
    """Lines, the one touched last at the end."""


def slow_profile(tables: TraceTables, blocks: Iterable[TracedBlock]) -> SlowProfile:
    """The profile of a launch from what :class:`TraceReader` gives."""
    profile = SlowProfile()
    for block in blocks:
        lanes = [i for i in range(tables.width) if block.mask >> i & 1]
        if not block.continued:
            for lane in lanes:
                profile.paths[block.thread_block, block.warp, lane].append(block.block)
        for access in block.accesses:
            number = tables.instructions[access.instruction].access
            addresses = {lane: int(access.addresses[lane]) for lane in lanes}
            _measure(profile, tables, number, addresses)
            if tables.accesses[number].space not in ("local", "private"):
                profile.requests[block.thread_block] += len(
                    _pieces(addresses.values(), tables.accesses[number].element_bytes, 128)
                )
    return profile


def _pieces(addresses: Iterable[int], size: int, piece: int) -> list[int]:
    """Aligned pieces touched, in order of first touch."""
    touched = (p for a in addresses for p in range(a // piece, (a + size - 1) // piece + 1))
    return list(dict.fromkeys(touched))


def _measure(
    profile: SlowProfile, tables: TraceTables, number: int, addresses: dict[int, int]
) -> None:
    access = tables.accesses[number]
    profile.executions[number] += 1
    if access.space == "private":
        return
    size = access.element_bytes
    if access.space == "local":
        whole = _passes(addresses, size, tables.width, banks=32)
        half = _passes(addresses, size, tables.width, banks=16)
        profile.passes[number][whole] += 1
        profile.half_passes[number][half] += 1
        return
    profile.sectors[number][len(_pieces(addresses.values(), size, 32))] += 1
    lines = _pieces(addresses.values(), size, 128)
    profile.lines[number][len(lines)] += 1
    for line in lines:
        if line in profile.stack:
            place = profile.stack.index(line)
            distance = len(profile.stack) - 1 - place
            profile.reuse[number][1 << distance.bit_length() >> 1] += 1
            profile.stack.pop(place)
        else:
            profile.new_lines[number] += 1
        profile.stack.append(line)


def _passes(addresses: dict[int, int], size: int, width: int, banks: int) -> int:
    """Groups of lanes whose elements fill the banks once at most, in pieces of 16 bytes; in each
    the most words of one bank."""
    total = 0
    for piece in range(0, size, 16):
        bytes_here = min(16, size - piece)
        lanes = banks if bytes_here <= 4 else banks * 4 // bytes_here
        for group in range(0, width, lanes):
            words = {
                word
                for lane, address in addresses.items()
                if group <= lane < group + lanes
                for word in range(
                    (address + piece) // 4, (address + piece + bytes_here - 1) // 4 + 1
                )
            }
            total += max(Counter(word % banks for word in words).values(), default=0)
    return total
