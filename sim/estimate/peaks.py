"""What a GPU can do at most in a cycle, all SMs together: the roofs of a roofline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kcc.frontend.builtins.matrix import MatrixProduct
from kcc.sim.machine.costs import Unit
from kcc.sim.machine.pipeline_columns import Machine

HALF = MatrixProduct(16, 8, 16, "f32", "f16", "f16", "f32")
"""The product whose rate stands for tensor cores where a kernel has none of its own."""


def peaks_of(
    machine: Machine, written: float, products: Iterable[MatrixProduct]
) -> Mapping[str, float]:
    """Per cycle: operations of threads on the pipelines ``fma``, ``alu`` and ``fp64``, ``tensor``
    multiply-adds (of the fastest of the ``products``, else of half precision summed in single; 0
    without tensor cores), ``l1_bytes``, ``l2_bytes`` and ``dram_bytes``, these of the mix of
    reading and writing."""
    sms, own = machine.sms, tuple(products) or (HALF,)
    pipelines = {"fma": Unit.FMA, "alu": Unit.ALU, "fp64": Unit.FP64}
    return {
        **{
            name: machine.warp / machine.interval[unit] * machine.schedulers * sms
            for name, unit in pipelines.items()
        },
        "tensor": max(machine.tensor.rate(each) for each in own) * sms,
        "l1_bytes": machine.l1_bytes_per_cycle * sms,
        "l2_bytes": min(machine.l2_bytes_per_cycle, machine.port_l2_bytes * sms),
        "dram_bytes": machine.dram_bytes_per_cycle * machine.load.efficiency(written),
    }
