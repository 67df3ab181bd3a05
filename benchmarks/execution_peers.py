"""CPU time of other tools that execute OpenCL kernels, for the launches of benchmarks/execution.py.

PoCL compiles kernels for the host; its time is that of a warm launch alone, on one thread.
oclgrind interprets the IR that kcc made; its time is that of the whole program less that of one
that runs the first and the last thread block only.
"""

from __future__ import annotations

import math
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from benchmarks.instruction_counts import assemble, simulation
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.tracegen.execute import KernelArgument, LocalMemory, NDRange

os.environ.setdefault("POCL_MAX_PTHREAD_COUNT", "1")  # read when PoCL is first used


class Prepared(Protocol):
    """A launch with its arguments."""

    case: Any
    unit: CompiledUnit
    kernel: Kernel
    launch: NDRange
    arguments: list[KernelArgument]


def pocl_seconds(prepared: Prepared, repetitions: int) -> float:
    """Best CPU seconds of a launch; NaN without PoCL."""
    try:
        import pyopencl as cl

        from tests.kernels import pocl

        kernel: Any = pocl.kernels(prepared.case.workload)[prepared.case.kernel]
    except (ImportError, RuntimeError):
        return math.nan
    context = kernel.context
    queue = cl.CommandQueue(context)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    values = list[Any]()
    for value in prepared.arguments:
        if isinstance(value, LocalMemory):
            values.append(cl.LocalMemory(value.size_bytes))
        elif isinstance(value, np.ndarray):
            values.append(cl.Buffer(context, flags, hostbuf=np.ascontiguousarray(value)))
        else:
            values.append(value)
    kernel.set_args(*values)
    best = math.inf
    for _ in range(repetitions + 1):
        queue.finish()
        start = time.process_time()
        cl.enqueue_nd_range_kernel(
            queue, kernel, prepared.launch.global_size, prepared.launch.local_size
        )
        queue.finish()
        best = min(best, time.process_time() - start)
    return best


def oclgrind_seconds(prepared: Prepared) -> float:
    """CPU seconds; NaN without oclgrind or LLVM 14's assembler."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            program = assemble(prepared.unit.module, prepared.kernel.function, Path(folder))
            script = Path(folder) / "kernel.sim"
            text = simulation(prepared.kernel, prepared.launch, prepared.arguments, program)
            script.write_text(text, "utf-8")
            return _seconds(script) - _seconds(script, "--quick")
    except (FileNotFoundError, subprocess.CalledProcessError):
        return math.nan


def _seconds(script: Path, *options: str) -> float:
    before = _children()
    command = ["oclgrind-kernel", "--num-threads", "1", *options, str(script)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
