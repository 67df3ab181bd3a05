"""The verdict on a simulated run: stall reasons, why no warp was there, what would help."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kcc.base.advice import Advice, ranked, without_work
from kcc.base.terms import stall_label
from kcc.report.shared.text import share_text
from kcc.report.shared.units import duration
from kcc.report.shared.words import plural
from kcc.report.simulation.changes import LARGE_SHARE, LEAST_GAIN, idle_of, launches_joined
from kcc.report.simulation.kept import remembered
from kcc.report.simulation.run import (
    IDLE,
    LineSum,
    SimulationRun,
    added,
    largest,
    lines_of,
    totals_of,
)
from kcc.sim.result import Timing

ISSUED = frozenset({"issued", "BASE", "issue"})
LAUNCH = frozenset({"launch", "LAUNCH"})

FULL_WAVES = 5.0
"""Waves from which on a last one that is not full costs less than a tenth."""

UNEVEN = 1.5
"""How many times as long as the mean a thread block runs from which on it is named."""


BANK_CONFLICT = "bank-conflict"

MOST_LINES = 3
"""Lines whose accesses are named."""


def verdict_of_run(run: SimulationRun) -> str:
    """One sentence: the largest cause of cycles in which nothing was issued, its line, and advice
    on it."""
    stack = added(run.timings)
    total = math.fsum(stack.values()) or 1.0
    waits = {name: cycles for name, cycles in stack.items() if name not in ISSUED}
    if not waits or not run.timings:
        return ""
    name = _bottleneck(run)
    said = f"Bottleneck: {stall_label(name)} ({share_text(waits[name] / total)} of the cycles"
    if name not in IDLE | LAUNCH:
        said += _at(run, name)
    parts = [f"{said})", *(_lower(_told(each, run)) for each in _within(advice_on_run(run), name))]
    issued = math.fsum(cycles for cause, cycles in stack.items() if cause in ISSUED) / total
    parts.append(f"instructions are issued in {100 * issued:.2g} % of the cycles")
    return "; ".join(parts) + "."


_WHY_IDLE = frozenset({"grid-too-small", "imbalance", "tail"})


def _within(advice: Sequence[Advice], cause: str) -> list[Advice]:
    """The advice that the verdict has: what says why, and the change that was simulated and saves
    most."""
    why = [each for each in advice if cause not in IDLE or each.code in _WHY_IDLE] or advice
    tried = next((each for each in advice if each.verified), None)
    return list(dict.fromkeys(each for each in (*why[:1], tried) if each is not None))


def further_advice(run: SimulationRun) -> list[str]:
    """Advice that the verdict leaves out."""
    advice = advice_on_run(run)
    said = _within(advice, _bottleneck(run))
    return [_told(each, run) for each in advice if each not in said]


def _bottleneck(run: SimulationRun) -> str:
    """The largest cause of cycles in which nothing was issued."""
    return largest({k: v for k, v in added(run.timings).items() if k not in ISSUED})


def _at(run: SimulationRun, cause: str) -> str:
    """The line where most of a cause's cycles are."""
    lines = [own for own in lines_of(run.timings) if own.line and own.stack.get(cause)]
    whole = math.fsum(own.stack[cause] for own in lines)
    if not lines or not whole:
        return ""
    most = max(lines, key=lambda own: own.stack[cause])
    return f", {share_text(most.stack[cause] / whole)} of them in line {most.line}"


def _told(advice: Advice, run: SimulationRun) -> str:
    text = f"line {advice.line}: {_lower(advice.text)}" if advice.line else advice.text
    if not advice.gain_us or not run.time_us:
        return f"{text} (simulated)" if advice.verified else text
    share = advice.gain_us / run.time_us
    most, how = ("saves", ", simulated") if advice.verified else ("at most", "")
    if not advice.verified and advice.code in {"uncoalesced", BANK_CONFLICT}:
        most = "about"
    return f"{text} ({most} {duration(advice.gain_us)}, {share_text(share)}{how})"


def _lower(text: str) -> str:
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def advice_on_run(run: SimulationRun) -> tuple[Advice, ...]:
    """What leaves schedulers without a warp, in the launch where that takes most cycles; waits and
    accesses by line; changes that were simulated. Other gains are what a cause takes in all."""
    found = list[Advice]()
    stack = added(run.timings)
    total = math.fsum(stack.values()) or 1.0
    idle, t = idle_of(stack), totals_of(run.timings).idlest
    if t is not None and idle >= LARGE_SHARE * total:
        found += _why_idle(t, run.time_us * idle / total)
    launch = math.fsum(cycles for name, cycles in stack.items() if name in LAUNCH)
    if launch >= 2 * LARGE_SHARE * total:
        text = f"The launch overhead is {share_text(launch / total)} of the time"
        joined = remembered(run.timings, launches_joined, launches_joined)
        if joined:
            text += f": do the work of the {len(run.timings):,} launches in one"
        gain = joined or run.time_us * launch / total
        found.append(Advice("launch-overhead", None, text, gain, verified=bool(joined)))
    found += _occupancy(run)
    found += _accesses(run, "uncoalesced")
    found += _accesses(run, BANK_CONFLICT)
    return ranked([*found, *run.tried])


def _why_idle(t: Timing, idle_us: float) -> list[Advice]:
    """What of a launch leaves schedulers without a warp, which takes ``idle_us`` of the run."""
    where = f"launch {t.launch} of {t.kernel}"
    found = list[Advice]()
    held = t.sms * max(t.occupancy.blocks, 1)
    waves = t.thread_blocks / held
    if t.thread_blocks < t.sms:
        text = (
            f"The grid of {where} has {plural(t.thread_blocks, 'thread block')} for {t.sms} SMs: "
            f"{without_work(t.sms - t.thread_blocks)}"
        )
        found.append(Advice("grid-too-small", None, text, idle_us))
    else:
        found += _longest_block(t, where, idle_us)
    if not found and waves < 1.0:
        text = (
            f"The grid of {where} has {plural(t.thread_blocks, 'thread block')}, and the GPU holds "
            f"{held:,} at once: {share_text(waves)} of a wave"
        )
        found.append(Advice("grid-too-small", None, text, idle_us))
    elif not found and waves < FULL_WAVES and 0.0 < waves % 1.0 < 0.75:
        full = 100 * (waves % 1.0)
        text = f"The last of {math.ceil(waves)} waves of {where} is {share_text(full / 100)} full"
        found.append(Advice("tail", None, text, idle_us))
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
    return [Advice("imbalance", None, text, idle_us)]


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
        f"SM {busiest} has no warp in {share_text(float(per_sm[busiest]))} of the cycles of "
        f"{where}, the mean SM in {share_text(float(per_sm.mean()))}: thread blocks differ in "
        "their work, or are few"
    )
    return [Advice("imbalance", None, text, idle_us)]


_BANKS = frozenset({"local memory", "load/store unit", "shared_memory", "memory_port", "LSU"})
_MEMORY = _BANKS | {"L1", "L2", "DRAM", "memory queue", "MSHR", "l1", "l2", "dram"}
"""Causes that bank conflicts, and sectors, make longer."""


def _accesses(run: SimulationRun, code: str) -> list[Advice]:
    """The lines whose accesses take most beyond the ideal. The gain is what was simulated, else
    about their share of what all accesses take of the causes that they make longer; the end of a
    launch, when schedulers run out of warps, shrinks with the rest."""
    stack, banks = added(run.timings), code == BANK_CONFLICT
    waits = math.fsum(stack.get(name, 0.0) for name in (_BANKS if banks else _MEMORY))
    busy = math.fsum(cycles for name, cycles in stack.items() if name not in IDLE | LAUNCH)
    launch = math.fsum(stack.get(name, 0.0) for name in LAUNCH)
    work_us = run.time_us * (1.0 - launch / (math.fsum(stack.values()) or 1.0))
    lines = [each for each in lines_of(run.timings) if each.line]
    total = math.fsum(each.passes if banks else each.sectors for each in lines) or 1.0
    found = list[Advice]()
    for each in lines:
        excess = each.excess_passes if banks else each.excess_sectors
        gain = work_us * waits / (busy or 1.0) * excess / total
        if gain >= LEAST_GAIN * run.time_us:
            text = _conflicts(each) if banks else _sectors(each)
            found.append(Advice(code, each.line, text, gain))
    found = list(ranked(found))[:MOST_LINES]
    gain = run.without_conflicts_us
    if banks and found and gain is not None:
        all_lines = " (all lines together)" if len(found) > 1 else ""
        text = f"{found[0].text}{all_lines}"
        found[0] = replace(found[0], text=text, gain_us=max(gain, 0.0), verified=True)
    return found


def has_conflicts(run: SimulationRun) -> bool:
    """Whether bank conflicts take enough for advice."""
    return bool(_accesses(run, BANK_CONFLICT))


def _conflicts(line: LineSum) -> str:
    passes, ideal = line.passes, line.passes - line.excess_passes
    return (
        f"Requests to shared memory take {passes / line.local_requests:.3g} passes in the mean, "
        f"{ideal / line.local_requests:.3g} without bank conflicts: {line.excess_passes:,.0f} "
        "excess passes; pad the rows of its array"
    )


def _sectors(line: LineSum) -> str:
    ideal = line.sectors - line.excess_sectors
    return (
        f"Accesses take {line.sectors / line.requests:.3g} sectors per request, "
        f"{ideal / line.requests:.3g} where neighbouring lanes access neighbouring elements: "
        f"{line.excess_sectors:,.0f} excess sectors"
    )


def _occupancy(run: SimulationRun) -> list[Advice]:
    """Registers or shared memory that keep warps from the SM of the longest launch."""
    t = totals_of(run.timings).longest
    if t is None:
        return []
    limiters = [each.value for each in t.occupancy.limiters]
    own = [name for name in limiters if name in {"registers", "shared memory"}]
    waves = t.thread_blocks / (t.sms * max(t.occupancy.blocks, 1))
    if not own or t.occupancy.ratio > 0.5 or waves < 1.0:
        return []
    text = (
        f"{t.occupancy.warps} of {t.occupancy.max_warps} warps are resident per SM in {t.kernel}, "
        f"limited by {' and '.join(own)}"
    )
    return [Advice("occupancy", None, text)]
