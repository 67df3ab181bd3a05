"""Hit rates of `kcc memory FILE.cl` beside those of `kcc estimate --cache-trials`, both from the
source alone.

    python -m benchmarks.memory_estimates [--gpu NAME] [--trials N] [--size small]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
KERNELS = (
    ("matmul/matmul.cl", "matmul_naive"), ("matmul/matmul.cl", "matmul_tiled"),
    ("stencil3d/stencil3d.cl", "naive_kernel"), ("stencil3d/stencil3d.cl", "block2D_reg_tiling"),
    ("transpose/transpose.cl", "transpose_naive"), ("transpose/transpose.cl", "transpose_tiled"),
    ("hotspot/hotspot.cl", "hotspot"), ("fft/fft.cl", "fft_radix2_pass"),
    ("blackscholes/blackscholes.cl", "BlackScholes"), ("vecadd/vecadd.cl", "vecadd"),
    ("convolution/convolution.cl", ""), ("backprop/backprop.cl", ""),
)  # fmt: skip
READS = ("load", "constant")


def main() -> None:
    """Print a row for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", default="c2050-baghsorkhi")
    parser.add_argument("--trials", type=int, default=8)
    parser.add_argument("--size", default="small")
    arguments = parser.parse_args()
    print("| kernel | L1 memory | L1 estimate | L2 memory | L2 estimate |")
    print("|---|---:|---:|---:|---:|")
    for source, kernel in KERNELS:
        words = [str(ROOT / "kernels" / source), "--gpu", arguments.gpu, "--size", arguments.size]
        words += ["--kernel", kernel] if kernel else []
        memory = _document("memory", *words, "--trials", str(arguments.trials))
        estimates = _document("estimate", *words, "--cache-trials", str(arguments.trials))
        if memory is None or estimates is None:
            print(f"| {source} {kernel} | not possible | | | |")
            continue
        for launch in memory["gpus"][0]["launches"]:
            own = [
                e
                for e in estimates["estimates"]
                if e["configuration"]["kernel"] == launch["kernel"]
            ]
            if own and own[0].get("caches"):
                cells = " | ".join(_cells(launch, own[0]["caches"]))
                print(f"| {launch['kernel']} | {cells} |", flush=True)


def _document(command: str, *words: str) -> Any:
    call = [sys.executable, "-P", "-m", "kcc", command, *words, "--json", "-"]
    done = subprocess.run(call, check=False, capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else None


def _cells(launch: Any, caches: Any) -> list[str]:
    """Rates of both; those of the estimate weighted by the executions that the other counted."""
    weights = {(a["line"], a["array"], a["op"]): a["executed"] for a in launch["accesses"]}
    wanted = hits = asked = l2_hits = 0.0
    for each in caches:
        if each["op"] not in READS or each["cache"] != "l1":
            continue
        sectors = each["sectors"] * weights.get((each["line"], each["array"], each["op"]), 0.0)
        wanted += sectors
        hits += sectors * each["hits"]["mean"]
        missed = sectors * (1 - each["hits"]["mean"])
        asked += missed
        l2_hits += missed * each["l2_hits"]["mean"]
    return [
        _of(launch["l1_read_hit_rate"]), f"{100 * hits / wanted:.1f}" if wanted else "-",
        _of(launch["l2_read_hit_rate"]), f"{100 * l2_hits / asked:.1f}" if asked else "-",
    ]  # fmt: skip


def _of(rate: Any) -> str:
    return "-" if rate is None else f"{100 * rate['mean']:.1f} ±{200 * rate['deviation']:.1f}"


if __name__ == "__main__":
    main()
