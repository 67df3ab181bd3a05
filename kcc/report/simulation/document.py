"""The document `kcc/simulation/1`, CSV and a timeline."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import kcc
from kcc.base.advice import advice_json
from kcc.report.simulation.run import FailedRun, SimulationRun, resident_warps
from kcc.report.simulation.verdict import advice_on_run, verdict_of_run
from kcc.sim.result import CacheStatistics, LineTiming, StackPart, Timing

SCHEMA = "kcc/simulation/1"

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None


def simulation_json(source: str, runs: Sequence[SimulationRun | FailedRun]) -> str:
    """The document of the launches of one source in one or more configurations; the first that
    could be simulated stands at the top, all in ``gpus``."""
    return "".join(simulation_pieces(source, runs))


def simulation_pieces(source: str, runs: Sequence[SimulationRun | FailedRun]) -> Iterator[str]:
    """The same a launch at a time: of 100,000 it is hundreds of megabytes."""
    each = [run for run in runs if isinstance(run, SimulationRun)]
    failed = [
        {"configuration": run.label, "reason": run.reason}
        for run in runs if isinstance(run, FailedRun)
    ]  # fmt: skip
    head = {"schema": SCHEMA, "kcc_version": kcc.__version__, "source": source}
    yield _encoded(head)[:-1] + ","
    yield from _members(each[0])
    yield ',"gpus":['
    for number, run in enumerate(each):
        yield ",{" if number else "{"
        yield from _members(run)
        yield "}"
    yield f'],"failed":{_encoded(failed)}}}\n'


def _encoded(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"))


def _members(run: SimulationRun) -> Iterator[str]:
    """What stands between the braces of a configuration."""
    head: dict[str, Json] = {
        "gpu": run.gpu,
        "settings": list(run.settings),
        "model": run.timings[0].model,
        "cycles": run.cycles,
        "time_us": run.time_us,
        "verdict": verdict_of_run(run),
        "advice": advice_json(advice_on_run(run)),
    }
    yield _encoded(head)[1:-1] + ',"launches":['
    for number, timing in enumerate(run.timings):
        yield ("," if number else "") + _encoded(_launch(timing))
    yield "]"


def _launch(t: Timing) -> dict[str, Json]:
    o = t.occupancy
    return {
        "launch": t.launch, "kernel": t.kernel, "code": t.code,
        "cycles": t.cycles, "time_us": t.time_us,
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
        "load_cycles": line.load_cycles, "requests": line.requests,
        "local_requests": line.local_requests, "excess_sectors": line.excess_sectors,
        "excess_passes": line.excess_passes,
    }  # fmt: skip


def intervals_csv(runs: Sequence[SimulationRun]) -> str:
    """The statistics over time, a row for each interval of each launch. Resident warps are means
    over the GPU, empty where the times of not all thread blocks were kept."""
    buffer = io.StringIO()
    rows = csv.writer(buffer, lineterminator="\n")
    rows.writerow(
        ("gpu", "launch", "kernel", "start_cycle", "end_cycle", "issued", "ipc", "dram_sectors",
         "resident_warps")
    )  # fmt: skip
    for label, t in ((run.label, t) for run in runs for t in run.timings):
        for i, warps in zip(t.intervals, _resident(t), strict=True):
            ipc = f"{i.issued / max(i.end - i.start, 1):.4f}"
            rows.writerow(
                (label, t.launch, t.kernel, i.start, i.end, i.issued, ipc, i.dram_sectors, warps)
            )
    return buffer.getvalue()


def _resident(t: Timing) -> list[str]:
    """Resident warps of the GPU in each interval, as text."""
    if len(t.blocks) < t.thread_blocks or not t.intervals:
        return [""] * len(t.intervals)
    edges = np.array([i.start for i in t.intervals] + [t.intervals[-1].end], np.float64)
    return [f"{warps:.2f}" for warps in resident_warps(t, edges).sum(axis=0)]


def timeline_json(runs: Sequence[SimulationRun]) -> str:
    """Thread blocks on SMs, and instructions per cycle, in the trace event format that Perfetto
    and Chrome read; one microsecond there is one here."""
    events = list[dict[str, Any]]()
    for process, run in enumerate(runs):
        events.append(_name("process_name", process, 0, run.label))
        began = 0.0
        for t in run.timings:
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
        places = sorted({(b.sm, b.place) for t in run.timings for b in t.blocks})
        for sm, place in places:
            events.append(_name("thread_name", process, sm * 64 + place, f"SM {sm}.{place}"))
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}) + "\n"


def _span(t: Timing) -> float:
    """Cycles after the launch overhead."""
    return t.intervals[-1].end if t.intervals else t.cycles


def _name(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}
