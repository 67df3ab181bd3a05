"""The tables of docs/validation/miniatures.md, from the journal of benchmarks.proxies.

    python -m benchmarks.proxy_tables proxies.jsonl [--page docs/validation/miniatures.md]

"none" is without reduction, "max" divides trips until one is left; "auto" is what
`--reduction auto --error 5` finds on all four configurations, "auto confN" on one; "twins" are two
miniatures, of which one has half the reduction of the other; "slices confN" may run on a part of
it.
"""

from __future__ import annotations

import argparse
import math
import re
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.proxies import BOUND, CONFIGURATIONS, GPUS, SLICES
from benchmarks.proxy_journal import Journal, name_of
from benchmarks.proxy_subjects import FOLDERS
from kcc.synth.comparison.behaviour import Pair, Simulated
from kcc.synth.reduction.reductions import Reduction
from kcc.synth.reduction.slices import of_whole
from kcc.synth.reduction.twins import followed, steps_to

HOW = ("none", "max", "auto", "twins")

PROGRAMS = frozenset(each.name for each in FOLDERS[1].iterdir() if each.is_dir())
"""Written for the list."""

PROGRAM_GPUS = ("conf1", "v100")
"""What those are looked at on."""


class Measured:
    """What a journal has of one workload."""

    def __init__(self, name: str, journal: Journal) -> None:
        self.name, self.journal = name, journal
        self.subject = journal.rows[f"{name} subject"]

    @property
    def has_loops(self) -> bool:
        """Whether a loop runs more than once."""
        return int(self.subject["loops"]) > 1

    def reduction(self, how: str) -> Reduction | None:
        """What was chosen by a way of :data:`HOW`, or for one configuration."""
        row = self.journal.rows.get(f"{self.name} {'max' if how == 'none' else how} chosen")
        if row is None:
            return None
        factors = tuple(tuple(one) for one in row["factors"])
        parts, apart = (int(row.get(key, least)) for key, least in (("parts", 1), ("apart", 2)))
        found = Reduction(factors, int(row["blocks"]), parts, apart)
        return found.none if how == "none" else found

    def pair(self, how: str, gpu: str) -> Pair | None:
        """The original, and what was chosen, on a configuration."""
        reduction = self.reduction(how)
        return reduction and self.pair_of(reduction, gpu, twins=self.is_two(how))

    def is_two(self, how: str) -> bool:
        """Whether two miniatures were chosen."""
        row = self.journal.rows.get(f"{self.name} {how} chosen")
        return bool(row and row["twins"])

    def pair_of(self, reduction: Reduction, gpu: str, *, twins: bool) -> Pair | None:
        """The original, and a miniature or two, on a configuration."""
        original = self.run("original", gpu)
        found = self.run(name_of(reduction), gpu)
        if twins and found and reduction.has_twin:
            larger = reduction.larger
            large = self.run(name_of(larger), gpu)
            whole = self.executed(reduction.none) / reduction.common_blocks
            sizes = self.executed(reduction), self.executed(larger)
            steps = steps_to(whole, *sizes)
            found = followed(found, large, steps) if large and min(sizes) > 0 else None
        return Pair(original, of_whole(found, reduction.parts)) if original and found else None

    def run(self, what: str, gpu: str) -> Simulated | None:
        """A simulation."""
        return self.journal.run(f"{self.name} {what}", gpu)

    def executed(self, reduction: Reduction) -> int:
        """The warp instructions of a miniature; 0 where nobody asked for them."""
        return int(self.behaviour(reduction).get("warp_instructions", 0))

    def behaviour(self, reduction: Reduction) -> dict[str, Any]:
        """What a miniature does."""
        return self.journal.rows.get(f"{self.name} {name_of(reduction.on_all)} behaviour", {})

    def tried(self) -> list[Reduction]:
        """Every miniature that was simulated."""
        heads = (key.partition(" on ") for key in self.journal.rows)
        names = {head.removeprefix(f"{self.name} ") for head, on, _ in heads if on}
        found = [re.fullmatch(r"trips (\S*) blocks (\d+)", name) for name in sorted(names)]
        return [
            Reduction(
                tuple(tuple(int(f) for f in row.split(",") if f) for row in one[1].split("/")),
                int(one[2]),
            )
            for one in found
            if one and self.journal.run(f"{self.name} {one[0]}", CONFIGURATIONS[0])
        ]

    def smallest(self, bound: float, gpus: Sequence[str]) -> tuple[Reduction, bool, list[Pair]]:
        """Of all that was tried the smallest, one miniature or two, within a bound on some
        configurations; that without reduction where none is."""
        ways = list[tuple[Reduction, bool, list[Pair]]]()
        for reduction in self.tried():
            for twins in (False, True):
                pairs = [self.pair_of(reduction, gpu, twins=twins) for gpu in gpus]
                known = [pair for pair in pairs if pair]
                if len(known) == len(gpus):
                    ways.append((reduction, twins and reduction.has_twin, known))
        good = [way for way in ways if all(abs(pair.ipc_error) <= bound for pair in way[2])]
        good = good or [way for way in ways if way[0].is_none]
        return max(good, key=lambda way: way[2][0].instruction_speedup)

    def named(self, how: str) -> str:
        """What was reduced by how much: trips of each loop, or thread blocks."""
        found = self.reduction(how)
        return "-" if found is None else said_of(found, twins=self.is_two(how))


def said_of(found: Reduction, *, twins: bool) -> str:
    """A reduction, or two, in words, and the part of the GPU that it runs on."""
    loops = ", ".join(str(f) for row in found.factors for f in row)
    trips = [f"trips {loops}"] if any(f > 1 for row in found.factors for f in row) else []
    blocks = [f"blocks {found.blocks}"] if found.blocks > 1 else []
    part = [f"1/{found.parts} of the GPU"] if found.parts > 1 else []
    twin = f"twin{f' of 1/{found.apart}' if found.apart > 2 else ''}"
    return "; ".join([*trips, *blocks, *part, *([twin] if twins else [])]) or "none"


def main() -> int:
    """Print the tables, or put them into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journals", metavar="JOURNAL", type=Path, nargs="+")
    parser.add_argument("--page", type=Path, help="put them into this page, where it names them")
    arguments = parser.parse_args()
    made = tables(read(arguments.journals))
    page: Path | None = arguments.page
    if page is None:
        for name, table in made.items():
            sys.stdout.write(f"\n### {name}\n\n{table}\n")
        return 0
    page.write_text(filled(page.read_text(encoding="utf-8"), made), encoding="utf-8")
    return 0


def tables(every: Sequence[Measured]) -> dict[str, str]:
    """All that there is something for, by name."""
    found = [own for own in every if own.reduction("max")]
    made = {"means": summary_table(found)} if found else {}
    for how in HOW:
        if own := [m for m in found if m.pair(how, "conf1")]:
            made[how] = errors_table(own, how)
    for way in ("auto", "twins", SLICES):
        gpus = [gpu for gpu in GPUS if all(m.reduction(f"{way} {gpu}") for m in every)]
        if gpus:
            made[f"{way}, each"] = each_table(every, way, gpus)
    if not found:  # journals of some parts
        return made
    for bound, gpus in ((5, CONFIGURATIONS[:1]), (10, CONFIGURATIONS)):
        made[f"tried within {bound} %"] = tried_table(found, bound / 100, gpus)
    programs = [m for m in every if m.name in PROGRAMS]
    if programs and all(m.pair("none", gpu) for m in programs for gpu in PROGRAM_GPUS):
        made["programs"] = programs_table(programs)
    made["correlation"] = correlation_table(found)
    made["by reduction"] = reduction_table(found)
    made["behaviour"] = behaviour_table(found)
    made["baselines"] = baseline_table(found)
    return made


def filled(page: str, made: Mapping[str, str]) -> str:
    """The page with each table behind the comment that names it, in place of what is there.

    :raises KeyError: for a name that no table has.
    """

    def put(match: re.Match[str]) -> str:
        return f"{match[1]}{made[match[2]]}\n\n"

    return re.sub(r"(<!-- table: (.*) -->\n\n)(?:(?:\|.*\n)+\n)?", put, page)


def read(paths: Sequence[Path]) -> list[Measured]:
    """The workloads whose original and miniatures are in the journals."""
    journal = Journal(paths[0])
    for path in paths[1:]:
        journal.rows.update(Journal(path).rows)
    done = {key.split()[0] for key in journal.rows if key.endswith(" chosen")}
    return [Measured(name, journal) for name in sorted(done)]


def _groups(found: Sequence[Measured]) -> list[tuple[str, Sequence[Measured]]]:
    groups = [
        ("loops", [m for m in found if m.has_loops]),
        ("no loops", [m for m in found if not m.has_loops]),
        ("all", found),
    ]
    return [(f"mean of {len(own)}, {title}", own) for title, own in groups if own]


def errors_table(found: Sequence[Measured], how: str) -> str:
    """IPC errors on each configuration and speed-ups, at one reduction per workload."""
    lines = [
        "| workload | kernel | miniature | conf1 | conf2 | conf3 | conf4 | time | instructions |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for own in found:
        pairs = [own.pair(how, gpu) for gpu in CONFIGURATIONS]
        errors = " | ".join(_percent(pair and pair.ipc_error) for pair in pairs)
        speeds = f"{_times(_time(pairs))} | {_times(_speed(pairs[0]))}"
        lines.append(
            f"| {own.name} | {own.subject['kernel']} | {own.named(how)} | {errors} | {speeds} |"
        )
    lines += [f"| {title} | | | {_means(group, how)} |" for title, group in _groups(found)]
    lines.append(f"| within {BOUND} % on all: {_within(found, how)} of {len(found)} |" + " |" * 8)
    return "\n".join(lines)


def _within(found: Sequence[Measured], how: str) -> int:
    pairs = [[own.pair(how, gpu) for gpu in CONFIGURATIONS] for own in found]
    return sum(all(p and abs(p.ipc_error) <= BOUND / 100 for p in row) for row in pairs)


def summary_table(found: Sequence[Measured]) -> str:
    """The means of all ways."""
    lines = [
        "| | | conf1 | conf2 | conf3 | conf4 | time | instructions |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for how in HOW:
        own = [m for m in found if m.pair(how, "conf1")]
        lines += [f"| {how} | {title} | {_means(group, how)} |" for title, group in _groups(own)]
    return "\n".join(lines)


def _means(group: Sequence[Measured], how: str) -> str:
    """Mean errors by configuration, and speed-ups."""
    columns = [_mean_absolute(m.pair(how, gpu) for m in group) for gpu in CONFIGURATIONS]
    speeds = _both([_speed(m.pair(how, "conf1")) for m in group])
    times = _both([_time([m.pair(how, gpu) for gpu in CONFIGURATIONS]) for m in group])
    return " | ".join([*columns, times, speeds])


def each_table(found: Sequence[Measured], way: str, gpus: Sequence[str]) -> str:
    """What is found for each configuration alone: reduction, error, and the speed-up in time of
    the simulation, then in instructions."""
    lines = [f"| workload | {' | '.join(gpus)} |", "|---" * (len(gpus) + 1) + "|"]
    for own in found:
        cells = list[str]()
        for gpu in gpus:
            how = f"{way} {gpu}"
            pair = own.pair(how, gpu)
            error = _percent(pair and pair.ipc_error)
            speed = f"{_times(_time([pair]))}, {_times(_speed(pair))}"
            said = " (K953)" if _is_refused(pair) else ""
            cells.append(f"{own.named(how)}: {error}, {speed}{said}" if pair else "-")
        lines.append(f"| {own.name} | {' | '.join(cells)} |")
    for title, group in _groups(found):
        cells = [
            f"{_mean_absolute(pairs)}, {_both([_time([pair]) for pair in pairs])}, "
            f"{_both([_speed(pair) for pair in pairs])}"
            for gpu in gpus
            for pairs in [[m.pair(f"{way} {gpu}", gpu) for m in group]]
        ]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    cells = [_geometric([m.pair(f"{way} {gpu}", gpu) for m in found]) for gpu in gpus]
    lines.append(f"| geometric mean, refused as 1 | {' | '.join(cells)} |")
    cells = [_with_start([m.pair(f"{way} {gpu}", gpu) for m in found]) for gpu in gpus]
    lines.append(f"| the same, time with reading and lowering | {' | '.join(cells)} |")
    return "\n".join(lines)


def _is_refused(pair: Pair | None) -> bool:
    """Whether even the miniature without reduction is beyond the bound."""
    return pair is not None and abs(pair.ipc_error) > BOUND / 100


def _geometric(pairs: Sequence[Pair | None]) -> str:
    times, instructions = (_mean_where_kept(pairs, f) for f in (_time_of, _speed))
    refused = sum(_is_refused(pair) for pair in pairs)
    return f"{times:.1f} x, {instructions:.1f} x; {refused} of {len(pairs)} refused"


def _with_start(pairs: Sequence[Pair | None]) -> str:
    def whole(pair: Pair) -> float:
        one, two = (x.cpu_seconds + x.start_seconds for x in (pair.original, pair.miniature))
        return one / two

    return f"{_mean_where_kept(pairs, whole):.1f} x"


def _mean_where_kept(pairs: Sequence[Pair | None], speed: Callable[[Pair], float | None]) -> float:
    """The geometric mean, in which 1 stands for what is refused."""
    known = [pair for pair in pairs if pair]
    return statistics.geometric_mean(
        [1.0 if _is_refused(pair) else float(speed(pair) or 1.0) for pair in known]
    )


def _time_of(pair: Pair) -> float | None:
    return _time([pair])


def tried_table(found: Sequence[Measured], bound: float, gpus: Sequence[str]) -> str:
    """Of loop kernels the smallest of all miniatures that were simulated, whatever for."""
    lines = [f"| workload | miniature | {' | '.join(gpus)} | instructions |"]
    lines.append("|---|---|" + "---|" * (len(gpus) + 1))
    rows = list[list[Pair]]()
    for own in found:
        if own.has_loops:
            reduction, twins, pairs = own.smallest(bound, gpus)
            rows.append(pairs)
            errors = " | ".join(_percent(pair.ipc_error) for pair in pairs)
            speed = _times(_speed(pairs[0]))
            lines.append(f"| {own.name} | {said_of(reduction, twins=twins)} | {errors} | {speed} |")
    means = " | ".join(_mean_absolute(row[n] for row in rows) for n in range(len(gpus)))
    speeds = _both([_speed(row[0]) for row in rows])
    lines.append(f"| mean of {len(rows)} | | {means} | {speeds} |")
    return "\n".join(lines)


def programs_table(found: Sequence[Measured]) -> str:
    """Programs that were written for the list, without reduction."""
    heads = (f"IPC, {gpu} | cycles, {gpu}" for gpu in PROGRAM_GPUS)
    lines = [f"| program | kernel | lanes | sectors | {' | '.join(heads)} |", "|---" * 8 + "|"]
    for own in found:
        reduction = own.reduction("none")
        assert reduction is not None
        one, two = own.subject["behaviour"], own.behaviour(reduction)
        cells = [own.name, f"`{own.subject['kernel']}`",
                 f"{100 * one['lanes']:.1f} / {100 * two['lanes']:.1f} %",
                 f"{one['sectors']:.2f} / {two['sectors']:.2f}"]  # fmt: skip
        for gpu in PROGRAM_GPUS:
            pair = own.pair("none", gpu)
            assert pair is not None
            cycles = pair.miniature.cycles / pair.original.cycles - 1
            cells += [_percent(pair.ipc_error), _percent(cycles)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def correlation_table(found: Sequence[Measured]) -> str:
    """How IPC changes from conf1 to the others, original against miniature: the correlation of the
    logarithms of IPC over that on conf1, over all workloads and configurations (figure 20)."""
    lines = ["| miniature | points | correlation |", "|---|---|---|"]
    for how in HOW:
        points = list[tuple[float, float]]()
        for own in found:
            pairs = [pair for gpu in CONFIGURATIONS if (pair := own.pair(how, gpu))]
            if len(pairs) == len(CONFIGURATIONS):
                points += [_gains(pairs[0], other) for other in pairs[1:]]
        if len(points) > 2:
            correlation = statistics.correlation(*zip(*points, strict=True))
            lines.append(f"| {how} | {len(points)} | {correlation:.3f} |")
    return "\n".join(lines)


def _gains(first: Pair, other: Pair) -> tuple[float, float]:
    """Of the original and of the miniature."""
    one = math.log(other.original.ipc / first.original.ipc)
    return one, math.log(other.miniature.ipc / first.miniature.ipc)


def reduction_table(found: Sequence[Measured]) -> str:
    """Error and speed-up of loop kernels by reduction (figures 16 and 17), of one miniature and of
    two; a workload whose largest factor is smaller stays at that."""
    lines = [
        "| R | workloads | conf1 | conf4 | instructions | two: conf1 | conf4 | instructions |",
        "|---|---|---|---|---|---|---|---|",
    ]
    loops = [m for m in found if m.has_loops and f"{m.name} sweep done" in m.journal]
    most = {m.name: max(_factors(m)) for m in loops}
    for exponent in range(max(most.values(), default=1).bit_length()):
        factor = 1 << exponent
        cells = list[str]()
        for twins in (False, True):
            rows = [
                [m.pair_of(_cut(m, factor), gpu, twins=twins) for gpu in ("conf1", "conf4")]
                for m in loops
            ]
            cells += [_mean_absolute(row[n] for row in rows) for n in (0, 1)]
            cells.append(_both([_speed(row[0]) for row in rows]))
        own = sum(m >= factor for m in most.values())
        lines.append(f"| {factor} | {own} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _factors(own: Measured) -> list[int]:
    largest = own.reduction("max")
    return [f for row in (largest.factors if largest else ()) for f in row] or [1]


def _cut(own: Measured, limit: int) -> Reduction:
    largest = own.reduction("max")
    assert largest is not None
    return Reduction(tuple(tuple(min(f, limit) for f in row) for row in largest.factors))


def behaviour_table(found: Sequence[Measured], how: str = "auto") -> str:
    """Lanes, sectors, passes and hit rates, original / miniature, of what auto finds."""
    lines = [
        "| workload | miniature | lanes | sectors | passes | mix | L1 hits, conf1 |",
        "|---|---|---|---|---|---|---|",
    ]
    for own in found:
        reduction = own.reduction(how)
        if reduction is None:
            continue
        one, two = own.subject["behaviour"], own.behaviour(reduction)
        mixes = one["mix"], two["mix"]
        mix = max(abs(mixes[0].get(n, 0) - mixes[1].get(n, 0)) for n in {*mixes[0], *mixes[1]})
        pair = own.pair(how, "conf1")
        hits = f"{_hits(pair and pair.original)} / {_hits(pair and pair.miniature)}"
        counts = " | ".join(f"{one[k]:.2f} / {two[k]:.2f}" for k in ("lanes", "sectors", "passes"))
        lines.append(f"| {own.name} | {own.named(how)} | {counts} | {100 * mix:.1f} % | {hits} |")
    return "\n".join(lines)


def baseline_table(found: Sequence[Measured]) -> str:
    """Trips of one written into the source, and a quarter of the thread blocks, on conf1."""
    lines = ["| workload | once in the source | a quarter of the threads |", "|---|---|---|"]
    columns = [list[Pair | None](), list[Pair | None]()]
    for own in found:
        original, none = own.run("original", "conf1"), own.reduction("none")
        assert original is not None
        assert none is not None
        fewer = Reduction(none.factors, 4)
        runs = own.run("once", "conf1"), own.run(name_of(fewer), "conf1")
        pairs = [Pair(original, run) if run else None for run in runs]
        errors = [_percent(pair and pair.ipc_error) for pair in pairs]
        lines.append(f"| {own.name} | {' | '.join(errors)} |")
        for column, pair in zip(columns, pairs, strict=True):
            column.append(pair)
    lines.append(f"| mean | {_mean_absolute(columns[0])} | {_mean_absolute(columns[1])} |")
    return "\n".join(lines)


def _speed(pair: Pair | None) -> float | None:
    return pair and pair.instruction_speedup


def _time(pairs: Sequence[Pair | None]) -> float | None:
    """The original's CPU time over the miniature's, all configurations together."""
    known = [pair for pair in pairs if pair]
    own = sum(pair.miniature.cpu_seconds for pair in known)
    return sum(pair.original.cpu_seconds for pair in known) / own if own else None


def _both(values: Iterable[float | None]) -> str:
    """Arithmetic and harmonic mean."""
    known = [value for value in values if value]
    if not known:
        return "-"
    return f"{statistics.mean(known):.1f} x / {statistics.harmonic_mean(known):.1f} x"


def _mean_absolute(pairs: Iterable[Pair | None]) -> str:
    known = [abs(pair.ipc_error) for pair in pairs if pair]
    return f"{100 * statistics.mean(known):.1f} %" if known else "-"


def _percent(error: float | None) -> str:
    return "-" if error is None else f"{100 * error:+.1f} %"


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} x"


def _hits(run: Simulated | None) -> str:
    rate = run.hits.get("L1") if run else None
    return "-" if rate is None else f"{100 * rate:.0f} %"


if __name__ == "__main__":
    sys.exit(main())
