"""Estimates as one page: HTML with style and script inside, readable offline.

A table of all configurations, to be sorted by a click on a heading; below, the fastest ones in
full. Without scripts the table is as the sweep was, and all else works.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources

from kcc.base.terms import bottleneck_label, stall_label
from kcc.report.estimate.ablation import Ablation
from kcc.report.estimate.charts import fastest, overview_charts
from kcc.report.estimate.record import (
    EstimateDocument,
    EstimateRecord,
    by_x,
    configuration_words,
)
from kcc.report.estimate.sweep_effects import without_effect
from kcc.report.estimate.text import (
    confidence_text,
    guess_text,
    reductions_text,
    title_of,
)
from kcc.report.estimate.verdict import advice_text, advice_within, verdict_of
from kcc.report.plots.render import shown
from kcc.report.plots.roofline import roofline_chart
from kcc.report.shared.cause_colors import cause_color
from kcc.report.shared.markup import NOTHING, Markup, join, safe, table, tag
from kcc.report.shared.page import page
from kcc.report.shared.text import share_text
from kcc.report.shared.units import duration, volume
from kcc.report.shared.words import plural

Sources = Mapping[str, Sequence[str]]


def estimates_page(
    document: EstimateDocument, ablations: Sequence[Ablation], sources: Sources
) -> str:
    """The page about all estimates; ``sources`` are the lines of each source by name."""
    records = document.estimates
    files = {name: resources.files("kcc.report").joinpath(name) for name in _FILES}
    more, script = (files[name].read_text(encoding="utf-8") for name in _FILES)
    names = list(dict.fromkeys(each.configuration.source for each in records))
    parts = _parts(records)
    chosen = fastest(records)
    return page(
        f"{', '.join(names)} - kcc estimate",
        _heading(document, names),
        _fastest([records[i] for i in chosen]),
        _legend(parts),
        _overview(records, parts, frozenset(chosen)) if len(records) > 1 or not chosen else "",
        *(shown(each) for each in overview_charts(records, sources)),
        *(_detail(records[i], i, parts, sources) for i in chosen),
        _ablations(ablations),
        style=more,
        script=script,
    )


_FILES = ("estimates.css", "estimates.js")


def _parts(records: Sequence[EstimateRecord]) -> dict[str, str]:
    """The colour of each part of the CPI stacks; the largest of all stacks come first."""
    weight = dict[str, float]()
    for each in records:
        for name, value in each.cpi_stack.items():
            weight[name] = weight.get(name, 0.0) + value / (each.cpi or 1)
    names = sorted((n for n in weight if weight[n]), key=lambda n: (-weight[n], n))
    return {name: cause_color(name) for name in names}


def _one_gpu(records: Sequence[EstimateRecord]) -> str | None:
    """The GPU, where all are of one."""
    gpus = {each.gpu for each in records}
    return gpus.pop() if len(gpus) == 1 else None


def _heading(document: EstimateDocument, names: Sequence[str]) -> Markup:
    records = document.estimates
    failed = sum(each.time_us is None for each in records)
    count = f"{len(records)} configuration{'' if len(records) == 1 else 's'}"
    gpu = _one_gpu(records)
    said = f"{count}{f' on {gpu}' if gpu else ''}, model {document.model}"
    said += f"; {failed} without an estimate" if failed else ""
    given = ", ".join(f"{option} {value}" for option, value in document.settings.items())
    warnings = [tag("p", "warning: ", text) for text in without_effect(records)]
    return tag(
        "header",
        tag("h1", "Estimates of ", tag("code", ", ".join(names))),
        tag("div", f"{said}; {given}" if given else said, class_="soft"),
        *warnings,
    )


def _fastest(ranked: Sequence[EstimateRecord]) -> Markup:
    """The verdict on the fastest of several configurations, before the table."""
    if len(ranked) < 2:
        return NOTHING
    first = ranked[0]
    head = f"Fastest: {title_of(first)}, {duration(first.time_us or 0.0)}. "
    return tag("p", tag("b", head), verdict_of(first), class_="verdict")


def _legend(parts: Mapping[str, str]) -> Markup:
    names = dict[str, list[str]]()
    for name, color in parts.items():
        own = names.setdefault(color, [])
        if _words(name) not in own:
            own.append(_words(name))
    keys = [
        tag("span", tag("i", style=f"background:{color}"), ", ".join(own), class_="key")
        for color, own in names.items()
    ]
    return tag("div", "CPI by stall reason: ", *keys, class_="legend") if keys else NOTHING


def _bar(each: EstimateRecord, parts: Mapping[str, str]) -> Markup:
    """The CPI stack of a configuration, all bars of one width."""
    pieces = [
        tag(
            "i",
            style=f"width:{100 * value / each.cpi:.2f}%;background:{parts[name]}",
            title=f"{_words(name)} {value:.2f} of {each.cpi:.2f} ({share_text(value / each.cpi)})",
        )
        for name, value in sorted(each.cpi_stack.items(), key=lambda item: -item[1])
        if each.cpi and value >= 0.002 * each.cpi
    ]
    return tag("div", *pieces, class_="stack") if pieces else NOTHING


def _words(name: str) -> str:
    return stall_label(name)


# the table


def _overview(
    records: Sequence[EstimateRecord], parts: Mapping[str, str], linked: frozenset[int]
) -> Markup:
    macros = list(dict.fromkeys(name for each in records for name in each.configuration.macros))
    models = ["model"] if any(each.model for each in records) else []
    gpus = ["GPU"] if _one_gpu(records) is None else []
    head = ["kernel", *models, "time", "range", "bottleneck", "CPI", "CPI stack", *gpus, "global",
            "local", *macros, "warps", "waves", "confidence"]  # fmt: skip
    cells = [tag("th", tag("button", name, type="button")) for name in head]
    rows = [
        _row(i, each, macros, parts, linked=i in linked, gpu=bool(gpus))
        for i, each in enumerate(records)
    ]
    body = tag("table", tag("thead", tag("tr", *cells)), tag("tbody", *rows), class_="sortable")
    return tag("div", body, class_="scroll")


def _row(
    index: int, each: EstimateRecord, macros: Sequence[str], parts: Mapping[str, str], *,
    linked: bool, gpu: bool,
) -> Markup:  # fmt: skip
    c = each.configuration
    name = tag("a", c.kernel, href=f"#e{index}") if linked else safe(c.kernel)
    models = [tag("td", each.model)] if each.model else []
    front = [tag("td", name), *models]
    what = [
        *([tag("td", each.gpu, class_="w")] if gpu else []), tag("td", by_x(c.global_size)),
        tag("td", by_x(c.local_size)), *(tag("td", c.macros.get(m, "")) for m in macros),
    ]  # fmt: skip
    if each.time_us is None:
        reason = tag("td", each.reason, colspan="4")
        last = tag("td", colspan="3")
        return tag("tr", *front, tag("td", "-", class_="n"), reason, *what, last, class_="failed")
    low, high = each.range_us or (each.time_us, each.time_us)
    warps = "" if each.occupancy is None else f"{each.occupancy.warps}"
    return tag(
        "tr",
        *front,
        tag("td", duration(each.time_us), class_="n", data_value=f"{each.time_us!r}"),
        tag("td", f"{duration(low)} to {duration(high)}", data_value=f"{high / low!r}"),
        tag("td", bottleneck_label(each.limiter), class_="w"),
        tag("td", f"{each.cpi or 0:.2f}", class_="n"),
        tag("td", _bar(each, parts)),
        *what,
        tag("td", warps, class_="n"),
        tag("td", f"{each.waves or 0:.1f}", class_="n"),
        tag(
            "td",
            confidence_text(each.confidence, each.time_us or 0.0) if each.confidence else "",
            class_="soft w",
        ),
    )


def _ablations(ablations: Sequence[Ablation]) -> Markup:
    if not ablations:
        return NOTHING
    head = ("kernel", "GPU", "without", "time", "Spearman", "Kendall", "regret", "first choice")
    rows = [
        (a.kernel, a.gpu, a.without, f"x{a.median_ratio:.3f}", _shown(a.spearman),
         _shown(a.kendall), f"{100 * a.regret:.1f} %", a.first)
        for a in ablations
    ]  # fmt: skip
    # A single configuration has no ranking.
    count = len(head) if any(a.configurations > 1 for a in ablations) else 4
    return join(
        tag("h2", "Ablation: what each mechanism is worth"),
        table(head[:count], [row[:count] for row in rows], tuple(range(3, 7))[: count - 3]),
    )


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


# one configuration


def _detail(each: EstimateRecord, index: int, parts: Mapping[str, str], sources: Sources) -> Markup:
    text = sources.get(each.configuration.source, ())
    sections = [
        ("CPI stack", _stack(each, parts)),
        ("Utilisation", _bounds(each)),
        ("Roofline", shown(roofline_chart(each))),
        ("Lines", _lines(each, text)),
        ("Assumed control flow and addresses", _guessed(each)),
        ("Assumed values of the GPU", _assumed(each)),
    ]
    heading = tag(
        "h2",
        tag("code", each.configuration.kernel),
        tag("small", f" {each.gpu}, {configuration_words(each.configuration)}"),
        id=f"e{index}",
        title=title_of(each),
    )
    parted = (join(tag("h3", title), part, "\n") for title, part in sections if part)
    return tag("section", heading, _verdict(each), _cards(each), *parted)


def _verdict(each: EstimateRecord) -> Markup:
    """What limits the configuration and what would help, before anything else."""
    said = advice_within(each)
    rest = [tag("li", advice_text(a, each.time_us)) for a in each.advice if a not in said]
    listed = tag("ul", *rest, class_="advice") if rest else NOTHING
    return join(tag("p", verdict_of(each), class_="verdict"), listed)


def _cards(each: EstimateRecord) -> Markup:
    low, high = each.range_us or (0.0, 0.0)
    cards = [
        _card("time", duration(each.time_us or 0.0), f"{duration(low)} to {duration(high)}"),
        _card("bottleneck", bottleneck_label(each.limiter), f"{each.cycles or 0:,.0f} cycles"),
    ]
    if each.occupancy is not None:
        o = each.occupancy
        registers = "" if o.registers is None else f"; {o.registers} registers"
        detail = f"{plural(o.blocks, 'block')}, limiter: {', '.join(o.limiters)}{registers}"
        cards.append(_card("occupancy", f"{o.warps} of {o.max_warps} warps", detail))
    cards.append(_card("waves", f"{each.waves or 0:.1f}", ""))
    if each.counts is not None:
        c = each.counts
        moved = f"DRAM {volume(c.dram_read_sectors)} read, {volume(c.dram_write_sectors)}"
        moved += f" written; L2 {volume(c.l2_read_sectors)} read"
        cards.append(_card("counts", f"{c.warp_instructions:,.0f} warp instructions", moved))
    if each.confidence is not None:
        cards.append(_card("confidence", confidence_text(each.confidence, each.time_us or 0.0), ""))
    if each.reduction_errors is not None:
        off = each.reduction_errors
        cards.append(_card("caches in full", ", ".join(off.off), reductions_text(off)))
    return tag("div", *cards, class_="cards")


def _card(label: str, value: str, detail: str) -> Markup:
    small = tag("p", detail) if detail else NOTHING
    return tag("div", tag("b", label), tag("strong", value), small, class_="card")


def _stack(each: EstimateRecord, parts: Mapping[str, str]) -> Markup:
    cpi = each.cpi or 1.0
    rows = [
        (_words(name), f"{value:.3f}", f"{100 * value / cpi:.1f} %")
        for name, value in sorted(each.cpi_stack.items(), key=lambda item: -item[1])
        if value >= 0.002 * cpi
    ]
    rows.append(("all", f"{cpi:.3f}", "100.0 %"))
    bar = tag("div", _bar(each, parts), class_="wide")
    return join(bar, table(("stall reason", "CPI", "share"), rows, (1, 2)))


def _bounds(each: EstimateRecord) -> Markup:
    cycles = each.cycles or 1.0
    rows = [
        (bottleneck_label(name), f"{value:,.0f}", share_text(value / cycles))
        for name, value in sorted(each.bounds_cycles.items(), key=lambda item: -item[1])
        if value > 0
    ]
    return table(("resource", "cycles at full throughput", "of the time"), rows, (1, 2))


def _lines(each: EstimateRecord, text: Sequence[str]) -> Markup:
    """The source with each line's share of the time as colour."""
    own = each.configuration.source
    shares = {at.line: at.share for at in each.lines if at.line and at.file in ("", own)}
    known = [line for line in shares if 0 < line <= len(text)]
    if not known:
        return NOTHING
    most = max(shares.values()) or 1.0
    rows = [_line(n, text[n - 1], shares.get(n), most) for n in _context(known, len(text))]
    lost = sum(at.share for at in each.lines if not at.line)
    others = sum(at.share for at in each.lines if at.line and at.file not in ("", own))
    parts = [f"{100 * lost:.1f} % of the time have no source line"] if lost >= 0.001 else []
    if others >= 0.001:
        parts.append(f"{100 * others:.1f} % to lines of other files")
    said = "; ".join(parts)
    return join(tag("div", *rows, class_="src"), tag("p", said, class_="soft") if said else "")


def _context(lines: Sequence[int], count: int) -> range:
    """From some lines before the first to some after the last."""
    return range(max(1, min(lines) - 3), min(count, max(lines) + 3) + 1)


def _line(number: int, text: str, share: float | None, most: float) -> Markup:
    said = "" if share is None else f"{100 * share:.1f} %"
    heat = f"--heat:{0.55 * (share or 0.0) / most:.2f}"
    return join(
        tag(
            "div",
            tag("span", str(number), class_="no"),
            tag("span", said, class_="cost", style=heat),
            tag("span", text, class_="text"),
            class_="line",
        ),
        "\n",
    )


def _guessed(each: EstimateRecord) -> Markup:
    if each.confidence is None:
        return NOTHING
    rows = [(guess_text(guess),) for guess in each.confidence.guesses]
    rows += [(f"warning: {text}",) for text in each.confidence.unused_assumptions]
    if not rows:
        return NOTHING
    return table(("where, assumed value, reason, and the option that gives it",), rows)


def _assumed(each: EstimateRecord) -> Markup:
    if each.confidence is None:
        return NOTHING
    rows = [(a.key, f"{a.value}", a.reason) for a in each.confidence.assumed_gpu_values]
    rows += [(key, "", "from a weak source") for key in each.confidence.weak_gpu_values]
    return table(("value", "assumed", "reason"), rows)
