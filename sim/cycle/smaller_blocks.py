"""Launches whose thread blocks are cut into smaller ones of the same work-items in the same warps,
to say what smaller thread blocks would take. Kernels whose warps do not see their thread block do
the same work then: no barrier, no shared memory, no function that asks for the block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.reader import open_trace
from kcc.base.trace.tables import TraceTables
from kcc.sim.cycle.compiled import compiled_launch
from kcc.sim.cycle.launch import CycleSimulator
from kcc.sim.result import Timing

SEES_BLOCKS = r"get_local_id|get_group_id|get_local_size|get_num_groups|local_linear|sub_group"
"""Functions by which a kernel sees its thread blocks."""


def sees_blocks(tables: TraceTables) -> bool:
    """Whether warps of a kernel may depend on their thread block; so too where the trace does not
    have the kernel's IR."""
    return (
        any(segment.barrier >= 0 for segment in tables.segments)
        or any(access.memory == "local" for access in tables.accesses)
        or re.search(SEES_BLOCKS, _body(tables) or "get_group_id") is not None
    )


def _body(tables: TraceTables) -> str:
    """The kernel's own function, "" where it is not there: what it calls is inlined."""
    head = rf"^define [^\n]*@\"?{re.escape(tables.symbol)}\"?\(.*?^}}"
    found = re.search(head, tables.ir, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def can_be_cut(path: str, kernel: str) -> bool:
    """Whether thread blocks of a kernel of a trace can be smaller without another result."""
    with open_trace(path) as trace:
        own = [traced for traced in trace.launches if traced.tables.kernel == kernel]
        return bool(own) and not any(sees_blocks(traced.tables) for traced in own)


def in_smaller_blocks(
    path: str, gpu: GpuDescription, kernel: str, warps: int, *,
    registers: dict[str, int] | None = None, cold: bool = False,
) -> Iterator[Timing]:  # fmt: skip
    """The launches of a trace, in order, those of a kernel in thread blocks of so many ``warps``.
    Launches that are not whole blocks of this size stay. Raises as
    :func:`kcc.sim.cycle.sources.simulate_trace`."""
    simulator = CycleSimulator(gpu, registers)
    with open_trace(path) as trace:
        for traced in trace.launches:
            if cold:
                simulator.memory = None
            compiled = compiled_launch(traced, gpu)
            launch, width = compiled.launch, compiled.tables.width
            own = launch.warps(width)
            whole = _threads(launch) == own * width and own % warps == 0
            is_cut = whole and traced.tables.kernel == kernel and not sees_blocks(traced.tables)
            pieces = own // warps if is_cut else 1
            simulation = simulator.begin(
                compiled.tables, _cut(launch, pieces) if is_cut else launch
            )
            for batch in compiled.batches():
                simulation.feed(_cut_batch(batch, pieces, warps) if is_cut else batch)
            yield simulation.finish()


def _threads(launch: TraceLaunch) -> int:
    size = 1
    for own in launch.local_size:
        size *= own
    return size


def _cut(launch: TraceLaunch, pieces: int) -> TraceLaunch:
    """Thread blocks in a row: warps number their work-items in the same way."""
    threads = _threads(launch) // pieces
    size = (launch.thread_blocks * pieces * threads,)
    return replace(launch, global_size=size, local_size=(threads,), offset=(0,), radices=())


def _cut_batch(batch: TraceBatch, pieces: int, warps: int) -> TraceBatch:
    block = batch.thread_block * pieces + batch.warp // warps
    return replace(batch, thread_block=block, warp=batch.warp % warps)
