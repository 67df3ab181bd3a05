"""What PyOpenCL's own Python modules take from its binary part (``pyopencl._cl``), which is never
imported: kcc's names stand in its place."""

from __future__ import annotations

from typing import Any

from kcc.opencl import get_cl_header_version
from kcc.opencl.memory import Buffer
from kcc.opencl.missing import missing
from kcc.opencl.svm import SVMAllocation, SVMAllocator, SVMPool
from kcc.opencl.tools import DeferredAllocator, ImmediateAllocator, MemoryPool

AllocatorBase, PooledBuffer, PooledSVM = DeferredAllocator, Buffer, SVMAllocation


def bitlog2(value: int) -> int:
    """The number of the highest bit that is set."""
    return value.bit_length() - 1


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing(f"_cl.{name}", __all__)


__all__ = [
    "AllocatorBase",
    "DeferredAllocator",
    "ImmediateAllocator",
    "MemoryPool",
    "PooledBuffer",
    "PooledSVM",
    "SVMAllocator",
    "SVMPool",
    "bitlog2",
    "get_cl_header_version",
]
