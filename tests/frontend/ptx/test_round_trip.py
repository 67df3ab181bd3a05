"""Our own kernels as PTX, read back: the references of kernels/ hold, and each lane of each warp
touches the same bytes."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.ir.instructions import AnyInstruction, CompareExchange, Store
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.frontend.ptx.emit import PtxOptions, emit_ptx
from kcc.tracegen.execute import ExecutionOptions, NDRange, TraceMode, execute
from kcc.tracegen.simt.layout import ARENA_BASE, LOCAL_BASE
from kcc.tracegen.simt.plan import Plan
from kcc.tracegen.simt.wide import access_bytes
from kcc.tracegen.trace_stream import TraceReader
from tests.kernels.case import Case, label
from tests.kernels.harness import Array, Launch
from tests.kernels.test_kernels import CASES
from tests.tracegen.engine import arguments, compiled, kernel_of

Touched = dict[tuple[int, int], set[tuple[int, int]]]
"""The bytes that each lane of a warp of a thread block touches. Not how often and in what pieces:
LLVM's NVPTX back end splits a vector of which parts are read, and loads again what it may."""


@cache
def read_back(name: str) -> CompiledUnit:
    """The kernels of a workload through PTX; skips where no PTX is known for them."""
    try:
        text = emit_ptx(compiled(name).ir, PtxOptions(restructure=False))
    except DiagnosticError as error:
        pytest.skip(error.diagnostics[0].message)
    if "tex.2d" in text:
        pytest.skip("reads of images are emitted without their samplers")
    return compile_source(SourceText(f"{name}.ptx", text, "."), BuildOptions(opt_level=OptLevel.O2))


def launched(
    unit: CompiledUnit, launch: Launch, options: ExecutionOptions
) -> tuple[Plan, dict[str, Array]]:
    """A launch on a unit whose kernel takes the same arguments under any names."""
    source = kernel_of(compiled(launch.workload.name), launch.kernel)
    kernel = next(k for k in unit.kernels if k.symbol == source.symbol)
    shape = NDRange(tuple(launch.global_size), tuple(launch.local_size))
    done = execute(unit, kernel, shape, arguments(source, launch), options)
    names = [a.name for a in source.arguments]
    spaces = [a.address_space.name for a in source.arguments]
    buffers = {names[i]: b for i, b in done.buffers.items() if spaces[i] != "PRIVATE"}
    return done.plan, buffers


def run(launch: Launch) -> dict[str, Array]:
    """What a launch leaves in its buffers, by way of PTX."""
    return launched(read_back(launch.workload.name), launch, ExecutionOptions())[1]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("case", CASES, ids=label)
def test_the_references_hold_by_way_of_ptx(case: Case) -> None:
    case.check(run)


def moved(instruction: AnyInstruction) -> int:
    """The bytes that an access moves."""
    match instruction:
        case Store(value=value):
            return access_bytes(value.type)
        case CompareExchange(new=new):
            return access_bytes(new.type)
        case _:
            return access_bytes(instruction.type)


def touched(unit: CompiledUnit, launch: Launch) -> Touched:
    """What each warp touches of global memory."""
    found = defaultdict[tuple[int, int], set[tuple[int, int]]](set)
    pieces = list[tuple[int, NDArray[np.uint32]]]()
    options = ExecutionOptions(
        workers=1, trace=TraceMode.ADDRESSES, on_trace=lambda b, w: pieces.append((b, w.copy()))
    )
    plan, _ = launched(unit, launch, options)
    reader = TraceReader(plan, addresses=True)
    instructions = plan.function.instructions
    for first, words in pieces:
        for part in reader.read(first, words):
            active = np.array([part.mask >> lane & 1 for lane in range(plan.width)], bool)
            for access in part.accesses:
                instruction = instructions[access.instruction]
                size = moved(instruction)
                if "addrspace(" not in str(instruction):
                    continue  # a vector or struct by value, which PTX has in memory
                if ARENA_BASE <= access.addresses[active][0] < LOCAL_BASE:
                    lanes = np.flatnonzero(active).tolist()
                    starts = access.addresses[active].tolist()
                    found[part.thread_block, part.warp].update(
                        (lane, start + byte)
                        for lane, start in zip(lanes, starts, strict=True)
                        for byte in range(size)
                    )
    return dict(found)


FEWER = {"BFS_1", "sssp_relax", "mst_find_partner", "kernel_gpu_opencl"}
"""Kernels of which LLVM drops loads on the second way through: of values that a lane does not come
to use, of fields of a struct that nobody reads."""


@pytest.mark.sampled(12)
@pytest.mark.parametrize("case", CASES, ids=label)
def test_warps_touch_the_same_addresses(case: Case) -> None:
    launch = case.launch()
    unit = read_back(launch.workload.name)
    own, original = touched(unit, launch), touched(compiled(launch.workload.name), launch)
    if case.kernel in FEWER:
        assert own.keys() <= original.keys()
        assert all(own[warp] <= original[warp] for warp in own)
    else:
        assert own == original
