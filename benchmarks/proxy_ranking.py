"""Whether miniatures rank designs as their originals do.

16 designs around one GPU: a half fraction of the factorial of five choices (the fifth is the
product of the other four), each simulated with original and miniature; Kendall's tau-b between the
two orders of time, and whether the best design is the same.

    python -m benchmarks.proxy_ranking [--journal proxies.jsonl | --reduction 4 | --others] NAME ...

``--others`` takes the smallest miniature, one or two, that is within 5 % on four designs of the
other half of the factorial, with each pair of sizes of L1 and L2.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.proxies import BOUND, LARGEST, MOST_BLOCKS
from benchmarks.proxy_journal import Journal
from benchmarks.proxy_subjects import SIZE, entries, subject_of
from benchmarks.proxy_tables import Measured, said_of
from kcc.base.gpu import load_gpu
from kcc.stages.host import HostSettings, user_cache_dir
from kcc.stages.proxy_check import simulate_run, trace_run
from kcc.stages.proxy_search import Bench
from kcc.stages.synth import Study, study_script
from kcc.synth.comparison.behaviour import Pair
from kcc.synth.reduction.reductions import Reduction, largest_blocks, largest_factors

WAY = "twins"
"""What is taken from a journal: the smallest of one miniature or two within 5 % on conf1 to 4."""

CHOICES = (
    ("l1.size_bytes", ("16384", "131072")),
    ("l2.size_bytes", ("524288", "6291456")),
    ("l1.mshr", ("16", "256")),
    ("scheduler", ("loose-round-robin", "greedy-then-oldest")),
)


DESIGNS = 16


def designs(sms: tuple[str, str]) -> list[list[str]]:
    """The 16 sets of overrides; ``sms`` are the two numbers of SMs."""
    choices = (("sm_count", sms), *CHOICES)
    found = list[list[str]]()
    for levels in itertools.product((0, 1), repeat=4):
        last = sum(levels) % 2
        found.append(
            [f"{key}={values[level]}"
             for (key, values), level in zip(choices, (*levels, last), strict=True)]
        )  # fmt: skip
    return found


OTHERS = ((0, 0, 0, 1), (1, 0, 1, 0), (1, 1, 0, 0), (0, 1, 1, 1))
"""Levels of the first four choices in designs that are none of the 16."""


def other_designs(sms: tuple[str, str]) -> list[list[str]]:
    """Four designs of the other half, where the fifth choice is the other one."""
    choices = (("sm_count", sms), *CHOICES)
    return [
        [f"{key}={values[level]}"
         for (key, values), level in zip(choices, (*levels, 1 - sum(levels) % 2), strict=True)]
        for levels in OTHERS
    ]  # fmt: skip


def tau(one: Sequence[float], two: Sequence[float]) -> float:
    """Kendall's tau-b."""
    both = ties_one = ties_two = 0
    pairs = list(itertools.combinations(range(len(one)), 2))
    for a, b in pairs:
        first, second = _sign(one[a] - one[b]), _sign(two[a] - two[b])
        both += first * second
        ties_one += first == 0
        ties_two += second == 0
    scale = ((len(pairs) - ties_one) * (len(pairs) - ties_two)) ** 0.5
    return both / scale if scale else 0.0


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def main() -> int:
    """Print a row for each workload."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="+")
    parser.add_argument("--journal", type=Path, help="of benchmarks.proxies: what auto found there")
    parser.add_argument("--reduction", type=int, default=4, help="without a journal")
    parser.add_argument("--others", action="store_true", help="found on designs beside the 16")
    parser.add_argument("--gpu", default="v100")
    parser.add_argument("--sms", nargs=2, default=["16", "64"])
    arguments = parser.parse_args()
    journal = Journal(arguments.journal) if arguments.journal else None
    sms = tuple(arguments.sms)
    sets = [*designs(sms), *(other_designs(sms) if arguments.others else ())]
    gpus = [load_gpu(arguments.gpu, overrides) for overrides in sets]
    settings = HostSettings(cache_dir=user_cache_dir())
    for entry in entries():
        if entry.workload not in arguments.names:
            continue
        with subject_of(entry, settings) as subject, tempfile.TemporaryDirectory() as folder:
            study = study_script(subject.script, Study((), subject.launches), settings, size=SIZE)
            traced = trace_run(
                subject.script, Path(folder) / "o.kct", settings, size=SIZE,
                launches=subject.launches,
            )  # fmt: skip
            originals = [simulate_run(traced, gpu) for gpu in gpus]
            bench = Bench(study, gpus, originals, settings, Path(folder))
            factors = largest_factors(study.kernels, study.launches, arguments.reduction)
            reduction, twins, said = Reduction(factors), False, f"trips {arguments.reduction}"
            if journal is not None:
                measured = Measured(entry.workload, journal)
                reduction = measured.reduction(WAY) or reduction
                twins, said = measured.is_two(WAY), measured.named(WAY)
            if arguments.others:
                reduction, twins = _within_bound(bench)
                said = said_of(reduction, twins=twins)
            pairs = [bench.pair(reduction, n, twins=twins) for n in range(DESIGNS)]
        row = (entry.workload, entry.kernel, said, *compared(pairs))
        sys.stdout.write(f"| {' | '.join(row)} |\n")
        sys.stdout.flush()
    return 0


def _within_bound(bench: Bench) -> tuple[Reduction, bool]:
    """The smallest miniature, one or two, that is within 5 % on the GPUs behind the 16."""
    study = bench.study
    least, most = (
        Reduction(largest_factors(study.kernels, study.launches, limit)) for limit in (1, LARGEST)
    )
    most = replace(most, blocks=largest_blocks(study.kernels, study.launches, MOST_BLOCKS))
    on = range(DESIGNS, len(bench.gpus))
    return bench.smallest(least, most, BOUND / 100, twins=True, on=on)


def compared(pairs: Sequence[Pair]) -> tuple[str, str, str]:
    """Speed-up in instructions, tau, and whether the best design is the same."""
    one, two = [x.original.ipc for x in pairs], [x.miniature.own_ipc for x in pairs]
    best = one[max(range(len(pairs)), key=lambda n: two[n])]
    same = best >= max(one) * 0.9999
    lost = 1 - best / max(one)
    speed = f"{pairs[0].instruction_speedup:.1f} x"
    return speed, f"{tau(one, two):.2f}", "same" if same else f"{100 * lost:.1f} % slower"


if __name__ == "__main__":
    sys.exit(main())
