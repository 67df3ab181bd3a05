"""What `kcc simulate --sample random|simpoint` says: text, and kcc/sampling/1."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Console

import kcc
from kcc.base.records import dataclass
from kcc.report.shared.style import Style
from kcc.report.shared.text import written
from kcc.report.simulation.sampling import SCHEMA, Json
from kcc.sim.cycle.layout import Stat
from kcc.sim.sampling.estimate import miss_rate
from kcc.sim.sampling.full_units import FullUnits
from kcc.sim.sampling.units import UNIT_INSTRUCTIONS

NO_INTERVAL = "the full simulation was run: the error is known"


@dataclass(frozen=True, slots=True)
class UnitsRun:
    """One configuration of a source; the rest as of
    :class:`kcc.report.simulation.sampling.SampledRun`."""

    source: str
    trace: str
    label: str
    gpu: str
    seed: int
    found: FullUnits


def units_text(runs: Sequence[UnitsRun], style: Style) -> str:
    """Totals of each configuration."""

    def write(console: Console) -> None:
        for number, run in enumerate(runs):
            if number:
                console.print()
            found, choice = run.found, run.found.choice
            share = f"{100 * choice.instructions / max(found.instructions, 1):.2f} %"
            size = f"{UNIT_INSTRUCTIONS:,} warp instructions"
            time_us = found.cycles / found.clock_mhz
            console.print(f"{run.source} on {run.label}, sampled by {found.method}")
            rows = [
                ("cycles", f"{round(choice.cycles):,}: {100 * found.error:+.2f} %"),
                ("full", f"{round(found.cycles):,} cycles, {time_us:,.2f} us"),
                ("units", f"{choice.units:,} of {found.units:,} of {size}: {share} of the program"),
            ]  # fmt: skip
            for name, value in rows:
                console.print(f"  {name:<11}{value}")

    return written(style, write)


def units_json(runs: Sequence[UnitsRun]) -> str:
    """The document of all configurations."""
    document: dict[str, Json] = {
        "schema": SCHEMA, "kcc_version": kcc.__version__, "source": runs[0].source,
        "trace": runs[0].trace, "gpus": [_run(run) for run in runs],
    }  # fmt: skip
    return json.dumps(document, separators=(",", ":")) + "\n"


def _run(run: UnitsRun) -> dict[str, Json]:
    found, choice = run.found, run.found.choice
    issued = float(found.counts[Stat.ISSUED])
    return {
        "gpu": run.gpu, "configuration": run.label, "method": found.method, "seed": run.seed,
        "cycles": choice.cycles, "half_width_cycles": None, "half_width_reason": NO_INTERVAL,
        "time_us": choice.cycles / found.clock_mhz, "ipc": issued / max(choice.cycles, 1.0),
        "warp_instructions": found.instructions, "simulated_instructions": choice.instructions,
        "skipped_between_launches": 0,
        "skipped_within_launches": found.instructions - choice.instructions,
        "miss_rates": {level: miss_rate(found.counts, level) for level in ("L1", "L2")},
        "clusters": [], "launches": [],
        "full": {"cycles": found.cycles, "error": found.error, "units": found.units,
                 "units_chosen": choice.units},
    }  # fmt: skip
