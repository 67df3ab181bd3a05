"""Estimates against the cycle-level model, on the same kernels, launches and GPU.

    python -m benchmarks.model_agreement [--gpu v100] [--size small] [--folder FOLDER]

Neither model has seen the other: `kcc estimate` looks at a kernel's source; `kcc trace FILE.cl`
makes a trace of the same launch, which `kcc simulate --cold` runs. Kernels of kernels/ of which
memory decides something are counted and left out, since both assume what they do not know, each
its own. Where the models are far apart, one of them lacks something. What is in the folder
is not made again.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kcc.cli import main as kcc

KERNELS = Path(__file__).parents[1] / "kernels"


@dataclass(frozen=True, slots=True)
class Pair:
    """Cycles of a kernel without what a launch takes to begin, estimated and simulated."""

    workload: str
    kernel: str
    estimated: float
    simulated: float
    limiter: str
    mostly: str
    is_sure: bool

    @property
    def ratio(self) -> float:
        return self.estimated / self.simulated


def main() -> int:
    """Print a row for each kernel, and how far the models are apart."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--gpu", default="v100")
    parser.add_argument("--size", default="small")
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = arguments.folder
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        pairs = [
            pair
            for source in sorted(KERNELS.glob("*/*.cl"))
            for pair in _pairs(source, arguments.gpu, arguments.size, folder)
        ]
    _print(pairs)
    return 0


def _pairs(source: Path, gpu: str, size: str, folder: Path) -> Iterator[Pair]:
    name = source.stem
    trace, simulated = folder / f"{name}-{size}.kct", folder / f"{name}-{size}-{gpu}-simulated.json"
    estimated = folder / f"{name}-{size}-{gpu}-estimated.json"
    _make(trace, ["trace", str(source), "--size", size, "-o", str(trace)])
    _make(simulated, ["simulate", str(trace), "--gpu", gpu, "--cold", "--json", str(simulated)])
    _make(
        estimated,
        ["estimate", str(source), "--size", size, "--gpu", gpu, "--json", str(estimated)],
    )
    if not simulated.exists() or not estimated.exists():
        print(f"{name}: no trace or no estimate", file=sys.stderr)
        return
    launches: dict[str, Any] = {}
    for launch in json.loads(simulated.read_text(encoding="utf-8"))["launches"]:
        launches.setdefault(launch["kernel"], launch)
    for each in json.loads(estimated.read_text(encoding="utf-8"))["estimates"]:
        kernel = each["configuration"]["kernel"]
        if each["time_us"] and kernel in launches:
            yield _pair(name, kernel, each, launches[kernel])


def _make(path: Path, command: Sequence[str]) -> None:
    if not path.exists():
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            kcc(list(command))


def _pair(name: str, kernel: str, estimate: Any, launch: Any) -> Pair:
    sure = estimate["confidence"]
    begin = estimate["cpi_stack"]["launch"] / estimate["cpi"]
    schedulers = sum(launch["cpi_stack"].values()) / launch["cycles"]
    return Pair(
        name, kernel, estimate["cycles"] * (1 - begin),
        launch["cycles"] - launch["cpi_stack"]["launch"] / schedulers,
        estimate["limiter"], launch["limiter"],
        not sure["assumed_share"] and not sure["accesses_without_addresses"],
    )  # fmt: skip


def _print(pairs: Sequence[Pair]) -> None:
    sure = sorted((pair for pair in pairs if pair.is_sure), key=lambda pair: pair.ratio)
    print("| workload | kernel | estimated | simulated | ratio | limiter | cycles go mostly to |")
    print("|---|---|---|---|---|---|---|")
    for pair in sure:
        print(
            f"| {pair.workload} | {pair.kernel} | {pair.estimated:,.0f} | {pair.simulated:,.0f} "
            f"| {pair.ratio:.2f} | {pair.limiter} | {pair.mostly} |"
        )
    apart = [abs(pair.ratio - 1) for pair in sure]
    print(
        f"\n{len(sure)} kernels ({len(pairs) - len(sure)} more have something assumed): "
        f"{100 * statistics.mean(apart):.1f} % apart in the mean, "
        f"{100 * statistics.median(apart):.1f} % in the median"
    )


if __name__ == "__main__":
    sys.exit(main())
