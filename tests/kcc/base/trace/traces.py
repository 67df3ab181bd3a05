"""Traced launches for the tests of the trace format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcc.base.trace.tables import TraceTables
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import OptLevel
from kcc.tracegen.execute import (
    Execution,
    ExecutionOptions,
    KernelArgument,
    NDRange,
    PreparedLaunch,
    prepare,
)
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_tables import tables_of
from tests.kernels.harness import launch_of
from tests.tracegen import engine, random_launches

Pieces = list[tuple[int, NDArray[np.uint32]]]


@dataclass(frozen=True, slots=True)
class Traced:
    """One launch, with the words it left."""

    unit: CompiledUnit
    kernel: Kernel
    ready: PreparedLaunch
    done: Execution
    pieces: Pieces

    @property
    def tables(self) -> TraceTables:
        return tables_of(self.ready.plan, self.kernel, self.unit)


def trace(
    unit: CompiledUnit,
    kernel: Kernel,
    shape: NDRange,
    arguments: list[KernelArgument],
    *,
    mode: TraceMode = TraceMode.ADDRESSES,
    width: int = 32,
    workers: int = 1,
) -> Traced:
    """Runs a launch."""
    pieces = Pieces()

    def collect(first: int, words: NDArray[np.uint32]) -> None:
        pieces.append((first, words))

    options = ExecutionOptions(width=width, workers=workers, trace=mode, on_trace=collect)
    ready = prepare(unit, kernel, shape, arguments, options)
    return Traced(unit, kernel, ready, ready.run(), pieces)


def trace_workload(
    name: str, kernel: str, *, mode: TraceMode = TraceMode.ADDRESSES, width: int = 32,
    workers: int = 1, level: OptLevel = OptLevel.O2, names: dict[str, int] | None = None,
) -> Traced:  # fmt: skip
    """The tiny launch of a kernel of kernels/, or one with other sizes."""
    launch = launch_of(name, kernel, names=names)
    unit = engine.compiled(name, level)
    chosen = engine.kernel_of(unit, kernel)
    shape = NDRange(tuple(launch.global_size), tuple(launch.local_size))
    arguments = engine.arguments(chosen, launch)
    return trace(unit, chosen, shape, arguments, mode=mode, width=width, workers=workers)


def trace_program(seed: int, *, width: int, level: OptLevel, blocks: int = 3) -> Traced:
    """A random program."""
    unit = random_launches.compiled(random_launches.sources(seed, 1), level)
    shape = NDRange((blocks * random_launches.LOCAL_SIZE,), (random_launches.LOCAL_SIZE,))
    given: list[KernelArgument] = [*random_launches.inputs(blocks), *random_launches.SCALARS]
    return trace(unit, unit.kernels[0], shape, given, width=width)
