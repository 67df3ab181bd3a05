"""How much more there is to do for the SM that has most to do.

Thread blocks of a launch may differ: where a loop begins at the work-item's number, the first ones
have all of it to do and the last ones nothing. In a launch of many rounds that evens out; in one of
few the last SM ends when its own thread blocks have, however little the others had.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kcc.passes.access.activity import activity
from kcc.passes.access.activity_shares import ActivityShares
from kcc.passes.access.warp_addresses import Warps
from kcc.passes.control.trip_counts import TripCounts
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Expr, Number
from kcc.sim.flow.launch_flow import Flow
from kcc.sim.program.operations import MachineProgram

Floats = NDArray[np.float64]


def work_by_block(
    facts: Facts, flow: Flow, program: MachineProgram, grid: tuple[int, int, int]
) -> Floats:
    """Issue slots of each thread block, in the order in which they start; those of code about which
    nothing is known are the same for all."""
    alike, work = 0.0, np.zeros((1, 1, 1))
    of_blocks = ActivityShares(facts[SymbolicValues], _by_block)
    for block, rows in enumerate(program.blocks):
        slots = sum(program.operations[row].slots for row in rows) * flow.executions[block]
        shares = _shares(facts, block, of_blocks) if slots else None
        if shares is None or not shares.any():
            alike += slots
        else:
            work = work + slots * shares / shares.mean()
    return np.broadcast_to((work + alike) / math.prod(grid), grid[::-1]).ravel()


def _by_block(warps: Warps, condition: Expr) -> Floats | None:
    found = warps.shares_taking(condition)
    return None if found is None else found.by_block()


def _shares(facts: Facts, block: int, of_blocks: ActivityShares[Floats | None]) -> Floats | None:
    """How much of a block of the program each thread block executes, where they differ."""
    if block not in facts[ControlFlow].reachable:
        return None
    active = activity(facts[SymbolicValues], facts[TripCounts], block)
    if active is None or isinstance(active.condition, Number):
        return None
    return of_blocks.of(active)


def most_work(work: Floats, sms: int) -> float:
    """The work of the SM that has most of it, over that of as many mean thread blocks as an SM has
    at most: 1 where they are alike."""
    mean, most = float(work.mean()), -(-len(work) // sms)
    if float(work.max()) <= mean * (1.0 + 1e-9):
        return 1.0
    by_sm = np.pad(work, (0, -len(work) % sms)).reshape(-1, sms).sum(axis=0)
    return max(float(by_sm.max()) / (most * mean), 1.0)
