"""Traces for the page on phases: the twelve workloads of the page on sampling, some smaller.

python -m benchmarks.phases_traces FOLDER [--workloads bfs,cfd] [--inputs]

writes NAME.kct; --inputs: NAME-SEED.kct for the four workloads whose seeds are other graphs
(kernels/README.md: seed % 4), smaller, and seed 4, which is a graph of the same kind as that of
seed 0; NAME-half.kct and NAME-double.kct for workloads of other sizes. What is there is not made
again.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

KERNELS = Path(__file__).parents[1] / "kernels"


@dataclass(frozen=True, slots=True)
class Traced:
    """A workload at size large, with ``sizes`` of its kernel.toml changed, and only ``launches``
    of it ("": all); ``settings`` of the GPU it is simulated on."""

    name: str
    sizes: str = ""
    launches: str = ""
    settings: tuple[str, ...] = ()


SMALL = ("sm_count=2",)
WORKLOADS = (
    Traced("blackscholes"),
    Traced("cfd"),
    Traced("convolution"),
    Traced("bfs"),
    Traced("hotspot", launches="0-12"),
    Traced("lbm", launches="0-3"),
    Traced("sssp", "nodes = 131072, edges = 1048576", settings=SMALL),
    Traced("mst", "nodes = 65536, edges = 524288", settings=SMALL),
    Traced("spmv", "dim = 32768, nonzeros = 1048576", settings=SMALL),
    Traced("kmeans", "npoints = 16384", settings=SMALL),
    Traced("streamcluster", "num = 16384, candidates = 40", settings=SMALL),
    Traced("gridding", "n = 524288, grid = 512", settings=SMALL),
)
"""Of those of more than 10^8.3 warp instructions: a few of many launches that are alike, or a
smaller problem on two SMs, so that launches still have as many fillings of the GPU."""

INPUTS = (
    *(w for w in WORKLOADS if w.name in ("sssp", "mst", "spmv")),
    Traced("bfs", "nodes = 262144, edges = 1572864", settings=SMALL),
)
SEEDS = (0, 1, 2, 3, 4)
SIZES = (
    ("sssp-half", Traced("sssp", "nodes = 65536, edges = 524288", settings=SMALL)),
    ("sssp-double", Traced("sssp", "nodes = 262144, edges = 2097152", settings=SMALL)),
    ("mst-half", Traced("mst", "nodes = 32768, edges = 262144", settings=SMALL)),
    ("mst-double", Traced("mst", "nodes = 131072, edges = 1048576", settings=SMALL)),
    ("spmv-half", Traced("spmv", "dim = 16384, nonzeros = 524288", settings=SMALL)),
    ("spmv-double", Traced("spmv", "dim = 65536, nonzeros = 2097152", settings=SMALL)),
    ("kmeans-half", Traced("kmeans", "npoints = 8192", settings=SMALL)),
    ("kmeans-double", Traced("kmeans", "npoints = 32768", settings=SMALL)),
    ("streamcluster-half", Traced("streamcluster", "num = 8192, candidates = 40", settings=SMALL)),
    ("gridding-half", Traced("gridding", "n = 262144, grid = 512", settings=SMALL)),
)
"""Other sizes of workloads above; units are cut of about the same work."""
TIMES = {"half": 0.5, "double": 2.0}


def traced_as(stem: str) -> Traced:
    """What the trace NAME, NAME-SEED or NAME-SIZE is of."""
    name, _, which = stem.partition("-")
    others = INPUTS if which.isdecimal() else [own for label, own in SIZES if label == stem]
    return next(w for w in (*others, *WORKLOADS) if w.name == name)


def trace(traced: Traced, seed: int, target: Path) -> None:
    """Write the trace, unless it is there."""
    if target.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / traced.name
        shutil.copytree(KERNELS / traced.name, own)
        described = own / "kernel.toml"
        described.write_text(resized(described.read_text("utf-8"), traced.sizes), "utf-8")
        command = [sys.executable, "-P", "-m", "kcc", "trace", str(own / "workload.py")]
        command += ["--size", "large", "--seed", str(seed), "--workers", "1", "-o", str(target)]
        command += ["--launches", traced.launches] if traced.launches else []
        subprocess.run(command, check=True)


def resized(text: str, sizes: str) -> str:
    """A kernel.toml whose size large has these numbers instead."""
    for name, value in re.findall(r"(\w+) = (\d+)", sizes):
        text, found = re.subn(rf"(?m)^(large = .*\b{name} = )\d+", rf"\g<1>{value}", text)
        if not found:
            raise ValueError(f"no '{name}' in size large")
    return text


def main() -> None:
    """Trace what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workloads", default="")
    parser.add_argument("--inputs", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    wanted: list[str] = arguments.workloads.split(",") if arguments.workloads else []
    jobs = [(one.name, one, 0) for one in WORKLOADS]
    if arguments.inputs:
        jobs = [(f"{one.name}-{seed}", one, seed) for one in INPUTS for seed in SEEDS]
        jobs += [(label, one, 0) for label, one in SIZES]
    for label, one, seed in jobs:
        if not wanted or one.name in wanted or label in wanted:
            trace(one, seed, arguments.folder / f"{label}.kct")


if __name__ == "__main__":
    main()
