"""How long static traces take, and how many classes of warps they have.

    python benchmarks/static_traces.py [--items 16,24,30] [NAME ...]

For each kernel of kernels/ the sizes of its kernel.toml that its launch grows with are doubled
until it has so many work-items (2 to the powers that are given). Where the sizes do not do that,
the launch alone gets more thread blocks in x, with arguments as they are; such rows have a star.
CPU seconds are those from the compiled kernel to its classes, without the time to compile it, of
one run. A launch of which K851 or K852 says that it is too much is shown as such: there the work of
a warp, or the number of kinds of warps, grows with the launch. The bound: no more time at 2^30
work-items than at 2^16.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kcc.base.diagnostics import DiagnosticError  # noqa: E402 -- after the path
from kcc.base.expressions import Value  # noqa: E402
from kcc.base.launch import numbers_of  # noqa: E402
from kcc.base.workload_file import WorkloadFile, load_workload_file  # noqa: E402
from kcc.frontend.ir.model import Module  # noqa: E402
from kcc.frontend.kernel import Kernel  # noqa: E402
from kcc.stages.analyze import LaunchInputs, resolve  # noqa: E402
from kcc.stages.static_tracing import static_launch  # noqa: E402
from kcc.tracegen.execute import NDRange  # noqa: E402
from kcc.tracegen.static.classes import find_classes  # noqa: E402
from kcc.tracegen.static.launch import StaticLaunch  # noqa: E402
from kcc.tracegen.static.program import prepare_static  # noqa: E402
from tests.kernels.harness import KERNELS, WORKLOADS  # noqa: E402
from tests.tracegen import engine  # noqa: E402

MAX_DOUBLINGS = 64


@dataclass(frozen=True, slots=True)
class Row:
    """One launch: what came of it."""

    items: int
    seconds: float
    classes: int
    warps: int
    assumed: float
    failure: str

    @property
    def text(self) -> str:
        if self.failure:
            return f"{self.failure} {self.seconds:.2f} s"
        return f"{self.seconds:.2f} s, {self.classes:,}"


def inputs_for(
    file: WorkloadFile, kernel: Kernel, module: Module, size: Mapping[str, Value], items: int
) -> LaunchInputs | None:
    """The launch of a kernel with so many work-items or a few more; None where it does not grow."""

    def inputs(names: Mapping[str, Value]) -> LaunchInputs:
        every = {**file.names(None), **names}
        return LaunchInputs(file.launches[kernel.name], every, file.arguments[kernel.name])

    def count(names: Mapping[str, Value]) -> int:
        try:
            numbers = numbers_of(resolve(kernel, inputs(names), module).global_size)
        except DiagnosticError:
            return 0
        return prod(numbers or ())

    names = dict(size)
    growing = [n for n in names if count({**names, n: names[n] * 2}) > count(names)]
    turn = 0
    while growing and count(names) < items and turn < MAX_DOUBLINGS:
        name = growing[turn % len(growing)]
        names[name] = names[name] * 2
        turn += 1
    return inputs(names) if count(names) >= items else None


def launch_of(
    file: WorkloadFile, kernel: Kernel, module: Module, items: int
) -> tuple[StaticLaunch | DiagnosticError, bool]:
    """The launch, and whether its thread blocks alone are more."""
    size = file.sizes["small"]
    found = inputs_for(file, kernel, module, size, items)
    try:
        if found is not None:
            return static_launch(kernel, module, found, ())[0], False
        names = {**file.names(None), **size}
        inputs = LaunchInputs(file.launches[kernel.name], names, file.arguments[kernel.name])
        launch, _ = static_launch(kernel, module, inputs, ())
    except DiagnosticError as error:
        return error, found is None
    x, *others = launch.shape.global_size
    factor = -(-items // (x * prod(others)))
    shape = NDRange((x * factor, *others), launch.shape.local_size)
    return replace(launch, shape=shape), True


def measure(name: str, kernel: Kernel, launch: StaticLaunch, items: int) -> Row:
    """Trace one launch."""
    unit = engine.compiled(name)
    began = time.process_time()
    try:
        classes = find_classes(prepare_static(unit, kernel, launch))
    except DiagnosticError as error:
        spent = time.process_time() - began
        return Row(items, spent, 0, 0, 0.0, error.diagnostics[0].code)
    spent = time.process_time() - began
    segments = sum(c.found.warps * c.found.segments for c in classes)
    assumed = sum(c.found.warps * c.assumed_events for c in classes)
    warps = sum(c.found.warps for c in classes)
    return Row(items, spent, len(classes), warps, assumed / max(segments, 1), "")


def main(words: Sequence[str] | None = None) -> None:
    """Print a row for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="workloads; all without")
    parser.add_argument("--items", default="16,24,30", help="powers of two (default: %(default)s)")
    given = parser.parse_args(words)
    powers = [int(word) for word in given.items.split(",")]
    print("| kernel | " + " | ".join(f"2^{p}" for p in powers) + " | assumed |")
    print("|---" * (len(powers) + 2) + "|")
    for name in given.names or WORKLOADS:
        file = load_workload_file(Path(KERNELS) / name / "kernel.toml")
        unit = engine.compiled(name)
        for kernel in unit.kernels:
            if kernel.name not in file.launches:
                continue
            rows, star, assumed = list[str](), "", ""
            for power in powers:
                launch, alone = launch_of(file, kernel, unit.module, 1 << power)
                star = " *" if alone else ""
                if isinstance(launch, DiagnosticError):
                    rows.append(launch.diagnostics[0].code)
                    continue
                row = measure(name, kernel, launch, 1 << power)
                rows.append(row.text)
                if not row.failure:
                    assumed = f"{100 * row.assumed:.0f} %"
            print(
                f"| {name}: {kernel.name}{star} | " + " | ".join(rows) + f" | {assumed} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
