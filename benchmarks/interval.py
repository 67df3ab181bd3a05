"""The interval model against the cycle-level one: errors, sweeps, miss rates, time.

The launches are those of benchmarks/data/interval_kernels.csv, each with cold caches, on
gpumech-table7. Traces are made when they are missing (`kcc trace kernels/NAME/workload.py --size
small`); what the cycle-level model says is kept in a journal, so that an interrupted run goes on.

    python -m benchmarks.interval [--traces DIR] [--journal FILE] [--part PART ...]

Parts: accuracy, kernels, sweeps, text-machine, text-order, misses, selection, without, others,
what-if, time.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.interval_bench import GPU, LEVELS, Bench, Subject, cache_at, cache_seconds
from kcc.base.gpu.loading import load_gpu
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.interval.explore import Explorer, changes_of, settings_of
from kcc.sim.interval.options import EXTENSIONS, Model, Options, without
from kcc.sim.interval.representative import Selection
from kcc.sim.program import lowering, of_trace
from kcc.sim.program.operations import MachineOperation
from kcc.sim.program.registers import pressure
from kcc.sim.program.schedule import Schedule
from kcc.sim.result import CacheStatistics

RR, GTO = "scheduler=loose-round-robin", "scheduler=greedy-then-oldest"
WARPS = ("8", "16", "32", "48")
MSHRS = ("16", "32", "64", "128")
BANDWIDTHS = ("64", "128", "192", "256")
"""Figures 29, 30 and 31; the text's axes are in pictures, of which 8, 32 and 48 warps and 64 GB/s
are named in words."""

NO_FETCH = ("instruction_cache_bytes=null",)
"""The text models no front end, and finds that it hardly matters."""

MODELS = (Model.NAIVE, Model.MARKOV, Model.MT, Model.MT_MSHR, Model.GPUMECH, Model.SCHEDULE)
LOWEST_MISS_RATE = 0.05
"""Lower ones are left out, as in section 4.6.4."""
GOOD = 0.2


def accuracy(bench: Bench) -> None:
    """Mean and distribution of CPI errors, for all models and both schedulers."""
    for policy in (RR, GTO):
        print(f"\n{policy}: absolute CPI error over {len(bench.subjects)} launches")
        print(
            "| model | mean | median | 90th percentile | largest | under 20 % | divergent: mean |"
        )
        print("|---|---|---|---|---|---|---|")
        for model in MODELS:
            errors = [bench.error(s, [policy], Options(model)) for s in bench.subjects]
            own = [e for e, s in zip(errors, bench.subjects, strict=True) if s.is_divergent]
            print(f"| {model.value} | {_spread(errors)} | {100 * np.abs(own).mean():.1f} % |")
        errors = [bench.error(s, [policy], Options(Model.GPUMECH, printed=True))
                  for s in bench.subjects]  # fmt: skip
        own = [e for e, s in zip(errors, bench.subjects, strict=True) if s.is_divergent]
        print(
            f"| gpumech, (26) as printed | {_spread(errors)} | {100 * np.abs(own).mean():.1f} % |"
        )


def _spread(errors: Sequence[float]) -> str:
    found = 100 * np.abs(np.array(errors))
    return (
        f"{found.mean():.1f} % | {np.median(found):.1f} % | {np.quantile(found, 0.9):.1f} % | "
        f"{found.max():.1f} % | {100 * (found < 100 * GOOD).mean():.0f} %"
    )


def kernels(bench: Bench) -> None:
    """Every launch: cycles, and signed errors of the text's model and ours."""
    print("\n| workload | kernel | divergent | cycles | gpumech | schedule | cycles, GTO | "
          "gpumech | schedule |\n|---|---|---|---|---|---|---|---|---|")  # fmt: skip
    for subject in bench.subjects:
        cells = list[str]()
        for policy in (RR, GTO):
            cells.append(f"{bench.cycle(subject, [policy]).cycles:,.0f}")
            for model in (Model.GPUMECH, Model.SCHEDULE):
                cells.append(f"{100 * bench.error(subject, [policy], Options(model)):+.1f} %")
        mark = "yes" if subject.is_divergent else ""
        print(f"| {subject.workload} | {subject.kernel} | {mark} | {' | '.join(cells)} |")


def sweeps(bench: Bench) -> None:
    """Figures 29 to 31, round-robin."""
    for name, values in (("warps", WARPS), ("mshrs", MSHRS), ("bandwidth", BANDWIDTHS)):
        print(f"\nmean absolute CPI error, {name} (round-robin)")
        print(f"| model | {' | '.join(values)} |\n|---|{'---|' * len(values)}")
        for model in MODELS:
            cells = list[str]()
            for value in values:
                settings = [RR, *settings_of(load_gpu(GPU, []), name, value)]
                errors = [bench.error(s, settings, Options(model)) for s in bench.subjects]
                cells.append(f"{100 * np.abs(errors).mean():.1f} %")
            print(f"| {model.value} | {' | '.join(cells)} |")


def misses(bench: Bench) -> None:
    """The collector's miss rates against the cycle-level model's (section 4.6.4), which would
    count instructions among L2's reads."""
    print("\n| scheduler | cache | launches | mean error | median | mean error in points |")
    print("|---|---|---|---|---|---|")
    for policy in (RR, GTO):
        for level in LEVELS:
            relative, points = list[float](), list[float]()
            for subject in bench.subjects:
                measured = bench.cycle(subject, [policy, *NO_FETCH])
                real = _miss_rate(cache_at((measured.l1, measured.l2), level))
                predicted = bench.predict(subject, [policy, *NO_FETCH], Options())
                found = _miss_rate(cache_at(predicted.caches, level))
                if real is None or found is None:
                    continue
                points.append(100 * abs(found - real))
                if real >= LOWEST_MISS_RATE:
                    relative.append(100 * abs(found / real - 1))
            print(f"| {policy} | {level} | {len(relative)} | {np.mean(relative):.1f} % | "
                  f"{np.median(relative):.1f} % | {np.mean(points):.2f} |")  # fmt: skip


def _miss_rate(cache: CacheStatistics) -> float | None:
    """Pending hits count as misses."""
    return 1 - cache.hits / cache.accesses if cache.accesses else None


def selection(bench: Bench) -> None:
    """Figure 23: how the representative warp is chosen, on launches whose warps differ."""
    print("\n| representative | mean absolute error of gpumech, round-robin | divergent launches |")
    print("|---|---|---|")
    for each in Selection:
        errors = [bench.error(s, [RR], Options(Model.GPUMECH, each)) for s in bench.subjects]
        own = [e for e, s in zip(errors, bench.subjects, strict=True) if s.is_divergent]
        print(f"| {each.value} | {100 * np.abs(errors).mean():.1f} % | "
              f"{100 * np.abs(own).mean():.1f} % |")  # fmt: skip


def ablation(bench: Bench) -> None:
    """Our model without each of its parts."""
    print("\n| without | round-robin: mean | under 20 % | greedy: mean | under 20 % |")
    print("|---|---|---|---|---|")
    for name in ("nothing", *EXTENSIONS):
        options = Options(extensions=without(() if name == "nothing" else (name,)))
        cells = list[str]()
        for policy in (RR, GTO):
            found = np.abs([bench.error(s, [policy], options) for s in bench.subjects])
            cells += [f"{100 * found.mean():.1f} %", f"{100 * (found < GOOD).mean():.0f} %"]
        print(f"| {name} | {' | '.join(cells)} |")


OTHER_GPUS = ("v100", "a100", "rtx3090", "conf1", "macsim-fermi-tbpoint")


def others(bench: Bench) -> None:
    """GPUs that the model was not looked at with while it was first written."""
    print("\n| GPU | launches | schedule: mean | median | under 20 % | gpumech: mean |")
    print("|---|---|---|---|---|---|")
    for gpu in OTHER_GPUS:
        own = Bench(bench.traces, bench.journal.with_name(f"{bench.journal.stem}-{gpu}.csv"), gpu)
        found = np.abs([own.error(s, [], Options()) for s in own.subjects])
        text = np.abs([own.error(s, [], Options(Model.GPUMECH)) for s in own.subjects])
        print(f"| {gpu} | {len(found)} | {100 * found.mean():.1f} % | "
              f"{100 * np.median(found):.1f} % | {100 * (found < GOOD).mean():.0f} % | "
              f"{100 * text.mean():.1f} % |", flush=True)  # fmt: skip


AMPLE_L2 = ("l2.bytes_per_cycle=65536", "l2.queue=65536", "interconnect.flit_bytes=4096")
"""Slices of L2 and the ways to it that are never busy: the text's simulator has latencies there."""

FREE_ROWS = ("dram.timing=RP=1:RCD=1:RC=1",)
LEAST_FILLINGS = 3.0
"""The text's kernels have three times as many thread blocks as the GPU holds, at least."""


TEXT_MACHINES = {
    "table 7": (), "instructions are always there": NO_FETCH,
    "and L2 is never busy": (*NO_FETCH, *AMPLE_L2),
    "and rows of DRAM take no time": (*NO_FETCH, *AMPLE_L2, *FREE_ROWS),
}  # fmt: skip


def text_machine(bench: Bench) -> None:
    """The text's model on a cycle-level machine that is more and more like the text's."""
    long = [s for s in bench.subjects if bench.fillings(s) >= LEAST_FILLINGS]
    _text_table(bench, TEXT_MACHINES, (bench.subjects, long))


def text_order(bench: Bench) -> None:
    """The same on the third of these where operations stay in the order of the IR, as the text's
    simulator has them from a trace of PTX, which no assembler has scheduled: equation 29 takes the
    loads of an interval to wait one after the other, and counts the requests of all for each.
    Iterations of unrolled loops are still ordered together."""

    def as_written(
        rows: Sequence[MachineOperation], blocks: Sequence[Sequence[int]], words: Sequence[int],
        live_out: Sequence[frozenset[int]], _room: int,
    ) -> Schedule:  # fmt: skip
        taken = [
            pressure(rows, tuple(block), words, live)
            for block, live in zip(blocks, live_out, strict=True)
        ]
        return Schedule(tuple(map(tuple, blocks)), tuple(taken))

    of_trace.forget()
    with patch.object(lowering, "schedule", as_written):
        own = Bench(bench.traces, bench.journal.with_name(f"{bench.journal.stem}-order.csv"))
        long = [s for s in own.subjects if own.fillings(s) >= LEAST_FILLINGS]
        name = "and L2 is never busy"
        _text_table(own, {f"{name}, the IR's order": TEXT_MACHINES[name]}, (long,))
    of_trace.forget()


def _text_table(
    bench: Bench, machines: Mapping[str, Sequence[str]], groups: Sequence[Sequence[Subject]]
) -> None:
    kinds = {
        "gpumech": Options(Model.GPUMECH),
        "gpumech, slots filled": Options(Model.GPUMECH, slots_filled=True),
        "mt-mshr, slots filled": Options(Model.MT_MSHR, slots_filled=True),
        "schedule": Options(),
    }
    print("\n| machine | launches | scheduler | " + " | ".join(kinds) + " |")
    print("|---|---|---|" + "---|" * len(kinds))
    for machine, settings in machines.items():
        for subjects in groups:
            for policy in (RR, GTO):
                cells = list[str]()
                for options in kinds.values():
                    errors = [bench.error(s, [policy, *settings], options) for s in subjects]
                    found = 100 * np.array(errors)
                    good = 100 * (np.abs(found) < 100 * GOOD).mean()
                    cells.append(
                        f"{np.abs(found).mean():.1f} % ({found.mean():+.1f}), {good:.0f} %"
                    )
                name = policy.partition("=")[2]
                print(f"| {machine} | {len(subjects)} | {name} | {' | '.join(cells)} |", flush=True)


@dataclass(frozen=True, slots=True)
class Gains:
    """What each change of the GPU gains a launch, by both models."""

    words: list[str]
    predicted: list[float]
    measured: list[float]

    @property
    def first(self) -> int:
        """The change that the interval model names."""
        return int(np.argmax(self.predicted))

    @property
    def best(self) -> float:
        return max(self.measured)

    @property
    def error(self) -> float:
        """Of the predicted gain of the change that is named."""
        return self.predicted[self.first] / self.measured[self.first] - 1

    def but(self, words: str) -> Gains:
        """Without one of the changes."""
        kept = [n for n, each in enumerate(self.words) if each != words]
        return Gains(
            [self.words[n] for n in kept], [self.predicted[n] for n in kept],
            [self.measured[n] for n in kept],
        )  # fmt: skip


NO_GAIN = 1.015
"""Less is none: nothing helps such a launch."""
AS_GOOD = 0.01
"""A change that gains so much less than the best is as good."""
MOST = "2 x SMs"


def what_ifs(bench: Bench) -> None:
    """The first answer of `--what-if` against the cycle-level model on the same list of changes."""
    found = [_gains(bench, subject) for subject in bench.subjects]
    print("\n| changes | launches that gain | first answer is the best | best - its gain, mean | "
          "error of its gain: mean | largest | error of all gains |")  # fmt: skip
    print("|---|---|---|---|---|---|---|")
    for words, gains in (
        ("all", found), (f"without {MOST}", [each.but(MOST) for each in found]),
    ):  # fmt: skip
        gain = [each for each in gains if each.best >= NO_GAIN]
        right = [each.measured[each.first] >= each.best * (1 - AS_GOOD) for each in gain]
        lost = [each.best - each.measured[each.first] for each in gain]
        errors = np.abs([each.error for each in gain])
        every = np.concatenate([np.array(g.predicted) / np.array(g.measured) - 1 for g in gains])
        print(f"| {words} | {len(gain)} | {sum(right)} | {np.mean(lost):.3f} | "
              f"{100 * errors.mean():.1f} % | {100 * errors.max():.1f} % | "
              f"{100 * np.abs(every).mean():.1f} % |")  # fmt: skip
    most = sum(each.words[int(np.argmax(each.measured))] == MOST for each in found)
    print(f"\n'{MOST}' is the best of {most} of {len(found)} launches by the cycle-level model")
    for subject, each in zip(bench.subjects, found, strict=True):
        own = each.but(MOST)
        best = own.words[int(np.argmax(own.measured))]
        if own.best >= NO_GAIN and own.measured[own.first] < own.best * (1 - AS_GOOD):
            print(f"{subject.kernel}: named {own.words[own.first]} "
                  f"({own.predicted[own.first]:.2f}, cycle by cycle {own.measured[own.first]:.2f}),"
                  f" best {best} ({own.best:.2f})")  # fmt: skip


def _gains(bench: Bench, subject: Subject) -> Gains:
    gpu = load_gpu(bench.gpu, [RR])
    predicted = bench.predict(subject, [RR], Options())
    measured = bench.cycle(subject, [RR])
    gains = Gains([], [], [])
    for change in changes_of(gpu, bench.machine(subject)):
        settings = [RR, *change.settings]
        gains.words.append(change.words)
        own = bench.predict(subject, settings, Options())
        gains.predicted.append(predicted.cycles / own.cycles)
        gains.measured.append(measured.cycles / bench.cycle(subject, settings).cycles)
    return gains


def timing(bench: Bench) -> None:
    """CPU seconds: cycle by cycle, one cache pass, one point out of it."""
    cycle = collect = opened = point = slowest = 0.0
    instructions = lines = 0.0
    for subject in bench.subjects:
        bench.predict(subject, [RR], Options())  # compiled, and the trace in the page cache
    for subject in bench.subjects:
        launches = [range(subject.launch, subject.launch + 1)]
        path = str(bench.trace(subject))
        began = time.process_time()
        list(simulate_trace(path, load_gpu(GPU, [RR]), launches=launches))
        cycle += time.process_time() - began
        began = time.process_time()
        with Explorer(path, GPU, [RR], Options(), launches=launches) as fresh:
            opened += time.process_time() - began
            began = time.process_time()
            found = fresh.at()
            collect += time.process_time() - began
            lines += found.timings[0].statistics["L1 sectors"]
            instructions += found.timings[0].instructions
            for policy in (RR, GTO):
                began = time.process_time()
                fresh.at([policy, "l1.mshr=64", "memory_bandwidth_gbs=150"])
                own = time.process_time() - began
                point, slowest = point + own / 2, max(slowest, own)
    count, cycle = len(bench.subjects), cycle - opened
    print(f"\nCPU seconds of {count} launches (load {os.getloadavg()[0]:.1f}), "
          f"opening the traces ({opened:.2f}) apart:")  # fmt: skip
    print(f"cycle by cycle {cycle:.2f} ({instructions / cycle / 1e6:.1f} M warp instructions/s), "
          f"with a cache pass {collect:.2f} ({cycle / collect:.1f} x faster)")  # fmt: skip
    print(f"each further point {1000 * point / count:.1f} ms, the slowest {1000 * slowest:.1f} ms "
          f"({cycle / point:.0f} x faster)")  # fmt: skip
    seconds, sectors = cache_seconds(bench)
    print(f"caches alone {seconds:.2f}: {sectors / seconds / 1e6:.1f} M sectors/s")


PARTS: Mapping[str, Callable[[Bench], None]] = {
    "accuracy": accuracy, "kernels": kernels, "sweeps": sweeps, "misses": misses,
    "text-machine": text_machine, "text-order": text_order, "selection": selection,
    "without": ablation, "others": others, "what-if": what_ifs, "time": timing,
}  # fmt: skip


def main() -> None:
    """Print the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--traces", type=Path, default=Path("/tmp/kcc-interval"))
    parser.add_argument("--journal", type=Path, default=Path("/tmp/kcc-interval.csv"))
    parser.add_argument("--part", choices=tuple(PARTS), action="append", default=[])
    arguments = parser.parse_args()
    bench = Bench(arguments.traces, arguments.journal)
    for part in arguments.part or PARTS:
        PARTS[part](bench)


if __name__ == "__main__":
    main()
