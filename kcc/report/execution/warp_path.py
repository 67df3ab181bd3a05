"""What `kcc trace --show --warp` prints: what one warp did, beside the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.launches import CLASSES
from kcc.base.trace.reader import LaunchTrace
from kcc.base.trace.tables import TraceTables
from kcc.report.execution.traces import counted, printable

SHOWN_ADDRESSES = 6
"""Of lanes whose addresses follow no rule."""


@dataclass(frozen=True, slots=True)
class _Step:
    """A segment that the warp executed: a row of a batch; what of it a static trace had to assume:
    that it is executed so, and the addresses of which of its accesses."""

    batch: TraceBatch
    row: int
    assumed: bool
    assumed_accesses: Sequence[bool]


def warp_path(launch: LaunchTrace, block: int, warp: int, limit: int) -> str:
    """What one warp did, segment by segment, at most ``limit`` of them, beside the source."""
    said, tables = launch.launch, launch.tables
    x, y, _ = said.blocks
    place = (block % x, block // x % y, block // (x * y))
    head = f"launch {said.number}: {tables.kernel}, thread block {block} {place}, warp {warp}"
    lines, instructions, total = [head], 0, 0
    namer = _Namer(launch)
    assumed = 0
    for step in _steps(launch, block, warp):
        if total < limit:
            lines += _told(step, tables, namer)
        instructions += tables.segments[int(step.batch.segment[step.row])].counted
        assumed += step.assumed or any(step.assumed_accesses)
        total += 1
    lines[0] += f": {counted(total, 'segment')}, {counted(instructions, 'warp instruction')}"
    if assumed:
        lines[0] += f"; {counted(assumed, 'segment')} assumed"
    if total > limit:
        lines.append(f"  ... {total - limit:,} more segments; --limit shows more")
    return "\n".join(printable(line) for line in lines) + "\n"


def _steps(launch: LaunchTrace, block: int, warp: int) -> Iterator[_Step]:
    if launch.launch.form == CLASSES:
        for part in launch.classes().path(block, warp):
            starts: list[int] = part.batch.access_start.tolist()
            accesses: list[bool] = part.assumed_accesses.tolist()
            for row, assumed in enumerate(part.assumed_segments.tolist()):
                own = accesses[starts[row] : starts[row + 1]]
                yield _Step(part.batch, row, assumed, own)
        return
    for batch in launch.batches(block, 1):
        for row in (batch.warp == warp).nonzero()[0].tolist():
            count = int(batch.access_start[row + 1] - batch.access_start[row])
            yield _Step(batch, row, assumed=False, assumed_accesses=[False] * count)


def _told(step: _Step, tables: TraceTables, namer: _Namer) -> Iterator[str]:
    """One segment: its block, its lines, its lanes; then its accesses."""
    batch, row = step.batch, step.row
    segment = tables.segments[int(batch.segment[row])]
    mask = int(batch.mask[row])
    places = [tables.instructions[i] for i in range(segment.first, segment.end)]
    numbers = sorted({i.line for i in places if i.line})
    shown = f"line {numbers[0]}" if numbers else "line not known"
    if len(numbers) > 1:
        shown = f"lines {numbers[0]}-{numbers[-1]}"
    more = " (after a barrier)" if batch.continued[row] else ""
    label = tables.blocks[segment.block].label
    yield (
        f"  #{segment.block} {label}{more}: {shown}, lanes {lanes_text(mask)}, "
        f"{counted(segment.counted, 'instruction')}{', assumed' if step.assumed else ''}"
    )
    file = next((i.file for i in places if i.line and i.line == (numbers or [0])[0]), -1)
    text = _line(tables, file, numbers[0]) if numbers else ""
    if text:
        yield f"      | {text}"
    start = int(batch.access_start[row])
    active = [lane for lane in range(tables.width) if mask >> lane & 1]
    for event, assumed in enumerate(step.assumed_accesses, start):
        access = tables.accesses[int(batch.access[event])]
        line = tables.instructions[access.instruction].line
        where = namer.addresses_text([int(batch.addresses[event, lane]) for lane in active])
        if assumed and not step.assumed:
            where += ", assumed"
        yield f"      {access.operation} {access.element_bytes} B, line {line or '?'}: {where}"


def _line(tables: TraceTables, file: int, line: int) -> str:
    lines = tables.texts[file].split("\n") if file >= 0 else []
    return lines[line - 1].strip() if 1 <= line <= len(lines) else ""


def lanes_text(mask: int) -> str:
    """The lanes of a mask as ranges: ``0-15, 20``; ``0-30 by 2`` where that is all."""
    lanes = [lane for lane in range(mask.bit_length()) if mask >> lane & 1]
    steps = {b - a for a, b in pairwise(lanes)}
    if len(lanes) > 2 and len(steps) == 1 and steps != {1}:
        return f"{lanes[0]}-{lanes[-1]} by {steps.pop()}"
    parts, lane = list[str](), 0
    while mask >> lane:
        if not mask >> lane & 1:
            lane += 1
            continue
        end = lane
        while mask >> (end + 1) & 1:
            end += 1
        parts.append(str(lane) if end == lane else f"{lane}-{end}")
        lane = end + 1
    return ", ".join(parts)


class _Namer:
    """Says which buffer an address is in, and how far."""

    def __init__(self, launch: LaunchTrace) -> None:
        buffers = [(b.address, b.size_bytes, b.name) for b in launch.launch.buffers if b.address]
        arrays = [(a.address, a.size_bytes, a.name) for a in launch.tables.arrays]
        self.known = [*buffers, *arrays]

    def addresses_text(self, addresses: Sequence[int]) -> str:
        """Where the active lanes' addresses are, as a rule if there is one."""
        base, name = self._base(addresses[0])
        offsets = [address - base for address in addresses]
        steps = {b - a for a, b in pairwise(offsets)}
        if steps <= {0}:
            return f"{name}+{offsets[0]}" + (" in every lane" if len(offsets) > 1 else "")
        if len(steps) == 1:
            return f"{name}+{offsets[0]} .. {name}+{offsets[-1]}, {steps.pop()} bytes apart"
        shown = ", ".join(self._place(address) for address in addresses[:SHOWN_ADDRESSES])
        more = len(addresses) - SHOWN_ADDRESSES
        return shown + (f", {more} more" if more > 0 else "")

    def _place(self, address: int) -> str:
        base, name = self._base(address)
        return f"{name}+{address - base}"

    def _base(self, address: int) -> tuple[int, str]:
        for start, size, name in self.known:
            if start <= address < start + max(size, 1):
                return start, name
        return 0, "address"
