"""The tables of measured times that benchmarks.accuracy looks at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A file of measured times: its GPU, the kernel's source and name, arguments, macros that no
    column gives."""

    file: str
    gpu: str
    source: str
    kernel: str
    arguments: tuple[str, ...] = ()
    macros: tuple[tuple[str, str], ...] = ()
    clock_mhz: int = 0
    """At which the rows were measured: where the table has counters, warp instructions over cycles
    that issue one (`warp_inst`, `issue_active_pct`), over the time; where it has not, the least at
    which all rows but one of twenty can have taken what they need of the load/store port in their
    time (printed as "port clock"). 0: the data sheet's boost clock."""


GEMM = ("kSizeM=4096", "kSizeN=4096", "kSizeK=4096", "arg_alpha=1.0", "arg_beta=0.0",
        "b_offset=0", "c_offset=0")  # fmt: skip
TABLES = (
    # `volatile` stands only before CLBlast's thread id, against a bug of old drivers.
    Table("gemm4096_rtx3090.csv", "rtx3090", "xgemm.cl", "Xgemm", GEMM,
          (("PRECISION", "32"), ("volatile", "")), clock_mhz=1820),
    Table("gemm4096_rtx2080ti.csv", "rtx2080ti", "xgemm.cl", "Xgemm", GEMM,
          (("PRECISION", "32"), ("volatile", "")), clock_mhz=1880),
    Table("convolution_rtx3090.csv", "rtx3090", "KernelTunerConvolution.cu", "Convolution"),
    Table("convolution_rtx2080ti_counters.csv", "rtx2080ti", "KernelTunerConvolution.cu",
          "Convolution", clock_mhz=1790),
    Table("coulomb3d_rtx2080ti_counters.csv", "rtx2080ti", "CoulombSum3d.cl", "directCoulombSum",
          ("numberOfAtoms=64", "gridSpacing=0.5", "gridSize=256"),
          clock_mhz=1350),
)  # fmt: skip

COUNTERS = {
    "warp_inst": "warp_instructions",
    "shmem_ld_wavefronts": "shared_load_wavefronts",
    "l2_sect_rd": "l2_read_sectors",
    "dram_sect_rd": "dram_read_sectors",
    "dram_sect_wr": "dram_write_sectors",
}
"""Columns of measured counters, and ours."""
