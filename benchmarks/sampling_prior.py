"""How much launches and epochs of a kernel vary in full simulations: the prior of their variances.

Of traces of all kernels but those that `benchmarks.sampling` measures, so that these stay unseen:

    for w in kernels/*/workload.py: kcc trace $w --size small -o traces/NAME.kct
    python -m benchmarks.sampling_prior --traces traces [--gpu v100 --gpu macsim-fermi-tbpoint]

Prints each kernel's relative variance between launches of a cluster (without the first of the
kernel) and between neighbouring epochs of a launch, and the prior by moments of their logarithms
(Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004, section 6.2).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

import numpy as np

from benchmarks.sampling import WORKLOADS
from kcc.base.gpu import load_gpu
from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.reader import TraceFile, open_trace
from kcc.sim.cycle.launch import CycleSimulator
from kcc.sim.sampling.block_profile import LaunchProfile, profile_launch
from kcc.sim.sampling.feeding import LaunchRun
from kcc.sim.sampling.inter_launch import cluster_launches
from kcc.sim.sampling.observe import Window, estimate_stratum
from kcc.sim.sampling.plan import Stratum
from kcc.sim.sampling.regions import cluster_epochs, epochs_of
from kcc.sim.sampling.two_stage import Part, pool

LEAST = 1e-8
"""A relative variance of less is taken as this: cycles are whole numbers."""
MOST_INSTRUCTIONS = 100_000_000


@dataclass(frozen=True, slots=True)
class Varied:
    """A kernel's relative variance, with its degrees of freedom."""

    kernel: str
    variance: float
    freedom: float


def full(
    trace: TraceFile, profiles: Sequence[LaunchProfile], gpu: GpuDescription
) -> tuple[list[int], dict[str, list[Part]]]:
    """Cycles of each launch, and of each kernel what its epochs vary."""
    simulator = CycleSimulator(gpu, None)
    cycles, epochs = list[int](), dict[str, list[Part]]()
    for launch, profile in zip(trace.launches, profiles, strict=True):
        run = LaunchRun(simulator, launch)
        cut = epochs_of(profile, run.occupancy)
        labels = cluster_epochs(cut)
        windows, before, blocks = list[Window](), run.snapshot(), launch.launch.thread_blocks
        for epoch, first in enumerate(range(0, blocks, cut.size)):
            after = run.simulate(first, min(first + cut.size, blocks))
            windows.append(Window(0, epoch, after.since(before)))
            before = after
        cycles.append(int(run.finish()[0].cycles))
        for label in sorted(set(labels.tolist())):
            own = [w for w in windows[2:-2] if labels[w.epoch] == label]
            if len(own) > 1:
                stratum = Stratum(label, tuple(w.epoch for w in own), 1)
                found = estimate_stratum(stratum, own, 1.0)
                part = Part(found.relative_variance, found.freedom)
                epochs.setdefault(profile.kernel, []).append(part)
    return cycles, epochs


def between(profiles: Sequence[LaunchProfile], cycles: Sequence[int]) -> Iterator[Varied]:
    """Of the launches of a kernel, without its first."""
    seen, parts = set[str](), dict[str, list[Part]]()
    for cluster in cluster_launches(profiles):
        own = list(cluster.members)
        if cluster.kernel not in seen:
            seen.add(cluster.kernel)
            own = own[1:]
        if len(own) < 2:
            continue
        work = np.array([float(profiles[n].warp_instructions.sum()) for n in own])
        took = np.array([float(cycles[n]) for n in own])
        residuals = (took - took.sum() / work.sum() * work) / took.mean()
        part = Part(float((residuals**2).sum()) / (len(own) - 1), len(own) - 1)
        parts.setdefault(cluster.kernel, []).append(part)
    for kernel, found in parts.items():
        both = pool(found)
        yield Varied(kernel, both.variance, both.freedom)


def prior(found: Sequence[Varied]) -> tuple[float, float]:
    """Deviation and degrees of freedom: Smyth, section 6.2."""
    from scipy.optimize import brentq
    from scipy.special import digamma, polygamma

    freedom = np.array([one.freedom for one in found])
    logs = np.log([max(one.variance, LEAST) for one in found])
    moments = logs - digamma(freedom / 2) + np.log(freedom / 2)
    excess = float(moments.var(ddof=1) - polygamma(1, freedom / 2).mean())
    own = 2 * brentq(lambda x: float(polygamma(1, x)) - excess, 1e-3, 1e6)
    square = exp(float(moments.mean()) + float(digamma(own / 2)) - log(own / 2))
    return square**0.5, own


def main() -> None:
    """Simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--gpu", action="append")
    parser.add_argument("--set", dest="overrides", action="append", default=[])
    parser.add_argument("--most", type=int, default=MOST_INSTRUCTIONS, help="instructions of one")
    arguments = parser.parse_args()
    launches, epochs = list[Varied](), list[Varied]()
    for name in arguments.gpu or ["v100", "macsim-fermi-tbpoint"]:
        gpu = load_gpu(name, arguments.overrides)
        for path in sorted(arguments.traces.glob("*.kct")):
            if path.stem in WORKLOADS:
                continue
            with open_trace(path) as trace:
                profiles = [profile_launch(one) for one in trace.launches]
                if sum(int(p.warp_instructions.sum()) for p in profiles) > arguments.most:
                    continue
                cycles, varied = full(trace, profiles, gpu)
            own = list(between(profiles, cycles))
            launches += own
            pooled = {kernel: pool(parts) for kernel, parts in varied.items()}
            epochs += [Varied(k, one.variance, one.freedom) for k, one in pooled.items()]
            for word, rows in (("launches", own), ("epochs", epochs[-len(pooled) :])):
                for one in rows if pooled or word == "launches" else ():
                    sys.stdout.write(
                        f"{name:<22}{path.stem:<18}{one.kernel:<28}{word:<10}"
                        f"{100 * one.variance**0.5:8.3f} %{one.freedom:8.1f}\n"
                    )
            sys.stdout.flush()
    for word, found in (("launches", launches), ("epochs", epochs)):
        deviation, freedom = prior(found)
        sys.stdout.write(
            f"{word}: {len(found)} kernels, deviation {100 * deviation:.2f} %, "
            f"{freedom:.2f} degrees of freedom\n"
        )


if __name__ == "__main__":
    main()
