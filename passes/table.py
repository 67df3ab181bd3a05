"""The passes of kcc in the order in which they run."""

from __future__ import annotations

from typing import Any

from kcc.frontend.ir.model import Module
from kcc.frontend.kernel import Kernel
from kcc.passes.barriers import BarriersPass
from kcc.passes.branches import BranchesPass
from kcc.passes.control_flow import ControlFlowPass
from kcc.passes.dominance import DominatorsPass, PostDominatorsPass
from kcc.passes.facts import Around, Facts, Pass, plainly, run_passes
from kcc.passes.instruction_mix import InstructionMixPass
from kcc.passes.loops import LoopsPass
from kcc.passes.memory_accesses import MemoryAccessesPass
from kcc.passes.memory_use import MemoryUsePass

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


def analyse(kernel: Kernel, module: Module, around: Around = plainly) -> Facts:
    """Everything the passes find out about a kernel of ``module``."""
    return run_passes(kernel, module, PASSES, around)
