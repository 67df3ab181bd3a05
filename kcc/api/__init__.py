"""kcc from Python: one function for each command, with typed results.

In: what the command takes, as keywords. Out: a frozen result that holds what the command prints,
with ``to_dict()`` (the command's JSON document), ``to_pandas()`` (rows, for pandas) and a page in a
notebook. Bad input and bad usage raise :class:`DiagnosticError`, which has ``code``, ``file``,
``line`` and ``column``. Enter at :mod:`kcc.api.sources` (kernels) and :mod:`kcc.api.runs` (scripts
and traces); docs/reference/python.md is the page.

These names keep their meaning within a minor version of kcc (semantic versioning).
"""

from __future__ import annotations

from kcc.api.graphs import graphml
from kcc.api.results import (
    AnalysisResult,
    ComparisonResult,
    EstimateResult,
    ExplorationResult,
    MemoryResult,
    PhasesResult,
    ProfileResult,
    Result,
    RunResult,
    SimulationResult,
    SynthesisResult,
    TraceResult,
)
from kcc.api.runs import compare, phases, profile, run, simulate, synth
from kcc.api.sources import analyze, estimate, explore, memory, trace
from kcc.base.diagnostics import Diagnostic, DiagnosticError

__all__ = [
    "AnalysisResult",
    "ComparisonResult",
    "Diagnostic",
    "DiagnosticError",
    "EstimateResult",
    "ExplorationResult",
    "MemoryResult",
    "PhasesResult",
    "ProfileResult",
    "Result",
    "RunResult",
    "SimulationResult",
    "SynthesisResult",
    "TraceResult",
    "analyze",
    "compare",
    "estimate",
    "explore",
    "graphml",
    "memory",
    "phases",
    "profile",
    "run",
    "simulate",
    "synth",
    "trace",
]
