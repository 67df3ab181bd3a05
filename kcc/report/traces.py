"""What `kcc trace --show` prints: what a trace file holds, and what one warp did."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import kcc
from kcc.report.style import Style
from kcc.report.text import fill, make_table, written
from kcc.trace.decode import TraceBatch
from kcc.trace.launches import STATIC, LaunchTotals
from kcc.trace.reader import LaunchTrace, TraceFile
from kcc.trace.tables import TraceTables

SCHEMA = "kcc/trace-summary/1"

SHOWN_ADDRESSES = 6
"""Of lanes whose addresses follow no rule."""


def trace_summary(trace: TraceFile, launches: Sequence[LaunchTrace], style: Style) -> str:
    """What the file holds as text, launch by launch."""
    header, totals = trace.header, trace.totals
    made = "an analysis" if header.made_by == STATIC else "a run"
    each = f", {trace.size_bytes / max(totals.warp_instructions, 1):.3f} bytes per warp instruction"
    launched = counted(len(trace.launches), "launch", "es")
    size = size_text(trace.size_bytes) + (each if totals.warp_instructions else "")
    sums = f"{totals.warp_instructions:,} warp instructions, {totals.thread_instructions:,} thread "
    lines = [
        f"{trace.path}: trace of {made} of {header.program} (kcc {header.kcc_version})",
        f"{launched} of {counted(len(trace.tables), 'kernel')}, {size}",
        f"{sums}instructions, {totals.accesses:,} accesses by warps",
    ]
    columns = (
        "launch", "kernel", "global", "local", "accesses", "warp instr", "thread instr",
        "SIMT eff.",
    )  # fmt: skip
    table = make_table("", style, *columns, right=columns[4:])
    table.title = None
    fill(table, [_row(launch) for launch in launches])
    text = "\n".join(_safe(line) for line in lines) + "\n\n"
    return text + written(style, lambda console: console.print(table))


def _row(launch: LaunchTrace) -> tuple[str, ...]:
    totals, said = launch.totals, launch.launch
    lanes = totals.warp_instructions * launch.tables.width
    return (
        str(said.number),
        _safe(launch.tables.kernel),
        "x".join(map(str, said.global_size)),
        "x".join(map(str, said.local_size)),
        f"{totals.accesses:,}" if said.addresses else "-",
        f"{totals.warp_instructions:,}",
        f"{totals.thread_instructions:,}",
        f"{100 * totals.thread_instructions / lanes:.1f} %" if lanes else "-",
    )


def trace_json(trace: TraceFile, launches: Iterable[LaunchTrace]) -> str:
    """The same as a JSON document; its schema is kcc/schemas/trace-summary-1.json."""
    document = {
        "schema": SCHEMA,
        "kcc_version": kcc.__version__,
        "file": str(trace.path),
        "file_bytes": trace.size_bytes,
        "made_by": trace.header.made_by,
        "made_with": trace.header.kcc_version,
        "program": trace.header.program,
        **_sums(trace.totals),
        "launch_count": len(trace.launches),
        "kernels": [
            {"name": t.kernel, "source": t.source, "optimisation": t.level, "warp_size": t.width}
            for t in trace.tables
        ],
        "launches": [
            {
                "number": each.launch.number,
                "kernel": each.tables.kernel,
                "global_size": list(each.launch.global_size),
                "local_size": list(each.launch.local_size),
                "thread_blocks": each.launch.thread_blocks,
                "form": each.launch.form,
                "addresses": each.launch.addresses,
                "buffers": [
                    {
                        "argument": b.name,
                        "space": b.space,
                        "address": b.address,
                        "size_bytes": b.size_bytes,
                    }
                    for b in each.launch.buffers
                ],
                **_sums(each.totals),
            }
            for each in launches
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _sums(totals: LaunchTotals) -> dict[str, int]:
    return {
        "segments": totals.segments,
        "accesses": totals.accesses,
        "warp_instructions": totals.warp_instructions,
        "thread_instructions": totals.thread_instructions,
    }


def warp_path(launch: LaunchTrace, block: int, warp: int, limit: int) -> str:
    """What one warp did, segment by segment, at most ``limit`` of them, beside the source."""
    said, tables = launch.launch, launch.tables
    x, y, _ = said.blocks
    place = (block % x, block // x % y, block // (x * y))
    head = f"launch {said.number}: {tables.kernel}, thread block {block} {place}, warp {warp}"
    lines, instructions, total = [head], 0, 0
    namer = _Namer(launch)
    for batch, row in _steps(launch, block, warp):
        if total < limit:
            lines += _step(batch, row, tables, namer)
        instructions += tables.segments[int(batch.segment[row])].counted
        total += 1
    lines[0] += f": {counted(total, 'segment')}, {counted(instructions, 'warp instruction')}"
    if total > limit:
        lines.append(f"  ... {total - limit:,} more segments; --limit shows more")
    return "\n".join(_safe(line) for line in lines) + "\n"


def _steps(launch: LaunchTrace, block: int, warp: int) -> Iterator[tuple[TraceBatch, int]]:
    for batch in launch.batches(block, 1):
        for row in (batch.warp == warp).nonzero()[0].tolist():
            yield batch, row


def _step(batch: TraceBatch, row: int, tables: TraceTables, namer: _Namer) -> Iterator[str]:
    """One segment: its block, its lines, its lanes; then its accesses."""
    segment = tables.segments[int(batch.segment[row])]
    mask = int(batch.mask[row])
    places = [tables.instructions[i] for i in range(segment.first, segment.end)]
    numbers = sorted({i.line for i in places if i.line})
    shown = f"line {numbers[0]}" if numbers else "line not known"
    if len(numbers) > 1:
        shown = f"lines {numbers[0]}-{numbers[-1]}"
    more = " (behind a barrier)" if batch.continued[row] else ""
    label = tables.blocks[segment.block].label
    yield (
        f"  #{segment.block} {label}{more}: {shown}, lanes {lanes_text(mask)}, "
        f"{counted(segment.counted, 'instruction')}"
    )
    file = next((i.file for i in places if i.line and i.line == (numbers or [0])[0]), -1)
    text = _line(tables, file, numbers[0]) if numbers else ""
    if text:
        yield f"      | {text}"
    start, end = int(batch.access_start[row]), int(batch.access_start[row + 1])
    active = [lane for lane in range(tables.width) if mask >> lane & 1]
    for event in range(start, end):
        number = int(batch.access[event])
        access = tables.accesses[number]
        line = tables.instructions[access.instruction].line
        addresses = [int(batch.addresses[event, lane]) for lane in active]
        where = namer.addresses_text(addresses)
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


def counted(number: int, word: str, plural: str = "s") -> str:
    """A number with its noun."""
    return f"{number:,} {word}{plural if number != 1 else ''}"


def size_text(size_bytes: int) -> str:
    """Bytes for people."""
    size, unit = float(size_bytes), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size_bytes:,} bytes" if unit == "bytes" else f"{size:.3g} {unit}"


def _safe(text: str) -> str:
    """Without characters that would move the cursor: names come out of the file."""
    return "".join(c if c.isprintable() else "?" for c in text)
