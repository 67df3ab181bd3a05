"""The verdict on a simulated run: stall reasons, why no warp was there, what would help."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kcc.base.advice import Advice, ranked, without_work
from kcc.base.terms import stall_label
from kcc.report.shared.units import duration
from kcc.report.simulation.changes import IDLE, LARGE_SHARE, idle_of, launches_joined
from kcc.report.simulation.run import SimulationRun, added, largest, lines_of
from kcc.sim.result import Timing

ISSUED = frozenset({"issued", "BASE", "issue"})
LAUNCH = frozenset({"launch", "LAUNCH"})

FULL_WAVES = 5.0
"""Waves from which on a last one that is not full costs less than a tenth."""

UNEVEN = 1.5
"""How many times as long as the mean a thread block runs from which on it is named."""


def verdict_of_run(run: SimulationRun) -> str:
    """One sentence: the largest cause of cycles in which nothing was issued, its line, and advice
    on it."""
    stack = added(run.timings)
    total = math.fsum(stack.values()) or 1.0
    waits = {name: cycles for name, cycles in stack.items() if name not in ISSUED}
    if not waits or not run.timings:
        return ""
    name = largest(waits)
    said = f"Bottleneck: {stall_label(name)} ({100 * waits[name] / total:.0f} % of the cycles"
    if name not in IDLE | LAUNCH:
        said += _at(run, name)
    parts = [f"{said})", *(_lower(_told(each, run)) for each in _within(advice_on_run(run)))]
    issued = math.fsum(cycles for cause, cycles in stack.items() if cause in ISSUED) / total
    parts.append(f"instructions are issued in {100 * issued:.2g} % of the cycles")
    return "; ".join(parts) + "."


def _within(advice: Sequence[Advice]) -> list[Advice]:
    """The advice that the verdict has: the first, which says why, and the change that was simulated
    and saves most."""
    tried = next((each for each in advice if each.verified), None)
    return list(dict.fromkeys(each for each in (*advice[:1], tried) if each is not None))


def _at(run: SimulationRun, cause: str) -> str:
    """The line where most of a cause's cycles are."""
    lines = [own for own in lines_of(run.timings) if own.line and own.stack.get(cause)]
    whole = math.fsum(own.stack[cause] for own in lines)
    if not lines or not whole:
        return ""
    most = max(lines, key=lambda own: own.stack[cause])
    return f", {100 * most.stack[cause] / whole:.0f} % of them in line {most.line}"


def _told(advice: Advice, run: SimulationRun) -> str:
    if not advice.gain_us or not run.time_us:
        return f"{advice.text} (simulated)" if advice.verified else advice.text
    share = 100 * advice.gain_us / run.time_us
    most, how = ("saves", ", simulated") if advice.verified else ("at most", "")
    return f"{advice.text} ({most} {duration(advice.gain_us)}, {share:.0f} %{how})"


def _lower(text: str) -> str:
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def advice_on_run(run: SimulationRun) -> tuple[Advice, ...]:
    """What leaves schedulers without a warp, in the launch where that takes most cycles; waits and
    accesses by line; changes that were simulated. Other gains are what a cause takes in all."""
    found = list[Advice]()
    stack = added(run.timings)
    total = math.fsum(stack.values()) or 1.0
    idle = idle_of(stack)
    if idle >= LARGE_SHARE * total:
        t = max(run.timings, key=_idle_cycles)
        found += _why_idle(t, run.time_us * idle / total)
    launch = math.fsum(cycles for name, cycles in stack.items() if name in LAUNCH)
    if launch >= 2 * LARGE_SHARE * total:
        text = f"The launch overhead is {100 * launch / total:.0f} % of the time"
        joined = launches_joined(run.timings)
        if joined:
            text += f": do the work of the {len(run.timings):,} launches in one"
        gain = joined or run.time_us * launch / total
        found.append(Advice("launch-overhead", 0, text, gain, verified=bool(joined)))
    found += _occupancy(run)
    return ranked([*found, *run.tried])


def _idle_cycles(t: Timing) -> float:
    return math.fsum(part.cycles for part in t.stack if part.name in IDLE)


def _why_idle(t: Timing, idle_us: float) -> list[Advice]:
    """What of a launch leaves schedulers without a warp, which takes ``idle_us`` of the run."""
    where = f"launch {t.launch} of {t.kernel}"
    found = list[Advice]()
    held = t.sms * max(t.occupancy.blocks, 1)
    waves = t.thread_blocks / held
    if t.thread_blocks < t.sms:
        text = (
            f"The grid of {where} has {t.thread_blocks:,} thread blocks for {t.sms} SMs: "
            f"{without_work(t.sms - t.thread_blocks)}"
        )
        found.append(Advice("grid-too-small", 0, text, idle_us))
    else:
        found += _longest_block(t, where, idle_us)
    if not found and waves < 1.0:
        text = (
            f"The grid of {where} has {t.thread_blocks:,} thread blocks, and the GPU holds "
            f"{held:,} at once: {100 * waves:.0f} % of a wave"
        )
        found.append(Advice("grid-too-small", 0, text, idle_us))
    elif not found and waves < FULL_WAVES and 0.0 < waves % 1.0 < 0.75:
        full = 100 * (waves % 1.0)
        text = f"The last of {math.ceil(waves)} waves of {where} is {full:.0f} % full"
        found.append(Advice("tail", 0, text, idle_us))
    return found or _busiest_sm(t, where, idle_us)


def _longest_block(t: Timing, where: str, idle_us: float) -> list[Advice]:
    """The thread block that ends last, where it runs longer than others."""
    if len(t.blocks) < 2:
        return []
    mean = math.fsum(b.end - b.start for b in t.blocks) / len(t.blocks)
    last = max(t.blocks, key=lambda b: (b.end, b.end - b.start))
    times = (last.end - last.start) / mean if mean else 0.0
    if times < UNEVEN:
        return []
    text = (
        f"Thread block {last.block} of {where} runs {times:.1f} times as long as the mean one and "
        f"ends last, on SM {last.sm}"
    )
    if t.occupancy.warps_per_block == 1:
        text += ", as a single warp"
    return [Advice("imbalance", 0, text, idle_us)]


def _busiest_sm(t: Timing, where: str, idle_us: float) -> list[Advice]:
    """The SM whose schedulers are idle least, where others are idle for long."""
    names = [part.name for part in t.stack]
    columns = [n for n, name in enumerate(names) if name in IDLE]
    if not t.scheduler_stacks or not columns or t.cycles <= 0:
        return []
    idle = np.array(t.scheduler_stacks)[:, columns].sum(axis=1) / t.cycles
    per_sm = idle.reshape(t.sms, -1).mean(axis=1)
    busiest = int(per_sm.argmin())
    text = (
        f"SM {busiest} has no warp in {100 * float(per_sm[busiest]):.0f} % of the cycles of "
        f"{where}, the mean SM in {100 * float(per_sm.mean()):.0f} %: thread blocks differ in "
        "their work, or are few"
    )
    return [Advice("imbalance", 0, text, idle_us)]


def _occupancy(run: SimulationRun) -> list[Advice]:
    """Registers or shared memory that keep warps from the SM of the longest launch."""
    t = max(run.timings, key=lambda t: t.time_us)
    limiters = [each.value for each in t.occupancy.limiters]
    own = [name for name in limiters if name in {"registers", "shared memory"}]
    waves = t.thread_blocks / (t.sms * max(t.occupancy.blocks, 1))
    if not own or t.occupancy.ratio > 0.5 or waves < 1.0:
        return []
    text = (
        f"{t.occupancy.warps} of {t.occupancy.max_warps} warps are resident per SM in {t.kernel}, "
        f"limited by {' and '.join(own)}"
    )
    return [Advice("occupancy", 0, text)]


def advice_json(advice: Sequence[Advice]) -> list[dict[str, str | int | float | bool | None]]:
    """Members of ``advice`` in a document."""
    return [
        {"code": a.code, "line": a.line, "text": a.text, "gain_us": a.gain_us,
         "verified": a.verified}
        for a in advice
    ]  # fmt: skip
