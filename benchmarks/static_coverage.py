"""How much of the control flow and of the memory accesses of kernels/ is known before a run.

    python benchmarks/static_coverage.py [--size tiny|small|large] [--level O0|O1|O2] [--no-launch]

Per kind, the loops of all kernels of kernels/, the branches whose sides are known and the memory
accesses (private memory left out); then every one that is not known, with the reason; and the
slowest kernels. A loop has to be exact when its count depends on nothing but ids, sizes and scalar
arguments (with --no-launch: exact or symbolic, floating-point and non-linear integer computations
left out), an access (with a launch) when its address depends on nothing else. The bound is 95 % of
each.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kcc.frontend.options import OptLevel  # noqa: E402 -- after the path
from kcc.frontend.types import AddressSpace  # noqa: E402
from kcc.passes.control.branch_conditions import BranchConditions  # noqa: E402
from kcc.passes.control.trip_counts import TripCounts, TripKind  # noqa: E402
from kcc.passes.facts import Facts  # noqa: E402
from kcc.passes.graph.branches import Branches  # noqa: E402
from kcc.passes.graph.loops import Loops  # noqa: E402
from kcc.passes.memory.access_facts import AccessPatterns  # noqa: E402
from kcc.passes.memory.memory_accesses import MemoryAccesses  # noqa: E402
from kcc.passes.symbolic.build import SymbolicValues  # noqa: E402
from kcc.passes.symbolic.ranges import Known  # noqa: E402
from kcc.passes.table import Setting, analyse  # noqa: E402
from kcc.tracegen.execute import NDRange  # noqa: E402
from tests.kernels.harness import WORKLOADS, launch_of  # noqa: E402
from tests.passes.executed import known_of  # noqa: E402
from tests.tracegen import engine  # noqa: E402

BOUND = 0.95
SLOWEST = 5
PASSES = ("symbolic values", "trip counts", "divergence", "branch conditions", "access patterns")

T = TypeVar("T")


class Coverage:
    """The figures so far."""

    def __init__(self) -> None:
        self.trips, self.branches = Counter[str](), Counter[str]()
        self.lines = list[str]()
        self.seconds = list[tuple[float, str]]()
        self.required = self.reached = 0
        self.kinds = Counter[str]()
        self.addresses = self.exact = 0

    def add(self, name: str, facts: Facts, seconds: float) -> None:
        """One kernel."""
        self.seconds.append((seconds, name))
        self.add_accesses(name, facts)
        for trip in facts[TripCounts].trips:
            self.trips[trip.kind.value] += 1
            line = facts[Loops].loops[trip.loop].line
            on_data = "read" in trip.reason or "image" in trip.reason
            counted = trip.kind in (TripKind.EXACT, TripKind.SYMBOLIC)
            if counted or not (on_data or "computation" in trip.reason):
                self.required += 1
                self.reached += counted
            if not counted:
                shown = f"{name} line {line}: {trip.kind.value}: {trip.reason}"
                self.lines.append(f"loop    {shown}")
        for condition in facts[BranchConditions].conditions:
            known = all(side.share is not None for side in condition.sides)
            self.branches["known" if known else "unknown"] += 1
            if not known:
                place = facts[Branches].branches[condition.branch].location
                line = place.line if place else "?"
                self.lines.append(f"branch  {name} line {line}: {condition.reason}")

    def add_accesses(self, name: str, facts: Facts) -> None:
        """The accesses of one kernel."""
        values = facts[SymbolicValues]
        for access in facts[MemoryAccesses].accesses:
            if access.space is AddressSpace.PRIVATE:
                continue
            pattern = facts[AccessPatterns].patterns[access.id]
            self.kinds[pattern.kind.value] += 1
            instruction = values.function.instructions[access.instruction]
            if not values.causes(values.address(instruction, access.pointer)):
                self.addresses += 1
                self.exact += pattern.exact
            if not pattern.exact:
                line = access.location.line if access.location else "?"
                shown = f"{name} line {line}: {pattern.kind.value}: {pattern.reason}"
                self.lines.append(f"access  {shown}")


def analysed(name: str, options: argparse.Namespace, coverage: Coverage) -> None:
    """Every kernel of one workload."""
    unit = engine.compiled(name, OptLevel[options.level])
    for kernel in unit.kernels:
        known = Known()
        if not options.no_launch:
            planned = launch_of(name, kernel.name, options.size)
            shape = NDRange(tuple(planned.global_size), tuple(planned.local_size))
            known = known_of(kernel, shape, engine.arguments(kernel, planned))
        seconds = [0.0]

        def around(stage: str, work: Callable[[], T], /, seconds: list[float] = seconds) -> T:
            start = time.perf_counter()
            result = work()
            if stage in PASSES:
                seconds[0] += time.perf_counter() - start
            return result

        facts = analyse(kernel, unit.module, around, Setting(known))
        coverage.add(f"{name}/{kernel.name}", facts, seconds[0])


def main() -> None:
    """Print the figures; exit code 1 below the bound."""
    parser = argparse.ArgumentParser(description="Loops, branches and accesses known before a run.")
    parser.add_argument("--size", default="tiny", choices=("tiny", "small", "large"))
    parser.add_argument("--level", default="O1", choices=[level.name for level in OptLevel])
    parser.add_argument("--no-launch", action="store_true")
    options = parser.parse_args()
    coverage = Coverage()
    for name in WORKLOADS:
        analysed(name, options, coverage)
    print("loops    " + ", ".join(f"{n} {kind}" for kind, n in coverage.trips.most_common()))
    print("branches " + ", ".join(f"{n} {kind}" for kind, n in coverage.branches.most_common()))
    print("accesses " + ", ".join(f"{n} {kind}" for kind, n in coverage.kinds.most_common()))
    share = coverage.reached / max(coverage.required, 1)
    print(f"of {coverage.required} loops that do not depend on data, {100 * share:.1f} % counted")
    known = coverage.exact / max(coverage.addresses, 1)
    print(
        f"of {coverage.addresses} accesses whose address does not depend on data,"
        f" {100 * known:.1f} % exact"
    )
    print("\n".join(coverage.lines))
    for seconds, name in sorted(coverage.seconds, reverse=True)[:SLOWEST]:
        print(f"{seconds:.3f} s  {name}")
    if share < BOUND or (known < BOUND and not options.no_launch):
        sys.exit(f"below the bound of {100 * BOUND:.0f} %")


if __name__ == "__main__":
    main()
