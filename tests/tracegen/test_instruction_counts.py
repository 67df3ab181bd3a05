"""Counts of instructions against those oclgrind took of the same IR (benchmarks/data)."""

from __future__ import annotations

import pytest

from benchmarks.instruction_counts import (
    KERNELS,
    CountedLaunch,
    differences,
    kcc_counts,
    kept_counts,
)
from benchmarks.typed_ir import LEFT_OUT


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("workload", "kernel"), KERNELS)
def test_counts_equal_oclgrinds(workload: str, kernel: str) -> None:
    item = CountedLaunch(workload, kernel, kept=True)
    execution = item.run()
    ours, theirs = kcc_counts(item.kernel.function, execution), kept_counts()[kernel]
    assert differences(ours, theirs) == {}
    left_out = sum(
        count.lanes
        for block, count in zip(item.kernel.function.blocks, execution.counts, strict=True)
        for instruction in block.instructions
        if getattr(instruction, "callee", "") in LEFT_OUT
    )
    without_casts = sum(theirs.values()) - theirs.get("phi", 0) - ours.get("bitcast", 0)
    assert execution.thread_instructions == without_casts + left_out
