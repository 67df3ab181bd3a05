"""Products of integers and arithmetic in half precision, which go with FMA at rates of their own.

Lanes of an SM a cycle, by compute capability (NVIDIA: CUDA C++ Programming Guide 12.9, "Arithmetic
Instructions"): 32-bit integer multiplication 64 since 7.0, also where FMA has 128; half precision
in pairs of two, as many results as the table has, halved. 10.0: what OpenCL-Benchmark reaches on a
B200, 63 and 63 (products of integers, pairs of halves).
"""

from __future__ import annotations

from collections.abc import Mapping

from kcc.base.gpu.description import GpuDescription
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import UNITS, Unit

INTEGER, HALF = UNITS, UNITS + 1
"""Pipelines beside the units (:class:`~kcc.sim.machine.costs.Unit`), numbered after them."""
PIPES = UNITS + 2
NAMES = (*(unit.name.lower() for unit in Unit), "imad", "half")

INTEGER_LANES = 64
HALF_LANES = {(8, 0): 128, (9, 0): 128}
"""Pairs; else 64 since Volta."""

_FIRST = (7, 0)
_KINDS: Mapping[InstructionClass, int] = {
    **dict.fromkeys(
        (InstructionClass.INT, InstructionClass.INT_MUL, InstructionClass.INT64_MUL,
         InstructionClass.ADDRESS), INTEGER),
    InstructionClass.FP16: HALF,
}  # fmt: skip


def fma_pipes(gpu: GpuDescription, schedulers: int, fma_interval: float) -> Mapping[int, float]:
    """The cycles of a warp instruction on each of :data:`INTEGER` and :data:`HALF`, where they are
    not those of FMA; none of machines whose description has the intervals of all units."""
    capability = gpu.capability
    simulated = gpu.initiation_interval_cycles.fp32 is not None
    if capability is None or capability < _FIRST or simulated:
        return {}
    lanes = {INTEGER: INTEGER_LANES, HALF: HALF_LANES.get(capability, 64)}
    found = {pipe: 32.0 * schedulers / count for pipe, count in lanes.items()}
    return {pipe: cycles for pipe, cycles in found.items() if cycles != fma_interval}


def pipe_of(unit: Unit, kind: InstructionClass, pipes: Mapping[int, float]) -> int:
    """What holds an operation of a unit: the unit, or a pipeline of its own."""
    own = _KINDS.get(kind, -1) if unit is Unit.FMA else -1
    return own if own in pipes else int(unit)
