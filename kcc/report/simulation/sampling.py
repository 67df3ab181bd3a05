"""What `kcc simulate --sample` says: on a terminal, as kcc/sampling/1 and as kcc/selection/1."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

import kcc
from kcc.base.records import dataclass
from kcc.report.shared.style import Style
from kcc.report.shared.text import fill, make_table, written
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.estimate import (
    GroupEstimate,
    LaunchEstimate,
    ProgramEstimate,
    pool_spreads,
)

SCHEMA = "kcc/sampling/1"
SELECTION_SCHEMA = "kcc/selection/1"

NO_INTERVAL = "one launch represents each cluster, and one unit each region: no variance estimate"

NOTHING_SAVED = "everything was simulated: a sample would have been more than half of it"

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class SampledRun:
    """One configuration of a source. ``trace`` names the trace's contents; ``launches`` are the
    profiles of all."""

    source: str
    trace: str
    label: str
    seed: int
    launches: tuple[LaunchProfile, ...]
    estimate: ProgramEstimate


def sampling_text(runs: Sequence[SampledRun], style: Style) -> str:
    """Totals, then a table of the launches that were simulated, for each configuration."""

    def write(console: Console) -> None:
        for number, run in enumerate(runs):
            if number:
                console.print()
            _write_run(console, run, style)

    return written(style, write)


def _write_run(console: Console, run: SampledRun, style: Style) -> None:
    console.print(f"{run.source} on {run.label}, sampled by {run.estimate.method}")
    for name, value in sampling_facts(run, "±" if style.unicode else "+-"):
        console.print(f"  {name:<11}{value}")
    for note in sampling_notes(run):
        console.print(f"  {note}")
    console.print()
    console.print(launch_table(run, style))


def sampling_facts(run: SampledRun, plus: str = "±") -> list[tuple[str, str]]:
    """Names and values of a configuration's totals, with their intervals."""
    found = run.estimate
    half = found.half_width
    width = f" {plus} {_percent(half / found.cycles)} (95 %)" if half is not None else ""
    return [
        ("cycles", f"{round(found.cycles):,}{width}"),
        ("time", f"{found.time_us:,.2f} us{width}"),
        ("IPC", f"{found.ipc:.3f}{width}"),
        ("simulated", f"{_percent(found.sample_size)} of {found.instructions:,} warp instructions"),
        ("skipped", _skipped(found)),
        ("miss rates", f"L1 {_rate(found.miss_rate('L1'))}, L2 {_rate(found.miss_rate('L2'))}"),
    ]


def sampling_notes(run: SampledRun) -> list[str]:
    """What is to be said of an interval that is missing, and of a sample that is all."""
    found = run.estimate
    notes = [] if found.half_width is not None else [f"no interval: {NO_INTERVAL}"]
    if found.method == "tbpoint" and found.sample_size == 1.0:
        notes.append(NOTHING_SAVED)
    return notes


def _skipped(found: ProgramEstimate) -> str:
    whole = max(found.instructions, 1)
    between = _percent(found.skipped_between / whole)
    return f"{between} with whole launches, {_percent(found.skipped_within / whole)} within others"


def launch_table(run: SampledRun, style: Style) -> Any:
    """The launches that were simulated, and what each represents."""
    columns = ("launch", "kernel", "represents", "blocks", "warp instr", "simulated", "cycles",
               "cycles of all")  # fmt: skip
    table = make_table("Launches simulated", style, *columns, right=(columns[0], *columns[2:]))
    rows = [
        (str(launch.number), launch.kernel, _stands_for(group), f"{launch.thread_blocks:,}",
         f"{launch.instructions:,}",
         _percent(launch.simulated_instructions / max(launch.instructions, 1)),
         f"{round(launch.cycles):,}", f"{round(_cycles_of_all(group, launch)):,}")
        for group in run.estimate.groups for launch in group.launches
    ]  # fmt: skip
    return fill(table, rows)


def _cycles_of_all(group: GroupEstimate, launch: LaunchEstimate) -> float:
    """A launch's part of the cycles of its cluster; its own where all of them were simulated."""
    return group.cycles * launch.cycles / max(sum(one.cycles for one in group.launches), 1.0)


def _stands_for(group: GroupEstimate) -> str:
    """Launches of the cluster for each that was simulated."""
    count = len(group.cluster.members) / len(group.launches)
    return f"{count:.0f}" if count == int(count) else f"{count:.1f}"


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _rate(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.2f} %"


def sampling_json(runs: Sequence[SampledRun]) -> str:
    """The document of all configurations."""
    document: dict[str, Json] = {
        "schema": SCHEMA, "kcc_version": kcc.__version__, "source": runs[0].source,
        "trace": runs[0].trace, "gpus": [_run(run) for run in runs],
    }  # fmt: skip
    return json.dumps(document, separators=(",", ":")) + "\n"


def _run(run: SampledRun) -> dict[str, Json]:
    found = run.estimate
    half = found.half_width
    return {
        "gpu": found.gpu,
        "configuration": run.label,
        "method": found.method,
        "seed": run.seed,
        "cycles": found.cycles,
        "half_width_cycles": half,
        "half_width_reason": None if half is not None else NO_INTERVAL,
        "time_us": found.time_us,
        "ipc": found.ipc,
        "warp_instructions": found.instructions,
        "simulated_instructions": found.simulated_instructions,
        "skipped_between_launches": found.skipped_between,
        "skipped_within_launches": found.skipped_within,
        "miss_rates": {level: found.miss_rate(level) for level in ("L1", "L2")},
        "clusters": [_cluster(group, run.launches) for group in found.groups],
        "launches": _launches(run),
    }


def _cluster(group: GroupEstimate, launches: Sequence[LaunchProfile]) -> dict[str, Json]:
    spread = pool_spreads([group.within, group.between])
    return {
        "kernel": group.cluster.kernel,
        "launches": [launches[n].number for n in group.cluster.members],
        "simulated": [launch.number for launch in group.launches],
        "weight": group.cluster.weight,
        "cycles": group.cycles,
        "half_width_cycles": spread.half_width(),
    }


def _launches(run: SampledRun) -> list[Json]:
    """All launches of the program: those that were not simulated by the CPI of their cluster."""
    simulated = {one.place: one for g in run.estimate.groups for one in g.launches}
    rows = dict[int, Json]()
    for number, group in enumerate(run.estimate.groups):
        for place in group.cluster.members:
            profile, own = run.launches[place], simulated.get(place)
            work = int(profile.warp_instructions.sum())
            cycles = own.cycles if own else group.cycles * work / max(group.instructions, 1)
            rows[place] = {
                "launch": profile.number, "kernel": profile.kernel, "cluster": number,
                "thread_blocks": profile.thread_blocks, "warp_instructions": work,
                "cycles": cycles, "simulated": own is not None,
                "compared": own is not None and own.compared,
                "simulated_instructions": own.simulated_instructions if own else 0,
                "half_width_cycles": own.spread.half_width() if own else None,
                "regions": _regions(own),
            }  # fmt: skip
    return [rows[place] for place in sorted(rows)]


def _regions(launch: LaunchEstimate | None) -> list[Json]:
    if launch is None:
        return []
    return [{"cluster": r.number, "first": r.first, "last": r.last} for r in launch.regions]


def selection_json(run: SampledRun) -> str:
    """What is to be simulated of a trace, for any simulator: launches with their ranges of thread
    blocks, and what each stands for. Launches that were only compared with these are left out.

    The cycles of a cluster are those of its simulated launches times ``scale``; those of a launch
    follow from its ``ranges`` by their instructions."""
    chosen = [(group, one) for group in run.estimate.groups for one in group.alone]
    document: dict[str, Json] = {
        "schema": SELECTION_SCHEMA, "kcc_version": kcc.__version__, "source": run.source,
        "trace": run.trace, "gpu": run.estimate.gpu, "method": run.estimate.method,
        "seed": run.seed, "warp_instructions": run.estimate.instructions,
        "launches": [_selected(group, launch, run) for group, launch in sorted(chosen, key=_place)],
    }  # fmt: skip
    return json.dumps(document, indent=1) + "\n"


def _place(chosen: tuple[GroupEstimate, LaunchEstimate]) -> int:
    return chosen[1].place


def _selected(group: GroupEstimate, launch: LaunchEstimate, run: SampledRun) -> dict[str, Json]:
    drawn = sum(one.instructions for one in group.alone)
    own = run.launches[launch.place].warp_instructions
    return {
        "launch": launch.number,
        "kernel": launch.kernel,
        "thread_blocks": launch.thread_blocks,
        "warp_instructions": launch.instructions,
        "scale": group.instructions / max(drawn, 1),
        "stands_for": [run.launches[n].number for n in group.cluster.members],
        "ranges": [
            {"first": r.first, "end": r.end, "warp_instructions": int(own[r.first : r.end].sum())}
            for r in launch.simulated
        ],
        "weight": launch.instructions / max(launch.simulated_instructions, 1),
    }
