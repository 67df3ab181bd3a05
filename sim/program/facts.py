"""The facts from which a kernel's machine program is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kcc.passes.control.divergence import DivergencePass
from kcc.passes.control.trip_counts import SymbolicValuesPass, TripCountsPass
from kcc.passes.facts import Pass
from kcc.passes.symbolic.ranges import Known
from kcc.passes.table import PASSES


def program_passes(known: Known, trips: Mapping[int, int]) -> tuple[Pass[Any], ...]:
    """The passes that :func:`kcc.sim.program.lowering.machine_program` needs, for a kernel of which
    so much is ``known``; ``trips`` are assumed, by line."""
    return (
        *PASSES,
        SymbolicValuesPass(known, trips),
        TripCountsPass(),
        DivergencePass(addresses=False),
    )
