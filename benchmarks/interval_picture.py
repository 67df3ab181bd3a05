"""The picture of docs/explanation/interval.md: CPI stacks of three kernels over the warps of an SM.

As the dissertation's figure 33: a coalesced, a half divergent and a fully divergent kernel on
gpumech-table7 with 8 to 48 warps, and on top what the cycle-level model says.

    python -m benchmarks.interval_picture [--traces DIR] [-o docs/images/interval-stacks.svg]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.interval_bench import GPU, Bench
from kcc.base.gpu.loading import load_gpu
from kcc.report.exploration.stack_chart import WIDTH, StackBar, chart_height, stack_chart
from kcc.report.shared.markup import Markup, join, tag, void
from kcc.sim.interval.explore import settings_of
from kcc.sim.interval.options import Options

WARPS = ("8", "16", "24", "32", "40", "48")
KERNELS = {
    "vecadd": "vecadd: coalesced, one line per access",
    "spmv_csr_vector_kernel": "spmv_csr_vector: half divergent, five lines per access",
    "transpose_naive": "transpose_naive: stores to 32 lines each",
}


def bars(bench: Bench, kernel: str) -> list[StackBar]:
    """A bar for each number of warps: cycles per instruction of an SM."""
    subject = next(s for s in bench.subjects if s.kernel == kernel)
    found = list[StackBar]()
    for warps in WARPS:
        settings = settings_of(load_gpu(GPU, []), "warps", warps)
        t = bench.predict(subject, settings, Options())
        measured = bench.cycle(subject, settings)
        parts = {part.name: part.cycles / t.issued for part in t.stack}
        found.append(StackBar(f"{warps} warps", parts, measured.cycles * t.schedulers / t.issued))
    return found


def picture(bench: Bench) -> Markup:
    """One chart above the other."""
    charts, total = list[Markup](), 0
    for kernel, words in KERNELS.items():
        own = bars(bench, kernel)
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
    parser.add_argument("-o", dest="output", type=Path,
                        default=Path("docs/images/interval-stacks.svg"))  # fmt: skip
    arguments = parser.parse_args()
    bench = Bench(arguments.traces, arguments.journal)
    arguments.output.write_text(picture(bench) + "\n", encoding="utf-8")
    for kernel in KERNELS:
        for bar in bars(bench, kernel):
            print(f"{kernel} {bar.label}: {bar.total:.2f}, cycle by cycle {bar.checked:.2f}")


if __name__ == "__main__":
    main()
