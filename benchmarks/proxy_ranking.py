"""Whether miniatures rank designs as their originals do.

16 designs around one GPU: a half fraction of the factorial of five choices (the fifth is the
product of the other four), each simulated with original and miniature; Kendall's tau-b between the
two orders of time, and whether the best design is the same.

    python -m benchmarks.proxy_ranking [--reduction 4] NAME ...
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.proxy_subjects import SIZE, entries, subject_of
from kcc.gpu import load_gpu
from kcc.host import HostSettings, user_cache_dir
from kcc.proxy_check import simulate_run, trace_run
from kcc.synth.reductions import largest_factors
from kcc.synthesizing import Study, settle, study_script, write_runnable

CHOICES = (
    ("l1.size_bytes", ("16384", "131072")),
    ("l2.size_bytes", ("524288", "6291456")),
    ("l1.mshr", ("16", "256")),
    ("scheduler", ("loose-round-robin", "greedy-then-oldest")),
)


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
    parser.add_argument("--reduction", type=int, default=4)
    parser.add_argument("--gpu", default="v100")
    parser.add_argument("--sms", nargs=2, default=["16", "64"])
    arguments = parser.parse_args()
    settings = HostSettings(cache_dir=user_cache_dir())
    sms: tuple[str, str] = tuple(arguments.sms)
    for entry in entries():
        if entry.workload not in arguments.names:
            continue
        with subject_of(entry, settings) as subject, tempfile.TemporaryDirectory() as folder:
            chosen = subject.launches
            study = study_script(subject.script, Study((), chosen), settings, size=SIZE)
            factors = largest_factors(study.kernels, study.launches, arguments.reduction)
            settled = settle(study, factors, settings)
            original = trace_run(
                subject.script, Path(folder) / "o.kct", settings, size=SIZE, launches=chosen
            )
            script = write_runnable(settled, Path(folder))
            own = trace_run(str(script), Path(folder) / "m.kct", settings)
            gpus = [load_gpu(arguments.gpu, overrides) for overrides in designs(sms)]
            one = [simulate_run(original, gpu) for gpu in gpus]
            two = [simulate_run(own, gpu) for gpu in gpus]
        rates = [x.ipc for x in one], [x.ipc for x in two]
        best = [max(range(16), key=lambda n, r=r: r[n]) for r in rates]
        same = rates[0][best[1]] >= rates[0][best[0]] * 0.9999
        lost = 1 - rates[0][best[1]] / rates[0][best[0]]
        said = "same" if same else f"{100 * lost:.1f} % slower"
        row = (entry.workload, entry.kernel, str(arguments.reduction), f"{tau(*rates):.2f}", said)
        sys.stdout.write(f"| {' | '.join(row)} |\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
