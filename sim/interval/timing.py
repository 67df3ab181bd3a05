"""From a prediction to the result that all timing models give."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kcc.sim.interval.collect import Collection, Event
from kcc.sim.interval.facts import IntervalMachine, Kind
from kcc.sim.interval.model import PARTS, Prediction
from kcc.sim.interval.options import Model, Options
from kcc.sim.program.ideal_accesses import ideal_accesses
from kcc.sim.program.issued import code_of, lowering_notes
from kcc.sim.result import CacheStatistics, LineTiming, StackPart, Timing

_COUNTS = {
    "L1 sectors": Event.SECTORS, "L1 hits": Event.L1_HITS, "L1 pending": Event.L1_PENDING,
    "L2 reads": Event.L2_READS, "L2 read hits": Event.L2_HITS, "L2 writes": Event.WRITES,
    "DRAM sectors read": Event.DRAM_READS, "DRAM row hits": Event.ROW_HITS,
    "local passes": Event.PASSES,
}  # fmt: skip


def timing_of(
    collection: Collection, machine: IntervalMachine, prediction: Prediction, options: Options
) -> Timing:
    """The result of a launch."""
    o = collection.operations
    cycles = prediction.cycles
    return Timing(
        model="interval",
        kernel=collection.tables.kernel,
        launch=collection.launch.number,
        gpu=machine.name,
        cycles=cycles,
        time_us=cycles / machine.clock_mhz,
        clock_mhz=machine.clock_mhz,
        sms=machine.sms,
        schedulers=machine.sms * machine.schedulers,
        thread_blocks=collection.launch.thread_blocks,
        instructions=int(collection.executed[o.counted].sum()),
        thread_instructions=collection.thread_instructions,
        issued=int(collection.executed @ o.issue_slots),
        stack=_parts(prediction.stack.sum(axis=0)),
        occupancy=machine.occupancy,
        caches=_caches(collection, machine),
        statistics=_statistics(collection),
        lines=tuple(_lines(collection, prediction)),
        assumptions=machine.assumptions,
        confidence=_confidence(collection, machine, options),
        code=code_of(collection.tables),
    )


def _parts(row: NDArray[np.float64]) -> tuple[StackPart, ...]:
    return tuple(
        StackPart(part.value, float(cycles)) for part, cycles in zip(PARTS, row, strict=True)
    )


def _loads(collection: Collection) -> NDArray[np.bool_]:
    return collection.operations.kind == Kind.GLOBAL_LOAD


def _caches(collection: Collection, machine: IntervalMachine) -> tuple[CacheStatistics, ...]:
    found = list[CacheStatistics]()
    if machine.l1.sets:
        own = collection.events[_loads(collection)].sum(axis=0)
        found.append(
            CacheStatistics(
                "L1", float(own[Event.SECTORS]), float(own[Event.L1_HITS]),
                float(own[Event.L1_PENDING]),
            )
        )  # fmt: skip
    if machine.l2.sets:
        reads, hits = collection.total(Event.L2_READS), collection.total(Event.L2_HITS)
        found.append(CacheStatistics("L2", reads, hits))
    return tuple(found)


def _statistics(collection: Collection) -> dict[str, float]:
    own = collection.events[_loads(collection)].sum(axis=0)
    found = {name: collection.total(event) for name, event in _COUNTS.items()}
    found["L1 sectors"] = float(own[Event.SECTORS])
    found["DRAM sectors written"] = float(collection.dirty_sectors)
    return found


def _lines(collection: Collection, prediction: Prediction) -> Iterator[LineTiming]:
    """Each line of the source, the ones with the most cycles first; equal ones by place."""
    o, events = collection.operations, collection.events
    places = [*o.lines, (-1, 0)]
    rows = dict[tuple[int, int], list[int]]()
    for number, place in enumerate(places):
        rows.setdefault(place, []).append(number)
    stacks = {place: prediction.stack[own].sum(axis=0) for place, own in rows.items()}
    ideal = ideal_accesses(collection.tables, collection.machine.occupancy.block_threads)
    numbers = {place: number for number, place in enumerate(rows)}
    excess = ideal.excess(
        [numbers[place] for place in o.lines], len(rows), events[:, Event.EXECUTED],
        events[:, Event.SECTORS], events[:, Event.PASSES],
    )  # fmt: skip
    for place in sorted(rows, key=lambda p: (-float(stacks[p].sum()), p)):
        own = [n for n in rows[place] if n < len(o)]
        seen, stack = events[own].sum(axis=0), stacks[place]
        executed = int(collection.executed[own] @ (o.kind[own] > Kind.PHI))
        if not executed and not stack.any():
            continue
        (file, line), number = place, numbers[place]
        yield LineTiming(
            collection.tables.files[file] if file >= 0 else "",
            line,
            float(stack.sum()),
            tuple(part for part in _parts(stack) if part.cycles),
            executed,
            float(seen[Event.SECTORS]),
            float(seen[Event.L1_HITS]),
            float(seen[Event.L2_HITS]),
            float(seen[Event.DRAM_READS]),
            float(seen[Event.PASSES]),
            requests=float(excess.requests[number]),
            local_requests=float(excess.local_requests[number]),
            excess_sectors=float(excess.sectors[number]),
            excess_passes=float(excess.passes[number]),
        )


def _confidence(
    collection: Collection, machine: IntervalMachine, options: Options
) -> tuple[str, ...]:
    notes = list[str]()
    if options.model is not Model.SCHEDULE:
        notes.append(f"by the text's model '{options.model.value}', for comparison")
    notes += lowering_notes(collection.tables)
    if machine.occupancy.registers is None:
        notes.append("registers are not known and do not limit occupancy")
    if any(name == "image" for i in collection.tables.instructions for name, _ in i.classes):
        notes.append("images are not traced: each access counts as a hit of the texture cache")
    if machine.assumptions:
        notes.append(f"{len(machine.assumptions)} values of the GPU are assumed")
    return tuple(notes)
