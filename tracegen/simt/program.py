"""From a kernel to native code: analysis, plan, code, compilation."""

from __future__ import annotations

import hashlib
from enum import Enum
from functools import cache
from pathlib import Path

from kcc.base.records import dataclass
from kcc.frontend.ir.builder import FunctionBuilder, ModuleBuilder
from kcc.frontend.ir.model import Module
from kcc.frontend.ir.types import I32
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.passes.facts import run_passes
from kcc.passes.graph.control_flow import ControlFlowPass
from kcc.passes.graph.dominance import PostDominators, PostDominatorsPass
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
    precise: bool = False
    """Whether reads of local and private memory that was never written are faults."""
    watched: bool = False
    """Whether the kernel watches every value, see ``undefined``; then it is precise too."""
    lenient: bool = False
    """Whether lanes that have ended may miss barriers, and warps wait at different ones (CUDA)."""
    dynamic_local_bytes: int = 0


def make_plan(kernel: Kernel, module: Module, width: int, dynamic_local_bytes: int = 0) -> Plan:
    """Analyse one kernel of ``module`` and lay it out."""
    flow = analyse_warp_flow(kernel.function, _reconvergence_points(kernel, module))
    return plan_kernel(module, kernel.function, flow, width, dynamic_local_bytes)


def program_key(unit: CompiledUnit, kernel: Kernel, options: ProgramOptions) -> str:
    """Stands for everything the text of a program depends on: the kernel's IR, the options, and
    the sources of kcc that make code of it."""
    return "\0".join((unit.ir, kernel.symbol, repr(options), _engine_digest()))


@cache
def _engine_digest() -> str:
    """A checksum of the engine's own sources and of its libraries."""
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for folder in ("tracegen", "frontend", "passes"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".cl", ".h"):
                digest.update(path.read_bytes())
    return digest.hexdigest()


def write_program(plan: Plan, options: ProgramOptions) -> str:
    """The IR text that runs a kernel."""
    builder = ModuleBuilder()
    outer = Writer(builder, FunctionBuilder(I32), options.width)
    helpers = Helpers(outer, len(plan.accesses) <= INLINE_LIMIT, set())
    writer = WarpWriter(
        builder, FunctionBuilder(I32), options.width, plan, helpers,
        trace_blocks=options.trace is not TraceMode.OFF,
        trace_addresses=options.trace is TraceMode.ADDRESSES,
        counting=options.counting,
        precise=options.precise,
        watched=options.watched,
        lenient=options.lenient,
    )  # fmt: skip
    writer.write()
    define_math(builder, frozenset(writer.math), options.width)
    tracing = options.trace is not TraceMode.OFF
    write_schedule(
        builder, plan, tracing=tracing, precise=options.precise, watched=options.watched,
        lenient=options.lenient,
    )  # fmt: skip
    return builder.text()


def _reconvergence_points(kernel: Kernel, module: Module) -> dict[int, int]:
    """Each block's immediate post-dominator, :data:`EXIT` where that is the end of the kernel."""
    facts = run_passes(kernel, module, [ControlFlowPass(), PostDominatorsPass()])
    after = facts[PostDominators]
    found = ((b.index, after.immediate(b.index)) for b in kernel.function.blocks)
    return {
        block: EXIT if reconvergence is None else reconvergence for block, reconvergence in found
    }
