"""What `kcc simulate --sample simprof` says: text, kcc/sampling/1 and kcc/selection/1."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from rich.console import Console

import kcc
from kcc.base.records import dataclass
from kcc.report.phases import Json, letter
from kcc.report.shared.style import Style
from kcc.report.shared.text import fill, make_table, written
from kcc.report.simulation.sampling import SCHEMA, SELECTION_SCHEMA
from kcc.sim.cycle.layout import Stat
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.estimate import BlockRange, miss_rate
from kcc.sim.sampling.simprof.launches import LaunchSample
from kcc.sim.sampling.simprof.phases import names_of

METHOD = "simprof"


@dataclass(frozen=True, slots=True, eq=False)
class SimprofRun:
    """One configuration of a source; the rest as of
    :class:`kcc.report.simulation.sampling.SampledRun`."""

    source: str
    trace: str
    label: str
    gpu: str
    seed: int
    launches: tuple[LaunchProfile, ...]
    sample: LaunchSample

    @property
    def instructions(self) -> int:
        return sum(int(one.warp_instructions.sum()) for one in self.launches)

    @property
    def half_width(self) -> float | None:
        """Of the cycles."""
        half = self.sample.estimate.half_width()
        return None if half is None else half * self.sample.estimate.work


def simprof_text(runs: Sequence[SimprofRun], style: Style) -> str:
    """Totals, then phases, for each configuration."""

    def write(console: Console) -> None:
        for number, run in enumerate(runs):
            if number:
                console.print()
            _write_run(console, run, style)

    return written(style, write)


def _write_run(console: Console, run: SimprofRun, style: Style) -> None:
    sample, half = run.sample, run.half_width
    cycles = sample.estimate.cost
    plus = "±" if style.unicode else "+-"
    width = f" {plus} {_percent(half / cycles)} (95 %)" if half is not None else ""
    console.print(f"{run.source} on {run.label}, sampled by {METHOD}")
    share = _percent(sample.simulated_instructions / max(run.instructions, 1))
    with_warming = f"{share} of {run.instructions:,} warp instructions with what warms"
    rows = [
        ("cycles", f"{round(cycles):,}{width}"),
        ("time", f"{cycles / sample.clock_mhz:,.2f} us{width}"),
        ("IPC", f"{sample.counts[Stat.ISSUED] / cycles:.3f}{width}"),
        ("simulated", f"{len(sample.chosen)} of {len(sample.units)} units; {with_warming}"),
        ("predicted", f"{round(sample.table.cost.sum()):,} cycles, by interval analysis"),
        ("miss rates", f"L1 {_rate(run, 'L1')}, L2 {_rate(run, 'L2')}"),
    ]  # fmt: skip
    if sample.recordings:
        names = ", ".join(sample.recordings)
        cost = f"{round(float(sample.filled[sample.reused].sum())):,} cycles"
        rows[4] = ("reused", f"{len(sample.reused):,} units, {cost}, as recorded of {names}")
    for name, value in rows:
        console.print(f"  {name:<11}{value}")
    console.print()
    told = ("reused",) if sample.recordings else ()
    columns = ("phase", "units", *told, "simulated", "predicted CPI", "CPI", "what it does")
    table = make_table("Phases", style, *columns, right=columns[1:-1])
    console.print(fill(table, [_phase_row(run, n) for n in range(sample.phases.count)]))


def _phase_row(run: SimprofRun, phase: int) -> tuple[str, ...]:
    sample = run.sample
    own = sample.phases.labels == phase
    work, drawn = sample.table.work[own].sum(), int(own[sample.chosen].sum())
    told = (f"{int(own[sample.reused].sum()):,}",) if sample.recordings else ()
    rates = (f"{cost[own].sum() / work:.4g}" if work else "-"
             for cost in (sample.table.cost, sample.filled))  # fmt: skip
    return (
        letter(phase), f"{int(own.sum()):,}", *told, str(drawn), *rates,
        ", ".join(names_of(sample.phases, phase)) or "-",
    )  # fmt: skip


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _rate(run: SimprofRun, level: str) -> str:
    rate = miss_rate(run.sample.counts, level)
    return "-" if rate is None else _percent(rate)


def simprof_json(runs: Sequence[SimprofRun]) -> str:
    """The document of all configurations."""
    document: dict[str, Json] = {
        "schema": SCHEMA, "kcc_version": kcc.__version__, "source": runs[0].source,
        "trace": runs[0].trace, "gpus": [_run(run) for run in runs],
    }  # fmt: skip
    return json.dumps(document, separators=(",", ":")) + "\n"


def _run(run: SimprofRun) -> dict[str, Json]:
    sample, filled = run.sample, run.sample.filled
    cycles = sample.estimate.cost
    touched = sum(
        int(p.warp_instructions.sum())
        for p, own in zip(run.launches, sample.simulated, strict=True) if own
    )  # fmt: skip
    return {
        "gpu": run.gpu, "configuration": run.label, "method": METHOD, "seed": run.seed,
        "cycles": cycles, "half_width_cycles": run.half_width,
        "half_width_reason": None if run.half_width is not None else "one unit of a phase",
        "time_us": cycles / sample.clock_mhz,
        "ipc": float(sample.counts[Stat.ISSUED]) / cycles,
        "warp_instructions": run.instructions,
        "simulated_instructions": sample.simulated_instructions,
        "skipped_between_launches": run.instructions - touched,
        "skipped_within_launches": max(touched - sample.simulated_instructions, 0),
        "miss_rates": {level: miss_rate(sample.counts, level) for level in ("L1", "L2")},
        "predicted_cycles": float(sample.table.cost.sum()), "reused": _reused(run),
        "clusters": [], "launches": _launches(run),
        "phases": [
            {"phase": n, "names": list(names_of(sample.phases, n)), "units": len(own),
             "simulated": int(np.isin(own, sample.chosen).sum()),
             "reused": int(np.isin(own, sample.reused).sum()),
             "cycles": float(filled[own].sum()),
             "predicted_cycles": float(sample.table.cost[own].sum())}
            for n in range(sample.phases.count) for own in [sample.phases.members(n)]
        ],
    }  # fmt: skip


def _reused(run: SimprofRun) -> dict[str, Json] | None:
    sample = run.sample
    if not sample.recordings:
        return None
    return {"units": len(sample.reused), "cycles": float(sample.filled[sample.reused].sum()),
            "recordings": list(sample.recordings)}  # fmt: skip


def _launches(run: SimprofRun) -> list[Json]:
    sample, filled = run.sample, run.sample.filled
    rows = list[Json]()
    for place, profile in enumerate(run.launches):
        own = [n for n, unit in enumerate(sample.units) if unit.place == place]
        blocks = list(sample.simulated[place])
        largest = int(np.bincount(sample.phases.labels[own]).argmax()) if own else 0
        rows.append(
            {"launch": profile.number, "kernel": profile.kernel, "cluster": largest,
             "thread_blocks": profile.thread_blocks,
             "warp_instructions": int(profile.warp_instructions.sum()),
             "cycles": float(filled[own].sum()), "simulated": bool(blocks), "compared": False,
             "simulated_instructions": int(profile.warp_instructions[blocks].sum()),
             "half_width_cycles": None, "regions": []}
        )  # fmt: skip
    return rows


def chosen_ranges(run: SimprofRun, place: int) -> list[tuple[int, BlockRange]]:
    """The units of a launch that were drawn: their numbers and thread blocks."""
    sample = run.sample
    return [
        (n, BlockRange(sample.units[n].first, sample.units[n].end))
        for n in map(int, sample.chosen)
        if sample.units[n].place == place
    ]


def simprof_selection_json(run: SimprofRun) -> str:
    """The thread blocks of the units drawn, with their weights, for any simulator. The cycles of
    all are the sum over ranges of cycles times weight, and what is reused."""
    sample = run.sample
    labels, predicted = sample.strata, sample.table.cost
    drawn = np.zeros(len(labels), np.bool_)
    drawn[sample.chosen] = True
    weights = [
        float(predicted[own].sum() / predicted[own & drawn].sum())
        for own in (labels == n for n in range(int(labels.max()) + 1))
    ]
    launches = list[Json]()
    for place, profile in enumerate(run.launches):
        ranges = chosen_ranges(run, place)
        if not ranges:
            continue
        all_work = int(profile.warp_instructions.sum())
        work = [int(profile.warp_instructions[r.first : r.end].sum()) for _, r in ranges]
        launches.append(
            {"launch": profile.number, "kernel": profile.kernel,
             "thread_blocks": profile.thread_blocks, "warp_instructions": all_work, "scale": 1.0,
             "stands_for": [profile.number], "weight": all_work / max(sum(work), 1),
             "ranges": [
                 {"first": r.first, "end": r.end, "warp_instructions": w,
                  "phase": int(sample.phases.labels[n]), "weight": weights[int(labels[n])]}
                 for (n, r), w in zip(ranges, work, strict=True)]}
        )  # fmt: skip
    document: dict[str, Json] = {
        "schema": SELECTION_SCHEMA, "kcc_version": kcc.__version__, "source": run.source,
        "trace": run.trace, "gpu": run.gpu, "method": METHOD, "seed": run.seed,
        "warp_instructions": run.instructions, "launches": launches,
        "reused_cycles": float(sample.filled[sample.reused].sum()),
    }  # fmt: skip
    return json.dumps(document, indent=1) + "\n"
