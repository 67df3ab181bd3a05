"""Static traces of launches beside what the engine traces when it runs them."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kcc.base.assumptions import Assumptions
from kcc.base.trace.decode import TraceBatch, TraceDecoder
from kcc.base.trace.launches import STATIC, TraceHeader
from kcc.base.trace.reader import open_trace
from kcc.base.trace.writer import TraceWriter
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.tracegen.execute import KernelArgument, LocalMemory, NDRange
from kcc.tracegen.static.classes import StaticClass, find_classes
from kcc.tracegen.static.launch import BufferSize, StaticArgument, StaticLaunch
from kcc.tracegen.static.program import StaticProgram, prepare_static
from kcc.tracegen.static.write import StaticSummary, write_classes
from tests.kcc.base.trace.traces import Traced, trace

Event = tuple[int, int, tuple[tuple[int, ...], ...]]
"""A segment, its mask, and the addresses of each access in the active lanes."""

Warps = dict[tuple[int, int], list[Event]]


def without_data(kernel: Kernel, arguments: list[KernelArgument]) -> list[StaticArgument]:
    """What a static launch may know of arguments."""
    found = list[StaticArgument]()
    for argument, value in zip(kernel.function.arguments, arguments, strict=True):
        match value:
            case LocalMemory():
                found.append(value)
            case np.ndarray() if argument.attributes.byval is None:
                if str(argument.type).startswith("ptr"):
                    found.append(BufferSize(value.nbytes))
                else:
                    found.append(tuple(np.array(value.tolist()).reshape(-1).tolist()))
            case np.generic() if argument.attributes.byval is None:
                found.append(value.item())
            case np.ndarray() | np.generic():
                found.append(value.tobytes())
            case int() | float():
                found.append(value)
            case _:
                found.append(None)
    return found


@dataclass(frozen=True, slots=True)
class Static:
    """A static trace: the classes, and the file read back warp by warp."""

    program: StaticProgram
    classes: list[StaticClass]
    summary: StaticSummary
    warps: Warps


def static_trace(
    unit: CompiledUnit,
    kernel: Kernel,
    shape: NDRange,
    arguments: list[StaticArgument],
    *,
    assumptions: Assumptions | None = None,
    width: int = 32,
) -> Static:
    """Makes one, writes it to a file and reads it."""
    launch = StaticLaunch(shape, arguments)
    program = prepare_static(unit, kernel, launch, assumptions, width)
    classes = find_classes(program)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "static.kct"
        with TraceWriter(path, TraceHeader("0", STATIC, unit.name)) as writer:
            summary = write_classes(writer, program, launch, 0, classes)
        with open_trace(path) as file:
            warps = events(list(file.launches[0].batches()))
    return Static(program, classes, summary, warps)


def dynamic_warps(traced: Traced) -> Warps:
    """What the engine traced, by thread block and warp."""
    decoder = TraceDecoder(traced.tables, addresses=True)
    return events([b for first, words in traced.pieces for b in decoder.decode(first, words)])


def events(batches: list[TraceBatch]) -> Warps:
    """By thread block and warp."""
    found: Warps = {}
    for batch in batches:
        width = batch.addresses.shape[1] if batch.addresses.ndim > 1 else 32
        starts = batch.access_start.tolist()
        for i, (block, warp, segment, mask) in enumerate(
            zip(
                batch.thread_block.tolist(),
                batch.warp.tolist(),
                batch.segment.tolist(),
                batch.mask.tolist(),
                strict=True,
            )
        ):
            lanes = [lane for lane in range(width) if mask >> lane & 1]
            rows = batch.addresses[starts[i] : starts[i + 1]][:, lanes].tolist()
            event = segment, mask, tuple(tuple(row) for row in rows)
            found.setdefault((block, warp), []).append(event)
    return found


def difference(static: Static, traced: Traced) -> str | None:
    """The first thing that is different; None if nothing is."""
    wanted = dynamic_warps(traced)
    if set(wanted) != set(static.warps):
        return f"{len(static.warps)} warps, not {len(wanted)}"
    for key, row in wanted.items():
        found = static.warps[key]
        if found != row:
            pairs = zip(found, row, strict=False)
            place = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(found), len(row)))
            return (
                f"warp {key}, event {place} of {len(found)} ({len(row)} in a run): "
                f"{found[place : place + 1]}, not {row[place : place + 1]}"
            )
    return None


def both(
    unit: CompiledUnit,
    kernel: Kernel,
    shape: NDRange,
    arguments: list[KernelArgument],
    *,
    assumptions: Assumptions | None = None,
) -> tuple[Static, Traced]:
    """A static trace, and that of a run."""
    blind = without_data(kernel, arguments)
    static = static_trace(unit, kernel, shape, blind, assumptions=assumptions)
    return static, trace(unit, kernel, shape, arguments)


def not_in_run(static: Static, traced: Traced) -> int:
    """How many segments of the static trace the run has not, with mask and addresses, in the same
    warp."""
    wanted, missing = dynamic_warps(traced), 0
    for key, row in static.warps.items():
        missing += (Counter(row) - Counter(wanted.get(key, []))).total()
    return missing
