"""How many registers a work-item of a kernel needs: an estimate, or what a compiler says.

The estimate is for the IR at -O2, and models what ptxas does:

* it starts loads early and computes addresses while they are on their way, which costs registers
  (``eager``: the pressure of a schedule by the clock, addresses in registers of their own;
  ``folded``: the same with addresses made where they are used);
* it does so as long as it costs no occupancy: up to :data:`FREE_REGISTERS`, or what is free on
  the target;
* past that it takes what the kernel cannot do without (``frugal``: the pressure of a schedule that
  saves registers), and what the unit of allocation leaves free beside that
  (:data:`ALLOCATED_BY`).

Five constants, the same for all kernels and architectures, turn pressures into a count. They were
fitted to ptxas of CUDA 12.9 on the kernels of kernels/ by benchmarks/register_estimate.py, which
also says how good they are on kernels that they were not fitted to
(docs/reference/gpus.md has the figures).
"""

from __future__ import annotations

from enum import Enum
from math import log

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import GetElementPtr
from kcc.frontend.ir.model import Function
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.graphs import reverse_postorder
from kcc.passes.registers.pressure import (
    graph_of,
    latency_order,
    least_pressure,
    live_out,
    pressures,
)
from kcc.passes.registers.values import register_values

FREE_REGISTERS = 32
"""With so many, an SM of 65,536 registers holds its 2,048 threads: fewer gain nothing."""

LEAST = 8
"""ptxas reports no fewer, and counts in steps of about two."""

MOST = 255
"""What a thread can have since compute capability 3.5; a kernel that needs more spills."""

EAGER, FOLDED, ADDRESSES, SIZE, BASE = 0.24, 0.79, 4.6, -2.41, 5.63
"""Registers per unit of eager pressure, of folded pressure, per e-fold of addresses and of
instructions, and for any kernel. By benchmarks/register_estimate.py.
"""

ALLOCATED_BY = 8
"""Registers of a thread are allocated by so many (NVIDIA: CUDA Occupancy Calculator, 256 for a
warp): 34 cost as much occupancy as 40, which ptxas takes."""

NEED_BASE = 4
"""Registers beside the frugal pressure: the stack pointer, two that the machine keeps, and pairs
that must be aligned.
"""


class RegisterSource(Enum):
    """Where a count comes from."""

    ESTIMATE = "estimate"
    PTXAS = "ptxas"
    AMDGPU = "amdgpu"


@dataclass(frozen=True, slots=True)
class Registers:
    """32-bit registers of one work-item. ``detail`` is the compiler and target of a true count;
    ``spill_bytes`` is None where that is not known.
    """

    count: int
    source: RegisterSource
    detail: str = ""
    spill_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class RegisterFeatures:
    """What the estimate is made of: pressures, the registers of all addresses, instructions."""

    eager: int
    folded: int
    frugal: int
    addresses: int
    instructions: int


@dataclass(frozen=True, slots=True)
class RegistersPass:
    """Gives the estimate, as :class:`Registers`; for a kernel at -O2."""

    name: str = "registers"
    requires: tuple[type, ...] = (ControlFlow,)

    def run(self, kernel: Kernel, facts: Facts) -> Registers:  # noqa: ARG002 -- order only
        return estimate_registers(kernel.function)


def estimate_registers(function: Function, free: int = FREE_REGISTERS) -> Registers:
    """The estimate for a function at -O2 (at -O1 loops are not unrolled yet, and it is low), where
    so many registers cost no occupancy."""
    return Registers(count_from(register_features(function), free), RegisterSource.ESTIMATE)


def count_from(features: RegisterFeatures, free: int = FREE_REGISTERS) -> int:
    """Pressures to a count: even, from :data:`LEAST` to :data:`MOST`."""
    wanted = (
        EAGER * features.eager
        + FOLDED * features.folded
        + ADDRESSES * log(features.addresses + 1)
        + SIZE * log(features.instructions)
        + BASE
    )
    needed = features.frugal + NEED_BASE
    count = wanted
    if wanted > free:
        allocated = -(-needed // ALLOCATED_BY) * ALLOCATED_BY
        count = free if needed <= free else max(min(wanted, allocated), needed)
    return min(MOST, max(LEAST, 2 * round(count / 2)))


def register_features(function: Function) -> RegisterFeatures:
    """The features of a function's reachable blocks."""
    folded = register_values(function)
    kept = register_values(function, fold_addresses=False)
    reachable = reverse_postorder([block.successors for block in function.blocks], 0)
    graphs = [graph_of(block) for block in function.blocks]
    hidden, out = [latency_order(graph) for graph in graphs], live_out(function, kept)
    eager = pressures(hidden, out, kept)
    frugal = [least_pressure(graph, out[b], kept) for b, graph in enumerate(graphs)]
    all_folded = pressures(hidden, live_out(function, folded), folded)
    return RegisterFeatures(
        eager=max(eager[b] for b in reachable),
        folded=max(all_folded[b] for b in reachable),
        frugal=max(frugal[b] for b in reachable),
        addresses=sum(
            kept.units[i.index] for i in function.instructions if isinstance(i, GetElementPtr)
        ),
        instructions=len(function.instructions),
    )
