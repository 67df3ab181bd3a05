"""The document `kcc/memory/1`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import kcc
from kcc.report.memory_run import GpuRun, MemoryReport, verdict_of
from kcc.sim.memory.facts import (
    AccessResult,
    ArrayResult,
    Change,
    Distribution,
    MemoryResult,
)

SCHEMA = "kcc/memory/1"

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None


def memory_json(report: MemoryReport) -> str:
    """The document of all GPUs."""
    return json.dumps(document(report), separators=(",", ":")) + "\n"


def document(report: MemoryReport) -> dict[str, Json]:
    """The document as plain JSON values."""
    return {
        "schema": SCHEMA, "kcc_version": kcc.__version__, "source": report.source,
        "verdict": verdict_of(report),
        "gpus": [_run(run) for run in report.runs],
        "failed": [{"gpu": f.gpu, "reason": f.reason} for f in report.failed],
        "notes": list(report.notes),
    }  # fmt: skip


def _run(run: GpuRun) -> Json:
    return {
        "gpu": run.gpu, "settings": list(run.settings),
        "launches": [_launch(r) for r in run.results],
    }  # fmt: skip


def _launch(r: MemoryResult) -> Json:
    return {
        "launch": r.launch, "kernel": r.kernel, "clock_mhz": r.clock_mhz,
        "l1_hit_cycles": r.l1_cycles, "l2_hit_cycles": r.l2_cycles, "trials": r.trials,
        "settled_after": r.settled_after, "thread_blocks": r.blocks,
        "all_thread_blocks": r.all_blocks, "resident_blocks": r.resident_blocks, "sms": r.sms,
        "transactions": r.entries, "sequences": r.sequences,
        "l1_read_hit_rate": _distribution(r.l1_rate), "l2_read_hit_rate": _distribution(r.l2_rate),
        "l2_write_hit_rate": _distribution(r.write_rate), "l2_reads": _distribution(r.l2_reads),
        "l2_writes": _distribution(r.l2_writes), "dram_reads": _distribution(r.dram_reads),
        "dram_writes": _distribution(r.dram_writes), "dram_cycles": _distribution(r.dram_cycles),
        "accesses": [_access(a) for a in r.accesses if a.executed],
        "arrays": [_array(a) for a in r.arrays],
        "what_if": [_change(c) for c in r.changes],
        "assumptions": list(r.assumptions),
    }  # fmt: skip


def _distribution(found: Distribution | None) -> Json:
    """With the value of each trial, in their order."""
    if found is None:
        return None
    low, high = found.interval
    return {
        "mean": found.mean, "deviation": found.deviation, "low": low, "high": high,
        "values": list(found.values),
    }  # fmt: skip


def _moments(found: Distribution | None) -> Json:
    return None if found is None else {"mean": found.mean, "deviation": found.deviation}


def _access(a: AccessResult) -> Json:
    s = a.access
    return {
        "file": s.file, "line": s.line, "column": s.column, "op": s.operation.name.lower(),
        "array": s.array, "address_space": s.space, "element_bytes": s.element_bytes,
        "instruction": s.instruction if s.instruction >= 0 else None,
        "executed": a.executed, "requests": a.requests, "sectors": a.sectors,
        "l2_reads": a.l2_reads, "writes": a.writes, "l1_hit_rate": _moments(a.l1_rate),
        "l2_hit_rate": _moments(a.l2_rate), "write_hit_rate": _moments(a.write_rate),
        "latency_cycles": _moments(a.cycles), "share": a.share,
    }  # fmt: skip


def _array(a: ArrayResult) -> Json:
    return {
        "array": a.array, "sectors": a.sectors, "l1_hit_rate": _moments(a.l1_rate),
        "l2_hit_rate": _moments(a.l2_rate), "write_hit_rate": _moments(a.write_rate),
        "latency_cycles": _moments(a.cycles), "share": a.share,
    }  # fmt: skip


def _change(c: Change) -> Json:
    return {
        "code": c.code, "line": c.line, "array": c.array, "text": c.words,
        "latency_change": c.latency_change, "transactions_change": c.entries_change,
        "l1_read_hit_rate": _moments(c.l1_rate), "l2_read_hit_rate": _moments(c.l2_rate),
    }  # fmt: skip
