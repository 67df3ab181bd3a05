"""What `kcc trace --show` prints of a trace file: what it holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import kcc
from kcc.base.trace.launches import CLASSES, STATIC, LaunchTotals
from kcc.base.trace.reader import LaunchTrace, TraceFile
from kcc.report.shared.style import Style
from kcc.report.shared.text import fill, make_table, written

SCHEMA = "kcc/trace-summary/1"


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
    rows: list[tuple[str, ...]] = [_row(launch) for launch in launches]
    if header.made_by == STATIC:
        columns = (*columns[:6], "SIMT eff.", "classes", "assumed")
        pairs = zip(rows, launches, strict=True)
        rows = [(*row[:6], row[7], *_certainty(each)) for row, each in pairs]
    table = make_table("", style, *columns, right=columns[4:])
    table.title = None
    fill(table, rows)
    text = "\n".join(printable(line) for line in lines) + "\n\n"
    return text + written(style, lambda console: console.print(table))


def _row(launch: LaunchTrace) -> tuple[str, ...]:
    totals, said = launch.totals, launch.launch
    lanes = totals.warp_instructions * launch.tables.width
    return (
        str(said.number),
        printable(launch.tables.kernel),
        "x".join(map(str, said.global_size)),
        "x".join(map(str, said.local_size)),
        f"{totals.accesses:,}" if said.addresses else "-",
        f"{totals.warp_instructions:,}",
        f"{totals.thread_instructions:,}",
        f"{100 * totals.thread_instructions / lanes:.1f} %" if lanes else "-",
    )


def _certainty(launch: LaunchTrace) -> tuple[str, str]:
    """How many classes of warps there are, and the share of segments that was assumed."""
    if launch.launch.form != CLASSES:
        return ("-", "-")
    found = launch.classes()
    share = found.assumed().events / max(launch.totals.segments, 1)
    return (f"{len(found.classes):,}", f"{100 * share:.1f} %")


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
                **_assumed(each),
            }
            for each in launches
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _assumed(launch: LaunchTrace) -> dict[str, int]:
    if launch.launch.form != CLASSES:
        return {}
    classes = launch.classes()
    found = classes.assumed()
    return {
        "classes": len(classes.classes),
        "assumed_segments": found.segments,
        "assumed_accesses": found.accesses,
        "assumed_events": found.events,
    }


def _sums(totals: LaunchTotals) -> dict[str, int]:
    return {
        "segments": totals.segments,
        "accesses": totals.accesses,
        "warp_instructions": totals.warp_instructions,
        "thread_instructions": totals.thread_instructions,
    }


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


def printable(text: str) -> str:
    """Without characters that would move the cursor: names come out of the file."""
    return "".join(c if c.isprintable() else "?" for c in text)
