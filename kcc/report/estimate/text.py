"""What `kcc estimate` prints: a report on one estimate, a table of several."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from kcc.base.terms import bottleneck_label, stall_label
from kcc.report.estimate.ablation import Ablation
from kcc.report.estimate.record import (
    TRUSTED_FOR,
    Confidence,
    EstimateRecord,
    Guessed,
    ReductionErrors,
    by_x,
    configuration_words,
)
from kcc.report.estimate.sweep_effects import without_effect
from kcc.report.estimate.verdict import advice_text, advice_within, verdict_of
from kcc.report.gpus import columns
from kcc.report.shared.text import share_text
from kcc.report.shared.units import duration, volume
from kcc.report.shared.words import plural

LINES_SHOWN = 8
GUESSES_SHOWN = 6
ADVICE_SHOWN = 6
BAR_COLUMNS = 30
ROWS_SHOWN = 60
"""Rows of a table; of more configurations the fastest are shown."""

MANY_GPUS = 8
"""GPUs from which on a table is sorted by time, kernel by kernel."""

NAME_COLUMNS = 60
"""Instances of templates have long names."""

REASON_COLUMNS = 70
COLUMNS = 100

LAUNCHES = {"graph": "launched in a graph", "waited": "the host synchronises after each launch"}
"""In words, where launches are not simply queued."""


def estimates_text(
    records: Sequence[EstimateRecord], ablations: Sequence[Ablation],
    lines: Mapping[str, Sequence[str]],
) -> str:  # fmt: skip
    """The report on all of them."""
    if len(records) == 1:
        return _one(records[0], lines)
    return _table(records) + (_ablations(ablations) if ablations else "")


# several


def _table(records: Sequence[EstimateRecord]) -> str:
    shown = [*records]
    if len({each.gpu for each in records}) >= MANY_GPUS:
        shown.sort(key=lambda each: (each.configuration.kernel, _order(each.time_us)))
    if len(shown) > ROWS_SHOWN:
        shown.sort(key=lambda each: _order(each.time_us))
        shown = shown[:ROWS_SHOWN]
    head = ("kernel", "GPU", "configuration", "model", "time", "range", "warps/SM", "bottleneck")
    varying = _varying(records)
    rows = [head, *(_row(each, varying) for each in shown)]
    kept = [i for i in range(len(head)) if any(row[i] for row in rows[1:])]
    text = columns([[row[i] for i in kept] for row in rows], widest=NAME_COLUMNS)
    return text + _summary(records, len(shown)) + _trust(records)


def _order(time_us: float | None) -> float:
    return float("inf") if time_us is None else time_us


def _row(each: EstimateRecord, varying: Sequence[str]) -> tuple[str, ...]:
    c, held = each.configuration, each.occupancy
    macros = [f"{n}={c.macros.get(n, '')}" for n in varying if n not in _EXTENTS]
    sizes = [f"{name} {by_x(getattr(c, key))}" for name, key in _EXTENTS.items() if name in varying]
    time = "-" if each.time_us is None else duration(each.time_us)
    warps = "" if held is None or each.time_us is None else str(held.warps)
    why = bottleneck_label(each.limiter) if each.limiter else _short(each.reason)
    span = (
        "" if not each.model or each.range_us is None else " to ".join(map(duration, each.range_us))
    )
    return c.kernel, each.gpu, " ".join([*macros, *sizes]), each.model, time, span, warps, why


def _trust(records: Sequence[EstimateRecord]) -> str:
    """Which of several models is for what."""
    models = dict.fromkeys(each.model for each in records if each.model)
    return "".join(f"{name}: for {TRUSTED_FOR[name]}\n" for name in models)


def _short(reason: str) -> str:
    return reason if len(reason) <= REASON_COLUMNS else reason[: REASON_COLUMNS - 3] + "..."


_EXTENTS = {"global": "global_size", "local": "local_size"}


def _varying(records: Sequence[EstimateRecord]) -> list[str]:
    """The macros, and of the launch sizes those that are not the same for all of a kernel."""
    places = [each.configuration for each in records]
    names = list(dict.fromkeys(name for place in places for name in place.macros))
    found = [n for n in names if len({place.macros.get(n) for place in places}) > 1]
    kernels = {place.kernel for place in places}
    for name, key in _EXTENTS.items():
        if len({(p.kernel, getattr(p, key)) for p in places if getattr(p, key)}) > len(kernels):
            found.append(name)
    return found


def _summary(records: Sequence[EstimateRecord], shown: int) -> str:
    """How many there are, and the fastest of each kernel."""
    parts = list[str]()
    if shown < len(records):
        parts.append(f"the fastest {shown} of {len(records)}; --csv and --json have all")
    failed = sum(each.time_us is None for each in records)
    if failed:
        parts.append(f"{failed} of {len(records)} have no estimate")
    places = dict[str, tuple[str, ...]]()
    for each in records:
        if each.confidence is not None and each.confidence.guesses:
            named = tuple(
                dict.fromkeys(f"{g.what} at line {g.line}" for g in each.confidence.guesses)
            )
            places.setdefault(each.configuration.kernel, named)
    for kernel, named in places.items():
        more = f" and {len(named) - GUESSES_SHOWN} more" if len(named) > GUESSES_SHOWN else ""
        parts.append(f"assumed in {kernel}: {', '.join(named[:GUESSES_SHOWN])}{more} (--kernel "
                     f"{kernel} with one --gpu says why, and how to give it)")  # fmt: skip
    parts += [f"warning: {text}" for text in (*_unused_in_all(records), *without_effect(records))]
    return "".join(f"{part}\n" for part in parts)


def _unused_in_all(records: Sequence[EstimateRecord]) -> list[str]:
    """What is wrong with assumptions that no configuration has use for."""
    each = [r.confidence.unused_assumptions for r in records if r.confidence is not None]
    return [text for text in each[0] if all(text in others for others in each)] if each else []


def _ablations(ablations: Sequence[Ablation]) -> str:
    head = ("kernel", "GPU", "without", "time", "Spearman", "Kendall", "regret", "first choice")
    ranked = [each for each in ablations if each.configurations > 1]
    if not ranked:
        times = [(a.kernel, a.gpu, a.without, f"x{a.median_ratio:.3f}") for a in ablations]
        return "\n" + columns([head[:4], *times[:ROWS_SHOWN]], right=(3,))
    rows = [
        (a.kernel, a.gpu, a.without, f"x{a.median_ratio:.3f}", _correlation(a.spearman),
         _correlation(a.kendall), f"{100 * a.regret:.1f} %", a.first)
        for a in ranked[:ROWS_SHOWN]
    ]  # fmt: skip
    return "\n" + columns([head, *rows], right=(3, 4, 5, 6))


def _correlation(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


# one


def _one(each: EstimateRecord, lines: Mapping[str, Sequence[str]]) -> str:
    c, o = each.configuration, each.occupancy
    head = f"{c.kernel} on {each.gpu}" if c.kernel else each.gpu
    if each.time_us is None or each.range_us is None or o is None or each.cycles is None:
        return f"{head}: no estimate: {each.reason}\n"
    launch = f"{' x '.join(map(str, c.global_size))} in {' x '.join(map(str, c.local_size))}"
    assumed = " (assumed)" if each.confidence and each.confidence.assumed_launch else ""
    low, high = (duration(value) for value in each.range_us)
    held = f"{o.warps} of {o.max_warps} warps per SM, {plural(o.blocks, 'block')}"
    registers = "" if o.registers is None else f"; {o.registers} registers"
    cpi = each.cpi or 0.0
    found = [
        f"{head}: {duration(each.time_us)} ({low} to {high})",
        *_wrapped("  verdict     ", verdict_of(each)),
        *_advice(each),
        f"  launch      {launch}{assumed}; {each.waves or 0:.1f} waves",
        f"  occupancy   {held}, limiter: {', '.join(o.limiters)}{registers}",
        *([f"  code        {each.code}"] if each.code != "kcc" else ()),
        f"  cycles      {each.cycles:,.0f}; CPI {cpi:.2f}, of a scheduler",
    ]
    for name, value in sorted(each.cpi_stack.items(), key=lambda item: -item[1]):
        if value >= 0.005 * cpi:
            bar = "#" * round(BAR_COLUMNS * value / cpi)
            found.append(f"    {stall_label(name):26s} {value:6.2f}  {bar}".rstrip())
    found += [*_bounds(each), *_counts(each)]
    if each.confidence is not None:
        found.append("  confidence  " + confidence_text(each.confidence, each.time_us or 0.0))
        found += _guesses(each.confidence)
        found += [f"  warning     {text}" for text in each.confidence.unused_assumptions]
    return "\n".join([*found, *_reductions(each), *_ablated(each), *_lines(each, lines)]) + "\n"


def _advice(each: EstimateRecord) -> list[str]:
    """What would make it faster besides what the verdict says, what saves most first."""
    found, said = list[str](), advice_within(each)
    for i, a in enumerate([a for a in each.advice if a not in said][:ADVICE_SHOWN]):
        found += _wrapped(f"  {'advice' if not i else '':10s}  ", advice_text(a, each.time_us))
    return found


def _wrapped(label: str, text: str) -> list[str]:
    """A text after its label, in lines of a terminal's usual width."""
    return textwrap.wrap(text, COLUMNS, initial_indent=label, subsequent_indent=" " * len(label))


def _guesses(confidence: Confidence) -> list[str]:
    """Where to say more, in the order of the source."""
    shown = confidence.guesses[:GUESSES_SHOWN]
    found = [f"  {'assumed' if not i else '':10s}  {guess_text(g)}" for i, g in enumerate(shown)]
    if len(shown) < len(confidence.guesses):
        found.append(f"{'':14s}and {len(confidence.guesses) - len(shown)} more: --json has them")
    return found


def guess_text(guess: Guessed) -> str:
    """A guess, why it is one, and how to say better."""
    match guess.what:
        case "loop":
            taken = f"{guess.value:g} iterations"
        case "branch":
            taken = f"{share_text(guess.value)} of lanes"
        case "shared memory":
            taken = f"{guess.value:g} bytes"
        case _:
            placed = f"row stride {guess.value:g} elements"
            taken = placed if guess.value else "half as many sectors as lanes"
    return f"{guess.what} at line {guess.line}: {taken}; {guess.reason} ({guess.remedy})"


def _bounds(each: EstimateRecord) -> list[str]:
    first = sorted(each.bounds_cycles.items(), key=lambda item: -item[1])[:4]
    cycles = each.cycles or 1
    shares = [f"{bottleneck_label(name)} {share_text(value / cycles)}" for name, value in first]
    return ["  utilisation " + ", ".join(shares)] if shares else []


def _counts(each: EstimateRecord) -> list[str]:
    c = each.counts
    if c is None:
        return []
    parts = (
        f"{c.warp_instructions:,.0f} warp instructions",
        f"DRAM {volume(c.dram_read_sectors)} read, {volume(c.dram_write_sectors)} written",
        f"L2 {volume(c.l2_read_sectors)} read, {volume(c.l2_write_sectors)} written",
    )
    return ["  counts      " + "; ".join(parts)]


def confidence_text(confidence: Confidence, time_us: float) -> str:
    """What a time rests on, in words."""
    parts = list[str]()
    if confidence.assumed_share:
        share = confidence.assumed_share
        parts.append(
            f"{share_text(share)} of warp instructions depend on assumed branches and loops"
        )
    if confidence.accesses_without_addresses:
        accesses = plural(confidence.accesses_without_addresses, "access", "accesses")
        parts.append(f"{accesses} with unknown addresses")
    if confidence.unattributed_share >= 0.005:
        share = confidence.unattributed_share
        parts.append(f"{share_text(share)} of warp instructions have no source line")
    if confidence.code_reason:
        parts.append(f"kcc's own code: {confidence.code_reason}")
    if confidence.warm_l2:
        parts.append("L2 warm")
    if confidence.launches in LAUNCHES:
        parts.append(LAUNCHES[confidence.launches])
    cache = confidence.instruction_cache_bytes
    if cache is not None and confidence.code_bytes > cache:
        parts.append(
            f"code of {confidence.code_bytes / 1024:.0f} KB exceeds the instruction cache of "
            f"{cache / 1024:.0f} KB; its misses are not modelled"
        )
    if confidence.spill_doubt > 1.0:
        parts.append(
            f"x{confidence.spill_doubt:.2g} if the compiler spills in a large block, "
            f"/{confidence.spill_doubt:.2g} if not"
        )
    if confidence.one_word_us > time_us:
        parts.append(
            f"{duration(confidence.one_word_us)} if all atomic operations have one address"
        )
    assumed, weak = confidence.assumed_gpu_values, confidence.weak_gpu_values
    parts.append(f"{plural(len(assumed), 'GPU value')} assumed, {len(weak)} from weak sources")
    return "; ".join(parts)


def _reductions(each: EstimateRecord) -> list[str]:
    found = each.reduction_errors
    if found is None:
        return []
    return [f"  in full     {', '.join(found.off)}; {reductions_text(found)}"]


def reductions_text(found: ReductionErrors) -> str:
    """By how much times and traffic are off with the reductions that are switched off here."""
    parts = [
        f"{name} {100 * value:+.2f} %"
        for name, value in (
            ("time", found.time), ("L2 reads", found.l2_read_sectors), ("DRAM", found.dram_sectors),
        )
    ]  # fmt: skip
    return f"the reduction's error: {', '.join(parts)}"


def _ablated(each: EstimateRecord) -> list[str]:
    times = [f"{name} {duration(value)}" for name, value in each.ablated_us.items()]
    return ["  without     " + ", ".join(times)] if times else []


def _lines(each: EstimateRecord, lines: Mapping[str, Sequence[str]]) -> list[str]:
    found, own = ["  lines"], each.configuration.source
    for at in each.lines[:LINES_SHOWN]:
        if at.line and at.share >= 0.005:
            text = lines.get(at.file or own, ())
            shown = text[at.line - 1].strip()[:70] if at.line <= len(text) else ""
            if at.file not in ("", own):
                shown = f"({PurePath(at.file).name}) {shown}"
            found.append(f"    {100 * at.share:5.1f} %  {at.line:5d}  {shown}".rstrip())
    return found if len(found) > 1 else []


# words that other reports share


def title_of(record: EstimateRecord) -> str:
    """A configuration in a few words."""
    c = record.configuration
    return f"{c.kernel or c.source} on {record.gpu}, {configuration_words(c)}".rstrip(", ")
