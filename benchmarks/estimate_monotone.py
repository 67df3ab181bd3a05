"""More of anything is not slower: estimates of all kernels on GPUs that have a little more.

    python -m benchmarks.estimate_monotone [--only nbody] [--size small]

Every kernel of kernels/ that has an estimate, on two GPUs and on the same GPUs with more SMs, a
higher clock, more bandwidth, a larger L2 and a larger L1, each alone. Prints what is slower by more
than 2 %.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from kcc.base.gpu.loading import load_gpu
from kcc.cli import main as kcc

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
GPUS = ("nvidia-tesla-v100-pcie-16gb", "nvidia-geforce-rtx-3090")
LIMIT = 1.02

CHANGES: Mapping[str, float] = {
    "sm_count": 1.25,
    "core_clock_boost_mhz": 1.1,
    "memory_bandwidth_gbs": 1.25,
    "l2.size_bytes": 2.0,
    "l1.size_bytes": 1.5,
}
"""By how much of what a GPU has more."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A kernel on a GPU, and on the same GPU with more of something; in microseconds."""

    kernel: str
    gpu: str
    more: str
    before: float
    after: float

    @property
    def slower(self) -> bool:
        """By more than rounding and the choice of samples explain."""
        return self.after > LIMIT * self.before


def variants(folder: Path, gpu: str) -> Iterator[tuple[str, Path]]:
    """A file for each change of a GPU, by the key that changes."""
    description = load_gpu(gpu, [])
    for key, by in CHANGES.items():
        outer, _, inner = key.rpartition(".")
        lines = [f"inherits: {gpu}", *([f"{outer}:"] if outer else [])]
        for name in (inner, "unified_bytes") if outer == "l1" else (inner,):
            fact = getattr(getattr(description, outer) if outer else description, name)
            more = type(fact.value)(fact.value * by)
            indent = "  " if outer else ""
            lines.append(f"{indent}{name}: {{value: {more}, source: more of it, quality: user}}")
        path = folder / f"{gpu}-{key.replace('.', '-')}.yaml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield key, path


def pairs(source: Path, size: str, folder: Path) -> Iterator[Pair]:
    """All kernels of a source, each with each change; nothing for what has no estimate."""
    names = dict[str, tuple[str, str]]()
    for gpu in GPUS:
        names |= {str(path): (gpu, key) for key, path in variants(folder, gpu)}
    chosen = [part for name in (*GPUS, *names) for part in ("--gpu", name)]
    target = folder / "estimates.json"
    with redirect_stdout(io.StringIO()):
        code = kcc(["estimate", str(source), "--size", size, *chosen, "--json", str(target)])
    if code:
        return
    entries = json.loads(target.read_text())["estimates"]
    times = {(e["configuration"]["kernel"], e["gpu"]): e["time_us"] for e in entries}
    for (kernel, name), after in times.items():
        gpu, more = names.get(name, ("", ""))
        before = times.get((kernel, gpu))
        if before and after:
            yield Pair(f"{source.parent.name}/{kernel}", gpu, more, before, after)


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", default="", help="folders of kernels/ whose name holds this")
    parser.add_argument("--size", default="small")
    arguments = parser.parse_args()
    found = list[Pair]()
    for source in sorted(KERNELS.glob("*/*.cl")):
        if arguments.only in source.parent.name:
            with tempfile.TemporaryDirectory() as folder:
                new = list(pairs(source, arguments.size, Path(folder)))
            found += new
            for pair in new:
                if pair.slower:
                    print(f"{pair.kernel} on {pair.gpu}, {pair.more} x{CHANGES[pair.more]:g}: "
                          f"{pair.before:.4g} us to {pair.after:.4g} us", flush=True)  # fmt: skip
    kernels = len({pair.kernel for pair in found})
    wrong = sum(pair.slower for pair in found)
    print(f"{kernels} kernels, {len(found)} pairs, {wrong} slower by more than 2 %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
