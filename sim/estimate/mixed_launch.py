"""A launch whose thread blocks differ, from their classes as launches of their own."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np

from kcc.passes.access.taking import lengths
from kcc.sim.estimate.demand import Demand
from kcc.sim.estimate.subject import Subject
from kcc.sim.flow.launch_flow import BlockClass
from kcc.sim.machine.pipeline_columns import Machine

COLUMNS = ("port", "l2", "dram", "write", "sectors", "pending", "path")
"""Of a demand, those that caches decide."""


def mixed(subject: Subject, parts: Sequence[Demand]) -> Demand:
    """What a launch asks of a GPU: what its classes of thread blocks do, each as often as it is
    executed there. What its caches say in detail is that of the class that does most."""
    if len(parts) == 1:
        return parts[0]
    found = copy(max(parts, key=lambda part: part.counts.warp_instructions))
    weights = np.array([part.executions for part in parts])
    executions = weights.sum(axis=0)
    columns = {
        name: (weights * np.array([getattr(part, name) for part in parts])).sum(axis=0)
        / np.where(executions > 0.0, executions, 1.0)
        for name in COLUMNS
    }
    found.take(subject, executions, columns)
    return found


def class_order(subject: Subject, machine: Machine) -> tuple[list[int], float]:
    """The classes of the thread blocks of that SM which has most to do, one after another, where
    SMs get thread blocks in turn; and how much more these have to do than the means of their
    classes."""
    of_block = _class_of_block(subject.flow.blocks, subject.grid)
    work, sms = subject.work_by_block(machine.generation), machine.sms
    by_sm = np.pad(work, (0, -len(work) % sms)).reshape(-1, sms).sum(axis=0)
    busiest = int(by_sm.argmax())
    chosen = of_block[busiest::sms]
    means = np.bincount(of_block, work) / np.bincount(of_block)
    return chosen.tolist(), max(float(by_sm[busiest] / means[chosen].sum()), 1.0)


def _class_of_block(classes: Sequence[BlockClass], grid: tuple[int, int, int]) -> np.ndarray:
    """The class of each thread block, in the order in which they start."""
    found = np.zeros(classes[0].region.counts.shape, np.int64)
    for number, each in enumerate(classes):
        found[each.region.counts > 0] = number
    for dimension, (starts, extent) in enumerate(zip(classes[0].region.starts, grid, strict=True)):
        found = np.repeat(found, lengths(starts, extent), axis=2 - dimension)
    return found.ravel()
