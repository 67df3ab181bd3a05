"""The report as one page: HTML with its style inside, without scripts, readable offline."""

from __future__ import annotations

from kcc.base.gpu.occupancy import Occupancy
from kcc.passes.registers.counts import Registers
from kcc.passes.unknown import Unknown
from kcc.report.analysis.html_graph import flow_graph
from kcc.report.analysis.html_source import line_link, source_view
from kcc.report.analysis.html_tables import accesses, arguments, branches, loop_tree, mix, unknowns
from kcc.report.analysis.machine_code import machine_html
from kcc.report.analysis.model import Analysis, Cost, CostUnit, Finding, KernelReport
from kcc.report.analysis.terminal import FRONTENDS, LANGUAGES, LEVELS
from kcc.report.analysis.verdict import sentence, verdict
from kcc.report.shared.markup import NOTHING, Markup, join, tag
from kcc.report.shared.page import page as whole_page
from kcc.report.shared.words import join as listed
from kcc.report.shared.words import plural


def page(analysis: Analysis) -> str:
    """The page about an analysis."""
    return whole_page(
        f"{analysis.source} - kcc",
        _heading(analysis),
        *(_kernel(kernel, index, analysis) for index, kernel in enumerate(analysis.kernels)),
    )


def _heading(analysis: Analysis) -> Markup:
    frontend = FRONTENDS.get(analysis.frontend, analysis.frontend)
    level = f"-{analysis.optimisation.value} ({LEVELS[analysis.optimisation]})"
    said = f"{LANGUAGES[analysis.language]}, {frontend} front end, {level}"
    links = [
        tag("a", kernel.name, href=f"#k{index}") for index, kernel in enumerate(analysis.kernels)
    ]
    warnings = [
        tag("div", f"{each.code}: {each.message}", class_="finding warning")
        for each in dict.fromkeys(
            [*analysis.warnings, *(d for each in analysis.refused for d in each.diagnostics)]
        )
    ]
    return tag(
        "header",
        tag("h1", tag("code", analysis.source)),
        tag("div", said, class_="soft"),
        *(tag("div", remark, class_="soft") for remark in analysis.remarks),
        *warnings,
        tag("nav", *links) if len(links) > 1 else "",
    )


def _kernel(kernel: KernelReport, index: int, analysis: Analysis) -> Markup:
    parts: list[tuple[str, Markup]] = [
        ("Findings, by cost", _findings(kernel, index)),
        ("Source", source_view(kernel, index, analysis.sources)),
        ("Machine code", machine_html(kernel.machine, analysis.sources, analysis.source)),
        ("Loops", loop_tree(kernel, index)),
        ("Branches", branches(kernel, index)),
        ("Memory accesses", accesses(kernel, index)),
        ("Arguments", arguments(kernel)),
        ("Control flow graph: executions", flow_graph(kernel)),
        ("Instruction mix", mix(kernel)),
        ("Not known", unknowns(kernel, index)),
    ]
    shown = [join(tag("h3", title), part, "\n") for title, part in parts if part]
    place = f" line {kernel.span.line}"
    heading = tag("h2", tag("code", kernel.name), tag("small", place), id=f"k{index}")
    said = tag("p", sentence(kernel), class_="verdict")
    return tag("section", heading, said, _cards(kernel), *shown)


def _card(label: str, value: str, detail: str = "", share: float | None = None) -> Markup:
    meter = NOTHING
    if share is not None:
        meter = tag("div", tag("i", style=f"width:{100 * share:.0f}%"), class_="meter")
    return tag(
        "div",
        tag("b", label),
        tag("strong", value),
        meter,
        tag("p", detail) if detail else NOTHING,
        class_="card",
    )


_OWN_CARDS = ("verdict", "registers", "occupancy")

_BREAKS = {"instructions": ": ", "launch": " (", "barriers": " ("}
"""Where the text of a verdict line parts into what is said large and what is said small."""


def _cards(kernel: KernelReport) -> Markup:
    """What the summary says, in boxes."""
    cards = list[Markup]()
    for line in verdict(kernel):
        if line.severity is None and line.label not in _OWN_CARDS:
            value, _, detail = line.text.partition(_BREAKS.get(line.label, "; "))
            if line.label in ("launch", "barriers"):
                detail = "".join(detail.rpartition(")")[::2])
            cards.append(_card(line.label, value, detail))
    return tag("div", _occupancy(kernel.occupancy), _registers(kernel.registers), *cards,
               class_="cards")  # fmt: skip


def _occupancy(occupancy: Occupancy | Unknown) -> Markup:
    if isinstance(occupancy, Unknown):
        return _card("occupancy", "unknown", occupancy.reason)
    limits = listed([limiter.value for limiter in occupancy.limiters])
    allowed = ", ".join(f"{each.limiter.value} {each.blocks}" for each in occupancy.limits)
    detail = "; ".join(
        [
            f"{plural(occupancy.blocks, 'block')} per SM of {occupancy.gpu}, limited by {limits}",
            f"blocks allowed by {allowed}",
            *occupancy.advice,
            *(f"assumed {each.key} = {each.value}" for each in occupancy.assumptions),
        ]
    )
    value = f"{occupancy.warps} of {occupancy.max_warps} warps"
    return _card("occupancy", value, detail, occupancy.ratio)


def _registers(registers: Registers | Unknown) -> Markup:
    if isinstance(registers, Unknown):
        return _card("registers", "unknown", registers.reason)
    spilled = f"{registers.spill_bytes} bytes spilled" if registers.spill_bytes else ""
    detail = "; ".join(part for part in (registers.detail or "estimated", spilled) if part)
    return _card("registers", f"{registers.count} per work-item", detail)


def _findings(kernel: KernelReport, index: int) -> Markup:
    if not kernel.findings:
        return tag("p", "No findings.", class_="soft")
    return join(*(_finding(finding, index) for finding in kernel.findings))


def _finding(finding: Finding, index: int) -> Markup:
    where = [join(line_link(index, line), " ") for line in finding.lines]
    fix = tag("div", tag("b", "Fix: "), finding.fix, class_="fix") if finding.fix else ""
    return tag(
        "div",
        tag("span", _paid(finding.cost), class_="paid") if finding.cost else "",
        tag("span", *where, class_="where") if where else "",
        finding.message,
        fix,
        class_=f"finding {finding.severity.value}",
    )


def _paid(cost: Cost) -> str:
    unit = "sectors" if cost.unit is CostUnit.SECTORS else "bank cycles"
    if cost.total is None:
        return f"{cost.excess:.3g} excess {unit} per request"
    return f"{cost.total:,} excess {unit}"
