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
import re
import subprocess
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

    @property
    def share(self) -> float:
        """Of loops that must be counted, those that are."""
        return self.reached / max(self.required, 1)

    @property
    def known(self) -> float:
        """Of accesses that must be exact, those that are."""
        return self.exact / max(self.addresses, 1)

    def summary(self) -> list[str]:
        """Numbers by kind."""
        kinds = ("loops", self.trips), ("branches", self.branches), ("accesses", self.kinds)
        lines = [
            f"{word:<9}" + ", ".join(f"{n} {kind}" for kind, n in counts.most_common())
            for word, counts in kinds
        ]
        counted, exact = f"{100 * self.share:.1f} % counted", f"{100 * self.known:.1f} % exact"
        return [
            *lines,
            f"of {self.required} loops that do not depend on data, {counted}",
            f"of {self.addresses} accesses whose address does not depend on data, {exact}",
        ]

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
    parser.add_argument("--page", type=Path, help="write docs/validation/unknowns.md there")
    options = parser.parse_args()
    coverage = measured(options)
    for line in (*coverage.summary(), *coverage.lines):
        print(line)
    for seconds, name in sorted(coverage.seconds, reverse=True)[:SLOWEST]:
        print(f"{seconds:.3f} s  {name}")
    if options.page:
        commit = subprocess.run(
            ["git", "log", "-1", "--format=%h"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        options.page.write_text(page(coverage, commit), encoding="utf-8")
    if coverage.share < BOUND or (coverage.known < BOUND and not options.no_launch):
        sys.exit(f"below the bound of {100 * BOUND:.0f} %")


HEAD = """# Everything that is not known of kernels/

What `python benchmarks/static_coverage.py --size small --page docs/validation/unknowns.md` writes
of the {kernels} kernels of kernels/, with the launches of their `kernel.toml` (commit {commit}):
every loop, branch and memory access that is not exact, and why, by kernel and line. [What is known
before a run](../explanation/analysis.md) explains the words.
"""

LINE = re.compile(r"(access|loop|branch) +(\S+) line (\d+): (.*)")


def page(coverage: Coverage, commit: str) -> str:
    """The page of what is not known, by kernel."""
    kernels = dict[str, Counter[tuple[str, str, str]]]()
    for line in coverage.lines:
        match = LINE.fullmatch(line)
        assert match, line
        kernels.setdefault(match[2], Counter())[match[1], match[3], match[4]] += 1
    text = HEAD.format(kernels=len(coverage.seconds), commit=commit)
    text += "\n" + "".join(f"    {line}\n" for line in coverage.summary())
    for kernel, found in kernels.items():
        text += f"\n## {kernel}\n\n"
        for (what, line, why), count in found.items():
            times = f" ({count} times)" if count > 1 else ""
            text += f"- {what}, line {line}{times}: `{why}`\n"
    return text


def measured(options: argparse.Namespace) -> Coverage:
    """All kernels of kernels/, analysed."""
    coverage = Coverage()
    for name in WORKLOADS:
        analysed(name, options, coverage)
    return coverage


if __name__ == "__main__":
    main()
