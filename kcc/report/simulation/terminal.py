"""What `kcc simulate` says on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding

from kcc.base.terms import stall_label
from kcc.report.shared.style import Style
from kcc.report.shared.text import bar, fill, make_table, share_text, written
from kcc.report.simulation.comparison import comparison_tables, profile_of
from kcc.report.simulation.kept import Some
from kcc.report.simulation.run import (
    FailedRun,
    SimulationRun,
    added,
    hit_rate,
    largest,
    lines_of,
    totals_of,
)
from kcc.report.simulation.verdict import further_advice, verdict_of_run
from kcc.sim.result import Timing

BAR_COLUMNS = 24
LINES_SHOWN = 12
RUNS_SHOWN = 2
"""Configurations that are told in full; of more there is a table."""

Texts = Mapping[str, Sequence[str]]


def simulation_text(
    source: str,
    found: Sequence[SimulationRun | FailedRun],
    style: Style,
    texts: Texts,
    *,
    each_launch: bool,
) -> str:
    """The report: configurations, then of each totals, launches, the CPI stack and the lines of
    the source. ``texts`` are the lines of the source files."""
    runs = [run for run in found if isinstance(run, SimulationRun)]

    def write(console: Console) -> None:
        if len(found) > 1:
            console.print(_overview(source, found, style))
            console.print()
        if len(found) > RUNS_SHOWN:
            console.print("--json and --html tell each configuration in full")
            return
        for number, run in enumerate(runs):
            if number:
                console.print()
            _write_run(console, source, run, style, texts, each_launch=each_launch)
        if len(runs) == RUNS_SHOWN:
            profiles = [profile_of(run) for run in runs]
            for table in comparison_tables(profiles[0], profiles[1], style, texts):
                console.print()
                console.print(table)

    return written(style, write)


def _overview(source: str, found: Sequence[SimulationRun | FailedRun], style: Style) -> Any:
    """A row for each configuration, against the first that could be simulated."""
    is_one = len({run.gpu for run in found}) == 1
    columns = ("configuration", "cycles", "us", "speed", "IPC", "warps per SM", "L1 hits",
               "L2 hits", "largest stall")  # fmt: skip
    title = f"{source} on {found[0].gpu}" if is_one else source
    table = make_table(title, style, *columns, right=columns[1:8])
    first = next(run for run in found if isinstance(run, SimulationRun))
    rows = list[tuple[str, ...]]()
    for run in found:
        label = " ".join(run.settings) if is_one and run.settings else run.label
        if isinstance(run, FailedRun):
            rows.append((label, *("-",) * 7, "cannot be simulated"))
            continue
        speed = first.time_us / run.time_us if run.time_us else 0
        rows.append(
            (label, f"{run.cycles:,.0f}", f"{run.time_us:,.2f}", f"{speed:.2f} x", f"{run.ipc:.2f}",
             _warps(run.timings), _percent(run.hit_rate("L1")), _percent(run.hit_rate("L2")),
             stall_label(run.limiter))
        )  # fmt: skip
    reasons = dict.fromkeys(run.reason for run in found if isinstance(run, FailedRun))
    return fill(table, rows, "; ".join(reasons))


def _warps(timings: Sequence[Timing]) -> str:
    """Resident warps, from the least of all launches to the most."""
    found = totals_of(timings).warps
    counts, most = sorted({warps for warps, _ in found}), max(most for _, most in found)
    return f"{'-'.join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))} of {most}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _write_run(
    console: Console, source: str, run: SimulationRun, style: Style, texts: Texts, *,
    each_launch: bool,
) -> None:  # fmt: skip
    timings = run.timings
    launches = "1 launch" if len(timings) == 1 else f"{len(timings):,} launches"
    console.print(
        f"{source} on {run.label}: {launches}, {run.cycles:,.0f} cycles, {run.time_us:,.2f} us "
        f"at {timings[0].clock_mhz:,.0f} MHz"
    )
    if said := verdict_of_run(run):
        console.print(said)
    for words in further_advice(run):
        console.print(Padding(words, (0, 0, 0, 2)))
    console.print()
    console.print(_kernels(timings, style, each_launch=each_launch))
    console.print()
    console.print(_stack_table(timings, style))
    rows = _hot_lines(timings, texts)
    if rows:
        console.print()
        columns = ("line", "share", "largest stall", "executed", "sectors", "L1 hits", "source")
        right = ("share", "executed", "sectors", "L1 hits")
        console.print(fill(make_table("lines", style, *columns, right=right), rows))
    notes = notes_of(timings)
    if notes:
        console.print()
        for note in notes:
            console.print(f"note: {note}")


def notes_of(timings: Sequence[Timing]) -> list[str]:
    """What results rest on, each once."""
    found = totals_of(timings)
    notes = {f"code: {code}": None for code in found.codes if code != "kcc"} | found.confidence
    for a in found.assumptions:
        notes[f"assumed: {a.key} = {a.value} ({a.reason})"] = None
    return list(notes)


def by_kernel(timings: Sequence[Timing], *, each_launch: bool) -> dict[str, Some]:
    """Launches by kernel, or each apart."""
    groups = dict[str, Some]()
    for place, t in enumerate(timings):
        name = f"{t.launch}: {t.kernel}" if each_launch else t.kernel
        groups.setdefault(name, Some(timings)).append(place)
    return groups


def _kernels(timings: Sequence[Timing], style: Style, *, each_launch: bool) -> Any:
    columns = ("kernel", "launches", "cycles", "us", "IPC", "warps per SM", "L1 hits", "L2 hits",
               "largest stall")  # fmt: skip
    table = make_table("", style, *columns, right=columns[1:8])
    return fill(table, kernel_rows(timings, each_launch=each_launch))


def kernel_rows(timings: Sequence[Timing], *, each_launch: bool) -> list[tuple[str, ...]]:
    """Of each kernel: launches, cycles, time, IPC, occupancy, hit rates, limiter."""
    rows = list[tuple[str, ...]]()
    for name, own in by_kernel(timings, each_launch=each_launch).items():
        total = totals_of(own)
        ipc = total.issued / total.cycles if total.cycles else 0
        rows.append(
            (name, f"{len(own):,}", f"{total.cycles:,.0f}", f"{total.time_us:,.2f}",
             f"{ipc:.2f}", _warps(own), _percent(hit_rate(own, "L1")),
             _percent(hit_rate(own, "L2")), stall_label(largest(added(own))))
        )  # fmt: skip
    return rows


def _stack_table(timings: Sequence[Timing], style: Style) -> Any:
    """Where the cycles of all schedulers went; parts add up to the cycles per instruction."""
    total = added(timings)
    everything, issued = sum(total.values()), totals_of(timings).issued
    table = make_table(
        "CPI stack", style, "stall reason", "CPI", "share", "", right=("CPI", "share")
    )
    rows = [
        (stall_label(name), f"{cycles / issued:.3f}" if issued else "-",
         f"{100 * cycles / everything:.1f} %", bar(BAR_COLUMNS * cycles / everything, style))
        for name, cycles in sorted(total.items(), key=lambda part: -part[1])
        if cycles
    ]  # fmt: skip
    rows.append(("all", f"{everything / issued:.3f}" if issued else "-", "100.0 %", ""))
    return fill(table, rows)


def _hot_lines(timings: Sequence[Timing], texts: Texts) -> list[tuple[str, ...]]:
    """The lines with most scheduler cycles."""
    everything = sum(added(timings).values())
    found = list[tuple[str, ...]]()
    for own in [each for each in lines_of(timings) if each.line][:LINES_SHOWN]:
        text = texts.get(own.file, ())
        words = text[own.line - 1].strip() if 0 < own.line <= len(text) else ""
        hits = share_text(own.l1_hits / own.sectors) if own.sectors else "-"
        found.append(
            (str(own.line), f"{100 * own.cycles / everything:.1f} %",
             stall_label(largest(own.stack)), f"{own.executed:,.0f}",
             f"{own.sectors:,.0f}", hits, words)
        )  # fmt: skip
    return found
