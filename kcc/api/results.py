"""What the functions of :mod:`kcc.api` give: what the command found, in its forms."""

from __future__ import annotations

import importlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import field
from html import escape
from typing import TYPE_CHECKING, Any, cast

from kcc.base.records import dataclass

if TYPE_CHECKING:
    import networkx

    from kcc.base.profile.model import KernelInfo, Profile
    from kcc.opencl.session import LaunchRow
    from kcc.report.analysis.model import Analysis, KernelReport
    from kcc.report.comparison import Comparison
    from kcc.report.estimate.record import EstimateDocument, EstimateRecord
    from kcc.report.execution.runs import RunRequest
    from kcc.report.exploration.exploration import Exploration
    from kcc.report.memory_run import MemoryReport
    from kcc.report.miniature.document import Synthesis
    from kcc.report.phases import PhasesReport
    from kcc.report.simulation.run import FailedRun, SimulationRun

PAGE_HEIGHT = 560
"""Pixels of a page in a notebook."""

ROWS_SHOWN = 5
"""Rows of a result's representation at a prompt."""

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result(ABC):
    """What every result has. ``messages``: warnings as the command says them, and what a script
    printed."""

    messages: str = ""

    @abstractmethod
    def to_json(self) -> str:
        """The document, as the command's `--json` writes it."""

    @abstractmethod
    def rows(self) -> Sequence[Row]:
        """The main table, a row for each thing that was looked at."""

    def page(self) -> str:
        """The page that the command's `--html` writes; "" where the command has none."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """The document as Python values."""
        return cast("dict[str, Any]", json.loads(self.to_json()))

    def to_pandas(self) -> Any:
        """:meth:`rows` as a ``pandas.DataFrame``; raises ImportError without pandas."""
        return importlib.import_module("pandas").DataFrame(list(self.rows()))

    def __repr__(self) -> str:
        rows = self.rows()
        more = f"\n  ... {len(rows) - ROWS_SHOWN} more" if len(rows) > ROWS_SHOWN else ""
        lines = ["".join(f" {n}={_cell(v)}" for n, v in row.items() if v not in (None, "", ()))
                 for row in rows[:ROWS_SHOWN]]  # fmt: skip
        return (
            f"<{type(self).__name__} of {len(rows)}:"
            + "".join(f"\n {x}" for x in lines)
            + more
            + ">"
        )

    def _repr_html_(self) -> str:
        page = self.page()
        return _frame(page) if page else _table(self.rows())


def _frame(page: str) -> str:
    """A page within a notebook, whose styles stay its own."""
    style = f"width:100%;height:{PAGE_HEIGHT}px;border:1px solid #8884"
    return f'<iframe srcdoc="{escape(page)}" style="{style}"></iframe>'


def _table(rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(_cell(row.get(name)))}</td>' for name in names)}</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AnalysisResult(Result):
    """Of `kcc analyze`: ``analysis`` holds everything that is known of each kernel."""

    analysis: Analysis

    def to_json(self) -> str:
        from kcc.report.analysis.document import to_json

        return to_json(self.analysis)

    def page(self) -> str:
        from kcc.report.analysis.html import page

        return page(self.analysis)

    def rows(self) -> Sequence[Row]:
        """A row for each finding."""
        return [
            {
                "kernel": kernel.name, "lines": found.lines, "severity": found.severity.value,
                "message": found.message, "fix": found.fix,
            }
            for kernel in self.analysis.kernels for found in kernel.findings
        ]  # fmt: skip

    def kernel(self, name: str | None = None) -> KernelReport:
        """A kernel's report; without a name the only one's. :raises KeyError: if there is none."""
        named = [k for k in self.analysis.kernels if name in (None, k.name)]
        if len(named) != 1:
            names = ", ".join(k.name for k in self.analysis.kernels)
            raise KeyError(f"one of {names}" if name is None else f"no kernel {name}: {names}")
        return named[0]

    def control_flow(self, name: str | None = None) -> networkx.DiGraph[int]:
        """The control flow graph: nodes are block ids with ``label``, ``line``, ``instructions``;
        edges have ``kind`` and ``back``."""
        import networkx

        graph: networkx.DiGraph[int] = networkx.DiGraph()
        kernel = self.kernel(name)
        for block in kernel.blocks:
            said = {"label": block.label, "line": block.line, "instructions": block.instructions}
            graph.add_node(block.id, **said)
        for edge in kernel.edges:
            graph.add_edge(edge.source, edge.target, kind=edge.kind.value, back=edge.back)
        return graph

    def divergence_flow(self, name: str | None = None) -> networkx.DiGraph[int]:
        """The divergence flow statistics graph as far as the source tells: nodes are block ids with
        ``line``, ``executions`` by all work-items and ``threads``; edges likewise. What is not
        known is None."""
        import networkx

        kernel = self.kernel(name)
        graph: networkx.DiGraph[int] = networkx.DiGraph(kernel=kernel.name)
        for block, count in zip(kernel.blocks, kernel.flow.blocks, strict=True):
            own = (0, 0) if count is None else (count.executions, count.threads)
            graph.add_node(block.id, line=block.line, executions=own[0], threads=own[1])
        for edge in kernel.flow.edges:
            own = edge.count.executions, edge.count.threads
            graph.add_edge(edge.source, edge.target, executions=own[0], threads=own[1])
        return graph


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EstimateResult(Result):
    """Of `kcc estimate`: a record for each kernel, configuration and GPU."""

    document: EstimateDocument
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """The lines of the source, for the page."""

    @property
    def estimates(self) -> tuple[EstimateRecord, ...]:
        """All records, in the order of kernels and GPUs."""
        return self.document.estimates

    @property
    def best(self) -> EstimateRecord:
        """The shortest time. :raises ValueError: where nothing has a time."""
        timed = [each for each in self.estimates if each.time_us is not None]
        return min(timed, key=lambda each: each.time_us or 0.0)

    def to_json(self) -> str:
        from kcc.report.estimate.ablation import ablations_of
        from kcc.report.estimate.files import estimates_json

        return estimates_json(self.document, ablations_of(self.estimates))

    def page(self) -> str:
        from kcc.report.estimate.ablation import ablations_of
        from kcc.report.estimate.html import estimates_page

        return estimates_page(self.document, ablations_of(self.estimates), self.texts)

    def rows(self) -> Sequence[Row]:
        """A row for each estimate."""
        return [
            {
                "kernel": each.configuration.kernel, "gpu": each.gpu, "model": each.model,
                "global_size": each.configuration.global_size,
                "local_size": each.configuration.local_size, **each.configuration.macros,
                "time_us": each.time_us,
                "low_us": each.range_us[0] if each.range_us else None,
                "high_us": each.range_us[1] if each.range_us else None,
                "cycles": each.cycles, "limiter": each.limiter, "reason": each.reason,
            }
            for each in self.estimates
        ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SimulationResult(Result):
    """Of `kcc simulate`: a run for each configuration, with a timing for each launch."""

    source: str
    runs: tuple[SimulationRun | FailedRun, ...]
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def to_json(self) -> str:
        from kcc.report.simulation.document import simulation_json

        return simulation_json(self.source, self.runs)

    def page(self) -> str:
        from kcc.report.simulation.html import simulation_page

        return simulation_page(self.source, self.runs, self.texts)

    @property
    def simulated(self) -> tuple[SimulationRun, ...]:
        """The configurations that could be simulated."""
        from kcc.report.simulation.run import SimulationRun

        return tuple(run for run in self.runs if isinstance(run, SimulationRun))

    def rows(self) -> Sequence[Row]:
        """A row for each launch in each configuration."""
        return [
            {
                "configuration": run.label, "launch": t.launch, "kernel": t.kernel,
                "cycles": t.cycles, "time_us": t.time_us, "ipc": t.ipc, "limiter": t.limiter,
            }
            for run in self.simulated for t in run.timings
        ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ExplorationResult(Result):
    """Of `kcc explore`: design points and what-if changes."""

    exploration: Exploration

    def to_json(self) -> str:
        from kcc.report.exploration.files import exploration_json

        return exploration_json(self.exploration)

    def page(self) -> str:
        from kcc.report.exploration.page import exploration_page

        return exploration_page(self.exploration)

    def rows(self) -> Sequence[Row]:
        """A row for each design point and each change, the GPU as it is among them."""
        found = self.exploration
        each = [*found.points, *([found.base] if found.base else []), *found.what_if]
        return [
            {
                "name": e.words, "settings": e.point.settings, "cycles": e.point.cycles,
                "time_us": e.point.time_us, "checked_cycles": e.checked_cycles,
            }
            for e in each
        ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MemoryResult(Result):
    """Of `kcc memory`: hit rates and latencies as distributions."""

    report: MemoryReport

    def to_json(self) -> str:
        from kcc.report.memory_document import memory_json

        return memory_json(self.report)

    def page(self) -> str:
        from kcc.report.memory_html import memory_page

        return memory_page(self.report)

    def rows(self) -> Sequence[Row]:
        """A row for each access of each launch."""
        return [
            {
                "configuration": run.label, "launch": r.launch, "kernel": r.kernel,
                "line": a.access.line, "array": a.access.array,
                "op": a.access.operation.name.lower(), "executed": a.executed,
                "sectors": a.sectors, "latency_share": a.share,
            }
            for run in self.report.runs for r in run.results for a in r.accesses
        ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PhasesResult(Result):
    """Of `kcc phases`: the phases of a recorded run and the units drawn of them."""

    report: PhasesReport

    def to_json(self) -> str:
        from kcc.report.phases import phases_json

        return phases_json(self.report)

    def page(self) -> str:
        from kcc.report.phases_html import phases_page

        return phases_page(self.report)

    def rows(self) -> Sequence[Row]:
        """A row for each phase."""
        return [
            {
                "phase": row.phase, "units": row.units, "weight": row.weight, "mean": row.mean,
                "variation": row.variation, "points": row.points, "names": row.names,
            }
            for row in self.report.rows
        ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ProfileResult(Result):
    """Of `kcc profile`: what the launches did, for any GPU."""

    profile: Profile
    parts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Further keys of the document (`for_synth`)."""

    def to_json(self) -> str:
        from kcc.base.profile.document import to_json

        return to_json(self.profile, self.parts)

    def page(self) -> str:
        from kcc.report.profile.html import profile_page

        return profile_page(self.profile)

    def rows(self) -> Sequence[Row]:
        """A row for each launch."""
        return [
            {
                "launch": launch.number, "kernel": self.profile.kernels[launch.kernel].name,
                "global_size": launch.global_size, "local_size": launch.local_size,
                "warp_instructions": launch.warp_instructions,
                "thread_instructions": launch.thread_instructions,
            }
            for launch in self.profile.launches
        ]  # fmt: skip

    def kernel(self, name: str | None = None) -> tuple[int, KernelInfo]:
        """A kernel and its number; without a name the only one. :raises KeyError: if there is
        none."""
        named = [(n, k) for n, k in enumerate(self.profile.kernels) if name in (None, k.name)]
        if len(named) != 1:
            names = ", ".join(k.name for k in self.profile.kernels)
            raise KeyError(f"one of {names}" if name is None else f"no kernel {name}: {names}")
        return named[0]

    def divergence_flow(self, name: str | None = None) -> networkx.DiGraph[int]:
        """The divergence flow statistics graph of all launches of a kernel: nodes are block ids
        with ``line``, ``ecount``, ``lcount``, ``scount``, ``threads``, ``warps``; edges have
        ``tcount``, ``oecount``, ``iecount`` and ``warps``."""
        import networkx

        from kcc.base.profile.merge import merge

        number, info = self.kernel(name)
        total = merge([each for each in self.profile.launches if each.kernel == number])
        graph: networkx.DiGraph[int] = networkx.DiGraph(kernel=info.name)
        for node in total.nodes:
            graph.add_node(
                node.block, line=info.blocks[node.block].line, ecount=node.ecount,
                lcount=node.lcount, scount=node.scount, threads=node.threads, warps=node.warps,
            )  # fmt: skip
        for edge in total.edges:
            graph.add_edge(
                edge.source, edge.target, tcount=edge.tcount, oecount=edge.oecount,
                iecount=edge.iecount, warps=edge.warps,
            )  # fmt: skip
        return graph


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RunResult(Result):
    """Of `kcc run`: the launches that a script made, with exact counts."""

    request: RunRequest
    launches: tuple[LaunchRow, ...]

    def to_json(self) -> str:
        from kcc.report.execution.runs import run_json

        return run_json(self.launches, self.request)

    def rows(self) -> Sequence[Row]:
        """A row for each launch."""
        return [
            {
                "launch": row.number, "kernel": row.kernel, "global_size": row.global_size,
                "local_size": row.local_size, "warp_instructions": row.warp_instructions,
                "thread_instructions": row.thread_instructions,
            }
            for row in self.launches
        ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TraceResult(Result):
    """Of `kcc trace`: where the trace is. :mod:`kcc.base.trace.reader` opens it."""

    path: str

    def to_json(self) -> str:
        """As of `kcc trace --show FILE --json -`."""
        from kcc.base.trace.reader import open_trace
        from kcc.report.execution.traces import trace_json

        with open_trace(self.path) as trace:
            return trace_json(trace, trace.launches)

    def rows(self) -> Sequence[Row]:
        """A row for each launch."""
        names = ("number", "kernel", "global_size", "local_size", "thread_blocks", "accesses",
                 "warp_instructions", "thread_instructions")  # fmt: skip
        return [{name: each[name] for name in names} for each in self.to_dict()["launches"]]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SynthesisResult(Result):
    """Of `kcc synth`: a miniature and how it compares with the original."""

    synthesis: Synthesis

    def to_json(self) -> str:
        from kcc.report.miniature.document import synthesis_json

        return synthesis_json(self.synthesis)

    def rows(self) -> Sequence[Row]:
        """A row for each kernel of the miniature."""
        return [
            {"kernel": number, "statements": str(len(kernel["blocks"]))}
            for number, kernel in enumerate(self.to_dict()["kernels"])
        ]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ComparisonResult(Result):
    """Of `kcc compare`: a row for each configuration."""

    comparison: Comparison
    before: str = ""
    after: str = ""
    """The documents' names."""

    @property
    def failed(self) -> bool:
        """Whether a time grew by more than ``fail_above``, or is lost."""
        return self.comparison.failed

    def to_json(self) -> str:
        from kcc.report.comparison import comparison_document

        return json.dumps(comparison_document(self.comparison), indent=1) + "\n"

    def page(self) -> str:
        from kcc.report.comparison_html import comparison_page

        return comparison_page(self.comparison, self.before, self.after)

    def to_markdown(self) -> str:
        """A table for the comment on a pull request."""
        from kcc.report.comparison_markdown import comparison_markdown

        return comparison_markdown(self.comparison)

    def rows(self) -> Sequence[Row]:
        """A row for each configuration."""
        return [
            {
                "name": row.name, "before_us": row.before_us, "after_us": row.after_us,
                "ratio": row.ratio, "verdict": row.verdict, "failed": row.failed,
                "within_range": row.within_range, "cause": row.cause.name if row.cause else "",
                "line": row.line.name if row.line else "",
            }
            for row in self.comparison.rows
        ]  # fmt: skip
