"""The picture of docs/explanation/interval.md: CPI stacks of three kernels over an SM's warps.

The dissertation's figure 33 on our sources of its kernels: the step factor of cfd (coalesced), the
flux (half divergent) and the transposition of kmeans (divergent), on gpumech-table7 with 8 to 48
warps; the line is the cycle-level model. With --model gpumech the bars are the text's model.

    python -m benchmarks.interval_picture [--traces DIR] [-o docs/images/interval-stacks.svg]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.interval_bench import GPU, ROOT, Bench, Subject
from kcc.base.gpu.loading import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.report.exploration.stack_chart import WIDTH, StackBar, chart_height, stack_chart
from kcc.report.shared.markup import Markup, join, tag, void
from kcc.sim.interval.explore import settings_of
from kcc.sim.interval.options import Model, Options

WARPS = ("8", "16", "24", "32", "40", "48")
KERNELS = {
    "compute_step_factor": "compute_step_factor (cfd): coalesced, one line per access",
    "compute_flux": "compute_flux (cfd): half divergent, gathers from neighbours",
    "kmeans_swap": "kmeans_swap (kmeans): each lane's loads in a row of its own",
}
TRACES: Mapping[str, Sequence[str]] = {
    "cfd": ["kernels/cfd/workload.py", "--size", "large"],
    "kmeans": ["kernels/kmeans/kmeans.cl", "--kernel", "kmeans_swap", "--size", "npoints=131072"],
}
"""Launches that fill the GPU several times."""


def subject_of(bench: Bench, kernel: str) -> Subject:
    """The first launch of a kernel in a trace that is made if it is not there."""
    for name, words in TRACES.items():
        path = bench.traces / f"{name}-figure33.kct"
        if not path.exists():
            bench.traces.mkdir(parents=True, exist_ok=True)
            command = [sys.executable, "-m", "kcc", "trace", *words, "-o", str(path)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
        with open_trace(str(path)) as file:
            for number, launch in enumerate(file.launches):
                if launch.tables.kernel == kernel:
                    return Subject(path.stem, kernel, number, is_divergent=False)
    raise ValueError(f"no launch of {kernel}")


def bars(bench: Bench, kernel: str, model: Model) -> list[StackBar]:
    """A bar for each number of warps: cycles per instruction of an SM."""
    subject = subject_of(bench, kernel)
    found = list[StackBar]()
    for warps in WARPS:
        settings = settings_of(load_gpu(GPU, []), "warps", warps)
        t = bench.predict(subject, settings, Options(model))
        measured = bench.cycle(subject, settings)
        parts = {part.name: part.cycles / t.issued for part in t.stack}
        found.append(StackBar(f"{warps} warps", parts, measured.cycles * t.schedulers / t.issued))
    return found


def picture(bench: Bench, model: Model) -> Markup:
    """One chart above the other."""
    charts, total = list[Markup](), 0
    for kernel, words in KERNELS.items():
        own = bars(bench, kernel, model)
        chart = stack_chart(own, f"{words} (CPI of an SM)")
        charts.append(tag("g", chart, transform=f"translate(0 {total})"))
        total += chart_height(own)
    return tag(
        "svg", void("rect", width=WIDTH, height=total, fill="#ffffff"), join(*charts),
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {total}", width=WIDTH,
        height=total,
    )  # fmt: skip


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description="the picture of docs/explanation/interval.md")
    parser.add_argument("--traces", type=Path, default=Path("/tmp/kcc-interval"))
    parser.add_argument("--journal", type=Path, default=Path("/tmp/kcc-interval.csv"))
    parser.add_argument("--model", type=Model, choices=list(Model), default=Model.SCHEDULE)
    parser.add_argument("-o", dest="output", type=Path,
                        default=Path("docs/images/interval-stacks.svg"))  # fmt: skip
    arguments = parser.parse_args()
    bench = Bench(arguments.traces, arguments.journal)
    arguments.output.write_text(picture(bench, arguments.model) + "\n", encoding="utf-8")
    for kernel in KERNELS:
        for bar in bars(bench, kernel, arguments.model):
            print(f"{kernel} {bar.label}: {bar.total:.2f}, cycle by cycle {bar.checked:.2f}")


if __name__ == "__main__":
    main()
