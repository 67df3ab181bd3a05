"""The local memory that NVIDIA's compilers take.

A thread block may have more than 48 KB of shared memory on GPUs since compute capability 7.0, but
only as dynamic memory that the host asks for: arrays of a fixed size beyond that are refused by
ptxas (CUDA C++ Programming Guide, "Shared Memory" of compute capability 7.x: "kernels relying on
shared memory allocations over 48 KB per block are architecture-specific, as such they must use
dynamic shared memory"). NVIDIA's OpenCL has no way to ask: its devices have 48 KB
(``CL_DEVICE_LOCAL_MEM_SIZE``). PTX comes from a compiler: what it has beyond is dynamic memory
whose size is known, as Triton's is.
"""

from __future__ import annotations

from dataclasses import replace

from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.occupancy import Limit, Limiter, Occupancy
from kcc.frontend.kernel import Language
from kcc.passes.memory.memory_use import MemoryUse
from kcc.sim.estimate.subject import Subject

MOST_BYTES = 48 * 1024


def compiled(subject: Subject, gpu: GpuDescription, occupancy: Occupancy) -> Occupancy:
    """The occupancy, none where the compiler refuses the kernel's local memory."""
    declared = subject.facts[MemoryUse].local_bytes
    bound = subject.local_bytes if subject.kernel.language is Language.OPENCL else declared
    is_given = subject.kernel.language is Language.PTX
    if gpu.is_amd or is_given or bound <= MOST_BYTES:
        return occupancy
    others = tuple(limit for limit in occupancy.limits if limit.limiter is not Limiter.SHARED)
    limits = (*others, Limit(Limiter.SHARED, 0))
    least = tuple(limit.limiter for limit in limits if limit.blocks == 0)
    return replace(occupancy, blocks=0, warps=0, limits=limits, limiters=least)
