"""The passes of kcc in the order in which they run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from kcc.base.records import dataclass
from kcc.frontend.ir.model import Module
from kcc.frontend.kernel import Kernel
from kcc.passes.access.patterns import AccessPatternsPass
from kcc.passes.control.branch_conditions import BranchConditionsPass
from kcc.passes.control.divergence import DivergencePass
from kcc.passes.control.flow_counts import FlowCountsPass
from kcc.passes.control.trip_counts import SymbolicValuesPass, TripCountsPass
from kcc.passes.facts import Around, Facts, Pass, plainly, run_passes
from kcc.passes.graph.barriers import BarriersPass
from kcc.passes.graph.branches import BranchesPass
from kcc.passes.graph.control_flow import ControlFlowPass
from kcc.passes.graph.dominance import DominatorsPass, PostDominatorsPass
from kcc.passes.graph.loops import LoopsPass
from kcc.passes.memory.access_facts import MemoryShape
from kcc.passes.memory.memory_accesses import MemoryAccessesPass
from kcc.passes.memory.memory_use import MemoryUsePass
from kcc.passes.mix.instruction_mix import InstructionMixPass
from kcc.passes.symbolic.ranges import Known


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known from outside the kernel: its launch, and, by line, trip counts of loops and
    shares of branches to be taken where none can be found (:mod:`kcc.base.assumptions`)."""

    known: Known = field(default_factory=Known)
    assumed_trips: Mapping[int, int] = field(default_factory=dict[int, int])
    assumed_shares: Mapping[int, float] = field(default_factory=dict[int, float])
    shape: MemoryShape = field(default_factory=MemoryShape)


PASSES: tuple[Pass[Any], ...] = (
    ControlFlowPass(),
    DominatorsPass(),
    PostDominatorsPass(),
    LoopsPass(),
    BranchesPass(),
    BarriersPass(),
    InstructionMixPass(),
    MemoryAccessesPass(),
    MemoryUsePass(),
)


def loop_passes(setting: Setting) -> tuple[Pass[Any], ...]:
    """Those that find loops and count their trips."""
    return (
        ControlFlowPass(),
        DominatorsPass(),
        LoopsPass(),
        InstructionMixPass(),
        SymbolicValuesPass(setting.known, setting.assumed_trips),
        TripCountsPass(),
    )


def passes_for(setting: Setting) -> tuple[Pass[Any], ...]:
    """All passes, those that look at the launch after those that do not."""
    return (
        *PASSES,
        SymbolicValuesPass(setting.known, setting.assumed_trips),
        TripCountsPass(),
        DivergencePass(),
        BranchConditionsPass(setting.assumed_shares),
        FlowCountsPass(),
        AccessPatternsPass(setting.shape),
    )


def analyse(
    kernel: Kernel, module: Module, around: Around = plainly, setting: Setting | None = None,
    earlier: Facts | None = None,
) -> Facts:  # fmt: skip
    """Everything the passes find out about a kernel of ``module``, some of it ``earlier``."""
    return run_passes(kernel, module, passes_for(setting or Setting()), around, earlier)
