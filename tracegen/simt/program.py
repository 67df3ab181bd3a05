"""From a kernel to native code: analysis, plan, code, compilation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kcc.frontend.ir.builder import FunctionBuilder, ModuleBuilder
from kcc.frontend.ir.model import Module
from kcc.frontend.ir.types import I32
from kcc.frontend.kernel import Kernel
from kcc.passes.control_flow import ControlFlowPass
from kcc.passes.dominance import PostDominators, PostDominatorsPass
from kcc.passes.facts import run_passes
from kcc.tracegen.simt.analysis import EXIT, analyse_warp_flow
from kcc.tracegen.simt.mathlib import define_math
from kcc.tracegen.simt.memory import INLINE_LIMIT, Helpers
from kcc.tracegen.simt.plan import Plan, plan_kernel
from kcc.tracegen.simt.schedule import write_schedule
from kcc.tracegen.simt.warp import WarpWriter
from kcc.tracegen.simt.wide import Writer


class TraceMode(Enum):
    """What is recorded while a kernel runs."""

    OFF = "off"
    BLOCKS = "blocks"
    ADDRESSES = "addresses"


@dataclass(frozen=True, slots=True)
class ProgramOptions:
    """What the generated code depends on besides the kernel."""

    width: int = 32
    trace: TraceMode = TraceMode.OFF
    counting: bool = True
    poison: bool = True


@dataclass(frozen=True, slots=True)
class WarpProgram:
    """A kernel's plan with the IR text that runs it."""

    plan: Plan
    options: ProgramOptions
    text: str


def write_program(kernel: Kernel, module: Module, options: ProgramOptions) -> WarpProgram:
    """Generate the code of one kernel of ``module``."""
    flow = analyse_warp_flow(kernel.function, _meeting_points(kernel, module))
    plan = plan_kernel(module, kernel.function, flow, options.width)
    builder = ModuleBuilder()
    outer = Writer(builder, FunctionBuilder(I32), options.width)
    helpers = Helpers(outer, len(plan.accesses) <= INLINE_LIMIT, set())
    writer = WarpWriter(
        builder, FunctionBuilder(I32), options.width, plan, helpers,
        trace_blocks=options.trace is not TraceMode.OFF,
        trace_addresses=options.trace is TraceMode.ADDRESSES,
        counting=options.counting,
    )  # fmt: skip
    writer.write()
    define_math(builder, frozenset(writer.math), options.width)
    write_schedule(builder, plan, tracing=options.trace is not TraceMode.OFF, poison=options.poison)
    return WarpProgram(plan, options, builder.text())


def _meeting_points(kernel: Kernel, module: Module) -> dict[int, int]:
    """Each block's immediate post-dominator, :data:`EXIT` where that is the end of the kernel."""
    facts = run_passes(kernel, module, [ControlFlowPass(), PostDominatorsPass()])
    after = facts[PostDominators]
    found = ((b.index, after.immediate(b.index)) for b in kernel.function.blocks)
    return {block: EXIT if meeting is None else meeting for block, meeting in found}
