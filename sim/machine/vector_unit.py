"""AMD's vector unit: one for all arithmetic of lanes.

A SIMD of GCN and CDNA has 16 lanes that do integers, both precisions and special functions, a
wavefront of 64 in four cycles (AMD, "Graphics Cores Next Architecture" white paper, 2012, "GCN
Compute Unit"; "Introducing AMD CDNA Architecture", 2020); one of RDNA has 32 lanes, and beside them
a unit for special functions that takes an instruction in four cycles (AMD, "RDNA Architecture"
white paper, 2019, "SIMD Execution Resources"). NVIDIA's have units of their own.

Both papers say, too, that a scheduler issues an instruction of each kind (vector, scalar, memory,
branch) in a cycle, of different wavefronts. Models issue one of any kind: where scalar and memory
instructions take no turn from vector ones, dedispersion on a W6600 is 31 % too fast (10 % without)
and matrix products on an RX 7900 XTX are 32 % (12 %); what takes the turns instead is not known.
"""

from __future__ import annotations

from kcc.base.gpu.description import GpuDescription
from kcc.sim.machine.costs import Unit

_OF_LANES = frozenset({Unit.ALU, Unit.FP64, Unit.EITHER})


def units_in_one(gpu: GpuDescription) -> frozenset[Unit]:
    """The units that are one with that of single precision; none of NVIDIA's."""
    if not gpu.is_amd:
        return frozenset()
    name = "" if gpu.arch is None else gpu.arch.value
    return _OF_LANES if name.startswith("RDNA") else _OF_LANES | {Unit.SFU}
