"""Records of `kcc/estimate/1` from the result that models of traces give."""

from __future__ import annotations

import math

from kcc.base.records import dataclass
from kcc.report.estimate.record import (
    CPI_DECIMALS,
    AssumedValue,
    Confidence,
    Counted,
    EstimateRecord,
    LineShare,
    held,
    rounded,
)
from kcc.sim.estimate.range import Grounds, range_of
from kcc.sim.result import LineTiming, Timing
from kcc.stages.estimate import Configuration


@dataclass(frozen=True, slots=True)
class Assumed:
    """What a static trace had to assume: its local size; the share of its events; how many of its
    accesses are without known addresses."""

    launch: bool
    share: float
    accesses: int


def timing_record(
    configuration: Configuration, assumed: Assumed, timing: Timing, profiled: float
) -> EstimateRecord:
    """The record of one launch; the CPI is in cycles of one scheduler per machine instruction. Of
    the cycles of the launch itself profilers count ``profiled`` to the kernel."""
    issued = max(timing.issued, 1e-9)
    stack = {part.name: round(part.cycles / issued, CPI_DECIMALS) for part in timing.stack}
    place = timing.occupancy
    limiter = f"latency ({timing.limiter})"
    grounds = Grounds(limiter, assumed.share, assumed.accesses, len(timing.assumptions))
    low, high = range_of(timing.time_us, grounds)
    launch = sum(part.cycles for part in timing.stack if part.is_launch)
    alone = 1.0 - launch / max(sum(part.cycles for part in timing.stack), 1e-9)
    lost = sum(line.executed for line in timing.lines if not line.line)
    return EstimateRecord(
        configuration=configuration,
        gpu=timing.gpu,
        time_us=rounded(timing.time_us),
        range_us=(rounded(low), rounded(high)),
        cycles=rounded(timing.cycles),
        reason="",
        limiter=limiter,
        cpi=round(math.fsum(stack.values()), CPI_DECIMALS),
        cpi_stack=stack,
        occupancy=held(place),
        waves=rounded(timing.thread_blocks / (timing.sms * max(place.blocks, 1))),
        counts=_counted(timing),
        confidence=Confidence(
            assumed.launch, rounded(assumed.share), rounded(lost / max(timing.instructions, 1)),
            assumed.accesses,
            tuple(AssumedValue(a.key, a.value, a.reason) for a in timing.assumptions), (),
        ),
        lines=_lines(timing),
        code=timing.code,
        kernel_us=rounded(timing.time_us * alone + profiled / timing.clock_mhz),
    )  # fmt: skip


def _counted(timing: Timing) -> Counted:
    found = timing.statistics
    return Counted(
        rounded(timing.issued),
        {},
        rounded(found.get("local passes", 0.0)),
        0.0,
        rounded(found.get("L2 reads", 0.0)),
        rounded(found.get("L2 writes", 0.0)),
        rounded(found.get("DRAM sectors read", 0.0)),
        rounded(found.get("DRAM sectors written", 0.0)),
    )


def _lines(timing: Timing) -> tuple[LineShare, ...]:
    total = math.fsum(line.cycles for line in timing.lines) or 1.0
    shares = dict[tuple[str, int], float]()
    for line in timing.lines:
        place = line.file, line.line
        shares[place] = shares.get(place, 0.0) + _cycles(line) / total
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    return tuple(LineShare(line, rounded(share), file) for (file, line), share in ranked)


def _cycles(line: LineTiming) -> float:
    return max(line.cycles, 0.0)
