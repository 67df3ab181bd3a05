"""What `kcc simulate` reports: text, the document `kcc/simulation/1`, CSV and a timeline."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console

import kcc
from kcc.report.style import Style
from kcc.report.text import bar, fill, make_table, written
from kcc.sim.result import CacheStatistics, LineTiming, StackPart, Timing

SCHEMA = "kcc/simulation/1"

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None

BAR_COLUMNS = 24
LINES_SHOWN = 12
LAUNCHES_SHOWN = 20


def simulation_json(source: str, runs: Sequence[Sequence[Timing]]) -> str:
    """The document of the launches of one source on one or more GPUs."""
    return json.dumps(document(source, runs), separators=(",", ":")) + "\n"


def document(source: str, runs: Sequence[Sequence[Timing]]) -> dict[str, Json]:
    """The document as plain JSON values; the first GPU stands at the top, all in ``gpus``."""
    each = [_run(timings) for timings in runs]
    return {"schema": SCHEMA, "kcc_version": kcc.__version__, "source": source, **each[0],
            "gpus": each}  # fmt: skip


def _run(timings: Sequence[Timing]) -> dict[str, Json]:
    return {
        "gpu": timings[0].gpu,
        "model": timings[0].model,
        "cycles": sum(t.cycles for t in timings),
        "time_us": sum(t.time_us for t in timings),
        "launches": [_launch(t) for t in timings],
    }


def _launch(t: Timing) -> dict[str, Json]:
    o = t.occupancy
    return {
        "launch": t.launch, "kernel": t.kernel, "cycles": t.cycles, "time_us": t.time_us,
        "clock_mhz": t.clock_mhz, "sms": t.sms, "schedulers": t.schedulers,
        "thread_blocks": t.thread_blocks, "warp_instructions": t.instructions,
        "thread_instructions": t.thread_instructions, "issued": t.issued, "ipc": t.ipc,
        "cpi": t.cpi, "limiter": t.limiter, "cpi_stack": _stack(t.stack),
        "occupancy": {
            "blocks": o.blocks, "warps": o.warps, "max_warps": o.max_warps, "ratio": o.ratio,
            "limiters": [limiter.value for limiter in o.limiters], "registers": o.registers,
            "local_bytes": o.shared_bytes,
        },
        "caches": [_cache(c) for c in t.caches],
        "statistics": dict(t.statistics),
        "lines": [_line(line) for line in t.lines],
        "intervals": [[i.start, i.end, i.issued, i.dram_sectors] for i in t.intervals],
        "assumptions": [
            {"key": a.key, "value": a.value, "unit": a.unit, "reason": a.reason}
            for a in t.assumptions
        ],
        "confidence": list(t.confidence),
    }  # fmt: skip


def _stack(parts: Iterable[StackPart]) -> dict[str, Json]:
    return {part.name: part.cycles for part in parts}


def _cache(cache: CacheStatistics) -> dict[str, Json]:
    return {
        "level": cache.level, "accesses": cache.accesses, "hits": cache.hits,
        "pending": cache.pending, "hit_rate": cache.hit_rate,
    }  # fmt: skip


def _line(line: LineTiming) -> dict[str, Json]:
    return {
        "file": line.file, "line": line.line, "cycles": line.cycles, "stack": _stack(line.stack),
        "executed": line.executed, "sectors": line.sectors, "l1_hits": line.l1_hits,
        "l2_hits": line.l2_hits, "dram_sectors": line.dram_sectors, "passes": line.passes,
    }  # fmt: skip


def intervals_csv(runs: Sequence[Sequence[Timing]]) -> str:
    """The statistics over time, a row for each interval of each launch."""
    buffer = io.StringIO()
    rows = csv.writer(buffer, lineterminator="\n")
    rows.writerow(
        ("gpu", "launch", "kernel", "start_cycle", "end_cycle", "issued", "ipc", "dram_sectors")
    )
    for t in (t for run in runs for t in run):
        for i in t.intervals:
            ipc = f"{i.issued / max(i.end - i.start, 1):.4f}"
            rows.writerow(
                (t.gpu, t.launch, t.kernel, i.start, i.end, i.issued, ipc, i.dram_sectors)
            )
    return buffer.getvalue()


def timeline_json(runs: Sequence[Sequence[Timing]]) -> str:
    """Thread blocks on SMs, and instructions per cycle, in the trace event format that Perfetto
    and Chrome read; one microsecond there is one here."""
    events = list[dict[str, Any]]()
    for process, timings in enumerate(runs):
        events.append(_name("process_name", process, 0, timings[0].gpu))
        began = 0.0
        for t in timings:
            scale = 1.0 / t.clock_mhz
            lead = began + (t.time_us - _span(t) * scale)
            for b in t.blocks:
                events.append(
                    {
                        "name": f"{t.kernel} {b.block}", "cat": f"launch {t.launch}", "ph": "X",
                        "pid": process, "tid": b.sm * 64 + b.place,
                        "ts": lead + b.start * scale, "dur": (b.end - b.start) * scale,
                    }
                )  # fmt: skip
            for i in t.intervals:
                value = i.issued / max(i.end - i.start, 1)
                events.append(
                    {"name": "instructions per cycle", "ph": "C", "pid": process,
                     "ts": lead + i.start * scale, "args": {"ipc": round(value, 4)}}
                )  # fmt: skip
            began += t.time_us
        places = sorted({(b.sm, b.place) for t in timings for b in t.blocks})
        for sm, place in places:
            events.append(_name("thread_name", process, sm * 64 + place, f"SM {sm}.{place}"))
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}) + "\n"


def _span(t: Timing) -> float:
    """Cycles behind the launch overhead."""
    return t.intervals[-1].end if t.intervals else t.cycles


def _name(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}


def simulation_text(
    source: str,
    runs: Sequence[Sequence[Timing]],
    style: Style,
    texts: Mapping[str, Sequence[str]],
    *,
    each_launch: bool,
) -> str:
    """The report: totals, launches, the CPI stack and the lines of the source.

    ``texts`` are the lines of the source files."""

    def write(console: Console) -> None:
        for number, timings in enumerate(runs):
            if number:
                console.print()
            _write_run(console, source, timings, style, texts, each_launch=each_launch)

    return written(style, write)


def _write_run(
    console: Console,
    source: str,
    timings: Sequence[Timing],
    style: Style,
    texts: Mapping[str, Sequence[str]],
    *,
    each_launch: bool,
) -> None:
    first = timings[0]
    cycles, time_us = sum(t.cycles for t in timings), sum(t.time_us for t in timings)
    launches = "1 launch" if len(timings) == 1 else f"{len(timings):,} launches"
    console.print(
        f"{source} on {first.gpu}: {launches}, {cycles:,} cycles, {time_us:,.2f} us "
        f"at {first.clock_mhz:,.0f} MHz"
    )
    console.print()
    console.print(_kernels(timings, style, each_launch=each_launch))
    console.print()
    console.print(_stack_table(timings, style))
    rows = _hot_lines(timings, texts)
    if rows:
        console.print()
        columns = ("line", "share", "mostly", "executed", "sectors", "L1 hits", "source")
        right = ("share", "executed", "sectors", "L1 hits")
        console.print(fill(make_table("lines", style, *columns, right=right), rows))
    notes = dict.fromkeys(note for t in timings for note in t.confidence)
    for a in dict.fromkeys(a for t in timings for a in t.assumptions):
        notes[f"assumed: {a.key} = {a.value} ({a.reason})"] = None
    if notes:
        console.print()
        for note in notes:
            console.print(f"note: {note}")


def _kernels(timings: Sequence[Timing], style: Style, *, each_launch: bool) -> Any:
    columns = ("kernel", "launches", "cycles", "us", "IPC", "warps per SM", "L1", "L2", "limiter")
    table = make_table("", style, *columns, right=columns[1:8])
    groups = dict[str, list[Timing]]()
    for t in timings:
        groups.setdefault(f"{t.launch}: {t.kernel}" if each_launch else t.kernel, []).append(t)
    rows = list[tuple[str, ...]]()
    for name, own in groups.items():
        cycles = sum(t.cycles for t in own)
        ipc = sum(t.issued for t in own) / cycles if cycles else 0
        o = own[0].occupancy
        rows.append(
            (name, f"{len(own):,}", f"{cycles:,}", f"{sum(t.time_us for t in own):,.2f}",
             f"{ipc:.2f}", f"{o.warps} of {o.max_warps}", _rate(own, "L1"), _rate(own, "L2"),
             max(_added(own).items(), key=lambda part: part[1])[0])
        )  # fmt: skip
    return fill(table, rows)


def _rate(timings: Sequence[Timing], level: str) -> str:
    caches = [c for t in timings for c in t.caches if c.level == level]
    accesses = sum(c.accesses for c in caches)
    return f"{100 * sum(c.hits for c in caches) / accesses:.1f} %" if accesses else "-"


def _added(timings: Sequence[Timing]) -> dict[str, float]:
    total = dict[str, float]()
    for part in (part for t in timings for part in t.stack):
        total[part.name] = total.get(part.name, 0) + part.cycles
    return total


def _stack_table(timings: Sequence[Timing], style: Style) -> Any:
    """Where the cycles of all schedulers went; parts add up to the cycles per instruction."""
    total = _added(timings)
    everything, issued = sum(total.values()), sum(t.issued for t in timings)
    table = make_table("CPI stack", style, "cause", "CPI", "share", "", right=("CPI", "share"))
    rows = [
        (name, f"{cycles / issued:.3f}" if issued else "-", f"{100 * cycles / everything:.1f} %",
         bar(BAR_COLUMNS * cycles / everything, style))
        for name, cycles in sorted(total.items(), key=lambda part: -part[1])
        if cycles
    ]  # fmt: skip
    rows.append(("all", f"{everything / issued:.3f}" if issued else "-", "100.0 %", ""))
    return fill(table, rows)


def _hot_lines(
    timings: Sequence[Timing], texts: Mapping[str, Sequence[str]]
) -> list[tuple[str, ...]]:
    """The lines with most scheduler cycles."""
    cycles = dict[tuple[str, int], float]()
    parts = dict[tuple[str, int], dict[str, float]]()
    counts = dict[tuple[str, int], list[float]]()
    for line in (line for t in timings for line in t.lines if line.line):
        place = line.file, line.line
        cycles[place] = cycles.get(place, 0) + line.cycles
        own = parts.setdefault(place, {})
        for part in line.stack:
            own[part.name] = own.get(part.name, 0) + part.cycles
        seen = counts.setdefault(place, [0, 0, 0])
        for at, value in enumerate((line.executed, line.sectors, line.l1_hits)):
            seen[at] += value
    everything = sum(_added(timings).values())
    found = list[tuple[str, ...]]()
    for place in sorted(cycles, key=lambda p: (-cycles[p], p))[:LINES_SHOWN]:
        file, line = place
        text = texts.get(file, ())
        words = text[line - 1].strip() if 0 < line <= len(text) else ""
        executed, sectors, hits = counts[place]
        found.append(
            (str(line), f"{100 * cycles[place] / everything:.1f} %",
             max(parts[place].items(), key=lambda part: part[1])[0], f"{executed:,}",
             f"{sectors:,}", f"{100 * hits / sectors:.0f} %" if sectors else "-", words)
        )  # fmt: skip
    return found
