"""Tensor cores: how long a matrix product holds a scheduler's unit, and when its result is there.

Rates are dense multiply-adds per cycle and SM by the types of A and of the sum. Sources: NVIDIA's
architecture whitepapers (Tesla V100, Turing, A100, GA102, Ada, H100, RTX Blackwell; B200's data
sheet): where they give peak rates of a whole GPU, those by SMs, boost clock and two.
"""

from __future__ import annotations

from dataclasses import field

from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.facts import Fact
from kcc.base.records import dataclass
from kcc.frontend.builtins.matrix import MatrixProduct

LATENCY_CYCLES = 33.0
"""From issue to result of m16n8k16 where the GPU's file has none: WMMA m16n16k16 on a TITAN V takes
33.0 cycles with a sum in half, 35.3 in single precision (``tensor_latency_cycles`` of the V100)."""

HOPPER_SHARE = 0.629
"""Of the peak that ``mma`` reaches on an H100, where only ``wgmma`` reaches all (Luo et al.,
"Dissecting the NVIDIA Hopper Architecture through Microbenchmarking and Multiple Level Analysis",
2025)."""

_RATES: dict[tuple[int, int], dict[str, float]] = {
    (7, 0): {"f16": 512},
    (7, 5): {"f16": 512, "s8": 1024, "s4": 2048, "b1": 8192},
    (8, 0): {"f16": 1024, "tf32": 512, "s8": 2048, "s4": 4096, "b1": 16384, "f64": 64},
    (8, 6): {"f16": 512, "tf32": 256, "s8": 1024, "s4": 2048, "b1": 8192},
    (8, 7): {"f16": 512, "tf32": 256, "s8": 1024, "s4": 2048, "b1": 8192},
    (8, 9): {"f16": 512, "tf32": 256, "e4m3": 1024, "s8": 1024, "s4": 2048, "b1": 8192},
    (9, 0): {"f16": 2048, "tf32": 1024, "e4m3": 4096, "s8": 4096, "b1": 32768, "f64": 128},
    (10, 0): {"f16": 4096, "tf32": 2048, "e4m3": 8192, "s8": 8192, "f64": 64},
    (12, 0): {"f16": 512, "tf32": 256, "e4m3": 1024, "s8": 1024},
}
"""By compute capability and type of A."""

_ALIKE = {"bf16": "f16", "u8": "s8", "u4": "s4", "e5m2": "e4m3"}

_HALVED = {(7, 5), (8, 6), (8, 9), (12, 0)}
"""Where GeForce cards sum in single precision at half the rate (tables of the Turing, GA102, Ada
and RTX Blackwell whitepapers: 2080 Ti 107.6 and 53.8 TFLOPS, 3090 142 and 71, 4090 330.3 and
165.2)."""


@dataclass(frozen=True, slots=True)
class TensorCores:
    """The matrix units of one SM; ``rates`` is empty where there are none."""

    schedulers: int
    rates: dict[str, float] = field(default_factory=dict[str, float])
    latency_cycles: float = LATENCY_CYCLES
    halved: bool = False
    """Whether sums in single precision take twice as long."""
    mma_share: float = 1.0
    """Of the rate that ``mma`` reaches."""

    def rate(self, product: MatrixProduct) -> float:
        """Multiply-adds per cycle and SM; 0 where the units do not have the type."""
        kind = _ALIKE.get(product.a, product.a)
        found = self.rates.get(kind, 0.0)
        if self.halved and product.d == "f32":
            found /= 2
        slow = kind != "f64" and not product.of_group
        return found * (self.mma_share if slow else 1.0)

    def cycles(self, product: MatrixProduct) -> float:
        """For which a product holds the unit of a scheduler. Without matrix units, or of a type
        they do not have, as many as 32 lanes of FMA per scheduler would take."""
        rate = self.rate(product) or 32.0 * self.schedulers
        return product.multiply_adds * self.schedulers / rate

    def latency(self, product: MatrixProduct) -> float:
        """Cycles from issue to result."""
        return max(self.latency_cycles, self.cycles(product))


def tensor_cores_of(gpu: GpuDescription, schedulers: int) -> TensorCores:
    """The tensor cores of a GPU by its compute capability: the newest row up to it."""
    capability = gpu.capability
    if capability is None or gpu.is_amd:
        return TensorCores(schedulers)
    rows = [c for c in _RATES if c <= capability]
    known: Fact[float] | None = gpu.extra.tensor_latency_cycles
    return TensorCores(
        schedulers,
        _RATES[max(rows)] if rows else {},
        LATENCY_CYCLES if known is None else float(known.value),
        halved=capability in _HALVED and "geforce" in gpu.stem.lower(),
        mma_share=HOPPER_SHARE if capability == (9, 0) else 1.0,
    )
