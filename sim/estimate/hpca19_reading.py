"""What can be read in more than one way in Wang et al. (HPCA 2019), or kcc does otherwise."""

from __future__ import annotations

from enum import Enum

from kcc.base.records import dataclass


class Latency(Enum):
    """What the latency of memory is multiplied by. The text divides the largest by the actual
    number of active warps, "since all the active warps share the memory bandwidth equally": what
    gives that reason is the inverse, by which a warp alone waits least."""

    PRINTED = "printed"
    INVERSE = "inverse"


class Trace(Enum):
    """Which blocks of the program warps execute, in which order: as kcc finds it, or by Algorithms
    1 to 3 (:mod:`kcc.sim.flow.printed_trace`)."""

    OURS = "ours"
    PRINTED = "printed"


class Code(Enum):
    """What warps issue: kcc's lowering, with fused operations and address computations, or the
    instructions that the text's pruning leaves (:mod:`kcc.sim.program.pruned`)."""

    LOWERED = "lowered"
    PRUNED = "pruned"


@dataclass(frozen=True, slots=True)
class Reading:
    """How the text is read where it can be read in more than one way, or kcc does otherwise."""

    latency: Latency = Latency.PRINTED
    trace: Trace = Trace.OURS
    code: Code = Code.LOWERED


AS_KCC = Reading()
