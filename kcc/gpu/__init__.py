"""GPU descriptions: data files of sourced facts, and what reads, checks and queries them."""

from __future__ import annotations

from kcc.gpu.description import GpuDescription
from kcc.gpu.facts import Alternative, Fact, Quality
from kcc.gpu.loading import gpu_names, load_gpu
from kcc.gpu.needs import Assumption, GpuReader

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
