"""What one execution of each operation costs and asks for, out of a collection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.sim.interval.collect import Collection, Event
from kcc.sim.interval.facts import IntervalMachine, Kind
from kcc.sim.interval.intervals import FEATURES, Feature


def miss_shares(collection: Collection) -> NDArray[np.float64]:
    """For each operation the shares of executions that L1, L2 and DRAM answered (columns)."""
    events = collection.events[:, Event.L1 : Event.DRAM + 1]
    return events / np.maximum(events.sum(axis=1, keepdims=True), 1)


def latencies(collection: Collection, machine: IntervalMachine) -> NDArray[np.float64]:
    """Cycles of each operation: fixed for arithmetic, AMAT for memory (section 4.5.2)."""
    levels = np.array([machine.l1_hit_cycles, machine.l2_hit_cycles, machine.dram_cycles], float)
    amat = miss_shares(collection) @ levels
    kind = collection.operations.kind
    atomics = machine.atomic_cycles - machine.l2_hit_cycles
    amat = np.where(kind == Kind.GLOBAL_ATOMIC, amat + atomics, amat)
    loads = (kind == Kind.GLOBAL_LOAD) | (kind == Kind.GLOBAL_ATOMIC)
    return np.where(loads, amat, collection.operations.latency_cycles)


def features_of(collection: Collection, machine: IntervalMachine) -> NDArray[np.float64]:
    """Rows of :class:`Feature` for one execution of each operation."""
    o = collection.operations
    found = np.zeros((len(o), FEATURES))
    load = o.kind == Kind.GLOBAL_LOAD
    per = collection.per_execution
    reads, writes = per(Event.L2_READS), per(Event.WRITES)
    found[:, Feature.MEMORY_INSTRUCTIONS] = load
    found[:, Feature.MSHR_REQUESTS] = np.where(load, reads, 0.0)
    found[:, Feature.DRAM_REQUESTS] = per(Event.DRAM_READS) + per(Event.WRITE_MISSES)
    found[:, Feature.LOAD_STORE_CYCLES] = load_store_cycles(collection, machine)
    found[:, Feature.OUT_CYCLES] = reads * machine.request_cycles + writes * machine.store_cycles
    found[:, Feature.IN_CYCLES] = reads * machine.data_cycles
    found[:, Feature.L2_REQUESTS] = per(Event.WORK) * _imbalance(collection.slice_work[0])
    atomic = o.kind == Kind.GLOBAL_ATOMIC
    found[atomic, Feature.L2_REQUESTS] *= _line_share(collection, machine)
    written = collection.total(Event.WRITES)
    share = collection.dirty_sectors / written if written else 0.0
    share *= 1 + _turnaround(collection, machine)
    found[:, Feature.DRAM_TRANSFERS] = (per(Event.DRAM_READS) + writes * share) * _imbalance(
        collection.slice_work[1]
    )
    found[:, Feature.WRITES] = np.where(atomic, reads, writes)
    miss = _miss_latency_of(collection, machine)
    found[:, Feature.MSHR_CYCLES] = np.where(load, reads * miss, 0.0)
    rows = np.flatnonzero(o.kind > Kind.PHI)
    found[rows, Feature.UNITS + o.resource[rows]] = o.busy_cycles[rows]
    return found


def _line_share(collection: Collection, machine: IntervalMachine) -> float:
    """How much longer the line that most atomic operations are for is busy with them than the
    slices of L2 are; 1 if it is not."""
    atomic = collection.operations.kind == Kind.GLOBAL_ATOMIC
    work = float(collection.events[atomic, Event.WORK].sum())
    work *= _imbalance(collection.slice_work[0]) * machine.l2_service_cycles / machine.l2_slices
    line = collection.atomics_of_a_line * machine.atomic_operation_cycles
    return max(line / work, 1.0) if work else 1.0


def _turnaround(collection: Collection, machine: IntervalMachine) -> float:
    """What turning to writes and back takes of a channel, over the writes themselves."""
    writes = machine.writes_together * machine.dram_service_cycles
    return machine.turnaround_cycles / writes if collection.total(Event.DRAM_READS) else 0.0


def _imbalance(work: NDArray[np.float64]) -> float:
    """What the busiest slice has to do over the mean of all."""
    total = float(work.sum())
    return float(work.max()) * len(work) / total if total else 1.0


def load_store_cycles(collection: Collection, machine: IntervalMachine) -> NDArray[np.float64]:
    """Cycles of the load/store unit: a sector (or what its ports take) and a pass each."""
    o = collection.operations
    is_global = (o.kind >= Kind.GLOBAL_LOAD) & (o.kind <= Kind.GLOBAL_ATOMIC)
    is_shared = (o.kind == Kind.LOCAL) | (o.kind == Kind.CONSTANT_LOAD)
    sectors = np.ceil(collection.per_execution(Event.SECTORS) / machine.l1_ports)
    busy = np.where(is_shared, collection.per_execution(Event.PASSES), sectors)
    busy = np.maximum(busy, collection.per_execution(Event.PORT))
    busy = np.maximum(busy, machine.memory_interval_cycles)
    return np.where(is_global | is_shared, busy, 0.0)


def _miss_latency_of(collection: Collection, machine: IntervalMachine) -> NDArray[np.float64]:
    """Cycles for which a miss entry is taken, the mean for each operation."""
    reads = np.maximum(collection.events[:, Event.L2_READS], 1)
    dram = collection.events[:, Event.DRAM_READS] / reads
    return machine.l2_hit_cycles + dram * (machine.dram_cycles - machine.l2_hit_cycles)


def mean_miss_latency(collection: Collection, machine: IntervalMachine) -> float:
    """The average L2 and DRAM latency over all requests that miss L1 (for equation 28)."""
    loads = collection.operations.kind == Kind.GLOBAL_LOAD
    reads = float(collection.events[loads, Event.L2_READS].sum())
    dram = float(collection.events[loads, Event.DRAM_READS].sum())
    if not reads:
        return float(machine.l2_hit_cycles)
    share = dram / reads
    return machine.l2_hit_cycles + share * (machine.dram_cycles - machine.l2_hit_cycles)
