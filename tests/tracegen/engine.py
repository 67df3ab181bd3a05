"""Runs the launches of kernels/ on the SIMT engine, as tests/kernels/pocl.py does on PoCL."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import numpy as np

from kcc.frontend import FrontendName, compile_source
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel
from kcc.frontend.source_file import read_source
from kcc.tracegen import image_data as tracegen
from kcc.tracegen.execute import (
    Execution,
    ExecutionOptions,
    KernelArgument,
    LocalMemory,
    NDRange,
    execute,
)
from kcc.tracegen.image_data import ImageData
from tests.kernels.harness import DTYPES, Array, Image, Launch, Sampler, Value, load


@cache
def compiled(
    name: str,
    level: OptLevel = OptLevel.O2,
    frontend: FrontendName = "auto",
    suffix: str = ".cl",
) -> CompiledUnit:
    """The unit of one workload, or of its twin, with the defines of its kernel.toml."""
    workload = load(name)
    macros = tuple(MacroOption(key, str(value)) for key, value in workload.defines.items())
    options = BuildOptions(macros=macros, opt_level=level)
    return compile_source(read_source(str(workload.source.with_suffix(suffix))), options, frontend)


def kernel_of(unit: CompiledUnit, name: str) -> Kernel:
    """The kernel of that name."""
    (found,) = (k for k in unit.kernels if k.name == name)
    return found


def arguments(kernel: Kernel, launch: Launch) -> list[KernelArgument]:
    """The arguments of a launch in order."""
    return [
        _argument(a.type, a.address_space.name.lower(), launch.arguments[a.name])
        for a in kernel.arguments
    ]


def _argument(type_: str, space: str, value: Value | Any) -> KernelArgument:
    if isinstance(value, np.ndarray):
        array = cast(Array, value)
        return LocalMemory(array.nbytes) if space == "local" else array
    match value:
        case Image():
            return ImageData(value.pixels, value.order, value.channel_type)
        case Sampler():
            return tracegen.Sampler(value.mode, value.filtering, value.normalized)
        case _:
            return DTYPES[type_](value)


def run(
    launch: Launch, options: ExecutionOptions | None = None, level: OptLevel = OptLevel.O2
) -> tuple[Execution, dict[str, Array]]:
    """Executes a launch; gives what it did, and every global buffer afterwards by name."""
    unit = compiled(launch.workload.name, level)
    return run_unit(unit, launch, options)


def run_unit(
    unit: CompiledUnit, launch: Launch, options: ExecutionOptions | None = None
) -> tuple[Execution, dict[str, Array]]:
    """The same of a unit that another front end made. In CUDA local memory is no argument: what
    the kernel does not take, it finds in its extern shared array."""
    kernel = kernel_of(unit, launch.kernel)
    taken = {a.name for a in kernel.arguments}
    shared = sum(a.nbytes for name, a in launch.arguments.items() if name not in taken)
    shape = NDRange(tuple(launch.global_size), tuple(launch.local_size), dynamic_local_bytes=shared)
    done = execute(unit, kernel, shape, arguments(kernel, launch), options or ExecutionOptions())
    buffers = {
        kernel.arguments[i].name: data
        for i, data in done.buffers.items()
        if kernel.arguments[i].address_space.name != "PRIVATE"
    }
    return done, buffers
