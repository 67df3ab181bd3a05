"""The facts that an estimate needs of a kernel: all passes but those that only a report shows."""

from __future__ import annotations

from collections.abc import Mapping

from kcc.frontend.ir.model import Module
from kcc.frontend.kernel import Kernel
from kcc.passes.control.flow_counts import FlowCountsPass
from kcc.passes.facts import Facts, run_passes
from kcc.passes.symbolic.ranges import Known
from kcc.sim.flow.assumed_shares import AssumedSharesPass
from kcc.sim.program.facts import program_passes


def estimate_facts(
    kernel: Kernel, module: Module, known: Known, trips: Mapping[int, int],
    shares: Mapping[int, float],
) -> Facts:  # fmt: skip
    """Facts about a kernel whose launch is ``known``; ``trips`` and ``shares`` are assumed, by
    line."""
    passes = (
        *program_passes(known, trips),
        FlowCountsPass(),
        AssumedSharesPass(shares, trips),
    )
    return run_passes(kernel, module, passes)
