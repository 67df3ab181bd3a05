"""GPU descriptions: data files of sourced facts, and what reads, checks and queries them."""

from __future__ import annotations

from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.facts import Alternative, Fact, Quality
from kcc.base.gpu.loading import gpu_names, load_gpu
from kcc.base.gpu.needs import Assumption, GpuReader

__all__ = [
    "Alternative",
    "Assumption",
    "Fact",
    "GpuDescription",
    "GpuReader",
    "Quality",
    "gpu_names",
    "load_gpu",
]
