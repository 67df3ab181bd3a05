"""Kernels and machines by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.base.gpu.occupancy import occupancy_of
from kcc.sim.interval.facts import (
    CacheShape,
    IntervalMachine,
    Kind,
    Operations,
    Resource,
)
from kcc.sim.machine.dram_banks import BankMapping
from kcc.sim.machine.warp_scheduling import Policy

Step = tuple[Kind, float, tuple[int, ...]]
"""Kind, latency, and the steps whose results it reads."""


def operations(steps: Sequence[Step], slots: int = 1) -> Operations:
    """Steps one after another in one segment; step i writes register i."""
    count = len(steps)
    sources = [s for _, _, read in steps for s in read]
    ends = np.cumsum([len(read) for _, _, read in steps])
    memory = [Kind.GLOBAL_LOAD <= kind <= Kind.CONSTANT_LOAD for kind, _, _ in steps]
    return Operations(
        kind=np.array([kind for kind, _, _ in steps], np.int64),
        resource=np.array([Resource.MEMORY if m else Resource.FMA for m in memory], np.int64),
        issue_slots=np.full(count, slots, np.int64),
        busy_cycles=np.full(count, slots, np.int64),
        latency_cycles=np.array([latency for _, latency, _ in steps], np.float64),
        result=np.arange(count, dtype=np.int64),
        first_source=np.concatenate([[0], ends[:-1]]).astype(np.int64),
        end_source=ends.astype(np.int64),
        access=np.full(count, -1, np.int64),
        counted=np.ones(count, np.bool_),
        sources=np.array(sources or [0], np.int64),
        incoming=np.full(max(len(sources), 1), -1, np.int64),
        segments=np.array([[0, count, 0]], np.int64),
        registers=count,
        lines=((-1, 0),) * count,
        code=np.zeros((count, 2), np.int64),
    )


def machine(**changes: object) -> IntervalMachine:
    """A small one: an SM with a scheduler, 32 miss entries, L1 hits 25, L2 120, DRAM 420."""
    occupancy = occupancy_of(GpuReader(load_gpu("gpumech-table7", [])), 32, None, 0)
    values: dict[str, object] = {
        "name": "test", "clock_mhz": 1000.0, "sms": 1, "schedulers": 1, "issue_width": 1,
        "policy": Policy.ROUND_ROBIN, "blocks": 1, "warps_per_block": 1, "line_bytes": 128,
        "sector_bytes": 128, "instructions": CacheShape(0, 0),
        "local_banks": 32, "lanes_together": 32, "pairs_together": False, "l1": CacheShape(32, 8),
        "l1_hit_cycles": 25, "l1_mshrs": 32, "l1_ports": 1, "memory_interval_cycles": 1,
        "l2": CacheShape(128, 8), "l2_slices": 6, "l2_hashed": False, "l2_write_back": True,
        "l2_hit_cycles": 120, "l2_service_cycles": 4.0, "request_cycles": 1, "store_cycles": 4,
        "data_cycles": 4, "port": (),
        "channels": 6, "banks": 16, "bank_mapping": BankMapping.IN_TURN, "row_lines": 16,
        "dram_cycles": 420,
        "dram_service_cycles": 4.0, "l2_queue": 64, "dram_queue": 32,
        "turnaround_cycles": 0.0, "writes_together": 16, "row_hit_saves_cycles": 24,
        "atomic_cycles": 120, "atomic_operation_cycles": 0.0, "atomics_together": -1,
        "one_fp64": False,
        "barrier_cycles": 0, "launch_cycles": 0, "code_cycles": 0, "occupancy": occupancy,
        "assumptions": (),
    }  # fmt: skip
    return IntervalMachine(**{**values, **changes})  # type: ignore[arg-type]
