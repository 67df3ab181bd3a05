"""The report as text for a terminal, a file or a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kcc.base.records import dataclass
from kcc.frontend.kernel import Language
from kcc.frontend.options import OptLevel
from kcc.report.analysis.annotated import COSTS_LEGEND, Excerpt, annotate, legend
from kcc.report.analysis.model import Analysis, KernelReport, MachineView, Severity
from kcc.report.analysis.tables import tables
from kcc.report.analysis.verdict import verdict
from kcc.report.shared.style import Style
from kcc.report.shared.text import written

MOSTLY_FROM_WIDTH = 120
"""Narrower reports leave out the column that names a line's main class of instructions."""

COSTS_FROM_WIDTH = 70
"""Narrower reports leave out how often a line runs, and what its worst access costs."""

RUNS_COLUMNS = 9
"""A longer trip count is cut: the table of loops has it."""

LANGUAGES = {
    Language.OPENCL: "OpenCL C",
    Language.CUDA: "CUDA",
    Language.LLVM: "LLVM IR",
    Language.PTX: "PTX",
}

FRONTENDS = {"builtin": "built-in"}

LEVELS = {
    OptLevel.O0: "as lowered",
    OptLevel.O1: "control flow of the source",
    OptLevel.O2: "as a GPU compiler would",
}

_SEVERITY_STYLES = {Severity.WARNING: "yellow", Severity.REMARK: "cyan"}


class Part(Enum):
    """A part of a kernel's report."""

    VERDICT = "verdict"
    TABLES = "tables"
    SOURCE = "source"
    MACHINE = "machine code"


def render_report(
    analysis: Analysis, style: Style, parts: frozenset[Part] = frozenset(Part)
) -> str:
    """The report as text, with the parts that are asked for."""

    def write(console: Console) -> None:
        _heading(console, analysis)
        for kernel in analysis.kernels:
            _kernel_heading(console, kernel, analysis.source, style)
            if Part.VERDICT in parts:
                _verdict(console, kernel)
            if Part.TABLES in parts:
                _tables(console, kernel, style)
            if Part.SOURCE in parts:
                _source(console, kernel, analysis, style)
            if Part.MACHINE in parts and kernel.machine is not None:
                _machine(console, kernel.machine, analysis)

    return written(style, write)


def _heading(console: Console, analysis: Analysis) -> None:
    frontend = FRONTENDS.get(analysis.frontend, analysis.frontend)
    level = f"-{analysis.optimisation.value} ({LEVELS[analysis.optimisation]})"
    console.print(Text(analysis.source, "bold"), soft_wrap=True)
    console.print(Text(f"{LANGUAGES[analysis.language]}, {frontend} front end, {level}"))
    for remark in analysis.remarks:
        console.print(Text(remark, "dim"))
    if lost := [f"'{each.kernel}'" for each in analysis.refused if each.kernel]:
        some = f"{', '.join(lost[:4])}{', ...' * (len(lost) > 4)}"
        count = f"{len(lost)} of {len(lost) + len(analysis.kernels)} kernels left out"
        console.print(Text(f"{count}, with errors: {some}", "yellow"))


def _kernel_heading(console: Console, kernel: KernelReport, source: str, style: Style) -> None:
    console.print()
    place = f"line {kernel.span.line}" if kernel.span.file == source else str(kernel.span)
    title = Text.assemble(("kernel ", "bold"), (kernel.name, "bold cyan"), f"  {place}")
    title.append(" " + ("─" if style.unicode else "-") * (style.width - title.cell_len - 1), "dim")
    title.truncate(style.width)
    console.print(title)


def _verdict(console: Console, kernel: KernelReport) -> None:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    for line in verdict(kernel):
        color = _SEVERITY_STYLES[line.severity] if line.severity else ""
        grid.add_row(Text(line.label, color), Text(line.text, color))
    console.print(Padding(grid, (0, 0, 0, 2)))


def _tables(console: Console, kernel: KernelReport, style: Style) -> None:
    for table in tables(kernel, style):
        console.print()
        console.print(Padding(table, (0, 0, 0, 2)))


def _source(console: Console, kernel: KernelReport, analysis: Analysis, style: Style) -> None:
    excerpts = annotate(kernel, analysis.sources)
    columns = _Columns.of(style, excerpts)
    heading = columns.row("line", "runs", "instr", "mostly", "memory", "cost") + "source"
    lines = [Text(), Text("  Source", "bold"), Text(heading, "dim")]
    file = kernel.span.file
    for index, excerpt in enumerate(excerpts):
        if excerpt.file != file:
            file = excerpt.file
            lines.append(Text(f"  {file}", "bold"))
        elif index:
            lines.append(Text(f"{'...':>7}", "dim"))
        lines += _excerpt(excerpt, columns)
    # One print for all lines: each costs rich some tenths of a millisecond.
    console.print(Text("\n").join(lines), no_wrap=True)
    shown = (*legend(kernel), *COSTS_LEGEND) if columns.runs else legend(kernel)
    console.print(Padding(Text("\n".join(shown), "dim"), (0, 0, 0, 2)))


def _machine(console: Console, view: MachineView, analysis: Analysis) -> None:
    from kcc.report.analysis.machine_code import LEGEND, machine_text

    lines = [Text(), Text("  Machine code", "bold")]
    for line in machine_text(view, analysis.sources, analysis.source):
        is_source = not line.startswith("    ")
        lines.append(Text(line, "bold" if is_source else ""))
    console.print(Text("\n").join(lines), no_wrap=True, overflow="ignore", crop=False)
    if view.code.instructions:
        console.print(Padding(Text(LEGEND, "dim"), (0, 0, 0, 2)))


@dataclass(frozen=True, slots=True)
class _Columns:
    """Widths of the annotated source: 0 leaves a column out."""

    runs: int
    mostly: int
    memory: int
    cost: int
    width: int
    unicode: bool

    @classmethod
    def of(cls, style: Style, excerpts: Sequence[Excerpt]) -> _Columns:
        lines = [line for excerpt in excerpts for line in excerpt.lines]
        mostly, runs, memory, cost = (
            (
                max((cell_len(text) for text in column), default=0)
                for column in zip(
                    *((ln.mostly, ln.runs, ln.memory, ln.cost) for ln in lines), strict=True
                )
            )
            if lines
            else (0, 0, 0, 0)
        )
        wide = style.width >= COSTS_FROM_WIDTH
        return _Columns(
            runs=min(max(runs, 4), RUNS_COLUMNS) if wide else 0,
            mostly=min(max(mostly, 6), 18) if style.width >= MOSTLY_FROM_WIDTH else 0,
            memory=min(max(memory, 6), 18),
            cost=max(cost, 4) if wide and cost else 0,
            width=style.width,
            unicode=style.unicode,
        )

    def row(
        self, number: str, runs: str, instructions: str, mostly: str, memory: str, cost: str
    ) -> str:
        cells = [f"{number:>6}"]
        if self.runs:
            cells.append(_cut(runs, self.runs).rjust(self.runs))
        cells.append(f"{instructions:>5}")
        if self.mostly:
            cells.append(set_cell_size(mostly, self.mostly))
        cells.append(set_cell_size(memory, self.memory))
        if self.cost:
            cells.append(cost.rjust(self.cost))
        return "  ".join(cells) + "  "


def _cut(text: str, columns: int) -> str:
    """A text that may be a formula: what does not fit ends in a dot."""
    return text if len(text) <= columns else text[: columns - 1] + "."


def _excerpt(excerpt: Excerpt, columns: _Columns) -> Iterator[Text]:
    for line in excerpt.lines:
        counted = str(line.instructions) if line.instructions else ""
        runs = line.runs if line.instructions else ""
        notes = columns.row(str(line.number), runs, counted, line.mostly, line.memory, line.cost)
        row = Text(notes, "dim")
        if line.depth:
            row.append(("│" if columns.unicode else "|") * line.depth + " ", "cyan")
        row.append(line.text, "" if line.instructions else "dim")
        row.truncate(columns.width, overflow="ellipsis" if columns.unicode else "crop")
        yield row
        for finding in line.findings:
            mark = Text(" " * len(notes))
            mark.append(f"^ {finding.message}", _SEVERITY_STYLES[finding.severity])
            mark.truncate(columns.width, overflow="ellipsis" if columns.unicode else "crop")
            yield mark
