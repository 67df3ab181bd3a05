"""What each source line costs: how often it runs, and the excess of its accesses."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.passes.control.trip_counts import TripKind
from kcc.report.analysis.costs import is_worth_saying, request_cost
from kcc.report.analysis.model import Access, Branch, Cost, KernelReport, LineFacts, Loop
from kcc.report.shared.words import trip_text


@dataclass(frozen=True, slots=True)
class LineCost:
    """``executions`` by all work-items of the launch, of the part of the line that runs most
    often; ``instructions`` they execute there altogether. ``per_item`` is the mean of
    ``executions``, ``formula`` its text where the launch is not known. ``reason`` says why there
    are no numbers. ``loops`` are those whose keyword stands here, ``branches`` those that may be
    divergent, ``costs`` those of accesses that are known.
    """

    executions: int | None
    instructions: int | None
    per_item: float | None
    formula: str
    reason: str
    loops: tuple[Loop, ...]
    branches: tuple[Branch, ...]
    costs: tuple[tuple[Access, Cost], ...]

    @property
    def worst(self) -> tuple[Access, Cost] | None:
        """The access with the most excess, else that with the highest cost."""
        return max(self.costs, key=lambda each: (each[1].excess, each[1].spent), default=None)

    @property
    def excess(self) -> float:
        """Excess sectors and bank cycles: over the launch, or else per execution."""
        return sum(
            cost.excess if cost.total is None else cost.total
            for _, cost in self.costs
            if is_worth_saying(cost)
        )


def line_cost(kernel: KernelReport, line: LineFacts) -> LineCost:
    """The cost of one line."""
    counts = {block: kernel.flow.blocks[block] for block in line.blocks}
    reached = {block: count for block, count in counts.items() if count is not None}
    missing = [count for count in reached.values() if count.executions is None]
    known = {b: c.executions for b, c in reached.items() if c.executions is not None}
    executions = instructions = per_item = None
    if known and not missing:
        executions = max(known.values())
        instructions = sum(line.blocks[block] * count for block, count in known.items())
        items = work_items(kernel)
        per_item = executions / items if items else None
    accesses = [kernel.accesses[index] for index in line.accesses]
    priced = [(access, request_cost(access.element_bytes, access.pattern)) for access in accesses]
    return LineCost(
        executions=executions,
        instructions=instructions,
        per_item=per_item,
        formula=max((count.formula for count in missing), key=len, default=""),
        reason=missing[0].reason if missing else "",
        loops=tuple(
            loop
            for loop in kernel.loops
            if loop.line == line.line and line.file == kernel.span.file
        ),
        branches=tuple(
            branch
            for branch in (kernel.branches[index] for index in line.branches)
            if branch.divergence.is_divergent
        ),
        costs=tuple((access, cost) for access, cost in priced if cost is not None),
    )


def work_items(kernel: KernelReport) -> int | None:
    """Work-items of the launch; all of them come to the entry."""
    entry = kernel.flow.blocks[0] if kernel.flow.blocks else None
    return None if entry is None else entry.threads


def _trips(loop: Loop) -> str:
    """``x16``, ``x<=40``, ``x~8`` (assumed), ``x?``."""
    text = trip_text(loop.trip).removesuffix(" (assumed)")
    if loop.trip.kind is TripKind.ASSUMED:
        return f"x~{text}"
    return "x?" if loop.trip.kind is TripKind.UNKNOWN else f"x{text}".replace("at most ", "<=")


def runs_text(cost: LineCost) -> str:
    """How often a line runs: ``x16`` at the keyword of a loop, its trips; else executions per
    work-item in the mean, ``?`` where that is not known."""
    if cost.loops:
        return " ".join(_trips(loop) for loop in cost.loops)
    return mean_text(cost.per_item) if cost.per_item is not None else "?"


def mean_text(mean: float) -> str:
    """``16``, ``0.5``, ``<0.01``."""
    if 0 < mean < 0.01:
        return "<0.01"
    shown = f"{mean:,.2f}" if mean < 1000 else f"{mean:,.0f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def cost_text(cost: LineCost) -> str:
    """The worst access: ``4 s``, ``32 s!``, ``32-way!``; the mark where much is excess."""
    worst = cost.worst
    if worst is None:
        return ""
    access, paid = worst
    unit = "-way" if access.pattern.bank_passes is not None else " s"
    return f"{mean_text(paid.spent)}{unit}{'!' if is_worth_saying(paid) else ''}"
